"""Sliding windows as columns and back, and what all windowed functions share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import ShapeError, window
from everygrad_ops.geometry import Ints, Padding, ints

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["fold", "unfold"]


def unfold(
    input: Tensor, kernel_size: Ints, dilation: Ints = 1, padding: Padding = 0, stride: Ints = 1
) -> Tensor:
    """The windows of images as columns: (N, C, H, W) to (N, C * K, L), K taps by L windows.

    An image without a batch, (C, H, W), gives (C * K, L). Raises `ShapeError` if no window fits.

    >>> import everygrad as eg
    >>> x = eg.arange(9.0).reshape(1, 1, 3, 3)
    >>> eg.functional.unfold(x, 2)[0, 0].tolist()
    [0.0, 1.0, 3.0, 4.0]
    """
    x, alone = batched("unfold", input, 2)
    b = input.backend
    return unbatched(b.unfold(x, window(kernel_size, stride, padding, dilation, rank=2)), input, alone)


def fold(
    input: Tensor,
    output_size: Ints,
    kernel_size: Ints,
    dilation: Ints = 1,
    padding: Padding = 0,
    stride: Ints = 1,
) -> Tensor:
    """Columns (N, C * K, L) added up into images (N, C, *output_size): the adjoint of `unfold`.

    Columns without a batch, (C * K, L), give (C, *output_size). Raises `ShapeError` if they do not fit.

    >>> import everygrad as eg
    >>> eg.functional.fold(eg.ones(1, 4, 4), 3, 2)[0, 0].tolist()
    [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]
    """
    x, alone = batched("fold", input, 1)
    size = ints(output_size, 2, "output_size", 0)
    out = input.backend.fold(x, size, window(kernel_size, stride, padding, dilation, rank=2))
    return unbatched(out, input, alone)


def batched(op: str, input: Tensor, rank: int) -> tuple[Any, bool]:
    """The array with a batch dim, and whether it had to be added."""
    need_tensor(op, "input", input)
    shape = input.shape
    if len(shape) == rank + 2:
        return input.array, False
    if len(shape) != rank + 1:
        raise ShapeError(
            f"{op}: input must have {rank + 2} dims (N, C and {rank} more), or {rank + 1} without a batch. "
            f"Received: shape {shape}"
        )
    return input.backend.reshape(input.array, (1, *shape)), True


def unbatched(array: Any, like: Tensor, alone: bool) -> Tensor:
    """A result as a tensor of the dtype of `like`, its batch dim taken away again if it was added."""
    b = like.backend
    return wrap(b.reshape(array, b.shape(array)[1:]) if alone else array, b, like.known_dtype)
