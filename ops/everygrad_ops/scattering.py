"""Writing by index where writes meet: the mode says what becomes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_dim, check_scatter, check_values, common_shape
from everygrad_ops.dtypes import DType
from everygrad_ops.errors import DTypeError, ShapeError, mixed_dtypes, renamed
from everygrad_ops.indexing import places
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")

MODES = ("assign", "sum", "prod", "mean", "amax", "amin")


class ScatterOps(Protocol[A]):
    """What was there before counts as one more value, unless `include_self` is False.

    "assign": the last in row-major order; "sum"; "prod"; "mean"; "amax" and "amin", where NaN wins and ties
    share the gradient evenly. Places that nothing is written to keep their value. Low precision is
    computed in float32 and rounded once; the mean of integers is rounded down.
    """

    def scatter_reduce(
        self: Backend[A], x: A, dim: int, index: A, src: A, mode: str, include_self: bool = True
    ) -> A:
        """`x` with src[p] written at index[p] along `dim`, by a mode: index and src as in `scatter`."""
        check_mode("scatter_reduce", mode)
        try:
            if mode == "assign":
                return self.scatter(x, dim, index, src)
            if mode == "prod":
                return self.scatter_prod(x, dim, index, src, include_self)
            if mode == "amax":
                return self.scatter_amax(x, dim, index, src, include_self)
            if mode == "amin":
                return self.scatter_amin(x, dim, index, src, include_self)
            return _added(self, x, dim, index, src, include_self, mode == "mean")
        except (IndexError, ShapeError, DTypeError) as error:
            raise renamed("scatter_reduce", error) from None

    def scatter_prod(self: Backend[A], x: A, dim: int, index: A, src: A, include_self: bool = True) -> A:
        """The mode "prod"; its gradient is right where factors are zero, to every order."""
        return _met(self, "scatter_prod", self.mul, x, dim, index, src, include_self)

    def scatter_amax(self: Backend[A], x: A, dim: int, index: A, src: A, include_self: bool = True) -> A:
        """The mode "amax": the largest value; NaN wins; ties share the gradient evenly."""
        return _met(self, "scatter_amax", self.maximum, x, dim, index, src, include_self)

    def scatter_amin(self: Backend[A], x: A, dim: int, index: A, src: A, include_self: bool = True) -> A:
        """The mode "amin": the smallest value; NaN wins; ties share the gradient evenly."""
        return _met(self, "scatter_amin", self.minimum, x, dim, index, src, include_self)

    def index_reduce(
        self: Backend[A], x: A, dim: int, index: A, src: A, mode: str, include_self: bool = True
    ) -> A:
        """`x` with the slices of `src` written at the indices of a vector along `dim`, by a mode."""
        check_mode("index_reduce", mode)
        shape, size, given = self.shape(x), self.shape(index), self.shape(src)
        check_dim("index_reduce", dim, len(shape))
        if len(size) != 1:
            raise ShapeError(f"index_reduce: index must be a vector. Received: shape {size}")
        check_values("index_reduce", given, (*shape[:dim], *size, *shape[dim + 1 :]), "src")
        try:
            if mode == "assign":
                front = (dim, *(d for d in range(len(shape)) if d != dim))
                back = tuple(sorted(range(len(shape)), key=front.__getitem__))
                moved = self.index_put(self.permute(x, front), [index], self.permute(src, front))
                return self.permute(moved, back)
            if mode == "sum" and include_self:
                return self.index_add(x, dim, index, src)
            along = self.reshape(index, (*(1,) * dim, *size, *(1,) * (len(shape) - dim - 1)))
            return self.scatter_reduce(x, dim, self.broadcast_to(along, given), src, mode, include_self)
        except (IndexError, ShapeError, DTypeError) as error:
            raise renamed("index_reduce", error) from None

    def index_put_reduce(
        self: Backend[A], x: A, indices: Sequence[A], values: A, mode: str, include_self: bool = True
    ) -> A:
        """`x` with `values` written where `index` reads, by a mode: indices and values as in `index_put`."""
        check_mode("index_put_reduce", mode)
        try:
            if mode == "assign" or (mode == "sum" and include_self):
                return self.index_put(x, indices, values, mode == "sum")
            shape, count = self.shape(x), len(indices)
            rest = shape[count:]
            where = self.index(places(self, shape[:count]), indices)
            common = common_shape("index_put_reduce", *(self.shape(i) for i in indices))
            check_values("index_put_reduce", self.shape(values), (*common, *rest))
            flat = self.reshape(x, (math.prod(shape[:count]), *rest))
            vector = self.reshape(where, (math.prod(common),))
            src = self.reshape(values, (math.prod(common), *rest))
            return self.reshape(self.index_reduce(flat, 0, vector, src, mode, include_self), shape)
        except (IndexError, ShapeError, DTypeError) as error:
            raise renamed("index_put_reduce", error) from None

    def gather_nd(self: Backend[A], x: A, indices: A) -> A:
        """x[indices[..., 0], indices[..., 1], ...]: the last dim of `indices` holds positions in the first dims."""
        try:
            return self.index(x, _columns(self, "gather_nd", x, indices))
        except (IndexError, ShapeError, DTypeError) as error:
            raise renamed("gather_nd", error) from None

    def scatter_nd(
        self: Backend[A], x: A, indices: A, values: A, mode: str = "assign", include_self: bool = True
    ) -> A:
        """`x` with `values`, shaped as `gather_nd` reads them, written at positions, by a mode."""
        columns = _columns(self, "scatter_nd", x, indices)
        try:
            return self.index_put_reduce(x, columns, values, mode, include_self)
        except (IndexError, ShapeError, DTypeError) as error:
            raise renamed("scatter_nd", error) from None


def check_mode(op: str, mode: str) -> None:
    """Refuse a mode that there is not."""
    if mode not in MODES:
        raise ValueError(f"{op}: mode must be one of {', '.join(MODES)}. Received: mode={mode!r}")


def writes(b: Backend[A], shape: tuple[int, ...], dim: int, index: A) -> A:
    """How many writes each place of an array of `shape` gets: int64."""
    ones = b.broadcast_to(b.full((), 1, DType.int64), b.shape(index))
    return b.scatter_add(b.full(shape, 0, DType.int64), dim, index, ones)


def _added(b: Backend[A], x: A, dim: int, index: A, src: A, include_self: bool, mean: bool) -> A:
    """The modes "sum" and "mean"."""
    if include_self and not mean:
        return b.scatter_add(x, dim, index, src)
    if b.dtype(x) is not b.dtype(src):
        raise mixed_dtypes("scatter_reduce", x=b.dtype(x), src=b.dtype(src))
    dtype = b.dtype(x)
    if mean and dtype is DType.bool_:
        raise DTypeError(
            "scatter_reduce: booleans have no mean. Received: bool; write cast(x, DType.float32)"
        )
    check_scatter("scatter_reduce", b.shape(x), dim, b.shape(index), b.shape(src))
    count = writes(b, b.shape(x), dim, index)
    y = wide(b, x)
    y = y if include_self else b.where(b.gt(count, 0), 0, y)
    total = b.scatter_add(y, dim, index, wide(b, src))
    if mean:
        number = b.add(count, 1) if include_self else b.maximum(count, 1)
        number = b.cast(number, b.dtype(total))
        total = b.div(total, number) if dtype.is_floating else b.floor_divide(total, number)
    return narrow(b, total, dtype)


def _met(
    b: Backend[A],
    op: str,
    combine: Callable[[A, A], A],
    x: A,
    dim: int,
    index: A,
    src: A,
    include_self: bool,
) -> A:
    """Writes to one place, and what was there, combined two at a time.

    The flattened writes are sorted by place; in round k each takes up the one 2^k before it, so that the last
    of each place ends with all of them. Every value is used once, so derivatives need no division.
    """
    shape, part, dtype = b.shape(x), b.shape(index), b.dtype(x)
    check_scatter(op, shape, dim, part, b.shape(src))
    if dtype is not b.dtype(src):
        raise mixed_dtypes(op, x=dtype, src=b.dtype(src))
    flat = b.reshape(wide(b, x), (math.prod(shape),))
    count = math.prod(part)
    try:
        place = b.reshape(b.gather(places(b, shape), dim, index), (count,))
    except (IndexError, DTypeError) as error:
        raise renamed(op, error) from None
    if not count:
        return b.scatter_add(x, dim, index, src)  # nothing happens, but src gets its gradient of zeros
    values = src if b.shape(src) == part else b.slice(src, tuple((0, s, 1) for s in part))
    ordered, order = b.sort(place, 0)
    met = b.index_select(b.reshape(wide(b, values), (count,)), 0, order)
    start = b.cat([b.full((1,), 1, DType.bool_), b.ne(_tail(b, ordered, 1), _head(b, ordered, 1))], 0)
    starts = b.reshape(b.nonzero(start), (b.shape(b.nonzero(start))[0],))
    number = b.sub(b.cumsum(b.cast(start, DType.int64), 0), 1)
    rank = b.sub(b.arange(0, count, 1, DType.int64), b.index_select(starts, 0, number))
    most, step = int(b.to_numpy(b.amax(rank, (0,)))), 1
    while step <= most:
        earlier = b.cat([_tail(b, met, count - step), _head(b, met, step)], 0)
        met = b.where(b.ge(rank, step), combine(met, earlier), met)
        step *= 2
    ends = b.sub(b.cat([_tail(b, starts, 1), b.full((1,), count, DType.int64)], 0), 1)
    target, result = b.index_select(ordered, 0, ends), b.index_select(met, 0, ends)
    if include_self:
        result = combine(b.index_select(flat, 0, target), result)
    return narrow(b, b.reshape(b.index_put(flat, [target], result), shape), dtype)


def _head(b: Backend[A], x: A, less: int) -> A:
    """A vector without its last `less` elements."""
    return b.slice(x, ((0, b.shape(x)[0] - less, 1),))


def _tail(b: Backend[A], x: A, start: int) -> A:
    """A vector from `start` on."""
    count = b.shape(x)[0] - start
    return b.slice(x, ((start if count else 0, count, 1),))


def _columns(b: Backend[A], op: str, x: A, indices: A) -> list[A]:
    """The last dim of `indices` taken apart."""
    shape, rank = b.shape(indices), len(b.shape(x))
    if not shape or not 1 <= shape[-1] <= rank:
        raise ShapeError(
            f"{op}: the last dim of indices must hold from 1 to {rank} positions. Received: indices of shape {shape}"
        )
    whole = [(0, s, 1) for s in shape[:-1]]
    return [b.reshape(b.slice(indices, (*whole, (k, 1, 1))), shape[:-1]) for k in range(shape[-1])]
