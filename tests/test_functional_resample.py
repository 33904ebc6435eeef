"""Resizing and sampling on tensors: against torch's own where it is right, and the faults of other libraries."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import functional as F
from everygrad import nn
from tests.fault_tools import INF, NAN, line, same, slopes, variable

T: Any = torch.nn.functional
r = np.random.default_rng(5)
SPECS = ("autodiff(numpy)", "autodiff(torch)")

RESIZES: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((2, 3, 7), {"size": 5}),
    ((2, 3, 7), {"scale_factor": 1.7, "mode": "linear"}),
    ((2, 3, 7), {"scale_factor": 1.7, "mode": "linear", "recompute_scale_factor": True}),
    ((2, 3, 7), {"size": (4,), "mode": "nearest-exact"}),
    ((2, 2, 5, 6), {"size": (7, 4), "mode": "bilinear", "align_corners": True}),
    ((2, 2, 5, 6), {"scale_factor": (0.5, 2.0), "mode": "bilinear", "antialias": True}),
    ((2, 2, 5, 6), {"scale_factor": 0.4, "mode": "bicubic", "antialias": True}),
    ((2, 2, 5, 6), {"size": (9, 3), "mode": "bicubic"}),
    ((2, 2, 5, 6), {"size": (2, 8), "mode": "area"}),
    ((1, 2, 3, 4, 2), {"size": (2, 5, 3), "mode": "trilinear"}),
    ((1, 2, 3, 4, 2), {"scale_factor": 2.0, "mode": "nearest"}),
    ((1, 2, 70, 67), {"size": (150, 31), "mode": "bilinear"}),
    ((1, 2, 70, 67), {"size": (33, 140), "mode": "area"}),
]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("shape", "options"), RESIZES)
def test_interpolate_as_in_torch(spec: str, shape: tuple[int, ...], options: dict[str, Any]) -> None:
    values = r.normal(size=shape)
    x, t = eg.tensor(values, backend=spec, requires_grad=True), torch.tensor(values, requires_grad=True)
    out, due = F.interpolate(x, **options), T.interpolate(t, **options)
    np.testing.assert_allclose(out.detach().numpy(), due.detach().numpy(), atol=1e-12)
    up = r.normal(size=tuple(due.shape))
    (g,) = eg.gradients((out * eg.tensor(up, backend=spec)).sum(), [x])
    (wanted,) = torch.autograd.grad((due * torch.tensor(up)).sum(), [t])
    assert g is not None
    np.testing.assert_allclose(g.numpy(), wanted.numpy(), atol=1e-11)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("rank", [2, 3])
def test_grid_sample_as_in_torch(spec: str, rank: int) -> None:
    ways = itertools.product(
        ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (False, True)
    )
    for mode, padding, align in ways:
        if rank == 3 and mode == "bicubic":
            continue
        image = r.normal(size=(2, 2, 4, 5, 3)[: rank + 2])
        places = r.uniform(-2, 2, size=(*(2, 3, 2, 2)[: rank + 1], rank))
        x, grid = (eg.tensor(v, backend=spec, requires_grad=True) for v in (image, places))
        x_, grid_ = (torch.tensor(v, requires_grad=True) for v in (image, places))
        out, due = (
            F.grid_sample(x, grid, mode, padding, align),
            T.grid_sample(x_, grid_, mode, padding, align),
        )
        np.testing.assert_allclose(out.detach().numpy(), due.detach().numpy(), atol=1e-12)
        up = r.normal(size=tuple(due.shape))
        found = eg.gradients((out * eg.tensor(up, backend=spec)).sum(), [x, grid])
        for g, wanted in zip(found, torch.autograd.grad((due * torch.tensor(up)).sum(), [x_, grid_])):
            assert g is not None
            np.testing.assert_allclose(g.numpy(), wanted.numpy(), atol=1e-11)


@pytest.mark.parametrize("spec", SPECS)
def test_affine_grid_as_in_torch(spec: str) -> None:
    for size, align in itertools.product(((2, 1, 3, 4), (2, 1, 2, 3, 4), (1, 1, 1, 3)), (False, True)):
        rank = len(size) - 2
        values = r.normal(size=(size[0], rank, rank + 1))
        theta, due = (
            eg.tensor(values, backend=spec, requires_grad=True),
            torch.tensor(values, requires_grad=True),
        )
        out, wanted = F.affine_grid(theta, size, align), T.affine_grid(due, size, align)
        np.testing.assert_allclose(out.detach().numpy(), wanted.detach().numpy(), atol=1e-12)
        (g,) = eg.gradients((out**2).sum(), [theta])
        assert g is not None
        np.testing.assert_allclose(
            g.numpy(), torch.autograd.grad((wanted**2).sum(), due)[0].numpy(), atol=1e-11
        )


@pytest.mark.usefixtures("library")
class TestFaults:
    def test_b029_linear(self) -> None:
        x = line([0.0, 3.0])
        same(F.interpolate(x, 4, mode="linear", align_corners=True).tolist()[0][0], [0, 1, 2, 3])
        same(F.interpolate(x, 4, mode="linear").tolist()[0][0], [0, 0.75, 2.25, 3])
        rows = line([[0.0], [3.0]])
        same(np.ravel(F.interpolate(rows, (4, 1), mode="bilinear").tolist()), [0, 0.75, 2.25, 3])

    def test_b031_the_given_scale_places_the_samples(self) -> None:
        x = line([0.0, 10, 20, 30])
        kept = F.interpolate(x, scale_factor=1.3, mode="linear")
        same(kept.tolist()[0][0], [0, 8.5 / 1.3, 18.5 / 1.3, 28.5 / 1.3, 38.5 / 1.3])
        again = F.interpolate(x, scale_factor=1.3, mode="linear", recompute_scale_factor=True)
        same(again.tolist()[0][0], [0, 7, 15, 23, 30])

    def test_b032_nearest_is_one_rule_at_every_rank(self) -> None:
        for rank in (1, 2, 3):
            x = variable(np.array([1.0, 2]).reshape((1,) * (rank + 1) + (2,)))
            scale = (1.0,) * (rank - 1) + (1.3,)
            same(np.ravel(F.interpolate(x, scale_factor=scale).tolist()), [1, 1])

    def test_b034_the_gradient_of_nearest(self) -> None:
        x = line([1.0, 2, 3])
        out = F.interpolate(x, 5)
        same(out.tolist()[0][0], [1, 1, 2, 2, 3])
        same(slopes(out, x)[0][0], [2, 2, 1])
        same(slopes(F.interpolate(x, 5) * 0, x)[0][0], [0, 0, 0])

    def test_b035_sizes(self) -> None:
        assert F.interpolate(eg.ones(1, 1, 32), scale_factor=0.9999).shape == (1, 1, 31)
        doubled = F.interpolate(eg.ones(1, 1, 4), scale_factor=2, mode="linear", align_corners=True)
        assert doubled.shape == (1, 1, 8)

    def test_b037_places_that_are_no_numbers(self) -> None:
        x = variable(np.arange(1.0, 7).reshape(1, 1, 2, 3))
        for mode, padding in itertools.product(
            ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
        ):
            grid = variable([[[[NAN, 0], [INF, 0], [2.5e38, -INF], [0, NAN]]]])
            out = F.grid_sample(x, grid, mode, padding)
            found = out.tolist()[0][0][0]
            assert math.isnan(found[0]) and math.isnan(found[3])
            assert np.isfinite(found[1:3]).all()
            if padding == "zeros":
                same(found[1:3], [0, 0])
            g_x, g_grid = slopes(out[0, 0, 0, 1:3], x, grid)
            assert np.isfinite(g_x).all()
            same([g_grid[0][0][i] for i in (0, 2, 3)], np.zeros((3, 2)))
            same(g_grid[0][0][1][0], 0)
        image = variable([[[[1.0, 2], [3, 5]]]])
        same(F.grid_sample(image, variable([[[[INF, INF]]]]), "bilinear", "border").item(), 5)

    def test_b038_an_axis_of_one_pixel(self) -> None:
        x, grid = variable([[[[1.0, 2.0]]]]), variable([[[[0.0, 30.0]]]])
        same(F.grid_sample(x, grid, align_corners=True).item(), 1.5)
        same(F.grid_sample(x, grid, align_corners=False).item(), 0)

    def test_the_clip_has_no_slope_on_and_beyond_the_border(self) -> None:
        x = variable([[[[1.0, 2.0], [3.0, 5.0]]]])
        grid = variable([[[[1.0, 0.0], [2.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]]])
        found = np.array(slopes(F.grid_sample(x, grid, "bilinear", "border", True), grid))[0, 0]
        same(found[:, 0], [0, 0, 0, 0.75])

    def test_second_derivatives_in_places(self) -> None:
        """f = x (1 - s) + y s with s = (g + 1) / 2, cubed: f'' = 6 f (y - x)^2 / 4."""
        x, grid = variable([[[[1.0, 3.0]]]]), variable([[[[0.5, 0.0]]]])
        out = F.grid_sample(x, grid, align_corners=True)
        same(out.item(), 2.5)
        (g,) = eg.gradients((out**3).sum(), [grid], create_graph=True)
        assert g is not None
        same(g.tolist()[0][0][0], [18.75, 0])
        same(slopes(g, grid)[0][0][0], [15, 0])


def test_lanczos_and_cubic_at_every_rank() -> None:
    for mode in ("lanczos", "cubic"):
        x = eg.tensor(r.normal(size=(1, 1, 6)))
        flat = F.interpolate(x, 9, mode=mode)
        image = F.interpolate(x.reshape(1, 1, 1, 6), (1, 9), mode=mode)
        np.testing.assert_allclose(image.numpy()[0, 0, 0], flat.numpy()[0, 0], atol=1e-14)
        same(F.interpolate(eg.ones(1, 1, 5).to(eg.float64), 8, mode=mode).tolist()[0][0], [1.0] * 8)


def test_what_interpolate_refuses() -> None:
    x = eg.ones(1, 1, 4)
    wrong: list[tuple[type[Exception], dict[str, Any], str]] = [
        (ValueError, {}, "size or scale_factor"),
        (ValueError, {"size": 2, "scale_factor": 2.0}, "size=2"),
        (ValueError, {"size": 2, "mode": "best"}, "mode='best'"),
        (ValueError, {"size": 2, "align_corners": True}, "align_corners"),
        (ValueError, {"size": 2, "antialias": True}, "antialias"),
        (ValueError, {"size": 2, "recompute_scale_factor": True}, "recompute_scale_factor"),
        (eg.ShapeError, {"size": 0}, "at least 1"),
        (eg.ShapeError, {"size": (2, 2)}, r"size=\(2, 2\)"),
        (eg.ShapeError, {"scale_factor": 0.1}, r"size=\(0,\)"),
        (eg.ShapeError, {"scale_factor": -1.0}, "scale_factor=-1"),
        (eg.ShapeError, {"size": 2, "mode": "bilinear"}, "2 spatial dims"),
    ]
    for error, options, words in wrong:
        with pytest.raises(error, match=words):
            F.interpolate(x, **options)
    with pytest.raises(eg.DTypeError, match="int64"):
        F.interpolate(eg.arange(4).reshape(1, 1, 4), 2, mode="linear")
    with pytest.raises(eg.ShapeError, match="theta"):
        F.affine_grid(eg.ones(1, 2, 2), (1, 1, 2, 2))


def test_layers() -> None:
    x = r.normal(size=(1, 2, 3, 4)).astype(np.float32)
    for name, options in (
        ("Upsample", {"scale_factor": 2.0, "mode": "bilinear"}),
        ("UpsamplingNearest2d", {"scale_factor": 2}),
        ("UpsamplingBilinear2d", {"size": (5, 7)}),
    ):
        out, due = (
            getattr(nn, name)(**options)(eg.tensor(x)),
            getattr(torch.nn, name)(**options)(torch.tensor(x)),
        )
        np.testing.assert_allclose(out.numpy(), due.numpy(), atol=1e-6)
