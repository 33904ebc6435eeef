"""Cases of reductions: by plain loops, over each choice of dims; ties, NaN, zeros, nothing."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# A table of lambdas: an oracle takes whatever its sampler gives.

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from everygrad.conformance.case import FLOATS, INTEGERS, Array, BadCall, Case
from everygrad.conformance.cases.elementwise import INF, NAN, fsum, known, values
from everygrad_ops import DType, ShapeError

Fold = Callable[[Sequence[float]], float]
Dims = tuple[int, ...]
ALL = (*FLOATS, *INTEGERS)


def fold(f: Callable[..., float], kind: type[np.generic] = np.float64) -> Callable[..., Array]:
    """f(elements, options...) for each group of elements that meet in one result."""

    def oracle(x: Array, dims: Dims, *options: float) -> Array:
        keepdim = len(options) > 0 and options[-1] is True
        options = tuple(o for o in options if not isinstance(o, bool))
        rest = [d for d in range(x.ndim) if d not in dims]
        out = np.zeros([x.shape[d] for d in rest], kind)
        for at in np.ndindex(out.shape):
            index = tuple(at[rest.index(d)] if d in rest else slice(None) for d in range(x.ndim))
            group = np.asarray(x[index]).ravel()
            out[at] = f([v.item() for v in group], *options)
        return out.reshape([1 if d in dims else s for d, s in enumerate(x.shape)]) if keepdim else out

    return oracle


def _mean(v: Sequence[float]) -> float:
    return fsum(v) / len(v) if v else NAN


def _var(v: Sequence[float], correction: float = 1) -> float:
    if len(v) <= correction:
        return NAN
    mean = _mean(v)
    return fsum((x - mean) ** 2 for x in v) / (len(v) - correction)


def _logsumexp(v: Sequence[float]) -> float:
    if any(map(math.isnan, v)):
        return NAN
    top = max(v, default=-INF)
    return top if math.isinf(top) else top + math.log(fsum(math.exp(x - top) for x in v))


def _best(pick: Callable[..., float]) -> Fold:
    return lambda v: NAN if any(map(math.isnan, v)) else pick(v)


FOLDS: dict[str, Callable[..., float]] = {
    "sum": sum,
    "prod": math.prod,
    "amax": _best(max),
    "amin": _best(min),
    "mean": _mean,
    "var": _var,
    "std": lambda v, c=1: math.sqrt(_var(v, c)) if len(v) > c else NAN,
    "logsumexp": _logsumexp,
}
CORRECTED = ("var", "std")
DIMS: dict[str, tuple[tuple[int, ...], Dims]] = {
    "all": ((2, 3), (0, 1)),
    "rows": ((2, 3, 4), (2,)),
    "columns": ((3, 4), (0,)),
    "middle": ((2, 3, 2), (1,)),
    "ends": ((2, 3, 2), (0, 2)),
    "none": ((2, 3), ()),
    "rank-0": ((), ()),
    "one-element": ((1,), (0,)),
    "size-0-kept": ((0, 3), (1,)),
}
NOTHING: dict[str, float] = {"sum": 0, "prod": 1, "mean": NAN, "var": NAN, "std": NAN, "logsumexp": -INF}


def _options(op: str, keepdim: bool) -> tuple[object, ...]:
    return (1, keepdim) if op in CORRECTED else (keepdim,)


def _plain(op: str) -> list[Case]:
    f = fold(FOLDS[op])
    made: list[Case] = []
    for name, (shape, dims) in DIMS.items():
        one = math.prod(shape[d] for d in dims) <= 1
        if op in CORRECTED and one:
            continue
        for keepdim in (False, True):

            def sample(
                r: np.random.Generator,
                shape: tuple[int, ...] = shape,
                dims: Dims = dims,
                keepdim: bool = keepdim,
            ) -> tuple[object, ...]:
                return r.normal(size=shape), dims, *_options(op, keepdim)

            made.append(Case(op, name + "-kept" * keepdim, sample, f, terms=8, scale=2))
    return made


def _of(op: str, name: str, x: object, dims: Dims = (0,), *, grads: object = None, dtypes: Sequence[DType] = FLOATS, options: tuple[object, ...] = (), order: int = 0, terms: int = 4) -> Case:  # fmt: skip
    """A case of given values over `dims`."""
    gradients = None if grads is None else known(grads)
    return Case(op, name, values(x, dims, *options), fold(FOLDS[op]), dtypes, gradients=gradients, order=order, terms=terms)  # fmt: skip


def _ints(op: str, dtype: DType) -> Case:
    kind = np.dtype(dtype.value)
    out = np.int64 if op in ("sum", "prod") else kind.type
    low = 0 if kind.kind != "i" else -5
    high = 2 if kind.kind == "b" else 6
    return Case(op, dtype.value, lambda r: (r.integers(low, high, (3, 4)).astype(kind), (1,)), fold(FOLDS[op], out))  # fmt: skip


def _bools(*shape: int) -> Callable[[np.random.Generator], tuple[Array, Dims]]:
    return lambda r: (r.random(shape) < 0.6, (len(shape) - 1,))


LARGE = 2**31 - 1
HALF = [DType.float16]
LOW = FLOATS[2:]

CASES = [
    *[case for op in FOLDS for case in _plain(op)],
    *[_ints(op, d) for op in ("sum", "prod", "amax", "amin") for d in (*INTEGERS, DType.bool_)],
    *[
        Case(op, f"nothing-{name}", lambda r, s=shape, d=dims, o=op: (np.zeros(s), d, *_options(o, False)), lambda x, d, *o, due=due, s=out: np.full(s, float(due)), gradients=known(np.zeros(shape)))  # type: ignore[misc]  # defaults bind the loop's values
        for op, due in NOTHING.items()
        for name, shape, dims, out in (("rows", (2, 0), (1,), (2,)), ("all", (0, 3), (0, 1), ()))
    ],
    # 1. sums
    _of("sum", "nan", [[1, NAN], [INF, -INF], [INF, 1]], (1,), grads=[[1.0, 1]] * 3),
    Case("sum", "f16-beyond-2048", lambda r: (np.ones((3000, 15)), (0,)), lambda x, d: np.full(15, 3000.0), LOW, terms=1, scale=3000, order=1),
    Case("sum", "f16-all", lambda r: (np.ones((70, 60)), (0, 1)), lambda x, d: np.asarray(4200.0), LOW, scale=4200, order=1),
    Case("sum", "long-columns", lambda r: (np.full((60001, 2), 0.1), (0,)), fold(fsum), FLOATS[:2], terms=16, scale=6000, order=0),
    Case("sum", "long-middle", lambda r: (r.normal(size=(2, 5000, 3)), (0, 1)), fold(fsum), terms=10000, order=0),
    Case("sum", "int32-does-not-overflow", lambda r: (np.array([LARGE, LARGE], np.int32), (0,)), lambda x, d: np.asarray(2 * LARGE)),
    Case("prod", "int8-does-not-overflow", lambda r: (np.array([100, 100, -3], np.int8), (0,)), lambda x, d: np.asarray(-30000)),
    Case("mean", "f16-sum-overflows", lambda r: (np.full((4, 700), 100.0), (0, 1)), lambda x, d: np.asarray(100.0), LOW, scale=100, order=1),
    # 2. products
    _of("prod", "one-zero", [0, 2, 3], grads=[6, 0, 0]),
    _of("prod", "two-zeros", [0, 0, 3], grads=[0, 0, 0]),
    _of("prod", "zeros-in-rows", [[0, 2, 3], [1, 0, 0]], (1,), grads=[[6, 0, 0], [0, 0, 0]]),
    _of("prod", "zeros-in-all", [[1, 2], [0, 4]], (0, 1), grads=[[0, 0], [8, 0]]),
    _of("prod", "zero-order-3", [0, 2, 3], order=3),
    _of("prod", "zeros-order-3", [[0, 2, 3], [0, 0, 4], [0, 0, 0]], (1,), order=3),
    _of("prod", "zeros-two-dims", [[[0, 2], [3, 1]], [[0, 0], [2, 5]]], (0, 2), order=3),
    _of("prod", "inf-and-zero", [INF, 0, 2]),
    _of("prod", "f16-overflow-on-the-way", [300, 300, 0.001], dtypes=HALF, grads=[0.3, 0.3, INF]),
    # 3. extrema
    _of("amax", "ties", [[1, 3, 3], [2, 2, 2]], (1,), grads=[[0, 0.5, 0.5], [1 / 3] * 3]),
    _of("amin", "ties", [[1, 3, 1], [2, 2, 2]], (1,), grads=[[0.5, 0, 0.5], [1 / 3] * 3]),
    _of("amax", "ties-over-all", [[1, 3], [3, 3]], (0, 1), grads=[[0, 1 / 3], [1 / 3, 1 / 3]]),
    _of("amax", "nan", [[1, NAN, 3, NAN], [1, 2, NAN, INF]], (1,), grads=[[0, 0.5, 0, 0.5], [0, 0, 1, 0]]),
    _of("amin", "nan", [[1, NAN, 3, NAN], [1, 2, NAN, -INF]], (1,), grads=[[0, 0.5, 0, 0.5], [0, 0, 1, 0]]),
    _of("amax", "all-minus-inf", [-INF, -INF], grads=[0.5, 0.5]),
    _of("amin", "signed-zeros", [0, -0.0, 1], grads=[0.5, 0.5, 0]),
    Case("amax", "70000-ties", lambda r: (np.ones(70000), (0,)), lambda x, d: np.asarray(1.0), gradients=known(np.full(70000, 1 / 70000)), scale=1e-5),
    Case("amin", "70000-ties", lambda r: (np.ones(70000), (0,)), lambda x, d: np.asarray(1.0), gradients=known(np.full(70000, 1 / 70000)), scale=1e-5),
    # 4. spread
    *[_of(op, "constant", [2, 2, 2, 2], grads=[0] * 4) for op in CORRECTED],
    *[_of(op, "constant-tenths", [0.1] * 7, grads=[0] * 7) for op in CORRECTED],
    *[_of(op, "constant-rows", [[0.3] * 3, [1e4] * 3], (1,), grads=[[0] * 3] * 2) for op in CORRECTED],
    *[_of(op, "one-correction-1", [[5]], grads=[[NAN]], options=(1, True)) for op in CORRECTED],
    *[_of(op, "one-correction-0", [[5]], (0, 1), grads=[[0]], options=(0, True)) for op in CORRECTED],
    *[_of(op, "correction-beyond", [1, 2], options=(3, False), grads=[NAN, NAN]) for op in CORRECTED],
    *[
        Case(op, f"correction-{c}", lambda r, c=c: (r.normal(size=(2, 5)), (1,), c, False), fold(FOLDS[op]), terms=8)  # type: ignore[misc]  # defaults bind the loop's values
        for op in CORRECTED
        for c in (0, 2, 0.5)
    ],
    *[_of(op, "nan", [1, NAN, 2]) for op in CORRECTED],
    Case("var", "large-mean", lambda r: (np.array([4096.0, 4097, 4098, 4099]), (0,), 0), lambda x, d, c: np.asarray(1.25), FLOATS[:2], order=2),
    Case("std", "f16-square-overflows", lambda r: (np.array([-300.0, 300]), (0,), 0), lambda x, d, c: np.asarray(300.0), gradients=known([-0.5, 0.5]), scale=300),
    # 5. logsumexp
    _of("logsumexp", "all-minus-inf", [[-INF, -INF], [-INF, 0]], (1,), grads=[[0, 0], [0, 1]]),
    _of("logsumexp", "large", [1000, 1000], grads=[0.5, 0.5], dtypes=FLOATS[:2]),
    _of("logsumexp", "small", [-1000, -1000, -1001], dtypes=FLOATS[:2], order=2),
    _of("logsumexp", "inf", [INF, 1], grads=[0, 0]),
    _of("logsumexp", "nan", [NAN, 1], grads=[NAN, NAN]),
    _of("logsumexp", "masked", [0, -INF], grads=[1, 0]),
    # 6. booleans
    *[
        Case(op, name, sample, fold(f, np.bool_))
        for op, f in (("any", any), ("all", all))
        for name, sample in (
            ("rows", _bools(4, 3)),
            ("nothing", _bools(2, 0)),
            ("none", lambda r: (np.array([True, False]), ())),
            ("kept", lambda r: (r.random((2, 3)) < 0.6, (0, 1), True)),
        )
    ],
]  # fmt: skip

BAD_CALLS = [
    *[BadCall(op, "nothing", lambda r: (np.zeros((2, 0)), (1,)), ShapeError, ["(2, 0)"]) for op in ("amax", "amin")],
    *[BadCall(op, "nothing-at-all", lambda r: (np.zeros(0), (0,)), ShapeError, ["(0,)"]) for op in ("amax", "amin")],
]  # fmt: skip
