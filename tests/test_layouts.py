"""The check of strides of 0 finds a backend that reads memory instead of elements."""

from __future__ import annotations

import numpy as np
import pytest
from typing_extensions import override

from everygrad.conformance.calls import Failure
from everygrad.conformance.case import Array, Case
from everygrad.conformance.cases import all_cases
from everygrad.conformance.checks import Skipped
from everygrad.conformance.layouts import check_stretched
from everygrad.registry import backend
from everygrad_numpy import NumpyBackend
from everygrad_ops import DType
from tests.broken import MUL, NEG, TANH


class ReadsMemory(NumpyBackend):
    """Wrong where a stride is 0."""

    @override
    def neg(self, x: Array) -> Array:
        return np.abs(x) if 0 in x.strides else super().neg(x)


def test_it_fails_where_strides_matter() -> None:
    with pytest.raises(Failure, match="stride 0"):
        check_stretched(ReadsMemory(), NEG, DType.float32)


@pytest.mark.parametrize("case", [MUL, NEG, TANH], ids=lambda case: case.op)
def test_it_passes_where_they_do_not(case: Case, library: str) -> None:
    check_stretched(backend(library), case, DType.float32)


def test_without_arrays_there_is_nothing_to_check() -> None:
    case = next(c for c in all_cases() if c.op == "full")
    with pytest.raises(Skipped):
        check_stretched(NumpyBackend(), case, DType.float32)
