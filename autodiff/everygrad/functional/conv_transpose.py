"""Transposed convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.window import batched, unbatched
from everygrad.tensor.operands import together
from everygrad.tensor.precision import ACTIVE, at_precision
from everygrad.tensor.wrap import need_tensor
from everygrad_ops.geometry import Ints, Padding

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """1-D transposed convolution of input (N, C, L) with weight (C, O / groups, k), plus bias (O,).

    Each element is spread by the kernel, in steps of `stride`; `padding` (an integer, one per axis, or pairs
    (left, right)) is cut off, and `output_padding` more cells are kept at the end of each axis: fewer than
    stride or dilation. The batch dim may be left out. Raises `ShapeError` for sizes that do not fit.

    >>> import everygrad as eg
    >>> x, weight = eg.tensor([[[1.0, 2.0]]]), eg.tensor([[[1.0, 10.0, 100.0]]])
    >>> eg.functional.conv_transpose1d(x, weight, stride=2).tolist()
    [[[1.0, 10.0, 102.0, 20.0, 200.0]]]
    """
    return _conv_transpose(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """2-D transposed convolution of input (N, C, H, W) with weight (C, O / groups, kh, kw), plus bias (O,).

    Each element is spread by the kernel, in steps of `stride`; `padding` (an integer, one per axis, or pairs
    (left, right)) is cut off, and `output_padding` more cells are kept at the end of each axis: fewer than
    stride or dilation. The batch dim may be left out. Raises `ShapeError` for sizes that do not fit.

    >>> import everygrad as eg
    >>> eg.functional.conv_transpose2d(eg.ones(1, 1, 2, 2), eg.ones(1, 1, 2, 2))[0, 0].tolist()
    [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]
    """
    return _conv_transpose(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
) -> Tensor:
    """3-D transposed convolution of input (N, C, D, H, W) with weight (C, O / groups, kd, kh, kw), plus bias (O,).

    Each element is spread by the kernel, in steps of `stride`; `padding` (an integer, one per axis, or pairs
    (left, right)) is cut off, and `output_padding` more cells are kept at the end of each axis: fewer than
    stride or dilation. The batch dim may be left out. Raises `ShapeError` for sizes that do not fit.

    >>> import everygrad as eg
    >>> eg.functional.conv_transpose3d(eg.ones(2, 4, 3, 3, 3), eg.ones(4, 3, 2, 2, 2), stride=2, groups=2).shape
    (2, 6, 6, 6, 6)
    """
    return _conv_transpose(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def _conv_transpose(
    rank: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Ints,
    padding: Padding,
    output_padding: Ints,
    groups: int,
    dilation: Ints,
) -> Tensor:
    op = f"conv_transpose{rank}d"
    need_tensor(op, "input", input)
    if ACTIVE:
        input, weight, bias = at_precision(op, input, weight, bias)
    b, dtype = input.backend, input.dtype
    alike = weight.backend is b and weight.dtype is dtype
    if not alike or not (bias is None or (bias.backend is b and bias.dtype is dtype)):
        input, weight, *rest = together(op, input, weight, *(() if bias is None else (bias,)))
        b, bias = input.backend, rest[0] if rest else None
    x, alone = batched(op, input, rank)
    array = None if bias is None else bias.array
    out = getattr(b, op)(x, weight.array, array, stride, padding, output_padding, groups, dilation)
    return unbatched(out, input, alone)
