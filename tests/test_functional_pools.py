"""Adaptive, p-norm and fractional pools and unpooling against torch's, and the faults that others reported."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import everygrad as eg
from everygrad import functional as F
from everygrad import nn
from tests.fault_tools import NAN, line, same, slopes

T = torch.nn.functional
Array = NDArray[Any]

pytestmark = pytest.mark.usefixtures("library")


def both(*shape: int) -> tuple[eg.Tensor, torch.Tensor]:
    x = np.random.default_rng(len(shape)).normal(size=shape)
    return eg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)


def agree(ours: eg.Tensor, theirs: torch.Tensor, x: eg.Tensor, tx: torch.Tensor) -> None:
    """Equal values, and equal gradients of the sum of squares."""
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), atol=1e-12)
    (due,) = torch.autograd.grad((theirs * theirs).sum(), [tx], retain_graph=True)
    (grad,) = eg.gradients((ours * ours).sum(), [x], retain_graph=True)
    assert grad is not None
    np.testing.assert_allclose(grad.numpy(), due.numpy(), atol=1e-11)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("lead", [(2,), ()])
@pytest.mark.parametrize("size", [1, 2, (3, 2, 4), (9, 2, 1)])
def test_adaptive_pools(rank: int, lead: tuple[int, ...], size: Any) -> None:
    x, tx = both(*lead, 3, *(7, 6, 5)[:rank])
    size = size if isinstance(size, int) else size[:rank]
    agree(
        getattr(F, f"adaptive_avg_pool{rank}d")(x, size),
        getattr(T, f"adaptive_avg_pool{rank}d")(tx, size),
        x,
        tx,
    )
    values, indices = getattr(F, f"adaptive_max_pool{rank}d")(x, size, return_indices=True)
    theirs, places = getattr(T, f"adaptive_max_pool{rank}d")(tx, size, return_indices=True)
    agree(values, theirs, x, tx)
    np.testing.assert_array_equal(indices.numpy(), places.numpy())
    agree(getattr(F, f"adaptive_max_pool{rank}d")(x, size), theirs, x, tx)
    same(
        getattr(nn, f"AdaptiveAvgPool{rank}d")(size)(x).tolist(),
        getattr(F, f"adaptive_avg_pool{rank}d")(x, size).tolist(),
    )
    same(getattr(nn, f"AdaptiveMaxPool{rank}d")(size)(x).tolist(), values.tolist())


def test_none_keeps_a_size() -> None:
    x = eg.ones(2, 3, 5, 7)
    assert F.adaptive_avg_pool2d(x, (None, 2)).shape == (2, 3, 5, 2)
    assert F.adaptive_max_pool2d(x, None).shape == x.shape
    with pytest.raises(eg.ShapeError, match="adaptive_avg_pool2d: output_size"):
        F.adaptive_avg_pool2d(x, (0, 2))


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("norm", [1, 2, 4.0])
def test_lp_pools(rank: int, norm: float) -> None:
    x, tx = both(2, 3, *(7, 6, 5)[:rank])
    agree(getattr(F, f"lp_pool{rank}d")(x, norm, 2, 1), getattr(T, f"lp_pool{rank}d")(tx, norm, 2, 1), x, tx)
    layer = getattr(nn, f"LPPool{rank}d")(norm, 3)
    agree(layer(x), getattr(T, f"lp_pool{rank}d")(tx, norm, 3), x, tx)


def test_the_gradient_of_a_norm_of_nothing() -> None:
    x = line([0.0, 0, 3, 4])
    same(slopes(F.lp_pool1d(x, 2, 2), x)[0][0], [0, 0, 0.6, 0.8])


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("lead", [(2,), ()])
def test_max_unpool(rank: int, lead: tuple[int, ...]) -> None:
    x, tx = both(*lead, 3, *(7, 6, 5)[:rank])
    values, indices = getattr(F, f"max_pool{rank}d")(x, 2, return_indices=True)
    theirs, places = getattr(T, f"max_pool{rank}d")(tx, 2, return_indices=True)
    size = x.shape[-rank:]
    layer, other = getattr(nn, f"MaxUnpool{rank}d")(2), getattr(torch.nn, f"MaxUnpool{rank}d")(2)
    agree(layer(values, indices, size), other(theirs, places, size), x, tx)
    agree(layer(values, indices, x.shape), other(theirs, places, size), x, tx)
    assert repr(layer) == repr(other)
    if rank == 1:
        with pytest.raises(eg.ShapeError, match="output_size"):
            layer(values, indices, (8,))
        with pytest.raises(IndexError, match=r"\b5\b.*\b4\b"):
            F.max_unpool1d(line([1.0, 2]), eg.tensor([[[0, 5]]]), 2)


@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize("options", [{"output_size": (3, 4, 2)}, {"output_ratio": (0.6, 0.7, 0.5)}])
def test_fractional_pools(rank: int, options: dict[str, Any]) -> None:
    options = {k: v[:rank] if isinstance(v, tuple) else v for k, v in options.items()}
    x, tx = both(2, 3, *(9, 7, 5)[:rank])
    samples = np.random.default_rng(1).uniform(size=(2, 3, rank))
    call, other = getattr(F, f"fractional_max_pool{rank}d"), getattr(T, f"fractional_max_pool{rank}d")
    values, indices = call(x, 2, **options, return_indices=True, _random_samples=eg.tensor(samples))
    theirs, places = other(tx, 2, **options, return_indices=True, _random_samples=torch.tensor(samples))
    agree(values, theirs, x, tx)
    np.testing.assert_array_equal(indices.numpy(), places.numpy())
    layer = getattr(nn, f"FractionalMaxPool{rank}d")(2, **options)
    with eg.seeded(1):
        first = layer(x).tolist()
    with eg.seeded(1):
        assert layer(x).tolist() == first
    with pytest.raises(ValueError, match="one of output_size and output_ratio"):
        call(x, 2)
    with pytest.raises(eg.ShapeError, match="must fit"):
        call(x, 5, output_size=9)


def test_b014_adaptive_windows_end_rounded_up() -> None:
    x = line([0.0, 1, 2, 3, 4])
    y = F.adaptive_avg_pool1d(x, 3)
    same(y.tolist()[0][0], [0.5, 2, 3.5])
    same(slopes(y, x)[0][0], [1 / 2, 5 / 6, 1 / 3, 5 / 6, 1 / 2])


def test_nan_wins_in_every_adaptive_pool() -> None:
    for shape in ((4,), (4, 1), (1, 1, 4)):
        x = line(np.array([NAN, 1, 2, 3]).reshape(shape))
        out = getattr(F, f"adaptive_max_pool{len(shape)}d")(x, tuple(2 if s == 4 else 1 for s in shape))
        same(out.reshape(-1).tolist(), [NAN, 3])
        same(np.ravel(slopes(out, x)), [1, 0, 0, 1])
