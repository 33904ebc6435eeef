"""Transposed and padded convolutions against torch's, and the faults that others reported of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import everygrad as eg
from everygrad import functional as F
from everygrad import nn
from tests.fault_tools import line, same, slopes

T = torch.nn.functional
Array = NDArray[Any]

pytestmark = pytest.mark.usefixtures("library")


def both(*shape: int) -> tuple[eg.Tensor, torch.Tensor]:
    x = np.random.default_rng(len(shape)).normal(size=shape)
    return eg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)


def agree(ours: eg.Tensor, theirs: torch.Tensor, xs: list[eg.Tensor], ts: list[torch.Tensor]) -> None:
    """Equal values, and equal gradients of the sum of squares."""
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), atol=1e-12)
    due = torch.autograd.grad((theirs * theirs).sum(), ts)
    for grad, wanted in zip(eg.gradients((ours * ours).sum(), xs), due, strict=True):
        assert grad is not None
        np.testing.assert_allclose(grad.numpy(), wanted.numpy(), atol=1e-11)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("lead", [(2,), ()])
@pytest.mark.parametrize("rest", [(), (2, 1, 1, 2), (1, 1, 1, 1, 2)])
def test_conv_transpose(rank: int, lead: tuple[int, ...], rest: tuple[int, ...]) -> None:
    groups = rest[3] if rest else 1
    (x, tx), (w, tw) = both(*lead, 4, *(5, 4, 3)[:rank]), both(4, 3, *(3, 2, 3)[:rank])
    b, tb = both(3 * groups)
    ours = getattr(F, f"conv_transpose{rank}d")(x, w, b, *rest)
    agree(ours, getattr(T, f"conv_transpose{rank}d")(tx, tw, tb, *rest), [x, w, b], [tx, tw, tb])


def layers(name: str, *args: Any, **options: Any) -> tuple[Any, Any]:
    """The same layer twice, with the same weights."""
    ours = getattr(nn, name)(*args, dtype=eg.float64, **options)
    theirs = getattr(torch.nn, name)(*args, dtype=torch.float64, **options)
    theirs.load_state_dict({k: torch.tensor(v.numpy()) for k, v in ours.state_dict().items()})
    return ours, theirs


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_transposed_layers(rank: int) -> None:
    ours, theirs = layers(f"ConvTranspose{rank}d", 4, 6, 3, 2, 1, groups=2, dilation=2)
    x, tx = both(2, 4, *(5, 4, 3)[:rank])
    agree(ours(x), theirs(tx), [x], [tx])
    base = ours(x).shape[2:]
    size = tuple(s + 1 for s in base)
    agree(ours(x, output_size=size), theirs(tx, output_size=size), [x], [tx])
    assert ours(x, (2, 6, *size)).shape[2:] == size
    with pytest.raises(eg.ShapeError, match="output_size"):
        ours(x, tuple(s + 2 for s in base))
    assert repr(ours).startswith(repr(theirs)[:-1].split(", groups")[0])


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("mode", ["zeros", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("padding", [2, "same", "valid"])
def test_padding_modes(rank: int, mode: str, padding: Any) -> None:
    kernel = (3, 4, 2)[:rank]
    ours, theirs = layers(f"Conv{rank}d", 2, 3, kernel, padding=padding, padding_mode=mode)
    x, tx = both(2, 2, *(6, 5, 7)[:rank])
    agree(ours(x), theirs(tx), [x], [tx])


def test_padding_modes_by_side() -> None:
    layer = nn.Conv2d(1, 1, 2, padding=((1, 0), (0, 2)), padding_mode="replicate", dtype=eg.float64)
    x = eg.tensor(np.arange(12.0).reshape(1, 1, 3, 4))
    padded = eg.tensor(np.pad(x.numpy(), ((0, 0), (0, 0), (1, 0), (0, 2)), mode="edge"))
    same(layer(x).tolist(), F.conv2d(padded, layer.weight, layer.bias).tolist())
    with pytest.raises(ValueError, match="padding_mode must be one of"):
        nn.Conv2d(1, 1, 2, padding_mode="mirror")
    with pytest.raises(ValueError, match="zeros alone"):
        nn.ConvTranspose2d(1, 1, 2, padding_mode="reflect")


def test_b019_extra_cells_within_the_dilation() -> None:
    x, w = line([1.0, 2]), line([1.0, 10, 100])
    y = F.conv_transpose1d(x, w, dilation=2, output_padding=1)
    same(y.tolist()[0][0], [1, 2, 10, 20, 100, 200, 0])
    dx, dw = slopes(y, x, w)
    same(dx[0][0], [111, 111])
    same(dw[0][0], [3, 3, 3])
    with pytest.raises(eg.ShapeError, match="output_padding must be smaller"):
        F.conv_transpose1d(x, w, dilation=2, output_padding=2)


def test_b020_the_stride_of_the_upstream() -> None:
    x, w = line([2.0, 5]), line([3.0])
    y = F.conv_transpose1d(x, w, stride=2)
    same(y.tolist()[0][0], [6, 0, 15])
    dx, dw = slopes(y * eg.tensor([1.0, 5, 7], dtype=eg.float64), x, w)
    same(dx[0][0], [3, 21])
    same(dw[0][0], [37])


def test_b022_extra_cells_are_real() -> None:
    x, w = line([1.0, 2]), line([1.0, 10, 100])
    y = F.conv_transpose1d(x, w, stride=2, padding=1, output_padding=1)
    same(y.tolist()[0][0], [10, 102, 20, 200])
    dx, dw = slopes(y, x, w)
    same(dx[0][0], [110, 111])
    same(dw[0][0], [2, 3, 3])


def test_b023_an_output_size_counts_the_dilation() -> None:
    layer = nn.ConvTranspose1d(1, 1, 3, stride=2, dilation=2)
    x = eg.zeros(1, 1, 3)
    assert layer(x).shape == (1, 1, 9)
    assert layer(x, output_size=(10,)).shape == (1, 1, 10)
    with pytest.raises(eg.ShapeError, match=r"from \(9,\) to \(10,\)"):
        layer(x, output_size=(11,))


def test_deform_conv2d_without_offsets_is_a_convolution() -> None:
    (x, tx), (w, tw), (b, tb) = both(2, 4, 5, 6), both(6, 2, 3, 2), both(6)
    for shared in (1, 2):
        still = eg.zeros(2, 2 * shared * 6, 3, 4, dtype=eg.float64)
        ours = F.deform_conv2d(x, still, w, b, stride=(2, 1), padding=(1, 0), dilation=(1, 2))
        theirs = T.conv2d(tx, tw, tb, stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=2)
        agree(ours, theirs, [x, w, b], [tx, tw, tb])


def test_deform_conv2d_moves_by_whole_steps() -> None:
    x = eg.tensor(np.arange(20.0).reshape(1, 1, 4, 5), requires_grad=True)
    offset = eg.tensor(np.broadcast_to(np.array([1.0, -2]).reshape(1, 2, 1, 1), (1, 2, 4, 5)))
    y = F.deform_conv2d(x, offset, eg.ones(1, 1, 1, 1, dtype=eg.float64))
    due = np.zeros((4, 5))
    due[:3, 2:] = np.arange(20.0).reshape(4, 5)[1:, :3]
    same(y.tolist()[0][0], due.tolist())
    mask = eg.full((1, 1, 4, 5), 0.5, dtype=eg.float64)
    layer = nn.DeformConv2d(1, 1, 1, bias=False, dtype=eg.float64)
    expected = layer(x, offset) * 0.5
    same(layer(x, offset, mask).tolist(), expected.tolist())
    with pytest.raises(eg.ShapeError, match="mask must have shape"):
        layer(x, offset, offset)
