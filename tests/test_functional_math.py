"""Elementwise functions of torch's on tensors: values against torch's, dtypes, gradients at singular points, wrong calls."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# Tables of lambdas: each gets what the test makes.

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg

torch: Any = pytest.importorskip("torch", reason="the values are compared with its")

INF, NAN = math.inf, math.nan
X = [[-2.5, -1.0, -0.0], [0.0, 0.3, 3.75]]
Y = [[1.5, -2.0, 3.0], [-0.5, 2.0, 0.25]]
Two = Callable[[Any, Any, Any], Any]

TWO: dict[str, Two] = {  # m is everygrad or torch
    "add-alpha": lambda m, x, y: m.add(x, y, alpha=2),
    "sub-alpha": lambda m, x, y: m.sub(x, y, alpha=0.5),
    "subtract": lambda m, x, y: m.subtract(x, y),
    "multiply": lambda m, x, y: m.multiply(x, y),
    "divide-trunc": lambda m, x, y: m.divide(x, y, rounding_mode="trunc"),
    "div-floor": lambda m, x, y: m.div(x, y, rounding_mode="floor"),
    "true_divide": lambda m, x, y: m.true_divide(x, y),
    "fmod": lambda m, x, y: m.fmod(x, y),
    "fmod-number": lambda m, x, y: m.fmod(x, 2),
    "copysign": lambda m, x, y: m.copysign(y, x),
    "atan2": lambda m, x, y: m.arctan2(x, y),
    "hypot": lambda m, x, y: m.hypot(x, y),
    "logaddexp": lambda m, x, y: m.logaddexp(x, y),
    "logaddexp2": lambda m, x, y: m.logaddexp2(x, y),
    "xlogy": lambda m, x, y: m.xlogy(x, y),
    "lerp": lambda m, x, y: m.lerp(x, y, 0.25),
    "lerp-tensor": lambda m, x, y: m.lerp(x, y, y),
    "addcmul": lambda m, x, y: m.addcmul(x, y, y, value=0.5),
    "addcdiv": lambda m, x, y: m.addcdiv(x, x, y, value=3),
    "ldexp": lambda m, x, y: m.ldexp(x, m.tensor([1, 2, 3])),
    "float_power": lambda m, x, y: m.float_power(y, 2),
    "heaviside": lambda m, x, y: m.heaviside(x, y),
    "clamp-tensors": lambda m, x, y: m.clamp(x, y, y + 1),
    "clamp_min": lambda m, x, y: m.clamp_min(x, 0.5),
    "clamp_max": lambda m, x, y: m.clamp_max(x, y),
    "clip": lambda m, x, y: m.clip(x, -1, 1),
    "isclose": lambda m, x, y: m.isclose(x, y, 0.5, 1.0),
    "greater": lambda m, x, y: m.greater(x, y),
    "less_equal": lambda m, x, y: m.less_equal(x, y),
    "not_equal": lambda m, x, y: m.not_equal(x, y),
    "xlog1py": lambda m, x, y: m.special.xlog1py(x, y + 3),
    "zeta": lambda m, x, y: m.special.zeta(y + 4, x + 3),
    "gammainc": lambda m, x, y: m.special.gammainc(x + 3, y + 3),
    "gammaincc": lambda m, x, y: m.special.gammaincc(x + 3, y + 3),
}
ONE: dict[str, Callable[[Any, Any], Any]] = {
    **{
        name: lambda m, x, name=name: getattr(m, name)(x)  # type: ignore[misc]  # a default binds the loop's value
        for name in (
            "log2", "log10", "exp2", "asin", "arccos", "atan", "sinh", "cosh", "asinh", "acosh", "arctanh", "sinc",
            "frac", "fix", "sgn", "negative", "absolute", "positive", "signbit", "deg2rad", "rad2deg", "isposinf",
            "isneginf", "nan_to_num", "erf", "erfc", "erfinv", "lgamma", "digamma", "i0", "square", "rsqrt",
        )
    },
    **{
        name: lambda m, x, name=name: getattr(m.special, name)(x)  # type: ignore[misc]  # a default binds the loop's value
        for name in (
            "erfcx", "ndtr", "ndtri", "log_ndtr", "entr", "i0e", "i1", "i1e", "bessel_j0", "bessel_j1", "expit", "psi",
            "gammaln", "spherical_bessel_j0",
        )
    },
    "logit": lambda m, x: m.logit(x),
    "logit-eps": lambda m, x: m.logit(x, 1e-3),
    "polygamma": lambda m, x: m.polygamma(2, x),
    "multigammaln": lambda m, x: m.special.multigammaln(x + 5, 3),
    "round-decimals": lambda m, x: m.round(x, decimals=1),
    "round-tens": lambda m, x: m.round(x * 100, decimals=-2),
}  # fmt: skip


def both(f: Callable[..., Any], *values: Any, dtype: str = "float64") -> None:
    """What we give and what torch gives, on both libraries."""
    due = f(torch, *(torch.tensor(v, dtype=getattr(torch, dtype)) for v in values))
    for library in ("numpy", "torch"):
        with eg.use(library):
            out = f(eg, *(eg.tensor(v, dtype=getattr(eg, dtype)) for v in values))
        assert out.dtype.value == str(due.dtype).removeprefix("torch."), library
        tolerance = 1e-12 if dtype == "float64" else 1e-6
        np.testing.assert_allclose(out.numpy(), due.numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", TWO)
def test_of_two(name: str) -> None:
    both(TWO[name], X, Y)


@pytest.mark.parametrize("name", [n for n in ONE if n not in ("bessel_j0", "bessel_j1")])
def test_of_one(name: str) -> None:
    both(ONE[name], X)


@pytest.mark.parametrize(
    "name", ["asin", "log2", "exp2", "sinc", "erfc", "lgamma", "i0", "deg2rad", "polygamma"]
)
def test_integers_become_the_default_float(name: str) -> None:
    both(ONE[name], [1, 1], dtype="int64")


@pytest.mark.parametrize(
    "name", ["fmod", "divide-trunc", "div-floor", "true_divide", "add-alpha", "atan2", "xlogy"]
)
def test_integers_of_two(name: str) -> None:
    both(TWO[name], [7, -7, 7, -7], [2, 2, -2, -2], dtype="int64")


def slopes(f: Callable[..., Any], *values: Any) -> list[Any]:
    xs = [eg.tensor(v, dtype=eg.float64, requires_grad=True) for v in values]
    return [None if g is None else g.tolist() for g in eg.gradients(f(*xs).sum(), xs)]


def test_bounds_of_clamp_from_numpy(library: str) -> None:
    low: Any = np.array([0.0, 0.0, 3.0])
    high: Any = np.array([1.0, 5.0, 4.0])
    x = np.array([-1.0, 2.0, 9.0])
    with eg.use(library):
        assert eg.tensor(x).clamp(low, high).tolist() == np.clip(x, low, high).tolist() == [0.0, 2.0, 4.0]
        assert eg.tensor(x).clamp(0, high).tolist() == [0.0, 2.0, 4.0]


def test_arguments_of_composed_functions_are_named() -> None:
    numbers: Any = [0.0, 1.0]
    with pytest.raises(
        TypeError, match=r"clamp: min must be a Tensor or a number or None\. Received: min=\["
    ):
        eg.ones(2).clamp(numbers)
    with pytest.raises(TypeError, match=r"take: index must be a Tensor\. Received: list"):
        eg.ones(2).take(numbers)
    with pytest.raises(TypeError, match=r"trapezoid: x must be a Tensor\. Received: list"):
        eg.trapz(eg.ones(2), numbers)


def test_gradients_at_singular_points(library: str) -> None:
    assert slopes(eg.hypot, [0.0], [0.0]) == [[0.0], [0.0]]
    assert slopes(eg.atan2, [0.0], [0.0]) == [[0.0], [0.0]]
    assert slopes(eg.logaddexp, [-INF], [-INF]) == [[0.0], [0.0]]
    assert slopes(eg.xlogy, [0.0], [0.0]) == [[0.0], [0.0]]
    assert slopes(eg.nan_to_num, [NAN, INF, 2.0]) == [[0.0, 0.0, 1.0]]
    assert slopes(eg.clamp, [-1.0, 0.5], [0.0, 0.0], [1.0, 0.2]) == [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    assert slopes(eg.heaviside, [-1.0, 0.0, 1.0], [3.0, 4, 5]) == [[0.0] * 3, [0.0, 1.0, 0.0]]
    assert slopes(lambda x: x.round(decimals=1), [0.26]) == [[0.0]]
    assert slopes(lambda x: eg.where(x > 0, x, eg.asin(x + 3)), [1.0]) == [[1.0]]


def test_sinc_has_every_derivative_at_0(library: str) -> None:
    f: Any = eg.sinc
    found: list[float] = []
    for _ in range(4):
        f = eg.grad(f)
        found.append(f(eg.tensor(0.0, dtype=eg.float64)).item())
    assert found == pytest.approx([0, -(math.pi**2) / 3, 0, math.pi**4 / 5])


def test_safe_where(library: str) -> None:
    def entropy(x: Any) -> Any:
        return eg.safe_where(x > 0, lambda x: x * x.log(), 0.0, x)

    assert slopes(entropy, [0.0, 1.0]) == [[0.0, 1.0]]
    assert math.isnan(slopes(lambda x: eg.where(x > 0, x * x.log(), 0.0), [0.0])[0][0])
    x = eg.tensor([-4.0, 9.0])
    assert eg.safe_where(x > 0, eg.sqrt, lambda x: -eg.sqrt(-x), x, fill=0.0).isnan().any().item() is False
    assert eg.safe_where(x > 0, x, -x).tolist() == [4, 9]
    second = eg.grad(eg.grad(lambda x: entropy(x).sum()))(eg.tensor(0.0))
    assert second.item() == 0


def test_closeness(library: str) -> None:
    x, y = eg.tensor([1.0, INF, NAN]), eg.tensor([1.0 + 1e-7, INF, NAN])
    assert eg.isclose(x, y).tolist() == [True, True, False]
    assert eg.isclose(x, y, equal_nan=True).tolist() == [True, True, True]
    assert eg.isclose(eg.tensor([INF, 1.0]), eg.tensor([-INF, INF])).tolist() == [False, False]
    assert not eg.allclose(x, y) and eg.allclose(x, y, equal_nan=True)
    assert eg.equal(y[:2], y[:2]) and not eg.equal(y, y) and not eg.equal(x, x[:2])
    assert eg.isclose(eg.tensor([2**40]), eg.tensor([2**40 + 1]), 0, 0).tolist() == [False]


def test_bits(library: str) -> None:
    x = eg.tensor([6, -3])
    assert (x & 3).tolist() == [2, 1] and (3 | x).tolist() == [7, -1] and (x ^ x).tolist() == [0, 0]
    assert (x << 2).tolist() == [24, -12] and (x >> 1).tolist() == [3, -2] and (~x).tolist() == [-7, 2]
    assert (1 << eg.tensor([3])).tolist() == [8] and (-16 >> eg.tensor([2])).tolist() == [-4]
    assert (eg.tensor([True]) & 2).dtype is eg.int64
    assert x.bitwise_and(eg.tensor([2], dtype=eg.int8)).dtype is eg.int64


def test_methods(library: str) -> None:
    x = eg.tensor([0.5])
    assert x.arcsin().item() == x.asin().item() == pytest.approx(math.asin(0.5))
    assert x.polygamma(1).item() == pytest.approx(math.pi**2 / 2, rel=1e-6)
    assert x.where(x > 1, 7.0).tolist() == [7.0]
    assert x.lerp(x + 1, 0.5).tolist() == [1.0] and x.add(x, alpha=3).tolist() == [2.0]
    assert x.allclose(x) and x.equal(x) and x.true_divide(2).tolist() == x.divide(2).tolist() == [0.25]


WRONG = [3.0, 3, [1.0, 2.0], np.ones(2), None, "x"]
SINGLE = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bitwise_not",
    "ceil",
    "cos",
    "cosh",
    "deg2rad",
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "fix",
    "floor",
    "frac",
    "i0",
    "isfinite",
    "isinf",
    "isneginf",
    "isnan",
    "isposinf",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_not",
    "logit",
    "nan_to_num",
    "neg",
    "negative",
    "positive",
    "rad2deg",
    "reciprocal",
    "round",
    "rsqrt",
    "sgn",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "clamp",
]


@pytest.mark.parametrize("name", SINGLE)
def test_what_is_no_tensor_is_named(name: str) -> None:
    for value in WRONG:
        with pytest.raises(
            TypeError, match=rf"must be a Tensor. Received: {type(value).__name__}; write eg.tensor"
        ):
            getattr(eg, name)(value)
    said = {"absolute": "abs", "fix": "trunc", "negative": "neg", "sgn": "sign"}
    with pytest.raises(TypeError, match=rf"^{said.get(name, name)}: "):
        getattr(eg, name)(3.0)


REDUCING = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "logsumexp",
    "max",
    "mean",
    "min",
    "prod",
    "sort",
    "std",
    "sum",
    "var",
]


@pytest.mark.parametrize("name", REDUCING)
def test_what_is_reduced_is_a_tensor(name: str) -> None:
    for value in WRONG:
        with pytest.raises(
            TypeError, match=rf"must be a Tensor. Received: {type(value).__name__}; write eg.tensor"
        ):
            getattr(eg, name)(value)
    for scan in ("cumsum", "cumprod", "logcumsumexp", "topk"):
        with pytest.raises(TypeError, match=rf"^{scan}: input must be a Tensor. Received: ndarray"):
            getattr(eg, scan)(np.ones(2), 0)


PAIRS = [
    "add",
    "atan2",
    "bitwise_and",
    "copysign",
    "div",
    "divide",
    "eq",
    "floor_divide",
    "fmod",
    "gcd",
    "ge",
    "greater",
    "gt",
    "hypot",
    "lcm",
    "le",
    "less",
    "logaddexp",
    "logical_and",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "multiply",
    "ne",
    "not_equal",
    "pow",
    "remainder",
    "sub",
    "subtract",
    "true_divide",
    "xlogy",
    "float_power",
    "ldexp",
]


@pytest.mark.parametrize("name", PAIRS)
def test_of_two_one_is_a_tensor(name: str) -> None:
    with pytest.raises(
        TypeError, match=r"one operand must be a Tensor. Received: float and float; write eg.tensor"
    ):
        getattr(eg, name)(1.0, 2.0)


BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "alpha": (
        lambda: eg.add(eg.tensor([1]), eg.tensor([1]), alpha=0.5),
        eg.DTypeError,
        "alpha must be an integer",
    ),
    "mode": (lambda: eg.div(eg.ones(1), 2, rounding_mode="up"), eg.ShapeError, "rounding_mode.*'up'"),  # type: ignore[arg-type]  # wrong on purpose
    "decimals": (lambda: eg.round(eg.tensor([12]), decimals=-1), eg.DTypeError, "no decimals"),
    "lerp": (lambda: eg.lerp(eg.tensor([1]), eg.tensor([2]), 0.5), eg.DTypeError, "floating-point"),
    "mvlgamma": (lambda: eg.mvlgamma(eg.ones(1), 0), eg.ShapeError, "p=0"),
    "shift": (lambda: eg.ones(1) << 1, eg.DTypeError, "takes integers"),
    "by zero": (lambda: eg.fmod(eg.tensor([1]), 0), ZeroDivisionError, "fmod"),
    "rtol": (lambda: eg.isclose(eg.ones(1), eg.ones(1), rtol=-1), eg.ShapeError, "rtol"),
}


@pytest.mark.parametrize("name", BAD)
def test_wrong_calls(library: str, name: str) -> None:
    call, error, words = BAD[name]
    with pytest.raises(error, match=words):
        call()
