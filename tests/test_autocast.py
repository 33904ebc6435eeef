"""Autocast: which ops compute in a smaller dtype, what stays in float32, and what the gradients are in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import functional as F
from everygrad import nn


def values(*shape: int) -> eg.Tensor:
    return eg.tensor(np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32))


LOWERED: dict[str, Callable[[], Any]] = {
    "matmul": lambda: values(3, 4) @ values(4, 2),
    "mv": lambda: eg.mv(values(3, 4), values(4)),
    "bmm": lambda: eg.bmm(values(2, 3, 4), values(2, 4, 2)),
    "linear": lambda: F.linear(values(3, 4), values(2, 4), values(2)),
    "conv1d": lambda: F.conv1d(values(1, 2, 5), values(3, 2, 3), values(3)),
    "conv2d": lambda: F.conv2d(values(1, 2, 5, 5), values(3, 2, 3, 3)),
    "conv_transpose2d": lambda: F.conv_transpose2d(values(1, 2, 3, 3), values(2, 3, 2, 2)),
    "einsum": lambda: eg.einsum("ij,jk->ik", values(3, 4), values(4, 2)),
    "attention": lambda: F.scaled_dot_product_attention(values(1, 3, 4), values(1, 3, 4), values(1, 3, 4)),
}
KEPT: dict[str, Callable[[eg.Tensor], Any]] = {
    "cross_entropy": lambda x: F.cross_entropy(x, eg.tensor([0, 1, 0])),
    "nll_loss": lambda x: F.nll_loss(x, eg.tensor([0, 1, 0])),
    "mse_loss": lambda x: F.mse_loss(x, x * 2),
    "bce": lambda x: F.binary_cross_entropy_with_logits(x, eg.ones(3, 2)),
    "softmax": lambda x: F.softmax(x, dim=-1),
    "log_softmax": lambda x: F.log_softmax(x, dim=-1),
    "layer_norm": lambda x: F.layer_norm(x, (2,)),
    "sum with float32": lambda x: x + eg.ones(2),
}


@pytest.mark.parametrize("name", LOWERED)
@pytest.mark.parametrize("dtype", [eg.bfloat16, eg.float16], ids=str)
def test_products_compute_in_the_smaller_dtype(name: str, dtype: eg.DType, library: str) -> None:
    exact = LOWERED[name]()
    with eg.autocast(dtype):
        low = LOWERED[name]()
        with eg.autocast(enabled=False):
            assert LOWERED[name]().dtype is eg.float32
    assert low.dtype is dtype and LOWERED[name]().dtype is eg.float32
    np.testing.assert_allclose(low.float().numpy(), exact.numpy(), rtol=0.05, atol=0.05)
    assert not np.array_equal(low.float().numpy(), exact.numpy()), "it was not computed in the smaller dtype"


@pytest.mark.parametrize("name", KEPT)
def test_losses_norms_and_softmax_compute_in_float32(name: str, library: str) -> None:
    low = values(3, 2).bfloat16()
    with eg.autocast():
        found = KEPT[name](low)
    assert found.dtype is eg.float32
    np.testing.assert_allclose(found.numpy(), KEPT[name](low.float()).numpy(), rtol=1e-6)


def test_float64_is_left_alone(library: str) -> None:
    with eg.autocast():
        assert (values(2, 2).double() @ values(2, 2).double()).dtype is eg.float64


def test_weights_and_gradients_stay_in_float32_and_it_learns(library: str) -> None:
    with eg.seeded(0):
        model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    x = values(32, 4)
    y = (x * eg.tensor([1.0, -1.0, 2.0, 0.5])).sum(1, keepdim=True)
    optimizer = eg.optim.Adam(model.parameters(), lr=0.02)
    learner = eg.train.Learner(model, optimizer, nn.MSELoss(), autocast=eg.bfloat16, progress=False)
    history = learner.fit([(x, y)], epochs=150)
    assert history[-1]["train/loss"] < 0.05 * history[0]["train/loss"]
    with eg.autocast():
        grads = F.mse_loss(model(x), y).backward()
    assert all(p.dtype is eg.float32 and grads[p].dtype is eg.float32 for p in model.parameters())
    expected = F.mse_loss(model(x), y).backward()
    for p in model.parameters():
        np.testing.assert_allclose(grads[p].numpy(), expected[p].numpy(), rtol=0.1, atol=0.05)


def test_a_second_derivative(library: str) -> None:
    x = values(2, 2).requires_grad_()
    with eg.autocast():
        y = (x @ x @ x).float().sum()
    (g,) = eg.gradients(y, [x], create_graph=True)
    assert g is not None
    (h,) = eg.gradients(g.sum(), [x])
    assert h is not None and g.dtype is h.dtype is eg.float32


def test_other_threads_are_not_cast() -> None:
    seen: list[Any] = []
    with eg.autocast():
        thread = threading.Thread(target=lambda: seen.append((values(2, 2) @ values(2, 2)).dtype))
        thread.start()
        thread.join()
    assert seen == [eg.float32]


def test_an_error_ends_it_and_other_dtypes_are_refused() -> None:
    with pytest.raises(KeyError), eg.autocast():
        raise KeyError
    assert (values(2, 2) @ values(2, 2)).dtype is eg.float32
    with (
        pytest.raises(eg.DTypeError, match=r"must be bfloat16 or float16\. Received"),
        eg.autocast(eg.float32),
    ):
        pass
