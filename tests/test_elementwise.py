"""Derivatives of compositions at singular points, to every order, and the quiet of the NumPy backend."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad.engine import run
from everygrad_ops import DType

Function = Callable[[Any, Any], Any]

SPECS = ["autodiff(numpy)", "autodiff(torch)", "autodiff(autodiff(numpy))"]


@pytest.fixture(params=SPECS)
def b(request: pytest.FixtureRequest) -> Any:
    if "torch" in request.param:
        pytest.importorskip("torch", reason="the array library is not installed")
    return eg.backend(request.param)


def derivatives(
    b: Any, f: Function, at: float, orders: int, dtype: type[np.generic] = np.float64
) -> list[float]:
    """f'(at), f''(at), ... : each the gradient of the one before."""
    x = b.variable(b.from_numpy(np.array(at, dtype)))
    one = b.from_numpy(np.array(1, dtype))
    y, found = f(b, x), list[float]()
    for _ in range(orders):
        y = run(b, [(y.node, one)], inputs=[x.node], create_graph=True)[x.node] if y.node else b.zeros_like(x)
        found.append(float(b.to_numpy(b.detach(y))))
    return found


SINGULAR: dict[str, tuple[Function, float, list[float]]] = {
    "exp(-(x**2)) at 0": (lambda b, x: b.exp(b.neg(b.pow(x, 2))), 0, [0, -2, 0, 12]),
    "exp(-(x*x)) at 0": (lambda b, x: b.exp(b.neg(b.mul(x, x))), 0, [0, -2, 0, 12]),
    "exp(-square) at 0": (lambda b, x: b.exp(b.neg(b.square(x))), 0, [0, -2, 0, 12]),
    "x**3 at 0": (lambda b, x: b.pow(x, 3), 0, [0, 0, 6, 0, 0]),
    "x**4 at -2": (lambda b, x: b.pow(x, 4), -2, [-32, 48, -48, 24]),
    "x**y, y = 3, at 0": (lambda b, x: b.pow(x, b.full((), 3, DType.float64)), 0, [0, 0, 6, 0]),
    "x**1.5 at 0": (lambda b, x: b.pow(x, 1.5), 0, [0]),
    "x * x**0.5 at 0": (lambda b, x: b.mul(x, b.pow(x, 0.5)), 0, [0]),
    "x * sqrt(x) at 0": (lambda b, x: b.mul(x, b.sqrt(x)), 0, [0]),
    "x**0 at 0": (lambda b, x: b.pow(x, 0), 0, [0, 0]),
    "(sqrt(x) - 1)**2 at 1": (lambda b, x: b.square(b.sub(b.sqrt(x), 1)), 1, [0, 0.5, -0.75]),
    "pow(sqrt(x) - 1, 2) at 1": (lambda b, x: b.pow(b.sub(b.sqrt(x), 1), 2), 1, [0, 0.5, -0.75]),
    "(exp(x) - 1)**2 at 0": (lambda b, x: b.pow(b.sub(b.exp(x), 1), 2), 0, [0, 2, 6]),
    "expm1(x)**2 at 0": (lambda b, x: b.pow(b.expm1(x), 2), 0, [0, 2, 6]),
    "log(x)**2 at 1": (lambda b, x: b.square(b.log(x)), 1, [0, 2, -6]),
    "log1p(x)**2 at 0": (lambda b, x: b.square(b.log1p(x)), 0, [0, 2, -6]),
    "(1/x - 1)**2 at 1": (lambda b, x: b.square(b.sub(b.reciprocal(x), 1)), 1, [0, 2, -12]),
    "(rsqrt(x) - 1)**2 at 1": (lambda b, x: b.square(b.sub(b.rsqrt(x), 1)), 1, [0, 0.5, -2.25]),
    "sin(x)**2 at 0": (lambda b, x: b.square(b.sin(x)), 0, [0, 2, 0, -8]),
    "tan(x)**2 at 0": (lambda b, x: b.square(b.tan(x)), 0, [0, 2, 0, 16]),
    "(x/(1+x))**2 at 0": (lambda b, x: b.square(b.div(x, b.add(x, 1))), 0, [0, 2, -12]),
    "|x|**3 at 0": (lambda b, x: b.pow(b.abs(x), 3), 0, [0, 0]),
    "x*(x >= 0) at 0": (lambda b, x: b.clamp(x, 0, None), 0, [1, 0]),
    "where(x >= 0, x, sqrt(-x)) at 1": (lambda b, x: b.where(b.ge(x, 0), x, b.sqrt(b.neg(x))), 1, [1, 0, 0]),
    "where(x <= 0, exp(x), 1 + x) at 1000": (lambda b, x: b.where(b.le(x, 0), b.exp(x), b.add(x, 1)), 1000, [1, 0]),
    "where(false, x / 0, x) at 1": (lambda b, x: b.where(b.lt(x, 0), b.div(x, 0), x), 1, [1, 0]),
    "where(false, x / zeros, x) at 1": (lambda b, x: b.where(b.lt(x, 0), b.div(x, b.zeros_like(x)), x), 1, [1, 0]),
    "where(x > 0, x, 1/x) at 0": (lambda b, x: b.where(b.ge(x, 0), x, b.div(b.ones_like(x), x)), 0, [1, 0]),
    "where(x > 0, 1, log(x)) at 0": (lambda b, x: b.where(b.ge(x, 0), x, b.log(x)), 0, [1, 0]),
    "where(x > 0, x, sin(1/x)) at 0": (lambda b, x: b.where(b.ge(x, 0), x, b.sin(b.reciprocal(x))), 0, [1, 0]),
}  # fmt: skip


