"""Several tensors made ready for one op of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.tensor.operands import on_one_backend, together
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import Backend, DType, DTypeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def ready(op: str, *given: Tensor | None) -> tuple[Backend[Any], DType, list[Any]]:
    """(backend, dtype, arrays) of floating-point tensors on one backend and in one dtype; None stays None.

    The first one is a tensor. Integers are refused: a layer's input carries a gradient.
    """
    first = given[0]
    if not is_tensor(first) or first is None:
        raise TypeError(
            f"{op}: input must be a Tensor. Received: {type(first).__name__}; write eg.tensor(...)"
        )
    b, dtype = first.backend, first.dtype
    if not dtype.is_floating:
        raise DTypeError(
            f"{op}: needs a floating-point tensor. Received: {dtype}; write input.to(eg.float32)"
        )
    if all(t is None or (t.backend is b and t.dtype is dtype) for t in given[1:]):
        return b, dtype, [None if t is None else t.array for t in given]
    found = iter(together(op, *(t for t in given if t is not None)))
    aligned = [None if t is None else next(found) for t in given]
    lifted = aligned[0]
    assert lifted is not None
    return lifted.backend, lifted.dtype, [None if t is None else t.array for t in aligned]


def with_indices(
    op: str, index: Tensor, name: str, *given: Tensor | None
) -> tuple[tuple[Tensor | None, ...], Any]:
    """(the tensors, the array of int64 indices), all on one backend."""
    if not is_tensor(index) or index.dtype.category != 1:
        kind = index.dtype if is_tensor(index) else type(index).__name__
        raise DTypeError(
            f"{op}: {name} must be a tensor of integers. Received: {kind}; write {name}.to(eg.int64)"
        )
    tensors = [t for t in given if t is not None]
    if any(t.backend is not index.backend for t in tensors):
        index, *tensors = on_one_backend(op, index, *tensors)
    found = iter(tensors)
    array = index.array if index.dtype is DType.int64 else index.backend.cast(index.array, DType.int64)
    return tuple(None if t is None else next(found) for t in given), array
