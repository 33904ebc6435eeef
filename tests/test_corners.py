"""Corners where a kernel, or one library, once answered otherwise than the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
import everygrad.functional as F
from everygrad_ops import DTypeError, ShapeError
from tests.fault_tools import same, slopes, variable

INF, NAN = math.inf, math.nan


pytestmark = pytest.mark.usefixtures("library")


def stretched(size: int) -> eg.Tensor:
    """Equal values at a stride of 0."""
    return eg.tensor([1.5], dtype=eg.float64).expand(size)


NORMS: list[Callable[[eg.Tensor, eg.Tensor], eg.Tensor]] = [
    lambda x, w: F.group_norm(x, 3, w, w),
    lambda x, w: F.group_norm(x, 1, w),
    lambda x, w: F.instance_norm(x, weight=w, bias=w),
    lambda x, w: F.batch_norm(x, None, None, w, w, training=True),
    lambda x, w: F.layer_norm(x.permute(0, 2, 1), (3,), w, w),
    lambda x, w: F.rms_norm(x.permute(0, 2, 1), (3,), w),
]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("every", ["stretched", "second"])
def test_parameters_at_other_strides(norm: Any, every: str) -> None:
    x = eg.tensor(np.random.default_rng(0).normal(size=(2, 3, 4))).requires_grad_()
    w = stretched(3) if every == "stretched" else eg.tensor([1.0, 9, 2, 9, 3, 9], dtype=eg.float64)[::2]
    dense = eg.tensor(w.tolist(), dtype=eg.float64)
    same(norm(x, w).tolist(), norm(x, dense).tolist())
    same(slopes(norm(x, w) ** 2, x), slopes(norm(x, dense) ** 2, x))


@pytest.mark.parametrize("size", [(0, 4), (1, 4), (3, 4), (2, 1), (4,)])
def test_slice_scatter_needs_its_shape(size: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match=r"src must have shape \(2, 4\)"):
        F.slice_scatter(eg.zeros(5, 4), eg.ones(*size), 0, 1, None, 2)


@pytest.mark.parametrize("ord", [1, 2, INF, "nuc", "fro"])
@pytest.mark.parametrize("size", [(0, 4), (3, 0), (0, 0)])
def test_the_norm_of_no_matrix(ord: Any, size: tuple[int, ...]) -> None:
    x = eg.zeros(*size).requires_grad_()
    y = eg.linalg.matrix_norm(x, ord)
    assert y.item() == 0 and slopes(y, x) == x.tolist()


def test_nuclear_norm_without_full_rank() -> None:
    x = variable(np.ones((3, 4)))
    same(slopes(eg.linalg.matrix_norm(x, "nuc"), x), np.full((3, 4), 1 / math.sqrt(12)), 1e-9)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, INF])
def test_distances_of_nan(p: float) -> None:
    x = eg.tensor([[NAN, 1.0], [2.0, 1.0]])
    due = [[1.0, 0.0]] if p == 0 else [[NAN, 0.0]]
    same(F.cdist(x[1:], x, p).tolist(), due)
    same(F.pdist(x, p).tolist(), due[0][:1])


@pytest.mark.parametrize("weight", [-3.0, -0.6, -0.4, 0.4, 0.6, 3.0])
def test_lerp_of_inf(weight: float) -> None:
    x, y = eg.tensor([INF, -INF, 1.0]), eg.tensor([1.0, 1.0, INF])
    slope = [weight, NAN] if abs(weight) < 0.5 else [NAN, weight]
    due = [INF * -weight if weight < 0 else NAN, -INF * -weight if weight < 0 else NAN, INF * slope[0]]
    if abs(weight) >= 0.5:
        due = [INF * (1 - weight), -INF * (1 - weight), NAN if weight < 1 else INF]
    same(F.lerp(x, y, weight).tolist(), due)
    same(F.lerp(x, y, eg.full((3,), weight)).tolist(), due)


@pytest.mark.parametrize("x", [INF, -INF, 1e30, -1e30, 700.0])
def test_bessel_functions_far_out(x: float) -> None:
    size = 0.0 if math.isinf(x) else 1 / math.sqrt(2 * math.pi * abs(x))
    t = eg.tensor([x], dtype=eg.float64)
    same(eg.special.i0e(t).tolist(), [size], 1e-3)
    same(eg.special.i1e(t).tolist(), [math.copysign(size, x)], 1e-3)
    if math.isinf(x):
        assert eg.special.spherical_bessel_j0(t).tolist() == [0]


@pytest.mark.parametrize("dtype", [eg.int64, eg.int32, eg.uint8])
def test_vander_of_integers(dtype: eg.DType) -> None:
    x = eg.linalg.vander(eg.tensor([2, 3]).to(dtype), N=3)
    assert x.tolist() == [[1, 2, 4], [1, 3, 9]] and x.dtype is eg.int64
    assert eg.linalg.vander(eg.tensor([2, 3]).to(dtype), N=1).dtype is eg.int64


def test_booleans_have_no_mean_and_no_convolution() -> None:
    x, i = eg.ones(1, 1, 3).to(eg.bool), eg.tensor([[[0, 0, 1]]])
    with pytest.raises(DTypeError, match="booleans"):
        F.conv1d(x, x)
    with pytest.raises(DTypeError, match="booleans"):
        F.conv_transpose1d(x, x)
    with pytest.raises(DTypeError, match="booleans"):
        F.scatter_reduce(x, 2, i, x, "mean")


@pytest.mark.parametrize("lambd", [0.5, 0.0, 2.0])
def test_softshrink_keeps_low_precision(lambd: float) -> None:
    for dtype in (eg.float16, eg.bfloat16):
        y = F.softshrink(eg.tensor([1.0, -3.0]).to(dtype), lambd)
        assert y.backend.dtype(y.array) is dtype


CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("reshape", ((2,),)),
    ("tril", ()),
    ("roll", (1,)),
    ("pad", ((1, 1),)),
    ("nonzero", ()),
    ("median", ()),
    ("unique", ()),
    ("diff", ()),
    ("full_like", (1,)),
    ("permute", ((0,),)),
    ("masked_select", (True,)),
]


@pytest.mark.parametrize(("name", "rest"), CALLS)
@pytest.mark.parametrize("given", [1.5, [1.0, 2.0], np.ones(3), None])
def test_what_is_no_tensor(name: str, rest: tuple[Any, ...], given: Any) -> None:
    with pytest.raises(TypeError, match=f"{name}: input must be a Tensor. Received: {type(given).__name__}"):
        getattr(F, name)(given, *rest)


@pytest.mark.parametrize("given", [1.5, np.ones(3), "x"])
def test_operands_that_are_no_tensors(given: Any) -> None:
    with pytest.raises(TypeError, match=r"needs tensors\. Received: Tensor, "):
        F.layer_norm(eg.ones(2, 3), (3,), given)
    with pytest.raises(TypeError, match=r"needs tensors\. Received: Tensor, "):
        F.linear(eg.ones(2, 3), given)
