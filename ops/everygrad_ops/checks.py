"""What both backends refuse in one voice, where a library would accept it and get it wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everygrad_ops.errors import DimError, DTypeError, ShapeError, mixed_dtypes
from everygrad_ops.geometry import Pairs

Slices = tuple[tuple[int, int, int], ...]
"""Per dim (start, size, step): the elements start, start + step, ... (`size` of them); step may be negative."""


def common_shape(op: str, *shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to.

    >>> common_shape("add", (2, 1), (3,), ())
    (2, 3)
    """
    rank = max(map(len, shapes), default=0)
    result: list[int] = []
    for sizes in zip(*((*(1,) * (rank - len(shape)), *shape) for shape in shapes)):
        wide = {size for size in sizes if size != 1}
        if len(wide) > 1:
            given = ", ".join(str(tuple(shape)) for shape in shapes)
            raise ShapeError(f"{op}: shapes do not broadcast. Received: {given}")
        result.append(wide.pop() if wide else 1)
    return tuple(result)


def check_dim(op: str, dim: int, rank: int) -> None:
    """Refuse a dim that is not 0 <= dim < rank: the contract's dims are normalised."""
    if not 0 <= dim < rank:
        raise DimError(f"{op}: dim must be from 0 to {rank - 1}. Received: dim={dim}, rank {rank}")


def check_dims(op: str, dims: tuple[int, ...], rank: int) -> None:
    """Refuse dims that are not 0 <= dim < rank. Libraries count negative ones from the end; rules do not."""
    for dim in dims:
        if not 0 <= dim < rank:
            check_dim(op, dim, rank)


def check_shape(op: str, shape: tuple[int, ...]) -> None:
    """Refuse a size of -1, which libraries give a meaning of their own."""
    if -1 in shape:
        raise ShapeError(f"{op}: the contract takes no -1. Received: shape={shape}; write the size out")


def check_permutation(op: str, dims: tuple[int, ...], rank: int) -> None:
    """Refuse dims that are not 0, 1, ..., rank - 1 in some order."""
    if sorted(dims) != list(range(rank)):
        fault = DimError if any(not 0 <= d < rank for d in dims) else ShapeError
        raise fault(f"{op}: dims must name each of {rank} dims once. Received: dims={dims}")


def check_cat(op: str, xs: Sequence[Any], dim: int) -> None:
    """Refuse nothing, unequal ranks (torch skips an empty vector) and unequal dtypes (libraries promote)."""
    if not xs:
        raise ShapeError(f"{op}: needs at least one array. Received: none")
    first = xs[0]
    check_dim(op, dim, first.ndim)
    for x in xs:
        if x.ndim != first.ndim:
            shapes = [tuple(x.shape) for x in xs]
            raise ShapeError(f"{op}: arrays must have one rank. Received: shapes {shapes}")
        if x.dtype != first.dtype:
            raise mixed_dtypes(op, **{f"xs[{i}]": x for i, x in enumerate(xs)})


def check_padding(op: str, padding: Pairs, rank: int) -> None:
    """Refuse padding that is negative or not one pair per dim."""
    if len(padding) != rank or any(left < 0 or right < 0 for left, right in padding):
        raise ShapeError(
            f"{op}: padding must be {rank} pairs (left, right), none negative. Received: padding={padding}; "
            "write slice(...) to take elements away"
        )


def check_slices(op: str, shape: Sequence[int], slices: Slices) -> tuple[int, ...]:
    """Refuse slices that leave the array, which libraries cut short in silence; the sizes otherwise."""
    if len(slices) == len(shape):
        for total, (start, size, step) in zip(shape, slices):
            last = start + (size - 1) * step
            if size < 0 or step == 0 or (size and not (0 <= start < total and 0 <= last < total)):
                break
        else:
            return tuple([size for _, size, _ in slices])
    raise ShapeError(
        f"{op}: needs one (start, size, step) inside the array per dim. "
        f"Received: slices={slices}, x of shape {tuple(shape)}"
    )


def check_gather(op: str, x: Any, dim: int, index: Any, src: Any = None) -> None:
    """Refuse an index of a rank or size that does not fit (x, index, src have .shape)."""
    check_scatter(op, x.shape, dim, index.shape, None if src is None else src.shape)


def check_scatter(
    op: str, shape: Sequence[int], dim: int, size: Sequence[int], src: Sequence[int] | None
) -> None:
    """Refuse an index of a rank or size that does not fit x (shape) and src."""
    check_dim(op, dim, len(shape))
    fits = len(size) == len(shape)
    if fits:
        for d, (s, i) in enumerate(zip(shape, size)):
            fits = fits and (d == dim or i <= s)
    if fits and src is not None:
        fits = len(src) == len(size) and all(i <= s for i, s in zip(size, src))
    if not fits:
        also = "" if src is None else f", src of shape {tuple(src)}"
        raise ShapeError(
            f"{op}: index must have the rank of x and be no larger on dims other than {dim}"
            f"{', and no larger than src' if src is not None else ''}. "
            f"Received: x of shape {tuple(shape)}, index of shape {tuple(size)}{also}"
        )


def check_vector(op: str, x: Any, dim: int, index: Any, src: Any = None) -> None:
    """Refuse an index that is not a vector, or a src that is not made of the slices it names."""
    shape = x.shape
    check_dim(op, dim, len(shape))
    if len(index.shape) != 1:
        raise ShapeError(f"{op}: index must be a vector. Received: shape {tuple(index.shape)}")
    if src is not None:
        check_values(op, src.shape, (*shape[:dim], *index.shape, *shape[dim + 1 :]), "src")


def check_values(op: str, given: Sequence[int], expected: Sequence[int], name: str = "values") -> None:
    """Refuse values that are not exactly what is written: libraries would stretch them."""
    if tuple(given) != tuple(expected):
        raise ShapeError(f"{op}: {name} must have shape {tuple(expected)}. Received: {tuple(given)}")


def not_int64(op: str, dtype: object) -> DTypeError:
    """The error for an index of another dtype."""
    return DTypeError(f"{op}: an index must be int64. Received: {dtype}; write cast(index, DType.int64)")


def check_count(op: str, indices: Sequence[object], rank: int) -> None:
    """Refuse no index at all, or more of them than dims."""
    if not 1 <= len(indices) <= rank:
        raise ShapeError(f"{op}: needs from 1 to {rank} indices for rank {rank}. Received: {len(indices)}")