@pytest.mark.parametrize("name", SINGULAR)
def test_derivatives_at_singular_points(b: Any, name: str) -> None:
    f, at, due = SINGULAR[name]
    assert derivatives(b, f, at, len(due)) == pytest.approx(due, abs=1e-12)


POWERS: list[Function] = [lambda b, r: b.pow(r, 2), lambda b, r: b.square(r)]


@pytest.mark.parametrize("power", POWERS)
def test_a_masked_loss_forgets_nan_behind_the_mask(b: Any, power: Function) -> None:
    x = b.variable(b.from_numpy(np.array([3.0, 3.0])))
    y = b.from_numpy(np.array([1.0, math.nan]))
    out = b.where(b.from_numpy(np.array([True, False])), power(b, b.sub(x, y)), 0)
    g = run(b, [(out.node, b.inner.from_numpy(np.ones(2)))], inputs=[x.node])[x.node]
    assert b.inner.to_numpy(b.inner.detach(g)).tolist() == [4, 0]


def test_mul0_adds_nothing_to_huge_finite_products(b: Any) -> None:
    big = b.from_numpy(np.full((3, 4), 3e38, np.float32))
    out = b.to_numpy(b.mul0(big, b.ones_like(big)))
    assert (out == np.float32(3e38)).all()


def test_numpy_is_quiet_where_the_contract_defines_the_result() -> None:
    b = eg.backend("numpy")
    x = np.array([0, -1, math.inf, -math.inf, math.nan, 1e30, 1e-45], np.float32)
    unary = ["exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "reciprocal", "sin", "cos", "tan", "square"]
    unary += [
        "asin",
        "acos",
        "acosh",
        "atanh",
        "sinh",
        "cosh",
        "log2",
        "log10",
        "exp2",
        "sinc",
        "erfinv",
        "lgamma",
    ]
    unary += ["digamma", "erfcx", "ndtri", "log_ndtr", "entr"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dtype in (DType.float64, DType.float32, DType.float16, DType.bfloat16):
            y = b.cast(x, dtype)
            for op in unary:
                getattr(b, op)(y)
            for op in (
                "add",
                "sub",
                "mul",
                "div",
                "pow",
                "mul0",
                "div0",
                "remainder",
                "floor_divide",
                "fmod",
                "atan2",
            ):
                getattr(b, op)(y, b.reshape(y, (7, 1)))
            for op in ("hypot", "logaddexp", "xlogy", "copysign", "zeta", "gammainc"):
                getattr(b, op)(y, b.reshape(y, (7, 1)))
            b.mean(b.reshape(y[:0], (0, 1)), (0,))
            b.prod(y, (0,))
            b.sum(y, (0,))
            b.accumulate(b.mul(y, 1), b.neg(y))
            b.cumprod(y, 0)
            b.lt(y, 1e300)
            b.where(b.isnan(y), 1e300, y)


def test_numpy_is_quiet_at_no_cost_to_the_users_settings() -> None:
    code = """
import warnings, numpy as np, everygrad as eg
with warnings.catch_warnings(record=True) as said:
    warnings.resetwarnings()
    x = eg.tensor([float("inf"), 3e38])
    (x - x).sum(), (x * x).mean(), x.square().sum()
    assert not said, [str(w.message) for w in said]
    np.multiply(np.float32(3e38), np.float32(3e38))
    assert len(said) == 1, "the user's own warnings stay"
with np.errstate(all="raise"):
    assert eg.isnan(x - x).tolist() == [True, False]
    assert (x + x).tolist() == [float("inf"), float("inf")]
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
