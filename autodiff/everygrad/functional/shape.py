"""Shapes: views, padding, joining."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.tensor.dims import one_dim
from everygrad.tensor.wrap import wrap
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def sizes(op: str, given: tuple[Any, ...]) -> tuple[int, ...]:
    """Integers written as arguments or as one sequence."""
    return tuple(given[0]) if len(given) == 1 and not isinstance(given[0], int) else tuple(given)


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same elements in another shape; one size may be -1.

    >>> import everygrad as eg
    >>> eg.reshape(eg.arange(4), (2, -1)).tolist()
    [[0, 1], [2, 3]]
    """
    wanted = sizes("reshape", shape)
    if -1 in wanted:
        known = 1
        for s in wanted:
            known *= s if s != -1 else 1
        total = input.numel()
        if wanted.count(-1) > 1 or known <= 0 or total % known:
            raise ShapeError(
                f"reshape: one size may be -1, and the others must divide {total}. Received: {wanted}"
            )
        wanted = tuple(total // known if s == -1 else s for s in wanted)
    return wrap(input.backend.reshape(input.array, wanted), input.backend, input.known_dtype)


def permute(input: Tensor, *dims: Any) -> Tensor:
    """Dim i of the result is dim dims[i] of the input.

    >>> import everygrad as eg
    >>> eg.permute(eg.zeros(2, 3), (1, 0)).shape
    (3, 2)
    """
    order = tuple(one_dim("permute", d, input.ndim) for d in sizes("permute", dims))
    return wrap(input.backend.permute(input.array, order), input.backend, input.known_dtype)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dims swapped.

    >>> import everygrad as eg
    >>> eg.transpose(eg.zeros(2, 3), 0, 1).shape
    (3, 2)
    """
    first, second = one_dim("transpose", dim0, input.ndim), one_dim("transpose", dim1, input.ndim)
    order = list(range(input.ndim))
    if order:
        order[first], order[second] = order[second], order[first]
    return wrap(input.backend.permute(input.array, tuple(order)), input.backend, input.known_dtype)
