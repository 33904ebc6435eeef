"""Functional forms against closed forms, nested, on both libraries and without a decorator."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# (lambdas under test take and give whatever tensors they meet)

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import everygrad as eg


def scalar(value: float) -> eg.Tensor:
    return eg.tensor(value, eg.float64)


@pytest.mark.usefixtures("library")
class TestGrad:
    def test_nests_to_order_four(self) -> None:
        def bell(t: eg.Tensor) -> eg.Tensor:
            return eg.exp(-(t * t))

        f: Callable[..., eg.Tensor] = bell
        expected = [1.0, 0.0, -2.0, 0.0, 12.0]
        for order, value in enumerate(expected):
            assert f(scalar(0.0)).item() == pytest.approx(value, abs=1e-12), order
            f = eg.grad(f)

    def test_no_perturbation_confusion(self) -> None:
        def inner(x: eg.Tensor) -> eg.Tensor:
            slope: eg.Tensor = eg.grad(lambda y: x * y)(scalar(3.0))  # d/dy (x y) = x
            return slope

        assert eg.grad(lambda x: x * inner(x))(scalar(2.0)).item() == 4.0

    def test_inner_function_closes_over_outer_variable_twice(self) -> None:
        f = lambda x: eg.grad(lambda y: (x * y) ** 2)(x)  # 2 x^2 y at y = x: 2 x^3
        assert eg.grad(f)(scalar(3.0)).item() == pytest.approx(54.0)

    def test_unconnected_is_zero(self) -> None:
        assert eg.grad(lambda t: scalar(1.0))(scalar(2.0)).item() == 0.0

    def test_several_arguments_and_containers(self) -> None:
        f = lambda p, x: (p["w"] * x + p["b"]).sum()  # a function under test
        p = {"w": scalar(2.0), "b": scalar(1.0)}
        value, (gp, gx) = eg.value_and_grad(f, argnums=(0, 1))(p, scalar(3.0))
        assert (value.item(), gp["w"].item(), gp["b"].item(), gx.item()) == (7.0, 3.0, 1.0, 2.0)

    def test_result_is_a_constant_unless_something_outside_is_a_variable(self) -> None:
        w = eg.tensor(2.0, requires_grad=True)
        assert not eg.grad(lambda t: t * t)(eg.tensor(3.0)).requires_grad
        value, g = eg.value_and_grad(lambda t: w * t * t)(eg.tensor(3.0))
        assert g.backward(retain_graph=True)[w].item() == 6.0
        assert value.backward()[w].item() == 9.0

    def test_aux(self) -> None:
        (value, aux), g = eg.value_and_grad(lambda t: (t * t, "kept"), has_aux=True)(scalar(3.0))
        assert (value.item(), aux, g.item()) == (9.0, "kept", 6.0)

    def test_inside_no_grad(self) -> None:
        with eg.no_grad():
            g = eg.grad(lambda t: t * t)(eg.tensor(3.0, requires_grad=True))
        assert g.item() == 6.0 and not g.requires_grad

    def test_refuses_what_is_no_scalar(self) -> None:
        with pytest.raises(eg.ShapeError, match="scalar"):
            eg.grad(lambda t: t)(eg.ones(2))
        with pytest.raises(eg.GradientError, match="Tensor"):
            eg.grad(lambda t: 1.0)(eg.ones(2))
        with pytest.raises(TypeError, match="hold Tensors"):
            eg.grad(lambda t: t)(3.0)
        with pytest.raises(eg.DTypeError):
            eg.grad(lambda t: t.sum())(eg.tensor([1, 2]))

    def test_hessian_of_a_quartic(self) -> None:
        x = eg.tensor(np.array([1.0, 2.0, -1.5]))
        h = eg.hessian(lambda t: (t**4).sum() + t.prod())(x).numpy()
        expected = np.diag(12 * np.array([1.0, 2.0, -1.5]) ** 2)
        for i, j, k in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            expected[i, j] = expected[j, i] = [1.0, 2.0, -1.5][k]
        np.testing.assert_allclose(h, expected, rtol=1e-12)

    def test_jacobian_shape(self) -> None:
        x = eg.tensor(np.arange(6.0).reshape(2, 3))
        j = eg.jacobian(lambda t: t.sum(dim=1))(x)
        assert j.shape == (2, 2, 3)
        assert j.numpy().sum() == 6.0

    def test_hessian_and_jacobian_in_several_arguments(self) -> None:
        a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])
        x, y = eg.tensor(a), eg.tensor(b)

        def f(x: eg.Tensor, y: eg.Tensor, *, times: float = 1.0) -> eg.Tensor:
            return (x**2).sum() * (y**3).sum() * times

        (xx, xy), (yx, yy) = eg.hessian(f, (0, -1))(x, y, times=2.0)
        same = np.testing.assert_allclose
        same(xx.numpy(), 4 * np.eye(2) * (b**3).sum(), rtol=1e-12)
        same(xy.numpy(), 2 * np.outer(2 * a, 3 * b**2), rtol=1e-12)
        same(yx.numpy(), 2 * np.outer(3 * b**2, 2 * a), rtol=1e-12)
        same(yy.numpy(), 2 * np.diag(6 * b) * (a**2).sum(), rtol=1e-12)
        same(eg.hessian(f)(x, y).numpy(), 2 * np.eye(2) * (b**3).sum(), rtol=1e-12)
        by_x, by_y = eg.jacobian(lambda s, t: s[:, None] * t, (0, 1))(x, y)
        same(by_x.numpy(), np.einsum("ik,j->ijk", np.eye(2), b))
        same(by_y.numpy(), np.einsum("i,jk->ijk", a, np.eye(3)))
        assert eg.jacobian(lambda s, t: s[:0] * t.sum(), 1)(x, y).shape == (0, 3)

    def test_hessian_and_jacobian_name_themselves(self) -> None:
        x = eg.ones(2)
        for op, transform in (("hessian", eg.hessian), ("jacobian", eg.jacobian)):
            with pytest.raises(TypeError, match=rf"{op}: argnums .*argnums=2, 1 arguments"):
                transform(lambda t: t.sum(), 2)(x)
            with pytest.raises(TypeError, match=rf"{op}: argnums .*argnums=\(\), 1 arguments"):
                transform(lambda t: t.sum(), ())(x)
            with pytest.raises(TypeError, match=rf"{op}: x must be a Tensor. Received: list"):
                transform(lambda t: t.sum())([1.0])
            with pytest.raises(TypeError, match=rf"{op}: args\[1\] must be a Tensor. Received: float"):
                transform(lambda s, t: (s * t).sum(), 1)(x, 3.0)
            with pytest.raises(eg.DTypeError, match=f"{op}: needs a floating-point tensor"):
                transform(lambda t: t.sum())(eg.tensor([1]))

    def test_vjp_can_be_pulled_often(self) -> None:
        value, pull = eg.vjp(lambda a, b: a * b, scalar(3.0), scalar(5.0))
        assert value.item() == 15.0
        for v in (1.0, 2.0):
            assert [g.item() for g in pull(scalar(v))] == [5.0 * v, 3.0 * v]
        with pytest.raises(eg.ShapeError):
            pull(eg.ones(2))


class TestOuterLevels:
    @pytest.mark.parametrize("name", ["numpy", "torch"])
    def test_constants_of_an_outer_decorator(self, name: str) -> None:
        x = eg.tensor([1.0, 2.0], backend=f"autodiff({name})")
        c = eg.tensor([3.0, 5.0], backend=f"autodiff(autodiff({name}))")
        assert eg.grad(lambda t: (t * t * c).sum())(x).tolist() == [6.0, 20.0]
        _, pull = eg.vjp(lambda t: t * c, x)
        assert pull(eg.ones(2, backend=f"autodiff({name})"))[0].tolist() == [3.0, 5.0]
        c.requires_grad_()
        with pytest.raises(eg.GradientError, match="outer decorator, whose gradient would be lost"):
            eg.grad(lambda t: (t * t * c).sum())(x)


class TestUndecorated:
    @pytest.mark.parametrize("name", ["numpy", "torch"])
    def test_plain_tensors_stay_plain(self, name: str) -> None:
        with eg.use(eg.backend(name)):
            x = eg.tensor([1.0, 2.0])
            g = eg.grad(lambda t: (t * t * x).sum())(x)  # x itself is lifted as a constant
            assert g.backend.name == name
            assert g.tolist() == [2.0, 8.0]
            assert eg.hessian(lambda t: (t**3).sum())(x).tolist() == [[6.0, 0.0], [0.0, 12.0]]


@pytest.mark.usefixtures("library")
class TestCustom:
    def test_orders_one_to_three(self) -> None:
        @eg.custom_vjp
        def cube(x: eg.Tensor) -> eg.Tensor:
            return x * x * x

        cube.defvjp(lambda x: (x * x * x, x), lambda x, g: (g * x * x * 3.0,))
        f: Callable[..., eg.Tensor] = cube
        for expected in (27.0, 18.0, 6.0):
            f = eg.grad(f)
            assert f(scalar(3.0)).item() == pytest.approx(expected)

    def test_residuals_that_are_computed(self) -> None:
        @eg.custom_vjp
        def f(x: eg.Tensor) -> eg.Tensor:
            return eg.exp(x)

        def forward(x: eg.Tensor) -> tuple[eg.Tensor, eg.Tensor]:
            y = eg.exp(x)
            return y, y

        f.defvjp(forward, lambda y, g: (g * y,))
        second = eg.grad(eg.grad(f))
        assert second(scalar(0.5)).item() == pytest.approx(math.exp(0.5))

    def test_forward_may_leave_the_library(self) -> None:
        @eg.custom_vjp
        def f(x: eg.Tensor) -> eg.Tensor:
            return x

        def forward(x: eg.Tensor) -> tuple[eg.Tensor, eg.Tensor]:
            return eg.tensor(np.sin(x.numpy())), x

        f.defvjp(forward, lambda x, g: (g * eg.cos(x),))
        assert eg.grad(f)(scalar(0.3)).item() == pytest.approx(math.cos(0.3))

    def test_wrong_number_of_gradients(self) -> None:
        @eg.custom_vjp
        def f(x: eg.Tensor, y: eg.Tensor) -> eg.Tensor:
            return x * y

        f.defvjp(lambda x, y: (x * y, None), lambda r, g: (g,))
        with pytest.raises(eg.GradientError, match="each of 2 arguments"):
            eg.grad(f)(scalar(1.0), scalar(1.0))

    def test_without_a_gradient(self) -> None:
        f = eg.custom_vjp(lambda x: x)
        with pytest.raises(eg.GradientError, match="defvjp"):
            f(scalar(1.0))
