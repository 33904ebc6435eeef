"""The scans of recurrent layers on NumPy: per time step one product, and ufuncs into buffers of the whole sequence."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, hushed
from everygrad_ops import Backend
from everygrad_ops.recurrent import Nonlinearity
from everygrad_ops.recurrent_parts import check_scan
from everygrad_ops.recurrent_scan import RecurrentScanOps

_LSTM = Backend[Array].lstm_scan_with_gates
_LSTM_BACKWARD = Backend[Array].lstm_scan_backward
_GRU = Backend[Array].gru_scan_with_gates
_GRU_BACKWARD = Backend[Array].gru_scan_backward
_RNN = Backend[Array].rnn_scan
_RNN_BACKWARD = Backend[Array].rnn_scan_backward


@hushed
class NumpyRecurrent(RecurrentScanOps[Array]):
    """float64 and float32; a projected LSTM and low precision by the defaults."""

    @override
    def lstm_scan_with_gates(
        self: Backend[Array], gates: Array, h0: Array, c0: Array, w_hh: Array, w_hr: Array | None
    ) -> tuple[Array, Array, Array]:
        check_scan("lstm_scan", self, gates, 4, h0, w_hh, c0, w_hr)
        if w_hr is not None or not _plain(gates, h0, c0, w_hh):
            return _LSTM(self, gates, h0, c0, w_hh, w_hr)
        (steps, rows, _), width, dtype = gates.shape, c0.shape[1], gates.dtype
        out, cells, active = (np.empty((steps, rows, n * width), dtype) for n in (1, 1, 4))
        turned, h, c = w_hh.T, h0, c0
        with np.errstate(all="ignore"):
            for x, a, next_h, next_c in zip(gates, active, out, cells):
                np.matmul(h, turned, out=a)
                a += x
                i, f, g, o = _split(a, width)
                _sigmoid(a[:, : 2 * width])
                _sigmoid(o)
                np.tanh(g, g)
                np.multiply(f, c, next_c)
                next_c += i * g
                np.tanh(next_c, next_h)
                next_h *= o
                h, c = next_h, next_c
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
        if w_hr is not None or not _plain(gates, h0, c0, w_hh) or not gates.size:
            return _LSTM_BACKWARD(self, grad, grad_cells, gates, h0, c0, w_hh, w_hr, out, cells, active)
        if out is None or cells is None or active is None:
            out, cells, active = self.lstm_scan_with_gates(gates, h0, c0, w_hh, w_hr)
        width = c0.shape[1]
        found = np.empty(gates.shape, gates.dtype)
        dh, dc = np.zeros_like(h0), np.zeros_like(c0)
        with np.errstate(all="ignore"):
            for t in range(len(gates) - 1, -1, -1):
                d, a = found[t], active[t]
                i, f, g, o = _split(a, width)
                di, df, dg, do = _split(d, width)
                bent = np.tanh(cells[t])
                if grad is not None:
                    dh += grad[t]
                if grad_cells is not None:
                    dc += grad_cells[t]
                np.multiply(dh, bent, do)
                bent *= bent
                np.subtract(1, bent, bent)
                bent *= o
                bent *= dh
                dc += bent
                np.multiply(dc, g, di)
                np.multiply(dc, c0 if t == 0 else cells[t - 1], df)
                np.multiply(dc, i, dg)
                _through_sigmoid(d[:, : 2 * width], a[:, : 2 * width])
                _through_tanh(dg, g)
                _through_sigmoid(do, o)
                dc *= f
                np.matmul(d, w_hh, out=dh)
        return found, dh, dc, _grad_of_weight(found, h0, out), None

    @override
    def gru_scan_with_gates(
        self: Backend[Array], gates: Array, h0: Array, w_hh: Array, b_hh: Array | None
    ) -> tuple[Array, Array]:
        check_scan("gru_scan", self, gates, 3, h0, w_hh, None, None, b_hh)
        if not _plain(gates, h0, w_hh, *(() if b_hh is None else (b_hh,))):
            return _GRU(self, gates, h0, w_hh, b_hh)
        (steps, rows, _), width = gates.shape, h0.shape[1]
        out = np.empty((steps, rows, width), gates.dtype)
        active = np.empty((steps, rows, 4 * width), gates.dtype)
        turned, h = w_hh.T, h0
        with np.errstate(all="ignore"):
            for x, a, next_h in zip(gates, active, out):
                from_h = np.matmul(h, turned)
                if b_hh is not None:
                    from_h += b_hh
                r, z, n, kept = _split(a, width)
                switches = a[:, : 2 * width]
                np.add(x[:, : 2 * width], from_h[:, : 2 * width], switches)
                _sigmoid(switches)
                kept[...] = from_h[:, 2 * width :]
                np.multiply(r, kept, n)
                n += x[:, 2 * width :]
                np.tanh(n, n)
                np.subtract(h, n, next_h)
                next_h *= z
                next_h += n
                h = next_h
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
        if not _plain(gates, h0, w_hh) or not gates.size:
            return _GRU_BACKWARD(self, grad, gates, h0, w_hh, b_hh, out, active)
        if out is None or active is None:
            out, active = self.gru_scan_with_gates(gates, h0, w_hh, b_hh)
        width = h0.shape[1]
        from_x, from_h = np.empty(gates.shape, gates.dtype), np.empty(gates.shape, gates.dtype)
        dh = np.zeros_like(h0)
        with np.errstate(all="ignore"):
            for t in range(len(gates) - 1, -1, -1):
                a, d = active[t], from_x[t]
                r, z, n, kept = _split(a, width)
                dr, dz, dn = _split(d, width)
                dh += grad[t]
                through = dh * z
                np.subtract(dh, through, dn)
                _through_tanh(dn, n)
                np.subtract(h0 if t == 0 else out[t - 1], n, dz)
                dz *= dh
                np.multiply(dn, kept, dr)
                _through_sigmoid(d[:, : 2 * width], a[:, : 2 * width])
                from_h[t, :, : 2 * width] = d[:, : 2 * width]
                np.multiply(dn, r, from_h[t, :, 2 * width :])
                dh = np.matmul(from_h[t], w_hh)
                dh += through
        grad_b = None if b_hh is None else from_h.sum((0, 1))
        return from_x, dh, _grad_of_weight(from_h, h0, out), grad_b

    @override
    def rnn_scan(
        self: Backend[Array], gates: Array, h0: Array, w_hh: Array, nonlinearity: Nonlinearity
    ) -> Array:
        check_scan("rnn_scan", self, gates, 1, h0, w_hh)
        if not _plain(gates, h0, w_hh):
            return _RNN(self, gates, h0, w_hh, nonlinearity)
        out = np.empty(gates.shape, gates.dtype)
        turned, h = w_hh.T, h0
        with np.errstate(all="ignore"):
            for x, next_h in zip(gates, out):
                np.matmul(h, turned, out=next_h)
                next_h += x
                if nonlinearity == "tanh":
                    np.tanh(next_h, next_h)
                else:
                    np.maximum(next_h, 0, out=next_h)
                h = next_h
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
        if not _plain(gates, h0, w_hh) or not gates.size:
            return _RNN_BACKWARD(self, grad, gates, h0, w_hh, nonlinearity, out)
        out = self.rnn_scan(gates, h0, w_hh, nonlinearity) if out is None else out
        found = np.empty(out.shape, out.dtype)
        dh = np.zeros_like(h0)
        with np.errstate(all="ignore"):
            for t in range(len(out) - 1, -1, -1):
                np.add(dh, grad[t], found[t])
                if nonlinearity == "tanh":
                    _through_tanh(found[t], out[t])
                else:
                    found[t] *= out[t] > 0
                np.matmul(found[t], w_hh, out=dh)
        return found, dh, _grad_of_weight(found, h0, out)


def _plain(first: Array, *others: Array) -> bool:
    """Whether the fast forms take these dtypes; the defaults explain what is wrong with others."""
    return first.dtype not in LOW and all(x.dtype == first.dtype for x in others)


def _split(x: Array, width: int) -> list[Array]:
    return [x[:, at : at + width] for at in range(0, x.shape[1], width)]


def _sigmoid(x: Array) -> None:
    """In place: 1 / (1 + exp(-x)); an overflow of exp is a 0."""
    np.negative(x, x)
    np.exp(x, x)
    x += 1
    np.reciprocal(x, x)


def _through_sigmoid(grad: Array, y: Array) -> None:
    """In place: times y (1 - y)."""
    grad *= y
    grad *= 1 - y


def _through_tanh(grad: Array, y: Array) -> None:
    """In place: times 1 - y^2."""
    slope = y * y
    np.subtract(1, slope, slope)
    grad *= slope


def _grad_of_weight(gates: Array, h0: Array, out: Array) -> Array:
    """The outer products of gates and states before them, summed over steps and rows: one product."""
    before = np.concatenate((h0[None], out[:-1])).reshape(-1, h0.shape[1])
    result: Array = np.matmul(gates.reshape(-1, gates.shape[2]).T, before)
    return result
