"""The torch backend's way of small convolutions, beside torch's own in float64."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import everygrad as eg
from everygrad_ops import conv_options, conv_transpose_options
from everygrad_torch.conv_small import SMALL, small_plan

B: Any = eg.backend("torch")


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize(("stride", "padding"), [(1, 0), (1, 1), (2, 1), (3, 2)])
def test_values_and_gradients(rank: int, stride: int, padding: int) -> None:
    random = torch.Generator().manual_seed(rank + stride)
    x = torch.randn(2, 3, *(7, 6)[:rank], generator=random)
    w, c = torch.randn(4, 3, *(3, 2)[:rank], generator=random), torch.randn(4, generator=random)
    options = conv_options(stride, padding, rank=rank)
    assert small_plan(options, x.shape, w.shape) is not None
    exact = [v.double().requires_grad_() for v in (x, w, c)]
    due = getattr(torch, f"conv{rank}d")(*exact, stride, padding)
    grad = torch.randn(due.shape, generator=random)
    torch.testing.assert_close(B.conv(x, w, c, options), due.detach().float())
    slopes = torch.autograd.grad(due, exact, grad.double())
    all_three = B.conv_backward(grad, x, w, x.shape, w.shape, options, (True, True, True))
    for found, slope in zip(all_three, slopes, strict=True):
        torch.testing.assert_close(found, slope.float())
    alone = B.conv_x_backward(grad, w, x.shape, options), B.conv_weight_backward(x, grad, w.shape, options)
    for found, slope in zip(alone, slopes, strict=False):
        torch.testing.assert_close(found, slope.float())


@pytest.mark.parametrize(
    ("x", "w", "options"),
    [
        ((1, 4, 8, 8), (4, 4, 3, 3), conv_options(dilation=2, rank=2)),
        ((1, 4, 8, 8), (4, 2, 3, 3), conv_options(groups=2, rank=2)),
        ((1, 4, 8, 8), (4, 4, 3, 3), conv_options(padding=((0, 1), (1, 1)), rank=2)),
        ((1, 1, 4, 4, 4), (1, 1, 2, 2, 2), conv_options(rank=3)),
        ((0, 4, 8, 8), (4, 4, 3, 3), conv_options(rank=2)),
        ((SMALL, 1, 2, 2), (1, 1, 2, 2), conv_options(rank=2)),
    ],
)
def test_what_is_left_to_torch(x: tuple[int, ...], w: tuple[int, ...], options: Any) -> None:
    assert small_plan(options, x, w) is None


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize(("stride", "padding", "more"), [(1, 0, 0), (1, 1, 0), (2, 1, 1), (3, 0, 2)])
def test_transposed(rank: int, stride: int, padding: int, more: int) -> None:
    random = torch.Generator().manual_seed(rank + stride)
    x = torch.randn(2, 3, *(5, 4)[:rank], generator=random)
    w, c = torch.randn(3, 4, *(3, 2)[:rank], generator=random), torch.randn(4, generator=random)
    options = conv_transpose_options(stride, padding, more, rank=rank)
    exact = [v.double().requires_grad_() for v in (x, w, c)]
    due = getattr(torch, f"conv_transpose{rank}d")(*exact, stride, padding, more)
    grad = torch.randn(due.shape, generator=random)
    torch.testing.assert_close(B.conv_transpose(x, w, c, options), due.detach().float())
    slopes = torch.autograd.grad(due, exact, grad.double())
    found = B.conv_transpose_backward(grad, x, w, x.shape, w.shape, options, (True, True, True))
    for ours, slope in zip(found, slopes, strict=True):
        torch.testing.assert_close(ours, slope.float())
