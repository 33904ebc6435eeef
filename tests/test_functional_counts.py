"""Differences, histograms, distinct values, searches: against torch and what is known."""

# ruff: noqa: B023
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# Lambdas of either library, each called before the loop goes on.

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import everygrad as eg
from tests.fault_tools import INF, NAN, same, slopes, variable
from tests.like_torch import both, twice

pytestmark = pytest.mark.usefixtures("library")

RANDOM = np.random.default_rng(5)
MATRIX = RANDOM.normal(size=(4, 5))
TIES = RANDOM.integers(0, 3, (4, 6)).astype(np.float64)
INTEGERS = RANDOM.integers(0, 9, 30)


class TestDifferences:
    def test_like_torch(self) -> None:
        for dim in (0, 1):
            for n in (0, 1, 2, 7):
                both(lambda m, t: m.diff(t, n, dim), MATRIX)
            both(lambda m, t, u, v: m.diff(t, 1, dim, u, v), MATRIX, MATRIX, MATRIX)
            for name in ("trapezoid", "trapz", "cumulative_trapezoid"):
                both(lambda m, t: getattr(m, name)(t, dim=dim), MATRIX)
                both(lambda m, t: getattr(m, name)(t, dx=0.5, dim=dim), MATRIX)
                both(lambda m, t, u: getattr(m, name)(t, u, dim=dim), MATRIX, MATRIX**2)
                both(
                    lambda m, t, u: getattr(m, name)(t, u, dim=dim),
                    MATRIX,
                    np.arange(MATRIX.shape[dim]) ** 2.0,
                )
        both(lambda m, t: m.diff(t), INTEGERS > 4)

    def test_nothing(self) -> None:
        assert eg.diff(eg.zeros(2, 0)).shape == (2, 0)
        assert eg.trapezoid(eg.zeros(2, 1)).tolist() == [0, 0]
        assert eg.trapezoid(eg.zeros(2, 0)).tolist() == [0, 0]
        with pytest.raises(eg.ShapeError, match="rank"):
            eg.diff(eg.tensor(1.0))
        with pytest.raises(eg.ShapeError, match=r"\(4, 5\).*\(3,\)"):
            eg.trapezoid(eg.tensor(MATRIX), eg.zeros(3))

    def test_orders(self) -> None:
        twice(lambda t: eg.trapezoid(t, t**2), MATRIX)
        twice(lambda t: eg.cumulative_trapezoid(t, eg.tensor(np.arange(5.0) ** 2)), MATRIX)


class TestCounts:
    def test_bincount(self) -> None:
        both(lambda m, t: m.bincount(t), INTEGERS)
        both(lambda m, t: m.bincount(t, minlength=20), INTEGERS)
        both(lambda m, t, w: m.bincount(t, w), INTEGERS, RANDOM.normal(size=30))
        both(lambda m, t, w: m.bincount(t, w), INTEGERS, INTEGERS)
        assert eg.bincount(eg.tensor(np.zeros(0, np.int64)), minlength=2).tolist() == [0, 0]
        w = variable([1.0, 2, 3])
        same(slopes(eg.bincount(eg.tensor([0, 2, 2]), w) * eg.tensor([5.0, 6, 7]), w), [5, 7, 7])
        with pytest.raises(IndexError, match="-1"):
            eg.bincount(eg.tensor([0, -1]))
        with pytest.raises(eg.DTypeError):
            eg.bincount(eg.tensor([0.5]))

    def test_histc(self) -> None:
        both(lambda m, t: m.histc(t, 7), MATRIX)
        both(lambda m, t: m.histc(t, 4, -1, 1), MATRIX)
        both(lambda m, t: m.histc(t, 4), np.full(3, 2.0))
        assert eg.histc(eg.tensor([NAN, 0.5, 9, 1, 0]), 2, 0, 1).tolist() == [1, 2]
        with pytest.raises(eg.ShapeError, match="bins=0"):
            eg.histc(eg.tensor(MATRIX), 0)
        with pytest.raises(eg.ShapeError, match="inf"):
            eg.histc(eg.tensor([1.0, INF]), 3)

    def test_histogram(self) -> None:
        edges, weights = np.array([-1, 0, 0.2, 2]), RANDOM.random((4, 5))
        for density in (False, True):
            both(lambda m, t: m.histogram(t, 7, density=density), MATRIX)
            both(lambda m, t, e, w: m.histogram(t, e, weight=w, density=density), MATRIX, edges, weights)
            both(lambda m, t, w: m.histogram(t, 3, range=(-1, 1), weight=w, density=density), MATRIX, weights)
        twice(lambda w: eg.histogram(eg.tensor(MATRIX), 3, weight=w, density=True).hist, weights)


