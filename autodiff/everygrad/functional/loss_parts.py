"""What losses share: operands of one shape, products in which 0 wins, reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.reduction import mean, sum
from everygrad.tensor.operands import together
from everygrad.tensor.precision import ACTIVE, at_precision
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DTypeError, ShapeError
from everygrad_ops.loss import Reduction

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__: list[str] = []


def pair(op: str, input: Tensor, target: Tensor, names: tuple[str, str] = ("input", "target")) -> Any:
    """Both on one backend and in one dtype; their shapes must be equal, since a stretched target is a mistake."""
    for name, given in zip(names, (input, target)):
        need_tensor(op, name, given)
    if ACTIVE:
        input, target = at_precision(op, input, target)
    x, y = together(op, input, target)
    if x.shape != y.shape:
        raise ShapeError(
            f"{op}: {names[1]} must have the shape of {names[0]}. Received: {x.shape} and {y.shape}; "
            f"write {names[1]}.expand({names[0]}.shape) where it is to be stretched"
        )
    need_floats(op, input)
    return x, y


def need_floats(op: str, input: Tensor) -> None:
    """Refuse an input of integers: it is to carry a gradient."""
    if not input.dtype.is_floating:
        raise DTypeError(
            f"{op}: needs a floating-point tensor. Received: {input.dtype}; write input.to(eg.float32)"
        )


def known(op: str, reduction: str) -> None:
    """Refuse a reduction that is none."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{op}: reduction must be 'none', 'mean' or 'sum'. Received: {reduction!r}")


def reduced(op: str, loss: Tensor, reduction: Reduction) -> Tensor:
    """The losses themselves, their mean or their sum."""
    known(op, reduction)
    return loss if reduction == "none" else mean(loss) if reduction == "mean" else sum(loss)


def weighted(op: str, loss: Tensor, weight: Tensor | None) -> Tensor:
    """Each loss times its weight, which may be stretched to the losses, not beyond."""
    if weight is None:
        return loss
    need_tensor(op, "weight", weight)
    product = mul0(loss, weight)
    if product.shape != loss.shape:
        raise ShapeError(
            f"{op}: weight must broadcast to the shape of the input. "
            f"Received: weight of shape {weight.shape}, input of shape {loss.shape}"
        )
    return product


def same_weight(op: str, loss: Tensor, weight: Tensor) -> Tensor:
    """Each loss times its weight, of the same shape."""
    need_tensor(op, "weight", weight)
    if weight.shape != loss.shape:
        raise ShapeError(
            f"{op}: weight must have the shape of input. Received: {weight.shape} and {loss.shape}"
        )
    return mul0(loss, weight)


def mul0(x: Tensor, y: Tensor) -> Tensor:
    """x * y, and 0 where either is 0, even against inf."""
    x, y = together("mul0", x, y)
    return wrap(x.backend.mul0(x.array, y.array), x.backend, x.known_dtype)
