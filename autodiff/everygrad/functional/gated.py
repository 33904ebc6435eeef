"""Gated activations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import floating
from everygrad.tensor.wrap import wrap
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["glu", "swiglu"]


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of input along `dim` times the sigmoid of the second.

    >>> import everygrad as eg
    >>> eg.functional.glu(eg.tensor([2.0, 0.0])).tolist()
    [1.0]
    """
    x = floating(input)
    at = one_dim("glu", dim, x.ndim)
    if not x.ndim:
        raise ShapeError("glu: input must have a dim to halve. Received: input of shape ()")
    return wrap(x.backend.glu(x.array, at), x.backend, x.known_dtype)


def swiglu(input: Tensor, dim: int = -1) -> Tensor:
    """silu of the first half of input along `dim`, times the second half.

    Source: Shazeer, "GLU variants improve transformer", 2020.

    >>> import everygrad as eg
    >>> eg.functional.swiglu(eg.tensor([0.0, 100.0, 5.0, 2.0])).tolist()
    [0.0, 200.0]
    """
    x = floating(input)
    at, b = one_dim("swiglu", dim, x.ndim), x.backend
    if not x.ndim or x.shape[at] % 2:
        raise ShapeError(f"swiglu: the size along dim must be even. Received: shape {x.shape}, dim={dim}")
    gate, value = b.split(x.array, (x.shape[at] // 2,) * 2, at)
    return wrap(b.mul(b.silu(gate), value), b, x.known_dtype)
