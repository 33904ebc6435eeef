"""What the tests of reported faults share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import everygrad as eg

NAN, INF = math.nan, math.inf
Fn = (
    Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any, Any], Any]
)
"""A function of so many arguments, those with defaults counted."""


def variable(values: Any, dtype: Any = np.float64) -> eg.Tensor:
    return eg.tensor(np.asarray(values, dtype), requires_grad=True)


def line(values: Any) -> eg.Tensor:
    """(1, 1, spatial...)"""
    return variable(values)[None, None].detach().requires_grad_()


def slopes(out: eg.Tensor, *inputs: eg.Tensor) -> Any:
    """The gradients of sum(out), as lists; the only one by itself."""
    grads = eg.gradients(out.sum(), inputs)
    lists = [None if g is None else g.tolist() for g in grads]
    return lists[0] if len(lists) == 1 else lists


def same(found: Any, due: Any, tolerance: float = 1e-12) -> None:
    array: NDArray[Any] = np.asarray(found)
    assert array.shape == np.shape(due), (array.shape, np.shape(due))
    np.testing.assert_allclose(array, due, rtol=tolerance, atol=tolerance)
