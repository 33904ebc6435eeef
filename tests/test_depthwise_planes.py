"""Depthwise convolutions of large planes on NumPy, against torch in float64."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from everygrad_numpy import NumpyBackend, depthwise_planes
from everygrad_ops import conv_options

Array = NDArray[Any]
B = NumpyBackend()
SHAPES = [(3, 2, 1, 19, 21), (2, 3, 2, 28, 15), (5, 2, 1, 16, 16)]
WINDOWS = list(
    itertools.product(((3, 3), (1, 2), (2, 5)), ((1, 1), (1, 3), (3, 2)), ((0, 0), (2, 1)), ((1, 1), (2, 1)))
)


@pytest.fixture(params=[depthwise_planes.MOST, 500], ids=["together", "in parts"], autouse=True)
def room(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All images of a channel at once, or some at a time."""
    monkeypatch.setattr(depthwise_planes, "MOST", request.param)
    monkeypatch.setattr(depthwise_planes, "LEAST", 8)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("dtype", "eps"), [("float32", 2**-23), ("float64", 2**-52)])
def test_values_and_gradients(shape: tuple[int, ...], dtype: str, eps: float) -> None:
    n, c, m, *sizes = shape
    random = np.random.default_rng(0)
    for kernel, stride, padding, dilation in WINDOWS:
        x: Array = random.normal(size=(n, c, *sizes)).astype(dtype)
        weight: Array = random.normal(size=(c * m, 1, *kernel)).astype(dtype)
        wide = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in (x, weight)]
        due = torch.nn.functional.conv2d(wide[0], wide[1], None, stride, padding, dilation, c)
        grad: Array = random.normal(size=tuple(due.shape)).astype(dtype)
        slopes = torch.autograd.grad(due, wide, torch.tensor(grad, dtype=torch.float64))
        options = conv_options(stride, padding, dilation, c, rank=2)
        found = [
            B.conv(x, weight, None, options),
            B.conv_x_backward(grad, weight, x.shape, options),
            B.conv_weight_backward(x, grad, weight.shape, options),
        ]
        for one, other in zip(found, (due, *slopes)):
            assert one.dtype == dtype
            size = 40 if one.shape == weight.shape else 1
            np.testing.assert_allclose(one, other.detach().numpy(), 0, size * 40 * eps)


def test_inf_and_nan_reach_the_windows_that_see_them_and_no_others() -> None:
    x: Array = np.zeros((2, 2, 12, 12), np.float32)
    x[0, 1, 5, 11], x[1, 0, 0, 0] = np.inf, np.nan
    options = conv_options(1, 1, 1, 2, rank=2)
    for centre in (1, 0):
        weight: Array = np.ones((2, 1, 3, 3), np.float32)
        weight[:, :, 1, 1] = centre
        found: Array = np.isfinite(B.conv(x, weight, None, options))
        due: Array = np.ones(found.shape, bool)
        due[0, 1, 4:7, 10:], due[1, 0, :2, :2] = False, False  # 0 * inf is NaN
        np.testing.assert_array_equal(found, due)


def test_a_gradient_that_is_not_finite_stays_where_it_is() -> None:
    grad: Array = np.ones((1, 2, 12, 12), np.float32)
    grad[0, 1, 3, 11] = np.inf
    options = conv_options(1, 1, 1, 2, rank=2)
    weight: Array = np.full((2, 1, 3, 3), 2, np.float32)
    found = B.conv_x_backward(grad, weight, grad.shape, options)
    due: Array = np.ones(grad.shape, bool)
    due[0, 1, 2:5, 10:] = False
    np.testing.assert_array_equal(np.isfinite(found), due)
    slope = B.conv_weight_backward(np.ones_like(grad), grad, weight.shape, options)
    assert np.isfinite(slope[0]).all() and not np.isfinite(slope[1]).any()
