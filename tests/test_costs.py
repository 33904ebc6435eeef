"""The guard on calls and arrays per op notices what became dearer."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch", reason="the guard measures both array libraries")
from tests.benchmarks.costs import FILE, WORK, calls, compare, numpy_arrays


def test_figures_are_committed_for_each_work() -> None:
    for figures in json.loads(FILE.read_text()).values():
        for name in WORK:
            for library in ("numpy", "torch"):
                for what in ("calls", "arrays"):
                    assert figures[f"{name}, {library}: {what} per op"] > 0


def test_more_than_the_committed_figure_is_told() -> None:
    assert compare({"a": 1.03, "b": 0.5}, {"a": 1.0, "b": 1.0}) == []
    assert compare({"a": 1.04}, {"a": 1.0}) == ["a: 1.04, committed 1.00"]
    assert compare({"new": 1.0}, {}) == ["new: 1.00, committed 0.00"]


def test_calls_are_counted() -> None:
    def work() -> None:
        for _ in range(5):
            abs(-1)

    assert calls(lambda: None) + 6 == calls(lambda: work())


def test_arrays_are_counted() -> None:
    import numpy as np

    x = np.ones(65_536, np.float32)
    assert numpy_arrays(lambda: [x.copy() for _ in range(3)]) == pytest.approx(3, abs=0.2)
