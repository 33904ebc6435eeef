"""Order statistics, norms, scans: against torch and what is known."""

# ruff: noqa: B023
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# Lambdas of either library, each called before the loop goes on.

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import functional as F
from tests.fault_tools import INF, NAN, same, slopes, variable
from tests.like_torch import both, twice

pytestmark = pytest.mark.usefixtures("library")

RANDOM = np.random.default_rng(5)
MATRIX = RANDOM.normal(size=(4, 5))
TIES = RANDOM.integers(0, 3, (4, 6)).astype(np.float64)
HOLES = np.where(RANDOM.random((4, 5)) < 0.3, NAN, MATRIX)
INTEGERS = RANDOM.integers(0, 9, 30)


class TestMedians:
    @pytest.mark.parametrize("dim", [0, 1, -1])
    def test_like_torch(self, dim: int) -> None:
        for name in ("median", "nanmedian"):
            for x in (MATRIX, HOLES):
                both(lambda m, t, n=name: getattr(m, n)(t, dim), x)
                both(lambda m, t, n=name: getattr(m, n)(t, dim, True).values, x)
                both(lambda m, t, n=name: getattr(m, n)(t), x)
        both(lambda m, t: m.median(t, dim).values, INTEGERS.reshape(5, 6))

    def test_ties_take_the_lowest_index(self) -> None:
        x = variable([[2.0, 1, 2, 2], [0, 0, 0, 0]])
        found: Any = eg.median(x, 1)
        assert found.indices.tolist() == [0, 0]
        same(slopes(found.values, x), [[1, 0, 0, 0], [1, 0, 0, 0]])

    def test_over_everything_ties_share(self) -> None:
        x = variable([[2.0, 1], [2, 2]])
        out: Any = eg.median(x)
        same(slopes(out, x), [[1 / 3, 0], [1 / 3, 1 / 3]])
        x = variable([-INF, -INF, 1])
        out = eg.median(x)
        same(out.item(), -INF)
        same(slopes(out, x), [0.5, 0.5, 0])

    def test_nan(self) -> None:
        x = variable([1, NAN, 3, NAN])
        out: Any = eg.median(x, 0)
        assert math.isnan(out.values.item()) and out.indices.item() == 1
        same(slopes(out.values, x), [0, 1, 0, 0])
        out = eg.nanmedian(x, 0)
        assert (out.values.item(), out.indices.item()) == (1, 0)
        out = eg.nanmedian(eg.tensor([NAN, NAN]), 0)
        assert math.isnan(out.values.item()) and out.indices.item() == 0
        assert math.isnan(eg.median(eg.tensor(np.zeros(0))).item())  # type: ignore[union-attr]  # no dim: a tensor

    def test_orders(self) -> None:
        twice(lambda t: eg.median(t, 1).values, MATRIX)  # type: ignore[union-attr]  # with a dim: a pair
        twice(lambda t: eg.kthvalue(t, 2, 0).values, MATRIX)

    def test_scalars_and_nothing(self) -> None:
        found: Any = eg.median(eg.tensor(3.0), 0)
        assert (found.values.item(), found.indices.item(), found.values.shape) == (3, 0, ())
        assert eg.kthvalue(eg.tensor(3.0), 1).values.shape == ()
        with pytest.raises(eg.ShapeError, match=r"median.*\(2, 0\)"):
            eg.median(eg.zeros(2, 0), 1)
        with pytest.raises(eg.ShapeError, match=r"mode.*\(2, 0\)"):
            eg.mode(eg.zeros(2, 0))


class TestMode:
    @pytest.mark.parametrize("dim", [0, 1])
    def test_values(self, dim: int) -> None:
        both(lambda m, t: m.mode(t, dim).values, TIES)
        both(lambda m, t: m.mode(t, dim, True).values, TIES.astype(np.int64))

    def test_the_smallest_of_several_at_its_lowest_index(self) -> None:
        x = variable([3.0, 1, 3, 1, 2])
        found = eg.mode(x)
        assert (found.values.item(), found.indices.item()) == (1, 1)
        same(slopes(found.values, x), [0, 1, 0, 0, 0])
        assert eg.mode(eg.tensor(7)).indices.shape == ()

    def test_nan_are_one_value(self) -> None:
        found = eg.mode(eg.tensor([NAN, 1.0, NAN]))
        assert math.isnan(found.values.item()) and found.indices.item() == 0


