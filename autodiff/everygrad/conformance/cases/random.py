"""Cases of random draws: their distribution; nothing but bounds, moments and frequencies can be due."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from typing import Any

import numpy as np

from everygrad.conformance.calls import HOST
from everygrad.conformance.case import FLOATS, Array, BadCall, Case
from everygrad_ops import ShapeError

N = 20000
"""Draws per case: a mean is off by more than 6 / sqrt(N) standard deviations once in a billion."""


def _near(what: str, found: float, due: float, spread: float) -> None:
    if not abs(found - due) <= 6 * spread / math.sqrt(N):
        raise AssertionError(
            f"{what} of {N} draws: expected {due} within {6 * spread / math.sqrt(N)}, got {found}"
        )


def _uniform(x: Array) -> None:
    x = x.astype(np.float64)
    if not (x >= 0).all() or not (x < 1).all():
        raise AssertionError(f"a draw lies outside [0, 1): {x.min()} to {x.max()}")
    step = 2.0**-8  # what bfloat16 cuts off near 1, at most
    _near("mean", float(x.mean() + step * (len(np.unique(x)) < 2000) / 4), 0.5, 0.35)
    _near("mean square", float((x * x).mean() + step * (len(np.unique(x)) < 2000) / 3), 1 / 3, 0.35)
    low = float((x < 0.25).mean())
    _near("share below 1/4", low, 0.25, 0.44)
    _near("lag product", float(((x[1:] - 0.5) * (x[:-1] - 0.5)).mean()), 0, 0.12)


def _normal(x: Array) -> None:
    x = x.astype(np.float64)
    _near("mean", float(x.mean()), 0, 1)
    _near("variance", float((x * x).mean()), 1, 1.5)
    _near("fourth moment", float((x**4).mean()), 3, 10)
    _near("share below 1", float((x < 1).mean()), 0.8413, 0.4)


def _frequency(p: float) -> Any:
    return lambda x: _near("frequency", float(x.mean()), p, math.sqrt(p * (1 - p)))


def _randint(x: Array) -> None:
    if set(np.unique(x)) != set(range(-2, 5)):
        raise AssertionError(f"expected every integer from -2 to 4, got {np.unique(x)}")
    for i in range(-2, 5):
        _near(f"share of {i}", float((x == i).mean()), 1 / 7, 0.35)


def _permutation(x: Array) -> None:
    if sorted(x.tolist()) != list(range(len(x))):
        raise AssertionError("not a permutation")
    if len(x) > 100 and abs(np.corrcoef(x, np.arange(len(x)))[0, 1]) > 6 / math.sqrt(len(x)):
        raise AssertionError("a permutation that keeps the order")


def _poisson(mean: float) -> Any:
    def examine(x: Array) -> None:
        x = x.astype(np.float64)
        if (x < 0).any() or (x != np.round(x)).any():
            raise AssertionError("a draw is no whole number from 0 on")
        _near("mean", float(x.mean()), mean, math.sqrt(mean))
        _near("variance", float(((x - mean) ** 2).mean()), mean, math.sqrt(mean + 2 * mean**2))
        _near("share of 0", float((x == 0).mean()), math.exp(-mean), 0.5)

    return examine


def _gamma(shape: float) -> Any:
    def examine(x: Array) -> None:
        x = x.astype(np.float64)
        _near("mean", float(x.mean()), shape, math.sqrt(shape))
        _near("mean square", float((x * x).mean()), shape * (shape + 1), 3 * (shape + 1) ** 2)
        if shape == 1:  # the exponential distribution
            _near("share below log 2", float((x < math.log(2)).mean()), 0.5, 0.5)

    return examine


def _gamma_draws(x: Array, seed: int) -> Array:
    """Solved for by bisection of the distribution function's series, at the even draws of the seed.

    SciPy's inverse is off by some hundred units in the last place.
    """
    even = np.random.Generator(np.random.Philox(seed)).random(x.shape)
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        a, low, high = x[at].item(), 0.0, 200.0
        if not a > 0:
            out[at] = math.nan
            continue
        for _ in range(80):
            z = (low + high) / 2
            term = total = 1 / a
            k = 0
            while term > 1e-18 * total or k < z:
                k += 1
                term *= z / (a + k)
                total += term
            below = math.exp(a * math.log(z) - z - math.lgamma(a)) * total < even[at]
            low, high = (z, high) if below else (low, z)
        out[at] = low
    return out


def _skip(*args: object) -> None:
    """No value is due."""


CASES = [
    *[
        case
        for op, examine in (("uniform", _uniform), ("normal", _normal))
        for d in FLOATS
        for case in (
            Case(op, f"distribution-{d.value}", lambda r, d=d: ((N,), 7, d), _skip, examine=examine),  # type: ignore[misc]  # a default binds the loop's value
            Case(op, f"size-0-{d.value}", lambda r, d=d: ((2, 0), 7, d), lambda s, _, d: np.zeros(s, HOST[d])),  # type: ignore[misc]  # a default binds the loop's value
        )
    ],
    *[
        Case("bernoulli", f"p-{p}", lambda r, p=p: ((N,), p, 3), _skip, examine=_frequency(p))  # type: ignore[misc]  # a default binds the loop's value
        for p in (0.0, 0.3, 0.5, 0.999, 1.0)
    ],
    Case("bernoulli", "rank-0", lambda r: ((), 1.0, 3), lambda s, p, _: np.asarray(True)),
    Case("randint", "range", lambda r: (-2, 5, (N,), 3), _skip, examine=_randint),
    Case("randint", "one", lambda r: (4, 5, (2, 3), 3), lambda low, high, s, _: np.full(s, 4)),
    *[Case("poisson", f"mean-{m}", lambda r, m=m: (np.full(N, m), 3), _skip, FLOATS[:2], order=0, examine=_poisson(m)) for m in (0.3, 4.0, 50.0)],  # type: ignore[misc]  # a default binds the loop's value
    Case("poisson", "zero", lambda r: (np.zeros((2, 1)), 3), lambda x, _: x, order=0),
    Case("poisson", "nothing", lambda r: (np.zeros((0, 3)), 3), lambda x, _: x, order=0),
    Case("poisson", "rank-0", lambda r: (np.array(0.0), 3), lambda x, _: x, order=0),
    *[Case("standard_gamma", f"shape-{a}", lambda r, a=a: (np.full(N, a), 3), _skip, FLOATS[:2], order=0, examine=_gamma(a)) for a in (0.2, 1.0, 7.0)],  # type: ignore[misc]  # a default binds the loop's value
    Case("standard_gamma", "values", lambda r: (np.array([0.5, 1.0, 3.0, 12.0]), 5), _gamma_draws, scale=200),
    Case("standard_gamma", "rank-0", lambda r: (np.array(2.0), 5), _gamma_draws, scale=200),
    Case("standard_gamma", "nothing", lambda r: (np.zeros((0, 3)), 3), lambda x, _: x),
    Case("standard_gamma", "outside", lambda r: (np.array([0.0, -1, math.nan]), 3), _gamma_draws, order=0),
    *[Case("permutation", str(n), lambda r, n=n: (n, 5), _skip, examine=_permutation) for n in (0, 1, 7, 2000)],  # type: ignore[misc]  # a default binds the loop's value
]  # fmt: skip

BAD_CALLS = [
    BadCall("randint", "empty-range", lambda r: (3, 3, (2,), 0), ShapeError, ["low=3", "high=3"]),
    BadCall("poisson", "negative", lambda r: (np.array([-1.0]), 0), ValueError, ["means"]),
]
