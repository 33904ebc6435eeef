"""The checker of derivatives passes what is right, and fails what is wrong in each of the ways it knows."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# (functions under test take and give whatever tensors they meet)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn
from everygrad.debug import DerivativeError, check, gradcheck, gradgradcheck


def scaled(factor: float) -> Any:
    """x * x with a gradient that is wrong by a factor."""

    @eg.custom_vjp
    def square(x: eg.Tensor) -> eg.Tensor:
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, g: (g * x * (2 * factor),))
    return square


def test_right_functions_pass(library: str) -> None:
    x, y = eg.tensor([[0.5, -1.0], [2.0, 0.1]]), eg.tensor([0.3, 0.7])
    assert check(lambda x, y: (x @ y).tanh(), x, y)
    assert check(lambda x: nn.functional.layer_norm(x, (2,)), x, order=3)
    assert check(lambda t: {"a": t["x"].exp(), "b": [t["y"][0] * 3]}, {"x": x, "y": [y]})
    assert check(lambda x, i: x[i], x, eg.tensor([1]))
    assert check(lambda x: eg.functional.dropout(x, 0.5), x, order=1)
    assert check(lambda x: x.log(), eg.tensor([1e-3, 1e3]))
    assert check(lambda x: (x * 1e-6) ** 3, eg.tensor([1e6, 2e6]))
    report = check(lambda x, *ys: sum(((x * y).sum() for y in ys), eg.tensor(0.0)), x, y, y)
    assert report.inputs == ("x", "ys[0]", "ys[1]") and str(report) == "right in x, ys[0], ys[1]"


@pytest.mark.parametrize("factor", [2.0, -1.0, 1.001])
def test_a_wrong_gradient_is_named(library: str, factor: float) -> None:
    square = scaled(factor)
    with pytest.raises(DerivativeError, match=r"first derivative in y at \[1\]") as found:
        check(lambda x, y: x.exp() * square(y), eg.tensor([0.5, 1.0]), eg.tensor([1.0, 5.0]))
    (finding,) = found.value.report.wrong
    assert finding.given == pytest.approx(factor * finding.expected, rel=1e-6)
    assert ("times what it should be" in finding.hint) == (factor != 1.001)
    assert isinstance(found.value, AssertionError)


def test_a_wrong_second_derivative_is_named(library: str) -> None:
    @eg.custom_vjp
    def cube(x: eg.Tensor) -> eg.Tensor:
        return x**3

    cube.defvjp(lambda x: (x**3, x.detach()), lambda x, g: (g * 3 * x.detach() ** 2,))
    x = eg.tensor([1.0, 2.0])
    assert check(cube, x, order=1)
    report = check(cube, x, raise_exception=False)
    assert not report and report.wrong[0].order == 2 and report.wrong[0].given == 0
    assert "lost on the way" in str(report)
    assert gradcheck(cube, x)
    assert not gradgradcheck(cube, x, raise_exception=False)


def test_a_lost_gradient_is_hinted_at(library: str) -> None:
    with pytest.raises(DerivativeError, match=r"in b .*detach"):
        check(lambda a, b: a * b.detach(), eg.tensor(2.0), eg.tensor(3.0))
    with pytest.raises(DerivativeError, match="lost"):
        check(lambda a: eg.tensor(a.detach().numpy() * 2.0, backend=a.backend), eg.tensor([2.0]))


def test_kinks_are_noted_and_are_no_error(library: str) -> None:
    report = check(lambda x: x.relu(), eg.tensor([0.0, 1.0]), order=1)
    assert report and report.kinks and "kink" in str(report)
    assert not check(lambda x: x.relu(), eg.tensor([1e-3, 1.0])).kinks

    @eg.custom_vjp
    def outside(x: eg.Tensor) -> eg.Tensor:
        return x.relu()

    outside.defvjp(lambda x: (x.relu(), None), lambda residuals, g: (g * 7,))
    with pytest.raises(DerivativeError):
        check(outside, eg.tensor([0.0]), order=1)


def test_a_module_is_checked_in_its_parameters(library: str) -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.BatchNorm1d(3), nn.Linear(3, 1).freeze("bias"))
    report = check(net, eg.rand(4, 2))
    assert report.inputs == ("input", "0.weight", "0.bias", "2.weight", "2.bias", "3.weight")
    assert net[0].weight.dtype is eg.float32

    class Wrong(nn.Module):
        def __init__(self) -> None:
            self.scale = nn.Parameter([2.0])
            self.square = scaled(3.0)

        def forward(self, x: eg.Tensor) -> Any:
            return x * self.square(self.scale)

    with pytest.raises(DerivativeError, match=r"in scale at \[0\]"):
        check(Wrong(), eg.tensor([1.5]))


def test_a_large_input_is_checked_without_a_search() -> None:
    square = scaled(2.0)
    with pytest.raises(DerivativeError, match=r"in x along a random direction"):
        check(square, eg.rand(20, 20))


def test_on_a_backend_that_records_nothing() -> None:
    assert check(lambda x: x.sin(), eg.tensor([1.0], backend=eg.backend("numpy")))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: check(lambda x: x, 3.0), TypeError, "floating-point Tensor"),
        (lambda: check(lambda x: 3, eg.ones(1)), TypeError, "must return"),
        (lambda: check(lambda x: x.to(eg.float32), eg.ones(1)), eg.DTypeError, "casts inside"),
        (lambda: check(lambda x: x.log(), eg.tensor([-1.0])), eg.GradientError, "anomaly"),
        (
            lambda: check(lambda x: x * np.random.default_rng().random(), eg.ones(1)),
            eg.GradientError,
            "each time",
        ),
    ],
)
def test_calls_that_make_no_sense(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_a_tap_sees_and_replaces(library: str) -> None:
    x = eg.tensor([1.0, 2.0], requires_grad=True)
    seen: list[Any] = []
    y = eg.debug.tap(x * x, lambda g: [seen.append(g), g * 10][1])  # type: ignore[func-returns-value]  # on purpose
    assert (y * 3).sum().backward()[x].tolist() == [60.0, 120.0]
    assert seen[0].tolist() == [3.0, 3.0] and not seen[0].requires_grad
    (g,) = eg.gradients(eg.debug.tap(x**3, lambda g: g * 2).sum(), [x], create_graph=True)
    assert g is not None
    assert g.sum().backward()[x].tolist() == [12.0, 24.0]
    with pytest.raises(eg.ShapeError, match="tap"):
        eg.debug.tap(x * x, lambda g: g.sum()).sum().backward()
    with pytest.raises(eg.GradientError, match="float"):
        eg.debug.tap(x * x, lambda g: 3.0).sum().backward()  # type: ignore[arg-type,return-value]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    assert not eg.debug.tap(eg.ones(1), lambda g: g).requires_grad
    with pytest.raises(TypeError, match=r"tap: hook must be a function of the gradient. Received: int"):
        eg.debug.tap(x, 3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    with pytest.raises(TypeError, match="tap: x must be a Tensor"):
        eg.debug.tap(3.0, lambda g: g)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