class TestDistinct:
    @pytest.mark.parametrize("dim", [None, 0, 1, -1])
    def test_like_torch(self, dim: int | None) -> None:
        cube = RANDOM.integers(0, 2, (6, 3, 2))
        for x in (cube, TIES, cube > 0, TIES[:1]):
            for name in ("unique", "unique_consecutive"):
                both(lambda m, t: getattr(m, name)(t, return_inverse=True, return_counts=True, dim=dim), x)

    def test_many_columns(self) -> None:
        x = RANDOM.integers(-1, 2, (50, 9)).astype(np.float64)
        x[20:40] = x[:20]
        both(lambda m, t: m.unique(t, return_inverse=True, return_counts=True, dim=0), x)
        both(lambda m, t: m.unique(t, return_inverse=True, return_counts=True, dim=1), x)

    def test_edges(self) -> None:
        for shape in ((0,), (), (1,)):
            both(lambda m, t: m.unique(t, return_inverse=True, return_counts=True), np.ones(shape))
        assert eg.unique(eg.tensor([NAN, 1.0, NAN])).shape == (3,)  # type: ignore[union-attr]  # one result
        same(eg.unique(eg.tensor(np.zeros((3, 0))), dim=0).tolist(), np.zeros((1, 0)))  # type: ignore[union-attr]  # one result

    def test_the_first_occurrence_gets_the_gradient(self) -> None:
        x = variable([3.0, 1, 3, 1])
        out: Any = eg.unique(x)
        same(slopes(out * eg.tensor([5.0, 7]), x), [7, 5, 0, 0])


class TestSearch:
    def test_like_torch(self) -> None:
        table, values = np.sort(TIES, 1), RANDOM.integers(-1, 4, (4, 3)).astype(np.float64)
        for options in ({}, {"right": True}, {"side": "right"}, {"side": "left"}, {"out_int32": True}):
            both(lambda m, s, t: m.searchsorted(s, t, **options), table, values)
            both(lambda m, s, t: m.searchsorted(s, t, **options), table[0], values)
        for right in (False, True):
            both(lambda m, t, s: m.bucketize(t, s, right=right), MATRIX, np.array([-1.0, 0, 0, 1]))
        both(lambda m, s, t, o: m.searchsorted(s, t, sorter=o), TIES, values, np.argsort(TIES, 1))
        both(lambda m, s: m.searchsorted(s, 2), np.arange(5))

    def test_membership(self) -> None:
        for invert in (False, True):
            both(lambda m, t, u: m.isin(t, u, invert=invert), INTEGERS, np.array([2, 7, 50]))
        both(lambda m, t: m.isin(t, 3), INTEGERS)
        both(lambda m, t: m.isin(3, t), INTEGERS)
        assert eg.isin(eg.tensor([1, 2]), eg.tensor(np.zeros(0, np.int64))).tolist() == [False, False]
        assert eg.isin(eg.tensor([NAN, 1]), eg.tensor([NAN, 1])).tolist() == [False, True]

    def test_refusals(self) -> None:
        with pytest.raises(ValueError, match="side='middle'"):
            eg.searchsorted(eg.arange(3), eg.arange(2), side="middle")
        with pytest.raises(eg.ShapeError, match=r"\(2, 2\)"):
            eg.bucketize(eg.arange(3), eg.zeros(2, 2))
