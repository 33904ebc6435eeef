"""Activations made of pieces, most of them straight: which piece a kink belongs to is part of the meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.errors import ShapeError
from everygrad_ops.marks import broadcasting, pointwise

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class PiecewiseOps(Protocol[A]):
    """One value in, one value out; NaN stays NaN. Each `_backward` takes the input x, not the result."""

    @pointwise
    def leaky_relu(self: Backend[A], x: A, slope: float) -> A:
        """x where x > 0, else slope * x; the derivative at 0 is `slope`."""
        return self.where(self.gt(x, 0), x, self.mul(x, slope))

    def leaky_relu_backward(self: Backend[A], grad: A, x: A, slope: float) -> A:
        """The gradient of leaky_relu: grad where x > 0, else slope * grad."""
        return self.where(self.gt(x, 0), grad, self.mul(grad, slope))

    @broadcasting
    def prelu(self: Backend[A], x: A, weight: A) -> A:
        """x where x > 0, else weight * x, where `weight` broadcasts; the derivative at 0 is the weight.

        Source: He, Zhang, Ren, Sun, "Delving deep into rectifiers", 2015.
        """
        try:
            left = self.mul(x, weight)
        except ShapeError:
            raise ShapeError(
                "prelu: weight must broadcast to the shape of x. "
                f"Received: x of shape {self.shape(x)}, weight of shape {self.shape(weight)}"
            ) from None
        return self.where(self.gt(x, 0), x, left)

    @pointwise
    def elu(self: Backend[A], x: A, alpha: float, scale: float = 1.0, input_scale: float = 1.0) -> A:
        """scale * x where x > 0, else scale * alpha * (exp(input_scale * x) - 1); at 0 the left piece counts.

        celu is elu(x, alpha, 1, 1 / alpha); selu has an alpha and a scale of its own.
        Source: Clevert, Unterthiner, Hochreiter, "Fast and accurate deep network learning by ELUs", 2016.
        """
        positive = self.gt(x, 0)
        left = self.where(positive, 0, x)
        if input_scale != 1:
            left = self.mul(left, input_scale)
        right = x if scale == 1 else self.mul(x, scale)
        return self.where(positive, right, self.mul(self.expm1(left), scale * alpha))

    def elu_backward(
        self: Backend[A], grad: A, x: A, alpha: float, scale: float = 1.0, input_scale: float = 1.0
    ) -> A:
        """The gradient of elu: scale * grad where x > 0, else grad * its slope scale * alpha * input_scale * exp(input_scale * x)."""
        positive = self.gt(x, 0)
        left = self.where(positive, 0, x)
        if input_scale != 1:
            left = self.mul(left, input_scale)
        slope = self.mul(self.exp(left), scale * alpha * input_scale)
        return self.where(positive, grad if scale == 1 else self.mul(grad, scale), self.mul(grad, slope))

    @pointwise
    def hardtanh(self: Backend[A], x: A, low: float, high: float) -> A:
        """x limited to [low, high]; on the bounds the derivative is 0 (in `clamp` it is 1)."""
        y = self.where(self.le(x, low), low, x)
        return self.where(self.ge(y, high), high, y)

    def hardtanh_backward(self: Backend[A], grad: A, x: A, low: float, high: float) -> A:
        """The gradient of hardtanh: grad where low < x < high, else 0."""
        return self.where(self.logical_or(self.le(x, low), self.ge(x, high)), 0, grad)

    @pointwise
    def hard_sigmoid(self: Backend[A], x: A, alpha: float, beta: float) -> A:
        """alpha * x + beta limited to [0, 1]; where it meets a bound the derivative is 0."""
        return self.hardtanh(self.add(self.mul(x, alpha), beta), 0.0, 1.0)

    def hard_sigmoid_backward(self: Backend[A], grad: A, x: A, alpha: float, beta: float) -> A:
        """The gradient of hard_sigmoid: alpha * grad where 0 < alpha * x + beta < 1, else 0."""
        return self.hardtanh_backward(self.mul(grad, alpha), self.add(self.mul(x, alpha), beta), 0.0, 1.0)

    @pointwise
    def hardswish(self: Backend[A], x: A) -> A:
        """0 where x <= -3, x where x >= 3, else x * (x + 3) / 6; the derivatives there are 0 and 1.

        Source: Howard et al., "Searching for MobileNetV3", 2019.
        """
        below, above = self.le(x, -3), self.ge(x, 3)
        middle = self.where(self.logical_or(below, above), 0, x)
        curve = self.mul(self.mul(middle, self.add(middle, 3)), 1 / 6)
        return self.where(below, 0, self.where(above, x, curve))

    def hardswish_backward(self: Backend[A], grad: A, x: A) -> A:
        """The gradient of hardswish: 0 where x <= -3, grad where x >= 3, else grad * (x / 3 + 1 / 2)."""
        below, above = self.le(x, -3), self.ge(x, 3)
        middle = self.where(self.logical_or(below, above), 0, x)
        slope = self.add(self.mul(middle, 1 / 3), 0.5)
        return self.where(below, 0, self.where(above, grad, self.mul(grad, slope)))

    @pointwise
    def threshold(self: Backend[A], x: A, threshold: float, value: float) -> A:
        """x where x > threshold, else `value`; the derivative at the threshold is 0."""
        return self.where(self.le(x, threshold), value, x)

    def threshold_backward(self: Backend[A], grad: A, x: A, threshold: float) -> A:
        """The gradient of threshold: 0 where x <= threshold, else grad."""
        return self.where(self.le(x, threshold), 0, grad)

    @pointwise
    def shrink(self: Backend[A], x: A, lambd: float, bias: float) -> A:
        """x - bias where x > lambd, x + bias where x < -lambd, else 0; on both bounds the derivative is 0.

        hardshrink has bias 0, softshrink bias `lambd`.
        """
        moved = self.sub(x, self.mul(self.sign(x), bias)) if bias else x
        return self.where(self.le(self.abs(x), lambd), 0, moved)

    def shrink_backward(self: Backend[A], grad: A, x: A, lambd: float) -> A:
        """The gradient of shrink: 0 where |x| <= lambd, else grad."""
        return self.where(self.le(self.abs(x), lambd), 0, grad)
