"""The affine map of a layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.arguments import ready
from everygrad.tensor.wrap import wrap

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["linear"]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input W^T + bias: input (..., in), weight (out, in), bias (out,) give (..., out).

    >>> import everygrad as eg
    >>> eg.functional.linear(eg.tensor([1.0, 2.0]), eg.tensor([[3.0, 4.0]]), eg.tensor([0.5])).tolist()
    [11.5]
    """
    b, dtype, (x, w, added) = ready("linear", input, weight, bias)
    if len(b.shape(w)) == 1:  # torch's short form: one output, without a dim of its own
        out = b.linear(x, b.reshape(w, (1, *b.shape(w))), None if added is None else b.reshape(added, (1,)))
        return wrap(b.reshape(out, b.shape(out)[:-1]), b, dtype)
    return wrap(b.linear(x, w, added), b, dtype)
