"""Cases of Bessel functions, against their integrals."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from everygrad.conformance.case import FLOATS, Array, BadCall, Case
from everygrad.conformance.cases.elementwise import known, values
from everygrad_ops import ShapeError

WIDE, ONE = FLOATS[:2], FLOATS[:1]


def _mean(f: Callable[[float, float, int], float]) -> Callable[[Array, int], Array]:
    """The mean of f(x, t, n) over t: of a periodic function the plain sum converges like its Fourier series."""
    ts = [2 * math.pi * k / 120 for k in range(120)]
    return lambda x, n: np.array([math.fsum(f(v, t, n) for t in ts) / 120 for v in x.ravel()]).reshape(
        x.shape
    )


BESSEL = {
    "bessel_i": _mean(lambda x, t, n: math.exp(x * math.cos(t)) * math.cos(n * t)),
    "bessel_ie": _mean(lambda x, t, n: math.exp(x * math.cos(t) - abs(x)) * math.cos(n * t)),
    "bessel_j": _mean(lambda x, t, n: math.cos(n * t - x * math.sin(t))),
}


def _bessel() -> Iterator[Case]:
    for op, oracle in BESSEL.items():
        for n in (0, 1, 2, 3):
            scale = 10 if op == "bessel_i" else 1
            yield Case(
                op,
                f"plain-{n}",
                lambda r, n=n: (r.normal(size=(2, 3)) * 2 + 0.1, n),  # type: ignore[misc]  # a default binds the loop's value
                oracle,
                scale=scale,
                order=3,
            )
            if op != "bessel_ie":
                yield Case(op, f"at-0-{n}", values([0.0, 1e-9], n), oracle, order=3)
        yield Case(
            op, "far", values([-9.0, 7.5], 1), oracle, WIDE, scale=2000 if op == "bessel_i" else 1, terms=16
        )
        yield Case(op, "rank-0", values(np.asarray(0.5), 1), oracle)
        yield Case(op, "size-0", lambda r: (np.zeros((2, 0)), 0), oracle)
    yield Case("bessel_ie", "kink", values([0.0, -0.0], 0), BESSEL["bessel_ie"], gradients=known([0, 0]))
    yield Case(
        "bessel_ie",
        "large",
        values([1e4, -1e4], 0),
        lambda x, n: (1 + 1 / (8 * abs(x)) + 9 / (128 * x**2)) / np.sqrt(2 * math.pi * abs(x)),
        ONE,
        order=0,
    )


CASES = list(_bessel())

BAD_CALLS = [
    BadCall(op, "order", lambda r: (np.ones(2), -1), ShapeError, ["n=-1", "negative"]) for op in BESSEL
]