class TestQuantiles:
    @pytest.mark.parametrize("mode", ["linear", "lower", "higher", "midpoint", "nearest"])
    @pytest.mark.parametrize("name", ["quantile", "nanquantile"])
    def test_like_torch(self, name: str, mode: str) -> None:
        q = np.array([0, 0.1, 0.5, 0.77, 1])
        for x in (MATRIX, HOLES):
            for dim, keep in ((0, False), (1, True), (-1, False), (None, False), (None, True)):
                both(lambda m, t, p: getattr(m, name)(t, p, dim, keep, interpolation=mode), x, q)
            both(lambda m, t: getattr(m, name)(t, 0.3, 1, interpolation=mode), x)

    def test_orders(self) -> None:
        twice(lambda t: eg.quantile(t, 0.3, 1), MATRIX)
        twice(lambda t: eg.nanquantile(t, eg.tensor([0.3, 0.9]), 0), MATRIX)
        twice(lambda t: eg.quantile(eg.tensor(MATRIX), t, 1), [0.3, 0.55])

    def test_known_gradients(self) -> None:
        x = variable([5.0, 1, 1, 3])
        same(slopes(eg.quantile(x, 0.5), x), [0, 0, 0.5, 0.5])
        same(slopes(eg.quantile(x, 0.5, interpolation="lower"), x), [0, 0, 1, 0])
        q = variable(0.5)
        same(slopes(eg.quantile(x, q), q), 6.0)

    def test_infinities(self) -> None:
        same(eg.quantile(eg.tensor([-INF, -INF, 1, INF, INF]), eg.tensor([0.1, 0.9])).tolist(), [-INF, INF])
        same(eg.nanquantile(eg.tensor([NAN, NAN]), 0.5).item(), NAN)

    def test_low_precision_places_are_exact(self) -> None:
        x = eg.tensor(np.arange(1001), eg.float16)
        assert eg.quantile(x, 0.3).item() == 300

    def test_refusals(self) -> None:
        with pytest.raises(ValueError, match=r"q=1.5"):
            eg.quantile(eg.tensor(MATRIX), 1.5)
        with pytest.raises(ValueError, match="'cubic'"):
            eg.quantile(eg.tensor(MATRIX), 0.5, interpolation="cubic")
        with pytest.raises(eg.ShapeError, match=r"\(0,\)"):
            eg.quantile(eg.zeros(0), 0.5)
        with pytest.raises(eg.DTypeError):
            eg.quantile(eg.tensor([1, 2]), 0.5)


class TestStatistics:
    def test_like_torch(self) -> None:
        for dim in (0, 1, None):
            for keep in (False, True):
                both(lambda m, t: m.std_mean(t, dim, correction=0, keepdim=keep), MATRIX)
                both(lambda m, t: m.var_mean(t, dim, keepdim=keep), MATRIX)
                both(lambda m, t: m.nansum(t, dim, keep), HOLES)
                both(lambda m, t: m.nanmean(t, dim, keep), HOLES)
            both(lambda m, t: m.count_nonzero(t, dim), TIES)
            both(lambda m, t: m.aminmax(t, dim=dim), MATRIX)
        both(lambda m, t: m.nansum(t), INTEGERS)

    def test_nothing_but_nan(self) -> None:
        x = variable([[NAN, NAN], [1, NAN]])
        same(eg.nanmean(x, 1).tolist(), [NAN, 1])
        same(slopes(eg.nanmean(x, 1), x), [[0, 0], [1, 0]])
        same(slopes(eg.nansum(x), x), [[0, 0], [1, 0]])

    def test_covariance_like_torch(self) -> None:
        counts, weights = np.array([1, 2, 0, 3, 1]), np.array([0.5, 1, 2, 0.1, 3])
        for x in (MATRIX, MATRIX[0]):
            both(lambda m, t: m.cov(t), x)
            both(lambda m, t: m.cov(t, correction=0), x)
            both(lambda m, t, f: m.cov(t, fweights=f), x, counts)
            both(lambda m, t, a: m.cov(t, aweights=a), x, weights)
            both(lambda m, t, f, a: m.cov(t, fweights=f, aweights=a, correction=2), x, counts, weights)
            both(lambda m, t: m.corrcoef(t), x)

    def test_orders(self) -> None:
        twice(eg.cov, MATRIX)
        twice(lambda t: eg.cov(t, aweights=eg.tensor([0.5, 1, 2, 0.1, 3])), MATRIX)
        twice(lambda t: eg.cov(eg.tensor(MATRIX), aweights=t), [0.5, 1, 2, 0.1, 3])
        twice(lambda t: eg.std_mean(t, 1)[0], MATRIX)
        twice(eg.nanmean, MATRIX)

    def test_refusals(self) -> None:
        with pytest.raises(eg.ShapeError, match=r"\(2, 2, 2\)"):
            eg.cov(eg.zeros(2, 2, 2))
        with pytest.raises(eg.ShapeError, match=r"fweights.*\(5,\).*\(2,\)"):
            eg.cov(eg.tensor(MATRIX), fweights=eg.tensor([1, 2]))


