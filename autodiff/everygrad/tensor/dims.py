"""Dims as users write them, made 0 <= dim < rank."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from everygrad_ops import ShapeError
from everygrad_ops.errors import DimError

Dims = int | Sequence[int] | None


def plain(value: Any) -> Any:
    """An integer of another library, such as `numpy.int64`, as Python's; anything else as it is."""
    if type(value) is int or isinstance(value, (str, float, bool)) or not hasattr(value, "__index__"):
        return value
    try:
        return index(value)
    except TypeError:  # an array of several
        return value


def one_dim(op: str, dim: int, rank: int) -> int:
    """`dim`, counted from the end where negative; of a rank-0 tensor, 0 and -1 are taken."""
    low, high = (-rank, rank - 1) if rank else (-1, 0)
    dim = plain(dim)
    if not isinstance(dim, int) or dim.__class__ is bool or not low <= dim <= high:  # pyright: ignore[reportUnnecessaryIsInstance]  # users write anything
        raise DimError(
            f"{op}: dim must be an integer from {low} to {high}. Received: dim={dim!r}, rank {rank}"
        )
    return dim + max(rank, 1) if dim < 0 else dim


def many_dims(op: str, dim: Dims, rank: int) -> tuple[int, ...]:
    """The dims named by an integer or a sequence; None and an empty sequence name all."""
    if dim is None:
        return tuple(range(rank))
    found: int | Sequence[int] = plain(dim)
    given = (found,) if isinstance(found, int) else tuple(found)
    if not given:
        return tuple(range(rank))
    dims = tuple(one_dim(op, d, rank) for d in given)
    if len(set(dims)) != len(dims):
        raise ShapeError(f"{op}: each dim once. Received: dim={dim!r}")
    return () if rank == 0 else dims
