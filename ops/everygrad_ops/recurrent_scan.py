"""The scans of recurrent layers and their adjoints: each loops over the time steps.

`gates` is the input's part of the gates, (T, N, gates * H). The activated gates are residuals: with them,
the way back is a loop of the same length, and one product for the weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.marks import caches, outputs
from everygrad_ops.precision import narrow, wide
from everygrad_ops.recurrent import Nonlinearity
from everygrad_ops.recurrent_parts import (
    before,
    check_scan,
    grad_of_weight,
    step,
    through_sigmoid,
    through_tanh,
    zeros_of,
)

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class RecurrentScanOps(Protocol[A]):
    """From the input's part of the gates to the hidden states; low precision through float32."""

    @outputs("out", "cells")
    def lstm_scan(self: Backend[A], gates: A, h0: A, c0: A, w_hh: A, w_hr: A | None) -> tuple[A, A]:
        """(hidden states (T, N, H or P), cells (T, N, H)) of `lstm`, from gates (T, N, 4 H)."""
        out, cells, _ = self.lstm_scan_with_gates(gates, h0, c0, w_hh, w_hr)
        return out, cells

    @outputs("out", "cells", "active")
    def lstm_scan_with_gates(
        self: Backend[A], gates: A, h0: A, c0: A, w_hh: A, w_hr: A | None
    ) -> tuple[A, A, A]:
        """(hidden states, cells, activated gates (T, N, 4 H)): a loop over the time steps."""
        check_scan("lstm_scan", self, gates, 4, h0, w_hh, c0, w_hr)
        dtype, width = self.dtype(gates), self.shape(gates)[2] // 4
        gates, h, c, w_hh = (wide(self, a) for a in (gates, h0, c0, w_hh))
        turned = self.permute(w_hh, (1, 0))
        project = None if w_hr is None else self.permute(wide(self, w_hr), (1, 0))
        out: list[A] = []
        cells: list[A] = []
        active: list[A] = []
        for t in range(self.shape(gates)[0]):
            i, f, g, o = self.split(self.add(step(self, gates, t), self.matmul(h, turned)), (width,) * 4, 1)
            i, f, g, o = self.sigmoid(i), self.sigmoid(f), self.tanh(g), self.sigmoid(o)
            c = self.add(self.mul(f, c), self.mul(i, g))
            h = self.mul(o, self.tanh(c))
            h = h if project is None else self.matmul(h, project)
            out.append(h)
            cells.append(c)
            active.append(self.cat([i, f, g, o], 1))
        found = (narrow(self, self.stack(parts, 0), dtype) for parts in (out, cells, active))
        return tuple(found)  # type: ignore[return-value]  # three of them

    @caches("out", "cells", "active")
    @outputs("grad_gates", "grad_h0", "grad_c0", "grad_w_hh", "grad_w_hr")
    def lstm_scan_backward(
        self: Backend[A],
        grad: A | None,
        grad_cells: A | None,
        gates: A,
        h0: A,
        c0: A,
        w_hh: A,
        w_hr: A | None,
        out: A | None = None,
        cells: A | None = None,
        active: A | None = None,
    ) -> tuple[A, A, A, A, A | None]:
        """The gradients of `lstm_scan`: a loop back over the time steps. `grad` and `grad_cells` may be None.

        `out`, `cells` and `active`, from `lstm_scan_with_gates`, save running it again.
        """
        if out is None or cells is None or active is None:
            out, cells, active = self.lstm_scan_with_gates(gates, h0, c0, w_hh, w_hr)
        dtype, steps, width = self.dtype(gates), self.shape(gates)[0], self.shape(gates)[2] // 4
        h0, c0, w_hh, out, cells, active = (wide(self, a) for a in (h0, c0, w_hh, out, cells, active))
        project = None if w_hr is None else wide(self, w_hr)
        grad_hr = None if project is None else zeros_of(self, project)
        dh, dc = zeros_of(self, h0), zeros_of(self, c0)
        found: list[A] = []
        for t in reversed(range(steps)):
            i, f, g, o = self.split(step(self, active, t), (width,) * 4, 1)
            bent = self.tanh(step(self, cells, t))
            dh = dh if grad is None else self.add(dh, wide(self, step(self, grad, t)))
            dc = dc if grad_cells is None else self.add(dc, wide(self, step(self, grad_cells, t)))
            dm = dh
            if project is not None and grad_hr is not None:
                dm = self.matmul(dh, project)
                turned = self.permute(dh, (1, 0))
                grad_hr = self.add(grad_hr, self.matmul(turned, self.mul(o, bent)))
            dc = self.add(dc, through_tanh(self, self.mul(dm, o), bent))
            past = c0 if t == 0 else step(self, cells, t - 1)
            parts = [
                through_sigmoid(self, self.mul(dc, g), i),
                through_sigmoid(self, self.mul(dc, past), f),
                through_tanh(self, self.mul(dc, i), g),
                through_sigmoid(self, self.mul(dm, bent), o),
            ]
            found.append(self.cat(parts, 1))
            dh, dc = self.matmul(found[-1], w_hh), self.mul(dc, f)
        whole = self.stack(found[::-1], 0)
        grad_w = grad_of_weight(self, whole, before(self, h0, out))
        results = (whole, dh, dc, grad_w)
        grad_hr = None if grad_hr is None else narrow(self, grad_hr, dtype)
        return (*(narrow(self, r, dtype) for r in results), grad_hr)  # type: ignore[return-value]  # five of them

    def gru_scan(self: Backend[A], gates: A, h0: A, w_hh: A, b_hh: A | None) -> A:
        """The hidden states (T, N, H) of `gru`, from gates (T, N, 3 H)."""
        return self.gru_scan_with_gates(gates, h0, w_hh, b_hh)[0]

    @outputs("out", "active")
    def gru_scan_with_gates(self: Backend[A], gates: A, h0: A, w_hh: A, b_hh: A | None) -> tuple[A, A]:
        """(hidden states, r, z, n and W_hn h + b_hn (T, N, 4 H)): a loop over the time steps."""
        check_scan("gru_scan", self, gates, 3, h0, w_hh, None, None, b_hh)
        dtype, width = self.dtype(gates), self.shape(gates)[2] // 3
        gates, h, w_hh = (wide(self, a) for a in (gates, h0, w_hh))
        bias = None if b_hh is None else wide(self, b_hh)
        out: list[A] = []
        active: list[A] = []
        for t in range(self.shape(gates)[0]):
            xr, xz, xn = self.split(step(self, gates, t), (width,) * 3, 1)
            hr, hz, hn = self.split(self.linear(h, w_hh, bias), (width,) * 3, 1)
            r, z = self.sigmoid(self.add(xr, hr)), self.sigmoid(self.add(xz, hz))
            n = self.tanh(self.add(xn, self.mul(r, hn)))
            h = self.add(n, self.mul(z, self.sub(h, n)))
            out.append(h)
            active.append(self.cat([r, z, n, hn], 1))
        return narrow(self, self.stack(out, 0), dtype), narrow(self, self.stack(active, 0), dtype)

    @caches("out", "active")
    @outputs("grad_gates", "grad_h0", "grad_w_hh", "grad_b_hh")
    def gru_scan_backward(
        self: Backend[A],
        grad: A,
        gates: A,
        h0: A,
        w_hh: A,
        b_hh: A | None,
        out: A | None = None,
        active: A | None = None,
    ) -> tuple[A, A, A, A | None]:
        """The gradients of `gru_scan`: a loop back over the time steps.

        `out` and `active`, from `gru_scan_with_gates`, save running it again.
        """
        if out is None or active is None:
            out, active = self.gru_scan_with_gates(gates, h0, w_hh, b_hh)
        dtype, steps, width = self.dtype(gates), self.shape(gates)[0], self.shape(gates)[2] // 3
        h0, w_hh, out, active = (wide(self, a) for a in (h0, w_hh, out, active))
        dh = zeros_of(self, h0)
        from_x: list[A] = []
        from_h: list[A] = []
        for t in reversed(range(steps)):
            r, z, n, hn = self.split(step(self, active, t), (width,) * 4, 1)
            past = h0 if t == 0 else step(self, out, t - 1)
            dh = self.add(dh, wide(self, step(self, grad, t)))
            keep = self.mul(dh, z)
            dn = through_tanh(self, self.sub(dh, keep), n)
            dz = through_sigmoid(self, self.mul(dh, self.sub(past, n)), z)
            dr = through_sigmoid(self, self.mul(dn, hn), r)
            from_x.append(self.cat([dr, dz, dn], 1))
            from_h.append(self.cat([dr, dz, self.mul(dn, r)], 1))
            dh = self.add(keep, self.matmul(from_h[-1], w_hh))
        whole = self.stack(from_h[::-1], 0)
        grad_w = grad_of_weight(self, whole, before(self, h0, out))
        grad_b = None if b_hh is None else narrow(self, self.sum(whole, (0, 1)), dtype)
        results = (self.stack(from_x[::-1], 0), dh, grad_w)
        return (*(narrow(self, r, dtype) for r in results), grad_b)  # type: ignore[return-value]  # four of them

    def rnn_scan(self: Backend[A], gates: A, h0: A, w_hh: A, nonlinearity: Nonlinearity) -> A:
        """The hidden states (T, N, H) of `rnn`, from gates (T, N, H): a loop over the time steps."""
        check_scan("rnn_scan", self, gates, 1, h0, w_hh)
        dtype = self.dtype(gates)
        gates, h, w_hh = (wide(self, a) for a in (gates, h0, w_hh))
        turned = self.permute(w_hh, (1, 0))
        out: list[A] = []
        for t in range(self.shape(gates)[0]):
            h = self.add(step(self, gates, t), self.matmul(h, turned))
            h = self.tanh(h) if nonlinearity == "tanh" else self.relu(h)
            out.append(h)
        return narrow(self, self.stack(out, 0), dtype)

    @caches("out")
    @outputs("grad_gates", "grad_h0", "grad_w_hh")
    def rnn_scan_backward(
        self: Backend[A],
        grad: A,
        gates: A,
        h0: A,
        w_hh: A,
        nonlinearity: Nonlinearity,
        out: A | None = None,
    ) -> tuple[A, A, A]:
        """The gradients of `rnn_scan`: a loop back over the time steps. `out` saves running it again."""
        if out is None:
            out = self.rnn_scan(gates, h0, w_hh, nonlinearity)
        dtype, steps = self.dtype(gates), self.shape(gates)[0]
        h0, w_hh, out = (wide(self, a) for a in (h0, w_hh, out))
        dh = zeros_of(self, h0)
        found: list[A] = []
        for t in reversed(range(steps)):
            y = step(self, out, t)
            dh = self.add(dh, wide(self, step(self, grad, t)))
            found.append(through_tanh(self, dh, y) if nonlinearity == "tanh" else self.relu_backward(dh, y))
            dh = self.matmul(found[-1], w_hh)
        whole = self.stack(found[::-1], 0)
        grad_w = grad_of_weight(self, whole, before(self, h0, out))
        return narrow(self, whole, dtype), narrow(self, dh, dtype), narrow(self, grad_w, dtype)
