"""The scans of recurrent layers on torch: per time step one product and a few kernels, in buffers of the whole sequence.

torch's own fused layers keep their gates in a form that only they can read; here they are arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.recurrent import Nonlinearity
from everygrad_ops.recurrent_parts import check_scan
from everygrad_ops.recurrent_scan import RecurrentScanOps
from everygrad_torch.arrays import LOW, Array, kernel

_aten: Any = torch.ops.aten
_sigmoid_backward: Callable[..., Array] = kernel(_aten.sigmoid_backward.grad_input)
_tanh_backward: Callable[..., Array] = kernel(_aten.tanh_backward.grad_input)
_tanh_gradient: Callable[[Array, Array], Array] = kernel(_aten.tanh_backward.default)
_LSTM = Backend[Array].lstm_scan_with_gates
_LSTM_BACKWARD = Backend[Array].lstm_scan_backward
_GRU = Backend[Array].gru_scan_with_gates
_GRU_BACKWARD = Backend[Array].gru_scan_backward
_RNN = Backend[Array].rnn_scan
_RNN_BACKWARD = Backend[Array].rnn_scan_backward


class TorchRecurrent(RecurrentScanOps[Array]):
    """float64 and float32; a projected LSTM and low precision by the defaults."""

    @override
    def lstm_scan_with_gates(
        self: Backend[Array], gates: Array, h0: Array, c0: Array, w_hh: Array, w_hr: Array | None
    ) -> tuple[Array, Array, Array]:
        check_scan("lstm_scan", self, gates, 4, h0, w_hh, c0, w_hr)
        if w_hr is not None or not _plain(gates, h0, c0, w_hh):
            return _LSTM(self, gates, h0, c0, w_hh, w_hr)
        steps, rows, width = gates.shape[0], gates.shape[1], c0.shape[1]
        out, cells, active = (gates.new_empty(steps, rows, n * width) for n in (1, 1, 4))
        turned, h, c = w_hh.t(), h0, c0
        for x, a, next_h, next_c in zip(gates.unbind(), active.unbind(), out.unbind(), cells.unbind()):
            torch.addmm(x, h, turned, out=a)
            i, f, g, o = a.chunk(4, 1)
            i.sigmoid_()
            torch.mul(f.sigmoid_(), c, out=next_c)
            next_c.addcmul_(i, g.tanh_())
            h, c = torch.tanh(next_c, out=next_h).mul_(o.sigmoid_()), next_c
        return out, cells, active

    @override
    def lstm_scan_backward(
        self: Backend[Array],
        grad: Array | None,
        grad_cells: Array | None,
        gates: Array,
        h0: Array,
        c0: Array,
        w_hh: Array,
        w_hr: Array | None,
        out: Array | None = None,
        cells: Array | None = None,
        active: Array | None = None,
    ) -> tuple[Array, Array, Array, Array, Array | None]:
        if w_hr is not None or not _plain(gates, h0, c0, w_hh) or not gates.numel():
            return _LSTM_BACKWARD(self, grad, grad_cells, gates, h0, c0, w_hh, w_hr, out, cells, active)
        if out is None or cells is None or active is None:
            out, cells, active = self.lstm_scan_with_gates(gates, h0, c0, w_hh, w_hr)
        found = torch.empty_like(active)
        bent = torch.tanh(cells)
        dh, dc = torch.zeros_like(h0), torch.zeros_like(c0)
        parts, activated, curves = found.unbind(), active.unbind(), bent.unbind()
        pasts = (c0, *cells.unbind())
        for t in range(len(parts) - 1, -1, -1):
            d, curve = parts[t], curves[t]
            i, f, g, o = activated[t].chunk(4, 1)
            di, df, dg, do = d.chunk(4, 1)
            if grad is not None:
                dh = dh + grad[t]
            if grad_cells is not None:
                dc = dc + grad_cells[t]
            dc = _tanh_gradient(dh * o, curve).add_(dc)
            _sigmoid_backward(torch.mul(dc, g, out=di), i, grad_input=di)
            _sigmoid_backward(torch.mul(dc, pasts[t], out=df), f, grad_input=df)
            _tanh_backward(torch.mul(dc, i, out=dg), g, grad_input=dg)
            _sigmoid_backward(torch.mul(dh, curve, out=do), o, grad_input=do)
            dc = dc.mul_(f)
            dh = torch.mm(d, w_hh)
        return found, dh, dc, _grad_of_weight(found, h0, out), None

    @override
    def gru_scan_with_gates(
        self: Backend[Array], gates: Array, h0: Array, w_hh: Array, b_hh: Array | None
    ) -> tuple[Array, Array]:
        check_scan("gru_scan", self, gates, 3, h0, w_hh, None, None, b_hh)
        if not _plain(gates, h0, w_hh, *(() if b_hh is None else (b_hh,))):
            return _GRU(self, gates, h0, w_hh, b_hh)
        steps, rows, width = gates.shape[0], gates.shape[1], h0.shape[1]
        out, active = gates.new_empty(steps, rows, width), gates.new_empty(steps, rows, 4 * width)
        turned, h = w_hh.t(), h0
        for x, a, next_h in zip(gates.unbind(), active.unbind(), out.unbind()):
            from_h = torch.mm(h, turned) if b_hh is None else torch.addmm(b_hh, h, turned)
            switches = torch.add(x[:, : 2 * width], from_h[:, : 2 * width], out=a[:, : 2 * width]).sigmoid_()
            r, z = switches.chunk(2, 1)
            n = a[:, 2 * width : 3 * width]
            kept = a[:, 3 * width :].copy_(from_h[:, 2 * width :])
            torch.addcmul(x[:, 2 * width :], r, kept, out=n).tanh_()
            h = torch.lerp(n, h, z, out=next_h)
        return out, active

    @override
    def gru_scan_backward(
        self: Backend[Array],
        grad: Array,
        gates: Array,
        h0: Array,
        w_hh: Array,
        b_hh: Array | None,
        out: Array | None = None,
        active: Array | None = None,
    ) -> tuple[Array, Array, Array, Array | None]:
        if not _plain(gates, h0, w_hh) or not gates.numel():
            return _GRU_BACKWARD(self, grad, gates, h0, w_hh, b_hh, out, active)
        if out is None or active is None:
            out, active = self.gru_scan_with_gates(gates, h0, w_hh, b_hh)
        width = h0.shape[1]
        from_x, from_h = (torch.empty_like(gates, memory_format=torch.contiguous_format) for _ in "xh")
        pasts, activated, above = (h0, *out.unbind()), active.unbind(), grad.unbind()
        dh = torch.zeros_like(h0)
        for t in range(len(activated) - 1, -1, -1):
            r, z, n, kept = activated[t].chunk(4, 1)
            dr, dz, dn = from_x[t].chunk(3, 1)
            dh = dh + above[t]
            through = dh * z
            _tanh_backward(torch.sub(dh, through, out=dn), n, grad_input=dn)
            _sigmoid_backward(torch.sub(pasts[t], n, out=dz).mul_(dh), z, grad_input=dz)
            _sigmoid_backward(torch.mul(dn, kept, out=dr), r, grad_input=dr)
            d = from_h[t]
            d[:, : 2 * width].copy_(from_x[t][:, : 2 * width])
            torch.mul(dn, r, out=d[:, 2 * width :])
            dh = torch.addmm(through, d, w_hh)
        grad_b = None if b_hh is None else torch.sum(from_h, (0, 1))
        return from_x, dh, _grad_of_weight(from_h, h0, out), grad_b

    @override
    def rnn_scan(
        self: Backend[Array], gates: Array, h0: Array, w_hh: Array, nonlinearity: Nonlinearity
    ) -> Array:
        check_scan("rnn_scan", self, gates, 1, h0, w_hh)
        if not _plain(gates, h0, w_hh):
            return _RNN(self, gates, h0, w_hh, nonlinearity)
        out = torch.empty_like(gates, memory_format=torch.contiguous_format)
        turned, h = w_hh.t(), h0
        for x, next_h in zip(gates.unbind(), out.unbind()):
            h = torch.addmm(x, h, turned, out=next_h)
            h = h.tanh_() if nonlinearity == "tanh" else h.relu_()
        return out

    @override
    def rnn_scan_backward(
        self: Backend[Array],
        grad: Array,
        gates: Array,
        h0: Array,
        w_hh: Array,
        nonlinearity: Nonlinearity,
        out: Array | None = None,
    ) -> tuple[Array, Array, Array]:
        if not _plain(gates, h0, w_hh) or not gates.numel():
            return _RNN_BACKWARD(self, grad, gates, h0, w_hh, nonlinearity, out)
        out = self.rnn_scan(gates, h0, w_hh, nonlinearity) if out is None else out
        found = torch.empty_like(out)
        dh = torch.zeros_like(h0)
        above, ys, parts = grad.unbind(), out.unbind(), found.unbind()
        for t in range(len(ys) - 1, -1, -1):
            dh = dh + above[t]
            if nonlinearity == "tanh":
                _tanh_backward(dh, ys[t], grad_input=parts[t])
            else:
                torch.mul(dh, ys[t] > 0, out=parts[t])
            dh = torch.mm(parts[t], w_hh)
        return found, dh, _grad_of_weight(found, h0, out)


def _plain(first: Array, *others: Array) -> bool:
    """Whether the fast forms take these dtypes; the defaults explain what is wrong with others."""
    return first.dtype not in LOW and all(x.dtype is first.dtype for x in others)


def _grad_of_weight(gates: Array, h0: Array, out: Array) -> Array:
    """The outer products of gates and states before them, summed over steps and rows: one product."""
    before = torch.cat((h0.unsqueeze(0), out[:-1])).reshape(-1, h0.shape[1])
    return torch.mm(gates.reshape(-1, gates.shape[2]).t(), before)
