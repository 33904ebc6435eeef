"""What the tests with drawn arguments share: a case of the suite with other arguments, checked on both libraries.

The oracle is the case's own: plain loops that take any arguments. The first gradients are compared with differences
along random directions.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from everygrad.conformance.case import Array, Case
from everygrad.conformance.cases import all_cases
from everygrad.conformance.checks import Skipped, check_forward
from everygrad.conformance.gradients import check_gradient
from everygrad.conformance.layouts import check_stretched
from everygrad.registry import backend
from everygrad_ops import DType

LIBRARIES = (backend("numpy"), backend("torch"))
BY_ID = {case.id: case for case in all_cases()}

drawn_often = settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
"""The same examples at each run: a failure is found by whoever caused it."""

sizes = st.integers(1, 4)


def shapes(least: int = 0, most: int = 4, smallest: int = 0) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of `least` to `most` dims."""
    return st.lists(st.integers(smallest, 3), min_size=least, max_size=most).map(tuple)


def pairs(least: int, most: int, count: int) -> st.SearchStrategy[tuple[tuple[int, int], ...]]:
    """(left, right) for each of `count` axes."""
    one = st.tuples(st.integers(least, most), st.integers(least, most))
    return st.lists(one, min_size=count, max_size=count).map(tuple)


def distinct(r: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Values without ties, apart by more than a difference takes."""
    return np.asarray(r.permutation(int(np.prod(shape))).reshape(shape) / 4 - 1)


def compare(like: str, sample: Callable[[np.random.Generator], tuple[Any, ...]], order: int = 1) -> None:
    """The case `like` with other arguments: values, on three layouts, and first gradients."""
    case = replace(
        BY_ID[like],
        name="drawn",
        sample=sample,
        terms=4096,
        scale=4.0,
        order=order,
        gradients=None,
        examine=None,
    )
    check_case(case)


def check_case(case: Case) -> None:
    """Every check of the suite that a single drawn call can have."""
    for b in LIBRARIES:
        check_forward(b, case, DType.float64)
        with suppress(Skipped):
            check_stretched(b, case, DType.float64)
        with suppress(Skipped):
            check_gradient(b, case, 1)
