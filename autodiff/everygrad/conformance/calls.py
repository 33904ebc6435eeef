"""One op with sampled arguments, on one backend: drawn, rounded, placed, called and read back."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeGuard

import ml_dtypes
import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad_ops import Backend, DType, DTypeError, Kind, OpSpec, Result, contract

HOST: dict[DType, np.dtype[Any]] = {
    d: np.dtype(ml_dtypes.bfloat16 if d is DType.bfloat16 else d.value) for d in DType
}
"""How NumPy spells each dtype."""
FLOAT64 = np.dtype(np.float64)
FLOATING = {HOST[d] for d in DType if d.is_floating}


def is_array(x: object) -> TypeGuard[Array]:
    """Whether this is a NumPy array."""
    return isinstance(x, np.ndarray)


class Failure(AssertionError):
    """What a check found wrong."""


class Unsupported(Exception):
    """The backend does not take this dtype, and says so: nothing to check."""


def to_dtype(x: Array, dtype: DType) -> Array:
    """`x` in another dtype, through NumPy; an overflow is inf, an integer wraps."""
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype.category == 1 and x.dtype == FLOAT64:
            x = x.astype(np.int64)
        return x.astype(HOST[dtype])


def draw(case: Case | BadCall, dtype: DType | None) -> tuple[Any, ...]:
    """The sampled arguments, the same at each call; float64 arrays rounded to `dtype` (None: as drawn)."""
    drawn: Any = case.sample(np.random.default_rng(zlib.crc32(case.id.encode())))
    params = contract()[case.op].params
    if not isinstance(drawn, tuple) or len(items(drawn)) > len(params):
        raise TypeError(f"{case.id}: sample must return a tuple of at most {len(params)} arguments")

    def convert(x: Any) -> Any:
        if isinstance(x, np.generic):  # what NumPy gives for 0-d arithmetic
            x = _array(x)
        return to_dtype(x, dtype) if is_array(x) and dtype is not None and x.dtype == FLOAT64 else x

    return tuple(
        [convert(v) for v in arg] if p.kind is Kind.SEQUENCE else convert(arg)
        for p, arg in zip(params, items(drawn))
    )


def _array(x: Any) -> Array:
    return np.asarray(x)


def items(value: Any) -> list[Any]:
    """The items of a list or tuple; anything else as the only one."""
    return list(value) if isinstance(value, list | tuple) else [value]  # pyright: ignore[reportUnknownArgumentType]  # of anything


def for_oracle(case: Case, dtype: DType) -> tuple[Any, ...]:
    """The same arguments for the oracle: copies, those rounded to `dtype` in float64 again."""

    def convert(x: Any, rounded: Any) -> Any:
        if not is_array(x):
            return x
        return rounded.astype(np.float64) if x.dtype == FLOAT64 else x.copy()

    pairs = zip(draw(case, None), draw(case, dtype))
    return tuple(
        [convert(a, b) for a, b in zip(items(x), y)] if isinstance(x, list) else convert(x, y)
        for x, y in pairs
    )


def depends_on_dtype(case: Case) -> bool:
    """Whether any sampled array takes the dtype under test."""
    return any(is_array(x) and x.dtype == FLOAT64 for arg in draw(case, None) for x in items(arg))


def dtypes_of(case: Case) -> tuple[DType, ...]:
    """The dtypes to run a case in: one is enough where no argument takes the dtype."""
    return tuple(case.dtypes) if depends_on_dtype(case) else tuple(case.dtypes)[:1]


class Call:
    """An op's arguments on a backend, and the host arrays they must still equal afterwards."""

    def __init__(self, b: Backend[Any], spec: OpSpec, host: Sequence[Any], strided: bool = False) -> None:
        self.b = b
        self.spec = spec
        self.host = tuple(host)
        self._strided = strided
        self.args = self.placed(lambda x, slot: self._place(x))

    def placed(self, place: Callable[[Array, tuple[int, int]], Any]) -> list[Any]:
        """The arguments with `place(array, slot)` for each array that the contract takes as one."""
        args: list[Any] = []
        for at, (p, value) in enumerate(zip(self.spec.params, self.host)):
            if p.kind is Kind.SEQUENCE:
                args.append([place(v, (at, i)) if is_array(v) else v for i, v in enumerate(value)])
            elif p.is_array and is_array(value):
                args.append(place(value, (at, 0)))
            else:
                args.append(value)
        return args

    def _place(self, x: Array) -> Any:
        try:
            if self._strided and x.ndim > 1:
                back = tuple(reversed(range(x.ndim)))
                return self.b.permute(self.b.from_numpy(np.ascontiguousarray(x.transpose(back))), back)
            return self.b.from_numpy(x)
        except DTypeError as error:
            raise Unsupported(str(error)) from None

    def floats(self, wrt: Sequence[str] | None) -> Iterator[tuple[tuple[int, int], str]]:
        """The slots of float arguments, with their names; caches are not differentiated."""
        for at, (p, value) in enumerate(zip(self.spec.params, self.host)):
            if not p.is_array or p.name in self.spec.marks.caches or (wrt is not None and p.name not in wrt):
                continue
            for i, v in enumerate(value if p.kind is Kind.SEQUENCE else [value]):
                if is_array(v) and v.dtype in FLOATING:
                    yield (at, i), f"{p.name}[{i}]" if p.kind is Kind.SEQUENCE else p.name

    def run(self) -> list[Any]:
        """Call the op, read its results, and see that the arguments stayed as they were."""
        out = results(self.spec, getattr(self.b, self.spec.name)(*self.args))
        self.check_unchanged()
        return out

    def check_unchanged(self) -> None:
        """Every argument must hold the values it was made with."""
        seen: list[tuple[str, Any, Array]] = []
        for p, value, host in zip(self.spec.params, self.args, self.host):
            if p.kind is Kind.SEQUENCE:
                if len(value) != len(host):
                    raise Failure(f"{self.spec.name}: changed the length of its argument {p.name}")
                seen += [(p.name, v, h) for v, h in zip(value, host) if is_array(h)]
            elif p.is_array and is_array(host):
                seen.append((p.name, value, host))
        for name, value, host in seen:
            if not same_bits(self.b.to_numpy(value), host):
                raise Failure(f"{self.spec.name}: changed its argument {name}")


def results(spec: OpSpec, out: Any) -> list[Any]:
    """The results of an op as a list."""
    kind = {Result.TUPLE: tuple, Result.LIST: list}.get(spec.result)
    if kind is None:
        return [out]
    if not isinstance(out, kind):
        raise Failure(f"{spec.name}: expected a {kind.__name__} of arrays, got {type(out).__name__}")
    return items(out)


def names_of(spec: OpSpec, count: int) -> list[str]:
    """What to call each result in a message."""
    return list(spec.outputs) if spec.result is Result.TUPLE else [f"out[{i}]" for i in range(count)]


def same_bits(x: Array, y: Array) -> bool:
    """Equal in shape, dtype and every bit (the sign of zeros too); any NaN equals any NaN."""
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    if x.dtype not in FLOATING:
        return bool(np.array_equal(x, y))
    nan = np.isnan(x) & np.isnan(y)
    return bool(np.all(nan | ((x == y) & (np.signbit(x) == np.signbit(y)))))
