"""custom_vjp: forms of arguments and results, and what is refused."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# (lambdas under test take and give whatever tensors they meet)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg

pytestmark = pytest.mark.usefixtures("library")


def variable(value: Any) -> eg.Tensor:
    return eg.tensor(np.asarray(value, np.float64), requires_grad=True)


def custom(fwd: Callable[..., Any], bwd: Callable[..., Any]) -> Callable[..., Any]:
    f = eg.custom_vjp(lambda *args: fwd(*args)[0])
    f.defvjp(fwd, bwd)
    return f


def test_a_tracked_tensor_that_is_no_argument_is_refused() -> None:
    w = variable(3.0)
    f = custom(lambda x: (x * w, x), lambda r, g: (g * w,))
    with pytest.raises(eg.GradientError, match=r"not an argument.*result of mul; write it as an argument"):
        f(variable(2.0))


def test_nests_with_gaps() -> None:
    f = custom(
        lambda p, q: (p["a"] * q[0] * q[1], (p, q)),
        lambda r, g: ({"a": g * r[1][0] * r[1][1]}, (g * r[0]["a"] * r[1][1], None)),
    )
    a, b, c = variable(2.0), variable(3.0), variable(4.0)
    grads = f({"a": a}, (b, c)).backward()
    assert (grads[a].item(), grads[b].item(), grads.get(c)) == (12.0, 8.0, None)


def test_several_results_to_order_two() -> None:
    def forward(x: eg.Tensor) -> tuple[Any, eg.Tensor]:
        return {"cube": x * x * x, "more": (x * 2.0, x > 0)}, x

    f = custom(forward, lambda x, g: (g["cube"] * 3.0 * x * x + g["more"][0] * 2.0,))
    x = variable([2.0, -1.0])
    out = f(x)
    assert not out["more"][1].requires_grad and out["more"][1].tolist() == [True, False]
    (g,) = eg.gradients((out["cube"] + out["more"][0]).sum(), [x], create_graph=True)
    assert g is not None and g.tolist() == [14.0, 5.0]
    assert g.sum().backward()[x].tolist() == [12.0, -6.0]
    assert f(x)["more"][0].sum().backward()[x].tolist() == [2.0, 2.0]  # the unused result has upstream zero


def test_an_integer_result_is_not_tracked() -> None:
    f = custom(lambda x: (x > 0, None), lambda r, g: (None,))
    assert not f(variable([1.0])).requires_grad


@pytest.mark.parametrize("wrong", [3.0, np.ones(2), "text", {"x": None}, [None, None]])
def test_gradients_that_are_no_tensors_are_refused(wrong: Any) -> None:
    f = custom(lambda x: (x * 1.0, None), lambda r, g: (wrong,))
    with pytest.raises(eg.GradientError, match="bwd must return for each argument a gradient in its form"):
        f(variable([1.0, 2.0])).sum().backward()


@pytest.mark.parametrize("given", [lambda x: x, lambda x: (x, None, None), lambda x: (1.0, None)])
def test_a_forward_that_returns_no_pair_is_refused(given: Callable[..., Any]) -> None:
    f = eg.custom_vjp(lambda x: x)
    f.defvjp(given, lambda r, g: (g,))
    with pytest.raises(eg.GradientError, match=r"fwd must return \(output, residuals\)"):
        f(variable([1.0, 2.0]))


def test_a_gradient_that_does_not_fit_names_the_argument() -> None:
    f = custom(lambda x, y: (x * y, None), lambda r, g: (g, eg.ones(3)))
    with pytest.raises(
        eg.GradientError, match=r"expected a gradient float64\[2\], got float32\[3\].*argument number 1"
    ):
        f(variable([1.0, 2.0]), variable([1.0, 2.0])).sum().backward()


def test_a_gradient_inside_the_backward_pass() -> None:
    f = custom(lambda x: (x * x, x), lambda x, g: (g * eg.grad(lambda z: (z**2).sum())(x),))
    assert eg.grad(lambda x: f(x).sum())(variable([3.0])).tolist() == [6.0]
    with eg.no_grad():
        assert eg.grad(lambda x: f(x).sum())(variable([3.0])).tolist() == [6.0]
