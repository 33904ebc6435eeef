"""Which dtype an op computes in while `everygrad.autocast` is on."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from everygrad.tensor.wrap import wrap
from everygrad_ops import DType
from everygrad_ops.dtypes import LOW_PRECISION

ACTIVE: list[object] = []
"""The blocks of `autocast` that any thread is in: empty in most programs, which then pay nothing."""

CHOSEN: ContextVar[DType | None] = ContextVar("everygrad_autocast", default=None)

LOWERED = frozenset(
    ("attention_weights", "baddbmm", "bilinear", "einsum", "linear", "matmul", "scaled_dot_product_attention")
)


def at_precision(op: str, *tensors: Any) -> tuple[Any, ...]:
    """The operands of an op that comes here: products in the chosen dtype, all others (losses, norms) in float32.

    Only float32 is lowered, and only what is smaller is raised. None and what is no tensor stay.
    """
    chosen = CHOSEN.get()
    if chosen is None:
        return tensors
    lowered = op in LOWERED or op.startswith("conv")
    return tuple(_cast(x, chosen, lowered) for x in tensors)


def _cast(x: Any, chosen: DType, lowered: bool) -> Any:
    dtype = getattr(x, "dtype", None)
    if lowered and dtype is DType.float32:
        return wrap(x.backend.cast(x.array, chosen), x.backend, chosen)
    if not lowered and dtype in LOW_PRECISION:
        return wrap(x.backend.cast(x.array, DType.float32), x.backend, DType.float32)
    return x
