"""Convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.window import batched, unbatched
from everygrad.tensor.operands import together
from everygrad.tensor.precision import ACTIVE, at_precision
from everygrad.tensor.wrap import need_tensor
from everygrad_ops import ShapeError
from everygrad_ops.geometry import Ints, Padding, ints

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["conv1d", "conv2d", "conv3d"]


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding | str = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """1-D cross-correlation of input (N, C, L) with weight (O, C / groups, k), plus bias (O,).

    The batch dim may be left out. `padding` is an integer, one per axis, pairs (left, right), "valid", or
    "same" (stride 1; an odd zero goes to the right). Raises `ShapeError` for sizes that do not fit.

    >>> import everygrad as eg
    >>> x = eg.tensor([[[1.0, 2.0, 3.0, 4.0]]])
    >>> eg.functional.conv1d(x, eg.tensor([[[1.0, -1.0]]])).tolist()
    [[[-1.0, -1.0, -1.0]]]
    """
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding | str = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """2-D cross-correlation of input (N, C, H, W) with weight (O, C / groups, kh, kw), plus bias (O,).

    The batch dim may be left out. `padding` is an integer, one per axis, pairs (left, right), "valid", or
    "same" (stride 1; an odd zero goes to the right). Raises `ShapeError` for sizes that do not fit.

    >>> import everygrad as eg
    >>> x, weight = eg.ones(1, 1, 3, 3), eg.ones(1, 1, 3, 3)
    >>> eg.functional.conv2d(x, weight, padding="same")[0, 0].tolist()
    [[4.0, 6.0, 4.0], [6.0, 9.0, 6.0], [4.0, 6.0, 4.0]]
    """
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding | str = 0,
    dilation: Ints = 1,
    groups: int = 1,
) -> Tensor:
    """3-D cross-correlation of input (N, C, D, H, W) with weight (O, C / groups, kd, kh, kw), plus bias (O,).

    The batch dim may be left out. `padding` is an integer, one per axis, pairs (left, right), "valid", or
    "same" (stride 1; an odd zero goes to the right). Raises `ShapeError` for sizes that do not fit.

    >>> import everygrad as eg
    >>> eg.functional.conv3d(eg.ones(2, 4, 5, 5, 5), eg.ones(6, 2, 3, 3, 3), stride=2, groups=2).shape
    (2, 6, 2, 2, 2)
    """
    return _conv(3, input, weight, bias, stride, padding, dilation, groups)


def _conv(
    rank: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Ints,
    padding: Padding | str,
    dilation: Ints,
    groups: int,
) -> Tensor:
    op = f"conv{rank}d"
    need_tensor(op, "input", input)
    if ACTIVE:
        input, weight, bias = at_precision(op, input, weight, bias)
    b, dtype = input.backend, input.dtype
    alike = weight.backend is b and weight.dtype is dtype
    if not alike or not (bias is None or (bias.backend is b and bias.dtype is dtype)):
        input, weight, *rest = together(op, input, weight, *(() if bias is None else (bias,)))
        b, bias = input.backend, rest[0] if rest else None
    if isinstance(padding, str):
        padding = named_padding(op, padding, weight.shape[2:], stride, ints(dilation, rank, "dilation", 1))
    x, alone = batched(op, input, rank)
    array = None if bias is None else bias.array
    out = getattr(b, op)(x, weight.array, array, stride, padding, dilation, groups)
    return unbatched(out, input, alone)


def named_padding(
    op: str, name: str, kernel: tuple[int, ...], stride: Ints, dilation: tuple[int, ...]
) -> Padding:
    """The numbers behind "same" or "valid"."""
    if name == "valid":
        return 0
    if name != "same":
        raise ShapeError(f'{op}: padding must be numbers, "same" or "valid". Received: padding={name!r}')
    if any(s != 1 for s in ((stride,) if isinstance(stride, int) else stride)):
        raise ShapeError(
            f'{op}: padding="same" needs stride 1. Received: stride={stride!r}; write the padding in numbers'
        )
    total = [d * (k - 1) for k, d in zip(kernel, dilation)]
    return tuple((t // 2, t - t // 2) for t in total)
