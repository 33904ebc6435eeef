"""Matrix products and convolutions in a smaller dtype, the rest as it is."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from everygrad.tensor.precision import ACTIVE, CHOSEN
from everygrad_ops import DType, DTypeError, as_dtype

__all__ = ["autocast"]


@contextmanager
def autocast(dtype: DType | str = DType.bfloat16, enabled: bool = True) -> Generator[None]:
    """Inside the block, products of matrices, convolutions, linear layers and attention compute in `dtype`.

    Their float32 operands are cast on the way in, differentiably: parameters stay float32, and so do their gradients. Losses,
    norms and softmax of what comes out compute in float32 again. float64 is left alone. Backward runs in the dtypes
    of the forward pass, wherever it is called. `enabled=False` makes a block in which nothing is cast.

    >>> import everygrad as eg
    >>> layer = eg.nn.Linear(2, 3)
    >>> with eg.autocast(eg.bfloat16):
    ...     y = layer(eg.ones(1, 2))
    >>> y.dtype, y.sum().backward()[layer.weight].dtype
    (everygrad.bfloat16, everygrad.float32)
    """
    chosen = as_dtype(dtype)
    if chosen not in (DType.bfloat16, DType.float16):
        raise DTypeError(
            f"autocast: dtype must be bfloat16 or float16. Received: {chosen}; write eg.bfloat16"
        )
    token = CHOSEN.set(chosen if enabled else None)
    ACTIVE.append(token)
    try:
        yield
    finally:
        ACTIVE.remove(token)
        CHOSEN.reset(token)
