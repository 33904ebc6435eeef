"""The functions of convolution, pooling and windows against torch's, unbatched and strange paddings included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import everygrad as eg
from everygrad_ops import ShapeError

T = torch.nn.functional
F = eg.functional
Array = NDArray[Any]


pytestmark = pytest.mark.usefixtures("library")


def normal(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).normal(size=shape)


def agree(
    ours: eg.Tensor, theirs: torch.Tensor, inputs: list[eg.Tensor], sources: list[torch.Tensor]
) -> None:
    """Equal values, and equal gradients of the sum of squares."""
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), atol=1e-12)
    grads = eg.gradients((ours * ours).sum(), inputs)
    due = torch.autograd.grad((theirs * theirs).sum(), sources, retain_graph=True)
    for grad, wanted in zip(grads, due, strict=True):
        assert grad is not None
        np.testing.assert_allclose(grad.numpy(), wanted.numpy(), atol=1e-12)


def both(*shape: int) -> tuple[eg.Tensor, torch.Tensor]:
    x = normal(*shape)
    return eg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("lead", [(2,), ()])
@pytest.mark.parametrize("padding", [0, 2, "same", "valid"])
def test_conv(rank: int, lead: tuple[int, ...], padding: Any) -> None:
    (x, tx), (w, tw), (b, tb) = both(*lead, 4, *(6, 5, 4)[:rank]), both(6, 2, *(2, 3, 2)[:rank]), both(6)
    ours = getattr(F, f"conv{rank}d")(x, w, b, padding=padding, dilation=2 if rank == 1 else 1, groups=2)
    theirs = getattr(T, f"conv{rank}d")(tx, tw, tb, padding=padding, dilation=2 if rank == 1 else 1, groups=2)
    agree(ours, theirs, [x, w, b], [tx, tw, tb])


def test_conv_with_sides_of_its_own() -> None:
    (x, tx), (w, tw) = both(1, 2, 5, 4), both(3, 2, 3, 2)
    ours = F.conv2d(x, w, stride=2, padding=((1, 0), (0, 2)))
    agree(ours, T.conv2d(T.pad(tx, (0, 2, 1, 0)), tw, stride=2), [x, w], [tx, tw])


def test_the_second_derivative_through_a_stride_that_drops_the_end() -> None:
    x = eg.tensor(np.arange(1.0, 7).reshape(1, 1, 6), requires_grad=True)
    w = eg.tensor(np.array([[[1.0, 2, -1]]]), requires_grad=True)
    y = F.conv1d(x, w, stride=2, padding=1)
    (grad,) = eg.gradients((y * y).sum(), [x], create_graph=True)
    assert grad is not None
    penalty = (grad * grad).sum()
    assert y.tolist() == [[[0.0, 4.0, 8.0]]] and penalty.item() == 1664
    in_x, in_w = eg.gradients(penalty, [x, w])
    assert in_x is not None and in_w is not None
    assert in_x.tolist() == [[[-64.0, 160.0, 256.0, 224.0, 704.0, -352.0]]]
    assert in_w.tolist() == [[[2048.0, 3392.0, 2176.0]]]


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("lead", [(2,), ()])
@pytest.mark.parametrize("options", [{}, {"stride": 2, "padding": 1, "ceil_mode": True}])
def test_pools(rank: int, lead: tuple[int, ...], options: dict[str, Any]) -> None:
    x, tx = both(*lead, 3, *(7, 6, 5)[:rank])
    for count in (True, False):
        rest = {**options, "count_include_pad": count}
        ours = getattr(F, f"avg_pool{rank}d")(x, 3, **rest)
        agree(ours, getattr(T, f"avg_pool{rank}d")(tx, 3, **rest), [x], [tx])
    values, indices = getattr(F, f"max_pool{rank}d")(x, 3, return_indices=True, **options)
    theirs, places = getattr(T, f"max_pool{rank}d")(tx, 3, return_indices=True, **options)
    agree(values, theirs, [x], [tx])
    np.testing.assert_array_equal(indices.numpy(), places.numpy())
    agree(getattr(F, f"max_pool{rank}d")(x, 3, **options), theirs, [x], [tx])


CUBES: list[tuple[Callable[[Any], Any], list[float], list[float], list[float]]] = [
    (lambda x: F.avg_pool1d(x, 2, 1), [1.0, 2, 3, 4], [3.375, 12.75, 27.75, 18.375], [4.5, 12, 18, 10.5]),
    (lambda x: F.max_pool1d(x, 2), [1.0, 3, 2, 4], [0, 27, 0, 48], [0, 18, 0, 24]),
]


@pytest.mark.parametrize(("pool", "values", "first", "second"), CUBES)
def test_second_derivatives_of_pools(pool: Any, values: list[float], first: Any, second: Any) -> None:
    x = eg.tensor(np.array([[values]]), requires_grad=True)
    (grad,) = eg.gradients((pool(x) ** 3).sum(), [x], create_graph=True)
    assert grad is not None and grad.tolist() == [[first]]
    (again,) = eg.gradients(grad.sum(), [x])
    assert again is not None and again.tolist() == [[second]]


@pytest.mark.parametrize("lead", [(2,), ()])
def test_unfold_and_fold(lead: tuple[int, ...]) -> None:
    x, tx = both(*lead, 2, 5, 6)
    ours, theirs = F.unfold(x, (2, 3), 1, 1, 2), T.unfold(tx, (2, 3), 1, 1, 2)
    agree(ours, theirs, [x], [tx])
    y, ty = both(*ours.shape)
    agree(F.fold(y, (5, 6), (2, 3), 1, 1, 2), T.fold(ty, (5, 6), (2, 3), 1, 1, 2), [y], [ty])


def test_long_sums_agree_as_far_as_their_dtype_allows() -> None:
    r = np.random.default_rng(0)
    x, w = r.normal(size=(1, 256, 12, 9)).astype("f"), r.normal(size=(1, 256, 7, 4)).astype("f")
    due = T.conv2d(
        torch.tensor(x).double(), torch.tensor(w).double(), dilation=(1, 2), padding="same"
    ).numpy()
    ours = F.conv2d(eg.tensor(x), eg.tensor(w), dilation=(1, 2), padding="same").numpy()
    assert np.abs(ours - due).max() / due.std() < np.sqrt(256 * 28) * np.finfo("f").eps


WRONG: list[tuple[Callable[[Any, Any], object], str]] = [
    (lambda x, w: F.conv2d(x, w), "weight must have 4 dims"),
    (lambda x, w: F.conv1d(x, w, padding="full"), "padding"),
    (lambda x, w: F.conv1d(x, w, stride=2, padding="same"), "stride 1"),
    (lambda x, w: F.conv1d(x, w, padding=(1, 2, 3)), "conv1d: padding"),
    (lambda x, w: F.avg_pool1d(x, 2, padding=2), "avg_pool1d: pool padding"),
    (lambda x, w: F.max_pool1d(x, 9), "output of size"),
    (lambda x, w: F.max_pool1d(x[0, 0], 2), "max_pool1d: input must have 3 dims"),
    (lambda x, w: F.unfold(x[0], 2), "unfold: input"),
]


@pytest.mark.parametrize(("call", "words"), WRONG)
def test_wrong_calls_say_what_is_wrong(call: Any, words: str) -> None:
    with pytest.raises(ShapeError, match=words):
        call(eg.tensor(normal(2, 3, 6)), eg.tensor(normal(4, 3, 2)))
