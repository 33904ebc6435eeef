"""Creation, conversion and queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import missing
from everygrad_ops.marks import non_differentiable, primitive, query

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
        """An array filled with `value`."""
        raise missing(self, "full")

    @primitive
    @non_differentiable
    def arange(self, start: float, stop: float, step: float, dtype: DType) -> A:
        """start, start + step, ... below `stop`, as a vector."""
        raise missing(self, "arange")

    @primitive
    def cast(self, x: A, dtype: DType) -> A:
        """`x` in another dtype: floats round to nearest even and overflow to inf; to integers truncates."""
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
