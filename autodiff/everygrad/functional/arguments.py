"""Several tensors made ready for one op of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.tensor.operands import on_one_backend, together
from everygrad.tensor.precision import ACTIVE, at_precision
from everygrad.tensor.wrap import is_tensor, need_tensor
from everygrad_ops import Backend, DType, DTypeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def ready(op: str, first: Tensor, *others: Tensor | None) -> tuple[Backend[Any], DType, list[Any]]:
    """(backend, dtype, arrays) of floating-point tensors on one backend and in one dtype; None stays None.

    Integers are refused: a layer's input carries a gradient.
    """
    need_tensor(op, "input", first)
    if ACTIVE:
        first, *others = at_precision(op, first, *others)  # type: ignore[assignment]  # as many as before
    b, dtype = first.backend, first.dtype
    if not dtype.is_floating:
        raise DTypeError(
            f"{op}: needs a floating-point tensor. Received: {dtype}; write input.to(eg.float32)"
        )
    try:
        for t in others:
            if t is not None and (t.backend is not b or t.dtype is not dtype):
                break
        else:
            return b, dtype, [first.array, *[None if t is None else t.array for t in others]]
    except AttributeError:
        pass  # what is no tensor is named below
    lead, *rest = together(op, first, *(t for t in others if t is not None))
    found = iter(rest)
    arrays = [lead.array, *(None if t is None else next(found).array for t in others)]
    return lead.backend, lead.dtype, arrays


def with_indices(
    op: str, index: Tensor, name: str, first: Tensor, second: Tensor | None = None
) -> tuple[Tensor, Tensor | None, Any]:
    """(the two tensors, the array of int64 indices), all on one backend."""
    if not is_tensor(index):
        raise DTypeError(
            f"{op}: {name} must be a tensor of integers. Received: {type(index).__name__}; write eg.tensor({name})"
        )
    if index.dtype.category != 1:
        raise DTypeError(
            f"{op}: {name} must be a tensor of integers. Received: {index.dtype}; write {name}.to(eg.int64)"
        )
    need_tensor(op, "input", first)
    if first.backend is not index.backend or (second is not None and second.backend is not index.backend):
        index, first, *rest = on_one_backend(op, index, first, *(() if second is None else (second,)))
        second = rest[0] if rest else None
    same = index.dtype is DType.int64
    return first, second, index.array if same else index.backend.cast(index.array, DType.int64)
