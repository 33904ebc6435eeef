"""Creation, conversion and queries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError, missing
from everygrad_ops.marks import cheap, non_differentiable, primitive, query

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everygrad_ops.backend import Backend

A = TypeVar("A")


class CreationOps(Protocol[A]):
    """How arrays come in, what can be asked of them, how they go out."""

    @primitive
    @query
    def shape(self, x: A) -> tuple[int, ...]:
        """The sizes of `x`."""
        raise missing(self, "shape")

    @primitive
    @query
    def dtype(self, x: A) -> DType:
        """The element type of `x`."""
        raise missing(self, "dtype")

    @query
    def signature(self: Backend[A], x: A) -> tuple[object, object]:
        """(shape, dtype) in whatever form the library compares fastest: what the engine checks."""
        return self.shape(x), self.dtype(x)

    @primitive
    @query
    def device(self, x: A) -> str:
        """Where `x` lives: "cpu", "cuda:0", ..."""
        raise missing(self, "device")

    @primitive
    @query
    def to_numpy(self, x: A) -> NDArray[Any]:
        """The values of `x` on the host: a read-only view where that is safe, else a copy.

        Raises `GradientError` for a tracked array: its gradient would be lost.
        """
        raise missing(self, "to_numpy")

    @query
    def lowest(self, dtype: DType) -> float:
        """The smallest value of a dtype: -inf for floats."""
        if dtype.is_floating:
            return float("-inf")
        signed = dtype not in (DType.uint8, DType.bool_)
        return -(2 ** (8 * dtype.itemsize - 1)) if signed else 0

    @primitive
    @non_differentiable
    def from_numpy(self, array: NDArray[Any], copy: bool = True) -> A:
        """An array with the values and dtype of a NumPy array; `copy=False` may share its memory."""
        raise missing(self, "from_numpy")

    @primitive
    @non_differentiable
    def full(self, shape: tuple[int, ...], value: float, dtype: DType) -> A:
        """An array filled with `value`; floats overflow to inf, an integer out of range raises `DTypeError`."""
        raise missing(self, "full")

    @primitive
    @non_differentiable
    def arange(self, start: float, stop: float, step: float, dtype: DType) -> A:
        """The vector start + i * step for i = 0, 1, ... while below `stop` (above it if step < 0).

        Values are computed in int64 where all three are integers, else in float64, and cast. A step of 0,
        or one that leads away from `stop`, raises `ShapeError`.
        """
        raise missing(self, "arange")

    @cheap
    @primitive
    def cast(self, x: A, dtype: DType) -> A:
        """`x` in another dtype.

        Floats round to nearest even, once, and overflow to inf. Float to integer truncates; NaN, inf and
        values out of range give some unspecified integer. Integers wrap. Nonzero and NaN are True.
        """
        raise missing(self, "cast")

    @non_differentiable
    def detach(self, x: A) -> A:
        """`x` as a constant, cut from every graph."""
        return x

    @non_differentiable
    def zeros_like(self: Backend[A], x: A) -> A:
        """Zeros of the shape and dtype of `x`."""
        return self.full(self.shape(x), 0, self.dtype(x))

    @non_differentiable
    def ones_like(self: Backend[A], x: A) -> A:
        """Ones of the shape and dtype of `x`."""
        return self.full(self.shape(x), 1, self.dtype(x))


def arange_count(start: float, stop: float, step: float) -> int:
    """How many elements `arange` gives.

    >>> arange_count(0, 1, 0.25), arange_count(5, 0, -2)
    (4, 3)
    """
    if step == 0 or not all(map(math.isfinite, (start, stop, step))) or (stop - start) * step < 0:
        raise ShapeError(
            f"arange: step must be finite, not 0, and lead from start to stop. "
            f"Received: start={start}, stop={stop}, step={step}"
        )
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return -((start - stop) // step)
    return math.ceil((stop - start) / step)
