"""Cases of the norms of vectors: every order, zeros, ties, extremes of the range."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from everygrad.conformance.case import FLOATS, Array, BadCall, Case
from everygrad.conformance.cases.elementwise import INF, NAN, fsum, known, values
from everygrad.conformance.cases.reduction import fold
from everygrad_ops import DType, ShapeError
from everygrad_ops.errors import DimError


def norm(v: Sequence[float], p: float) -> float:
    """By the definition, the powers scaled by an exact power of two."""
    sizes = [abs(x) for x in v]
    if any(map(math.isnan, v)):
        return NAN if p != 0 else float(sum(x != 0 for x in v))
    if p == 0:
        return float(sum(x != 0 for x in v))
    if math.isinf(p):
        return max(sizes) if p > 0 else min(sizes)
    if p < 0 and 0 in sizes:
        return 0.0
    if not sizes or max(sizes) == 0 or (INF in sizes if p > 0 else min(sizes) == INF):
        return max(sizes, default=0.0)
    if p == 2:
        power = math.frexp(max(sizes))[1]
        squares = sum((Fraction(s) ** 2 for s in sizes), Fraction(0))
        return math.ldexp(math.sqrt(squares / Fraction(2) ** (2 * power)), power)
    scale = math.frexp(max(sizes) if p > 0 else min(sizes))[1]
    total: float = fsum(math.ldexp(s, -scale) ** p for s in sizes)
    return math.ldexp(float(total ** (1 / p)), scale)


def _oracle(x: Array, p: float, dims: tuple[int, ...], keepdim: bool = False) -> Array:
    result: Array = fold(lambda v: norm(v, p))(x, dims, keepdim)
    return result


def _of(name: str, x: object, p: float, grads: object = None, dims: tuple[int, ...] = (0,), dtypes: Sequence[DType] = FLOATS, scale: float = 1) -> Case:  # fmt: skip
    """A case of given values."""
    gradients = None if grads is None else known(grads)
    return Case("vector_norm", name, values(x, p, dims), _oracle, dtypes, gradients=gradients, order=0, scale=scale)  # fmt: skip


def _away(r: np.random.Generator, *shape: int) -> Array:
    """Values away from 0, where every order is smooth, and apart, so that no two tie."""
    count = math.prod(shape)
    sizes = 0.5 + (r.permutation(count) + r.uniform(0.2, 0.8, count)) / max(count, 1)
    return np.reshape(sizes * r.choice([-1.0, 1.0], count), shape)


WIDE, LOW = FLOATS[:2], FLOATS[2:]
ROOT = math.sqrt(0.5)

CASES = [
    *[
        Case("vector_norm", f"p={p:g}", lambda r, p=p: (_away(r, 2, 3), p, (1,)), _oracle, terms=8, scale=4, order=3)  # type: ignore[misc]  # a default binds the loop's value
        for p in (0, 0.5, 1, 1.5, 2, 3, -1, -2, INF, -INF)
    ],
    *[
        Case("vector_norm", f"{name}-p={p:g}", lambda r, s=shape, d=dims, k=keep, p=p: (_away(r, *s), p, d, k), _oracle, terms=8, scale=4)  # type: ignore[misc]  # defaults bind the loop's values
        for p in (2, 3)
        for name, shape, dims, keep in (
            ("all", (2, 3), (0, 1), False),
            ("kept", (2, 3, 2), (0, 2), True),
            ("columns", (3, 2), (0,), False),
            ("none", (2, 2), (), False),
            ("rank-0", (), (), False),
            ("no-rows", (0, 3), (1,), False),
        )
    ],
    *[_of(f"nothing-p={p:g}", np.zeros((2, 0)).tolist(), p, np.zeros((2, 0)), (1,)) for p in (0, 0.5, 1, 2)],
    *[_of(f"zero-p={p:g}", [0, 0, 0], p, [0, 0, 0]) for p in (0, 0.5, 1, 2, 3, INF, -1, -INF)],
    _of("zero-row", [[0, 0], [3, 4]], 2, [[0, 0], [0.6, 0.8]], (1,)),
    _of("zero-entry-1", [0, -2], 1, [0, -1]),
    _of("zero-entry-2", [0, -2], 2, [0, -1]),
    _of("zero-entry-half", [0, -4], 0.5, [0, -1]),
    _of("zero-entry-minus", [0, -4], -1, [0, 0]),
    _of("ties-inf", [[2, -2, 1], [1, 3, 0]], INF, [[0.5, -0.5, 0], [0, 1, 0]], (1,)),
    _of("ties-minus-inf", [2, -1, 1], -INF, [0, -0.5, 0.5]),
    _of("nan", [[1, NAN], [2, 0]], 2, dims=(1,)),
    _of("nan-inf", [[1, NAN], [2, 0]], INF, dims=(1,)),
    _of("infinite", [[1, INF], [2, -INF]], 2, dims=(1,)),
    _of("infinite-3", [1, -INF], 3),
    *[_of(f"large-{p}", [1e200, -1e200], p, dtypes=FLOATS[:1], scale=1e200) for p in (2, 3, -2)],
    *[_of(f"small-{p}", [1e-200, -1e-200], p, dtypes=FLOATS[:1], scale=1e-200) for p in (2, 3, -2)],
    _of("large-gradient", [1e200, -1e200], 2, [ROOT, -ROOT], dtypes=FLOATS[:1], scale=1e200),
    _of("small-gradient", [1e-200, -1e-200], 2, [ROOT, -ROOT], dtypes=FLOATS[:1]),
    _of("large-float32", [3e30, 4e30], 2, [0.6, 0.8], dtypes=FLOATS[1:2], scale=1e30),
    _of("small-float32", [3e-30, 4e-30], 2, [0.6, 0.8], dtypes=FLOATS[1:2]),
    _of("large-and-small-rows", [[3e170, 4e170], [3e-170, 4e-170], [3, 4]], 2, [[0.6, 0.8]] * 3, (1,), FLOATS[:1], 1e170),
    Case("vector_norm", "f16-squares-overflow", lambda r: (np.full((3, 3), 100.0), 2, (0, 1)), _oracle, LOW, gradients=known(np.full((3, 3), 1 / 3)), scale=300),
    Case("vector_norm", "f16-many", lambda r: (np.ones(5000), 1, (0,)), _oracle, LOW, scale=5000, order=1),
]  # fmt: skip

BAD_CALLS = [
    *[BadCall("vector_norm", f"nothing-p={p:g}", lambda r, p=p: (np.zeros((2, 0)), p, (1,)), ShapeError, ["(2, 0)"]) for p in (INF, -INF, -1)],  # type: ignore[misc]  # a default binds the loop's value
    BadCall("vector_norm", "dim", lambda r: (np.zeros((2, 2)), 2, (2,)), DimError, ["dim=2"]),
]  # fmt: skip
