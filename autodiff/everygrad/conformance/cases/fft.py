"""Cases of Fourier transforms: sums written out."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, Case, bad_call
from everygrad_ops import DTypeError


def _sums(z: list[complex], count: int, sign: int) -> list[complex]:
    n = len(z)
    return [
        sum(v * cmath.exp(sign * 2j * cmath.pi * ((j * k) % n) / n) for j, v in enumerate(z))
        for k in range(count)
    ]


def _along(z: Array, dim: int, count: int, sign: int) -> tuple[Array, Array]:
    lines = np.moveaxis(z, dim, -1)
    out = np.zeros((*lines.shape[:-1], count), np.complex128)
    for at in np.ndindex(lines.shape[:-1]):
        out[at] = _sums([complex(v) for v in lines[at]], count, sign)
    out = np.moveaxis(out, -1, dim)
    return out.real.copy(), out.imag.copy()


def _rfft(x: Array, dim: int) -> tuple[Array, Array]:
    return _along(x.astype(np.complex128), dim, x.shape[dim] // 2 + 1, -1)


def _fft(re: Array, im: Array, dim: int, inverse: bool = False) -> tuple[Array, Array]:
    return _along(re + 1j * im, dim, re.shape[dim], 1 if inverse else -1)


def _irfft(re: Array, im: Array, n: int, dim: int) -> Array:
    z = np.moveaxis(re + 1j * im, dim, -1)
    out = np.zeros((*z.shape[:-1], n))
    for at in np.ndindex(z.shape[:-1]):
        half = [complex(v) for v in z[at]]
        half[0] = complex(half[0].real)
        if n % 2 == 0:
            half[-1] = complex(half[-1].real)
        whole = half + [v.conjugate() for v in half[1 : (n + 1) // 2][::-1]]
        out[at] = [v.real / n for v in _sums(whole, n, 1)]
    return np.moveaxis(out, -1, dim)


def _case(op: str, name: str, shape: tuple[int, ...], *options: Any) -> Case:
    oracle: Any = {"rfft": _rfft, "irfft": _irfft, "fft": _fft}[op]
    count = 1 if op == "rfft" else 2

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return (*(r.normal(size=shape) for _ in range(count)), *options)

    return Case(op, name, sample, oracle, terms=max(shape, default=1), scale=2.0)


CASES = [
    *(_case("rfft", f"n-{n}", (2, n), 1) for n in (1, 2, 3, 4, 5, 7, 12)),
    _case("rfft", "first-dim", (6, 2), 0),
    _case("rfft", "middle-dim", (2, 5, 2), 1),
    _case("rfft", "no-batch", (0, 4), 1),
    *(_case("irfft", f"n-{n}", (2, n // 2 + 1), n, 1) for n in (1, 2, 3, 4, 5, 12)),
    _case("irfft", "first-dim", (3, 2), 5, 0),
    _case("irfft", "no-batch", (0, 3), 4, 1),
    *(_case("fft", f"n-{n}", (2, n), 1) for n in (1, 2, 3, 5, 8)),
    _case("fft", "inverse", (2, 6), 1, True),
    _case("fft", "inverse-first-dim", (5, 2), 0, True),
    _case("fft", "no-batch", (3, 0, 2), 2),
]


BAD_CALLS = [
    bad_call("rfft", "nothing", np.ones((2, 0)), 1),
    bad_call("rfft", "dim", np.ones((2, 3)), 2),
    bad_call("rfft", "integers", np.ones(3, np.int64), 0, error=DTypeError),
    bad_call("irfft", "count", np.ones(3), np.ones(3), 7, 0),
    bad_call("irfft", "pair", np.ones(3), np.ones(2), 4, 0),
    bad_call("irfft", "dtypes", np.ones(3), np.ones(3, np.float32), 4, 0, error=DTypeError),
    bad_call("fft", "pair", np.ones(3), np.ones(2), 0),
    bad_call("fft", "rank-0", np.ones(()), np.ones(()), 0),
]
