"""The NumPy backend's own float32 functions against SciPy's in float64, in units in the last place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import erf, expit, ndtr

from everygrad_numpy import NumpyBackend
from everygrad_numpy.passes import BLOCK

Array = NDArray[Any]
B = NumpyBackend()
POINTS: Array = np.concatenate(
    [np.linspace(-16, 16, 1_000_001), np.geomspace(1e-37, 16, 500_000), -np.geomspace(1e-37, 16, 500_000)]
).astype(np.float32)
DENSITY = 0.3989422804014327
ENDS: Array = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, -3e38], np.float32)


def units(found: Array, due: Array) -> Array:
    """The error in units in the last place of the right value; numbers below the normal ones count as those."""
    least = np.finfo(np.float32).tiny
    error: Array = np.abs(found - due) / np.spacing(np.maximum(np.abs(due), least).astype(np.float32))
    return error


def silu(x: Array) -> Array:
    """By definition."""
    result: Array = x * expit(x)
    return result


def test_erf_is_right_to_two_units_and_never_beyond_one() -> None:
    found = B.erf(POINTS)
    error = units(found, erf(POINTS.astype(np.float64)))
    assert found.dtype == np.float32
    assert error.max() < 2 and error.mean() < 0.25
    assert np.abs(found).max() == 1


def test_gelu_is_right_in_both_tails() -> None:
    x = POINTS[POINTS > -12.5]  # beyond, the results leave the normal numbers
    wide = x.astype(np.float64)
    error = units(B.gelu(x), wide * ndtr(wide))
    assert (
        error < 6 + 1.5 * np.minimum(wide, 0) ** 2
    ).all()  # exp doubles the rounding of its argument so often


def test_the_slope_of_gelu() -> None:
    x = POINTS.astype(np.float64)
    found = B.gelu_backward(np.full_like(POINTS, 2), POINTS)
    due = 2 * (ndtr(x) + x * DENSITY * np.exp(-x * x / 2))
    assert np.abs(found - due).max() < 8 * 2**-24
    far = (x < -2) & (x > -12)
    assert (np.abs(found - due)[far] < (8 + x[far] ** 2) * 2**-23 * np.abs(due[far])).all()


@pytest.mark.parametrize(("name", "due"), [("sigmoid", expit), ("silu", silu)])
def test_the_logistic_functions(name: str, due: Callable[[Array], Array]) -> None:
    x = POINTS * np.float32(5)  # the least is -80: exp(88.8) is no float32
    error = units(getattr(B, name)(x), due(x.astype(np.float64)))
    assert error.max() < 5


@pytest.mark.parametrize(
    ("name", "due"),
    [
        ("erf", [np.nan, 1, -1, 0, -0.0, 1, -1]),
        ("gelu", [np.nan, np.inf, 0, 0, 0, 3e38, 0]),
        ("sigmoid", [np.nan, 1, 0, 0.5, 0.5, 1, 0]),
        ("silu", [np.nan, np.inf, 0, 0, 0, 3e38, 0]),
    ],
)
def test_ends(name: str, due: list[float]) -> None:
    found = getattr(B, name)(ENDS)
    np.testing.assert_array_equal(found, np.array(due, np.float32))
    if name == "erf":
        assert np.signbit(found[4])


@pytest.mark.parametrize("name", ["gelu_backward", "silu_backward"])
def test_ends_of_the_slopes(name: str) -> None:
    found = getattr(B, name)(np.ones_like(ENDS), ENDS)
    np.testing.assert_array_equal(found, np.array([np.nan, 1, 0, 0.5, 0.5, 1, 0], np.float32))


@pytest.mark.parametrize("name", ["erf", "gelu", "sigmoid", "silu"])
def test_a_value_does_not_depend_on_its_place(name: str) -> None:
    x = np.linspace(-5, 5, BLOCK + 77, dtype=np.float32)
    function = getattr(B, name)
    whole = function(x)
    np.testing.assert_array_equal(function(x[5::3]), whole[5::3])
    np.testing.assert_array_equal(function(x[::-1]), whole[::-1])
    np.testing.assert_array_equal(function(x[-1:]), whole[-1:])


@pytest.mark.parametrize("name", ["erf", "gelu", "sigmoid", "silu"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_low_precision_is_float32_rounded_once(name: str, dtype: str) -> None:
    import ml_dtypes

    low = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else np.float16)
    x = B.from_numpy(np.linspace(-5, 5, BLOCK + 77).astype(low))
    found, due = getattr(B, name)(x), getattr(B, name)(x.astype(np.float32)).astype(low)
    assert found.dtype == low
    np.testing.assert_array_equal(found, due)