class TestNorms:
    @pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3, -1, INF, -INF])
    def test_like_torch(self, p: float) -> None:
        for dim, keep in ((None, False), (0, True), ((0, 1), False)):
            both(
                lambda m, t: (
                    m.linalg.vector_norm(t, p, dim, keep) if m is torch else F.vector_norm(t, p, dim, keep)
                ),
                MATRIX,
            )
            both(lambda m, t: m.norm(t, p, dim, keep), MATRIX)
        if p > 0:
            both(lambda m, t: m.renorm(t, p, 1, 1.5), MATRIX, tolerance=1e-6)  # torch adds 1e-7 to the norm
            both(lambda m, t, u: m.dist(t, u, p), MATRIX, MATRIX[:1] + 1)

    def test_orders(self) -> None:
        twice(lambda t: eg.renorm(t, 2, 0, 1.5), MATRIX)
        twice(lambda t: eg.dist(t, eg.ones(5), 3), MATRIX)

    def test_b053_norm_at_zero(self) -> None:
        x = variable([0.0, 0, 0])
        same(slopes(eg.norm(x), x), [0, 0, 0])
        x = variable([[0.0, 0], [3, 4]])
        same(slopes(eg.norm(x, dim=1), x), [[0, 0], [0.6, 0.8]])
        for p in (0.5, 1.5, 3, INF):
            x = variable([0.0, 0])
            (g,) = eg.gradients(eg.norm(x, p), [x], create_graph=True)
            assert g is not None
            same(g.tolist(), [0, 0])
            same(slopes(g, x), [0, 0])

    def test_b095_float16(self) -> None:
        x = variable(np.full((3, 3), 100), np.float16)
        out = eg.norm(x)
        assert (out.item(), out.dtype) == (300, eg.float16)
        same(slopes(out, x), np.full((3, 3), 0.333251953125))

    def test_renorm_of_zero(self) -> None:
        x = variable([[0.0, 0], [3, 4]])
        same(slopes(eg.renorm(x, 2, 0, 10), x), [[1, 1], [1, 1]])
        same(eg.renorm(x, 2, 0, 0).tolist(), [[0, 0], [0, 0]])

    def test_refusals(self) -> None:
        with pytest.raises(ValueError, match=r"'max'.*matrix_norm"):
            eg.norm(eg.tensor(MATRIX), "max")
        with pytest.raises(eg.ShapeError, match="two dims"):
            eg.norm(eg.tensor(MATRIX), "nuc", 0)
        with pytest.raises(eg.DTypeError):
            F.vector_norm(eg.tensor([1, 2]))


class TestScans:
    def test_like_torch(self) -> None:
        both(lambda m, t: m.logcumsumexp(t, 1), MATRIX)
        both(lambda m, t: m.cummax(t, 0), MATRIX)
        both(lambda m, t: m.cummin(t, 1), MATRIX)
        for kind in (np.uint8, np.int8, np.int16, np.int32, np.bool_):
            both(lambda m, t: m.cumsum(t, 0), INTEGERS.astype(kind))
            both(lambda m, t: m.cumprod(t, 0), INTEGERS.astype(kind))
        both(lambda m, t: m.cumsum(t, 0, dtype=m.float32), INTEGERS)

    def test_rank_0(self) -> None:
        found = eg.cummax(eg.tensor(2.0), 0)
        assert (found.values.item(), found.indices.item()) == (2, 0)
        assert eg.logcumsumexp(eg.tensor(2.0), -1).item() == 2

    def test_orders(self) -> None:
        twice(lambda t: eg.logcumsumexp(t, 1), MATRIX)
        twice(lambda t: eg.cummax(t, 1).values, MATRIX)


def test_methods() -> None:
    x = eg.tensor(MATRIX)
    for name in (
        "kthvalue",
        "median",
        "mode",
        "quantile",
        "cummax",
        "diff",
        "norm",
        "unique",
        "histc",
        "aminmax",
    ):
        assert getattr(eg.Tensor, name) is getattr(eg, name)
    assert x.norm().item() == eg.norm(x).item()
