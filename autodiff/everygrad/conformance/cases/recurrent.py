"""Cases of recurrent layers: steps unit by unit in Python; gradients of the adjoints by complex steps of those."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import DType, ShapeError

WIDE = (DType.float64, DType.float32)
LOW = (DType.float16, DType.bfloat16)
Sample = Callable[[np.random.Generator], tuple[Any, ...]]
Row = list[complex]
Complex = np.ndarray[Any, np.dtype[np.complex128]]


def _sigmoid(v: complex) -> complex:
    return 1 / (1 + cmath.exp(-v)) if v.real > 0 else cmath.exp(v) / (1 + cmath.exp(v))


def _product(weight: Array, row: Row) -> Row:
    return [sum((complex(w) * v for w, v in zip(line, row)), 0j) for line in weight]


def _lstm_scan(gates: Array, h0: Array, c0: Array, w_hh: Array, w_hr: Array | None) -> tuple[Complex, ...]:
    steps, rows, width = gates.shape[0], gates.shape[1], gates.shape[2] // 4
    out = np.zeros((steps, *h0.shape), complex)
    cells, active = np.zeros((steps, rows, width), complex), np.zeros(gates.shape, complex)
    for n in range(rows):
        h: Row = [complex(v) for v in h0[n]]
        c: Row = [complex(v) for v in c0[n]]
        for t in range(steps):
            s: Row = [complex(v) + p for v, p in zip(gates[t, n], _product(w_hh, h))]
            a: Row = []
            for at in range(4 * width):
                a.append(cmath.tanh(s[at]) if at // width == 2 else _sigmoid(s[at]))
            parts: list[Row] = [a[k * width : (k + 1) * width] for k in range(4)]
            i, f, g, o = parts
            c = [f[u] * c[u] + i[u] * g[u] for u in range(width)]
            bent: Row = [cmath.tanh(v) for v in c]
            h = [o[u] * bent[u] for u in range(width)]
            h = h if w_hr is None else _product(w_hr, h)
            out[t, n], cells[t, n], active[t, n] = h, c, a
    return out, cells, active


def _gru_scan(gates: Array, h0: Array, w_hh: Array, b_hh: Array | None) -> tuple[Complex, ...]:
    steps, rows, width = int(gates.shape[0]), int(gates.shape[1]), int(gates.shape[2]) // 3
    out, active = np.zeros((steps, rows, width), complex), np.zeros((steps, rows, 4 * width), complex)
    bias: Row = [0j] * (3 * width) if b_hh is None else [complex(v) for v in b_hh]
    for n in range(rows):
        h: Row = [complex(v) for v in h0[n]]
        for t in range(steps):
            x: Row = [complex(v) for v in gates[t, n]]
            y: Row = [p + v for p, v in zip(_product(w_hh, h), bias)]
            r: Row = [_sigmoid(x[u] + y[u]) for u in range(width)]
            z: Row = [_sigmoid(x[width + u] + y[width + u]) for u in range(width)]
            kept: Row = y[2 * width :]
            inner: Row = [x[2 * width + u] + r[u] * kept[u] for u in range(width)]
            new: Row = [cmath.tanh(v) for v in inner]
            h = [(1 - z[u]) * new[u] + z[u] * h[u] for u in range(width)]
            out[t, n], active[t, n] = h, [*r, *z, *new, *kept]
    return out, active


def _rnn_scan(gates: Array, h0: Array, w_hh: Array, nonlinearity: str) -> tuple[Complex, ...]:
    out = np.zeros(gates.shape, complex)
    for n in range(gates.shape[1]):
        h: Row = [complex(v) for v in h0[n]]
        for t in range(gates.shape[0]):
            s: Row = [complex(v) + p for v, p in zip(gates[t, n], _product(w_hh, h))]
            h = [cmath.tanh(v) if nonlinearity == "tanh" else v * (v.real > 0) for v in s]
            out[t, n] = h
    return (out,)


def _real(results: Sequence[Complex]) -> tuple[Array, ...]:
    return tuple(np.ascontiguousarray(r.real) for r in results)


def _slopes(
    scan: Callable[..., tuple[Complex, ...]], ups: Sequence[Array | None], arrays: Sequence[Any], count: int
) -> tuple[Any, ...]:
    """The gradients in the first `count` of `arrays`: imaginary parts of sum(out * up), one moved element at a time."""
    found: list[Any] = []
    for at in range(count):
        if arrays[at] is None:
            found.append(None)
            continue
        grad = np.zeros(arrays[at].shape)
        for place in np.ndindex(grad.shape):
            moved = arrays[at].astype(complex)
            moved[place] += 1e-30j
            results = scan(*arrays[:at], moved, *arrays[at + 1 :])
            grad[place] = (
                sum(float((r * u).imag.sum()) for r, u in zip(results, ups) if u is not None) / 1e-30
            )
        found.append(grad)
    return tuple(found)


def _gates(x: Array, w_ih: Array, *biases: Array | None) -> Array:
    out = np.zeros((*x.shape[:2], w_ih.shape[0]))
    for at in np.ndindex(out.shape):
        out[at] = sum(float(a) * float(b) for a, b in zip(x[at[:2]], w_ih[at[2]]))
        out[at] += sum(float(b[at[2]]) for b in biases if b is not None)
    return out


def _turned(x: Array, reverse: bool) -> Array:
    return x[::-1] if reverse else x


def _lstm(
    x: Array,
    h0: Array,
    c0: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
    w_hr: Array | None = None,
    reverse: bool = False,
) -> tuple[Array, ...]:
    gates = _gates(_turned(x, reverse), w_ih, b_ih, b_hh)
    return tuple(_turned(r, reverse) for r in _real(_lstm_scan(gates, h0, c0, w_hh, w_hr)[:2]))


def _gru(
    x: Array,
    h0: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
    reverse: bool = False,
) -> Array:
    out = _gru_scan(_gates(_turned(x, reverse), w_ih, b_ih), h0, w_hh, b_hh)
    return _turned(_real(out)[0], reverse)


def _rnn(
    x: Array,
    h0: Array,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
    nonlinearity: str = "tanh",
    reverse: bool = False,
) -> Array:
    out = _rnn_scan(_gates(_turned(x, reverse), w_ih, b_ih, b_hh), h0, w_hh, nonlinearity)
    return _turned(_real(out)[0], reverse)


def _first(oracle: Callable[..., tuple[Complex, ...]], keep: int) -> Callable[..., tuple[Any, ...]]:
    return lambda *args: _real(oracle(*args))[:keep]


def _lstm_cases(
    name: str, size: tuple[int, int, int], deep: int | None = None, bias: bool = True
) -> list[Case]:
    steps, rows, width = size
    out = width if deep is None else deep

    def scan(r: np.random.Generator) -> tuple[Any, ...]:
        gates, h0, c0 = (
            r.normal(size=(steps, rows, 4 * width)),
            r.normal(size=(rows, out)),
            r.normal(size=(rows, width)),
        )
        w_hr = None if deep is None else r.normal(size=(deep, width))
        return gates, h0, c0, r.normal(size=(4 * width, out)), w_hr

    def layer(r: np.random.Generator, reverse: bool = False) -> tuple[Any, ...]:
        _, h0, c0, w_hh, w_hr = scan(r)
        x, w_ih = r.normal(size=(steps, rows, 3)), r.normal(size=(4 * width, 3))
        b_ih, b_hh = (r.normal(size=4 * width) if bias else None for _ in range(2))
        return x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, reverse

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        up, over = r.normal(size=(steps, rows, out)), r.normal(size=(steps, rows, width))
        return up, over, *scan(r), None, None, None

    def slopes(up: Array, over: Array, *arrays: Any) -> tuple[Any, ...]:
        return _slopes(_lstm_scan, (up, over), arrays[:5], 5)

    return [
        Case("lstm", name, layer, _lstm, WIDE, 16, 2.0),
        Case("lstm", f"{name}-reverse", lambda r: layer(r, True), _lstm, terms=16, scale=2.0, order=1),
        Case(
            "lstm_scan", name, scan, _first(_lstm_scan, 2), WIDE, 16, 2.0, order=3 if name == "plain" else 2
        ),
        Case("lstm_scan", f"{name}-low", scan, _first(_lstm_scan, 2), LOW, 16, 4.0, order=0),
        Case("lstm_scan_with_gates", name, scan, _first(_lstm_scan, 3), WIDE, 16, 2.0),
        Case("lstm_scan_with_gates", f"{name}-low", scan, _first(_lstm_scan, 3), LOW, 16, 4.0, order=0),
        Case("lstm_scan_backward", f"{name}-low", backward, slopes, LOW, 64, 8.0, order=0),
        Case("lstm_scan_backward", name, backward, slopes, WIDE, 64, 8.0, order=2 if name == "plain" else 1),
    ]


def _gru_cases(name: str, size: tuple[int, int, int], bias: bool = True) -> list[Case]:
    steps, rows, width = size

    def scan(r: np.random.Generator) -> tuple[Any, ...]:
        gates, h0, w_hh = (
            r.normal(size=s) for s in ((steps, rows, 3 * width), (rows, width), (3 * width, width))
        )
        return gates, h0, w_hh, r.normal(size=3 * width) if bias else None

    def layer(r: np.random.Generator, reverse: bool = False) -> tuple[Any, ...]:
        _, h0, w_hh, b_hh = scan(r)
        x, w_ih = r.normal(size=(steps, rows, 3)), r.normal(size=(3 * width, 3))
        return x, h0, w_ih, w_hh, r.normal(size=3 * width) if bias else None, b_hh, reverse

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(steps, rows, width)), *scan(r), None, None

    def slopes(up: Array, *arrays: Any) -> tuple[Any, ...]:
        return _slopes(_gru_scan, (up,), arrays[:4], 4)

    def alone(*args: Any) -> Array:
        return _real(_gru_scan(*args))[0]

    return [
        Case("gru", name, layer, _gru, WIDE, 16, 2.0),
        Case("gru", f"{name}-reverse", lambda r: layer(r, True), _gru, terms=16, scale=2.0, order=1),
        Case("gru_scan", name, scan, alone, WIDE, 16, 2.0, order=3 if name == "plain" else 2),
        Case("gru_scan", f"{name}-low", scan, alone, LOW, 16, 4.0, order=0),
        Case("gru_scan_with_gates", name, scan, _first(_gru_scan, 2), WIDE, 16, 2.0),
        Case("gru_scan_with_gates", f"{name}-low", scan, _first(_gru_scan, 2), LOW, 16, 4.0, order=0),
        Case("gru_scan_backward", f"{name}-low", backward, slopes, LOW, 64, 8.0, order=0),
        Case("gru_scan_backward", name, backward, slopes, WIDE, 64, 8.0, order=2 if name == "plain" else 1),
    ]


def _rnn_cases(
    name: str, size: tuple[int, int, int], nonlinearity: str = "tanh", bias: bool = True
) -> list[Case]:
    steps, rows, width = size

    def scan(r: np.random.Generator) -> tuple[Any, ...]:
        gates, h0, w_hh = (r.normal(size=s) for s in ((steps, rows, width), (rows, width), (width, width)))
        return gates, h0, w_hh, nonlinearity

    def layer(r: np.random.Generator, reverse: bool = False) -> tuple[Any, ...]:
        _, h0, w_hh, _ = scan(r)
        x, w_ih = r.normal(size=(steps, rows, 3)), r.normal(size=(width, 3))
        b_ih, b_hh = (r.normal(size=width) if bias else None for _ in range(2))
        return x, h0, w_ih, w_hh, b_ih, b_hh, nonlinearity, reverse

    def backward(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=(steps, rows, width)), *scan(r), None

    def slopes(up: Array, *arrays: Any) -> tuple[Any, ...]:
        return _slopes(_rnn_scan, (up,), arrays[:4], 3)

    def alone(*args: Any) -> Array:
        return _real(_rnn_scan(*args))[0]

    return [
        Case("rnn", name, layer, _rnn, WIDE, 16, 2.0),
        Case("rnn", f"{name}-reverse", lambda r: layer(r, True), _rnn, terms=16, scale=2.0, order=1),
        Case("rnn_scan", name, scan, alone, WIDE, 16, 2.0, order=3 if name == "plain" else 2),
        Case("rnn_scan", f"{name}-low", scan, alone, LOW, 16, 4.0, order=0),
        Case("rnn_scan_backward", f"{name}-low", backward, slopes, LOW, 64, 8.0, order=0),
        Case("rnn_scan_backward", name, backward, slopes, WIDE, 64, 8.0, order=2 if name == "plain" else 1),
    ]


CASES = [
    *_lstm_cases("plain", (3, 2, 2)),
    *_lstm_cases("one-step", (1, 2, 3), bias=False),
    *_lstm_cases("projected", (2, 1, 3), deep=2),
    *_lstm_cases("no-rows", (2, 0, 2)),
    *_gru_cases("plain", (3, 2, 2)),
    *_gru_cases("one-step", (1, 1, 3), bias=False),
    *_gru_cases("no-rows", (2, 0, 2)),
    *_rnn_cases("plain", (3, 2, 2)),
    *_rnn_cases("relu", (3, 2, 3), "relu", bias=False),
    *_rnn_cases("no-rows", (2, 0, 2)),
    Case(
        "lstm_scan",
        "saturated",
        lambda r: (
            np.array([[[200.0, -200, 300, 90]], [[-200, 200, -300, -90]]]),
            np.zeros((1, 1)),
            np.ones((1, 1)),
            np.zeros((4, 1)),
            None,
        ),
        _first(_lstm_scan, 2),
        WIDE,
        order=0,
    ),
]


def _ones(*shapes: tuple[int, ...] | None) -> Sample:
    return lambda r: tuple(None if s is None else np.ones(s) for s in shapes)


BAD_CALLS = [
    BadCall("lstm_scan", "no-steps", _ones((0, 2, 8), (2, 2), (2, 2), (8, 2), None), ShapeError, ["T not 0"]),
    BadCall("lstm_scan", "state", _ones((3, 2, 8), (1, 2), (2, 2), (8, 2), None), ShapeError, ["(1, 2)"]),
    BadCall(
        "lstm_scan",
        "gates",
        _ones((3, 2, 6), (2, 2), (2, 2), (8, 2), None),
        ShapeError,
        ["(3, 2, 6)", "4 * H"],
    ),
    BadCall(
        "lstm", "weight", _ones((3, 2, 5), (2, 2), (2, 2), (8, 4), (8, 2), None, None), ShapeError, ["(8, 4)"]
    ),
    BadCall("gru_scan", "bias", _ones((3, 2, 6), (2, 2), (6, 2), (2,)), ShapeError, ["b_hh"]),
    BadCall(
        "rnn_scan",
        "weight",
        lambda r: (np.ones((3, 2, 2)), np.ones((2, 2)), np.ones((2, 3)), "tanh"),
        ShapeError,
        ["(2, 3)"],
    ),
]
