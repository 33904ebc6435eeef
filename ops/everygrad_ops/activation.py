"""Activations, and the adjoints that libraries have kernels for. Low precision is computed in float32."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from everygrad_ops.marks import pointwise
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")
Approximate = Literal["none", "tanh"]

_TANH_SCALE = math.sqrt(2 / math.pi)
_TANH_CUBIC = 0.044715
_FAR = 1e4
"""Where every gate is 0 or 1 in every dtype: inputs stop there, so that inf meets no 0."""


class ActivationOps(Protocol[A]):
    """One value in, one value out; softmax and log_softmax along a dim."""

    @pointwise
    def relu(self: Backend[A], x: A) -> A:
        """max(x, 0); the derivative at 0 is 0, NaN stays NaN."""
        return self.maximum(x, 0)

    def relu_backward(self: Backend[A], grad: A, y: A) -> A:
        """The gradient of relu from its result y: 0 where y <= 0, else grad."""
        return self.where(self.le(y, 0), 0, grad)

    @pointwise
    def sigmoid(self: Backend[A], x: A) -> A:
        """1 / (1 + exp(-x)), without overflow at either end."""
        small = self.exp(self.neg(self.abs(x)))
        above = self.reciprocal(self.add(small, 1))
        return self.where(self.lt(x, 0), self.mul(small, above), above)

    def sigmoid_backward(self: Backend[A], grad: A, y: A) -> A:
        """The gradient of sigmoid from its result y: grad * y * (1 - y)."""
        return self.mul(grad, self.mul(y, self.add(self.neg(y), 1)))

    @pointwise
    def log_sigmoid(self: Backend[A], x: A) -> A:
        """log(sigmoid(x)) = min(x, 0) - log(1 + exp(-|x|))."""
        return self.sub(self.minimum(x, 0), self.log1p(self.exp(self.neg(self.abs(x)))))

    def log_sigmoid_backward(self: Backend[A], grad: A, x: A) -> A:
        """The gradient of log_sigmoid: grad * sigmoid(-x)."""
        return self.mul(grad, self.sigmoid(self.neg(x)))

    @pointwise
    def softplus(self: Backend[A], x: A, beta: float, threshold: float) -> A:
        """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""
        t = self.mul(x, beta)
        soft = self.add(self.maximum(t, 0), self.log1p(self.exp(self.neg(self.abs(t)))))
        return self.where(self.gt(t, threshold), x, self.div(soft, beta))

    def softplus_backward(self: Backend[A], grad: A, x: A, beta: float, threshold: float) -> A:
        """The gradient of softplus: grad * sigmoid(beta * x); grad where beta * x > threshold."""
        t = self.mul(x, beta)
        return self.where(self.gt(t, threshold), grad, self.mul(grad, self.sigmoid(t)))

    @pointwise
    def silu(self: Backend[A], x: A) -> A:
        """x * sigmoid(x); 0 at -inf."""
        return self.mul(self.maximum(x, -_FAR), self.sigmoid(x))

    def silu_backward(self: Backend[A], grad: A, x: A) -> A:
        """The gradient of silu: with s = sigmoid(x), grad * s * (1 + x * (1 - s)); 0 and grad at the infinities."""
        x = self.clamp(x, -_FAR, _FAR)
        s = self.sigmoid(x)
        rest = self.add(self.neg(s), 1)
        return self.mul(grad, self.mul(s, self.add(self.mul(x, rest), 1)))

    @pointwise
    def gelu(self: Backend[A], x: A, approximate: Approximate = "none") -> A:
        """x times the normal distribution function at x, by erf or by the "tanh" approximation; 0 at -inf.

        Source: Hendrycks, Gimpel, "Gaussian error linear units", 2016.
        """
        y = self.maximum(wide(self, x), -_FAR)
        return narrow(self, self.mul(self.mul(y, 0.5), _bell(self, y, approximate)), self.dtype(x))

    def gelu_backward(self: Backend[A], grad: A, x: A, approximate: Approximate = "none") -> A:
        """The gradient of gelu in x, of the same form ("none" or "tanh")."""
        dtype = self.dtype(x)
        grad, x = wide(self, grad), self.clamp(wide(self, x), -_FAR, _FAR)
        square = self.mul(x, x)
        if approximate == "tanh":
            t = self.tanh(_inner(self, x))
            slope = self.mul(self.add(self.mul(square, 3 * _TANH_CUBIC), 1), _TANH_SCALE)
            density = self.mul(self.mul(self.add(self.neg(self.mul(t, t)), 1), slope), 0.5)
        else:
            density = self.mul(self.exp(self.mul(square, -0.5)), 1 / math.sqrt(2 * math.pi))
        below = self.mul(_bell(self, x, approximate), 0.5)
        return narrow(self, self.mul(grad, self.add(below, self.mul(x, density))), dtype)

    @pointwise
    def mish(self: Backend[A], x: A) -> A:
        """x * tanh(log(1 + exp(x))); 0 at -inf.

        Source: Misra, "Mish: a self regularized non-monotonic activation function", 2019.
        """
        y = self.maximum(wide(self, x), -_FAR)
        above, rest = _mish_gate(self, y)
        return narrow(self, self.mul(y, self.div(above, self.add(above, rest))), self.dtype(x))

    def mish_backward(self: Backend[A], grad: A, x: A) -> A:
        """The gradient of mish: with t = tanh(log(1 + exp(x))), grad * (t + x * sigmoid(x) * (1 - t^2))."""
        dtype = self.dtype(x)
        grad, x = wide(self, grad), self.clamp(wide(self, x), -_FAR, _FAR)
        above, rest = _mish_gate(self, x)
        below = self.add(above, rest)
        bend = self.mul(self.div(rest, below), self.div(self.add(above, below), below))  # 1 - t^2
        slope = self.mul(self.mul(x, self.sigmoid(x)), bend)
        return narrow(self, self.mul(grad, self.add(self.div(above, below), slope)), dtype)

    @pointwise
    def softmax(self: Backend[A], x: A, dim: int) -> A:
        """exp(x) over its sum along `dim`; a row of -inf only is NaN."""
        if 0 in self.shape(x):
            return x
        raised = self.exp(_below_maximum(self, wide(self, x), dim))
        return narrow(self, self.div(raised, self.sum(raised, (dim,), True)), self.dtype(x))

    def softmax_backward(self: Backend[A], grad: A, y: A, dim: int) -> A:
        """The gradient of softmax from its result y: y * (grad - the sum of grad * y along `dim`)."""
        dtype = self.dtype(y)
        grad, y = wide(self, grad), wide(self, y)
        mean = self.sum(self.mul(grad, y), (dim,), True)
        return narrow(self, self.mul(y, self.sub(grad, mean)), dtype)

    @pointwise
    def log_softmax(self: Backend[A], x: A, dim: int) -> A:
        """log(softmax(x)), without taking a small number's logarithm; a row of -inf only is NaN."""
        if 0 in self.shape(x):
            return x
        lower = _below_maximum(self, wide(self, x), dim)
        total = self.log(self.sum(self.exp(lower), (dim,), True))
        return narrow(self, self.sub(lower, total), self.dtype(x))

    def log_softmax_backward(self: Backend[A], grad: A, y: A, dim: int) -> A:
        """The gradient of log_softmax from its result y: grad - exp(y) * the sum of grad along `dim`."""
        dtype = self.dtype(y)
        grad, y = wide(self, grad), wide(self, y)
        return narrow(self, self.sub(grad, self.mul(self.exp(y), self.sum(grad, (dim,), True))), dtype)


def _bell(b: Backend[A], x: A, approximate: Approximate) -> A:
    """Twice the normal distribution function; erfc does not cancel where 1 + erf would."""
    if approximate == "tanh":
        return b.add(b.tanh(_inner(b, x)), 1)
    return b.erfc(b.mul(x, -math.sqrt(0.5)))


def _inner(b: Backend[A], x: A) -> A:
    """The argument of tanh in the approximation of gelu: sqrt(2 / pi) * (x + 0.044715 * x^3)."""
    cube = b.mul(b.mul(b.mul(x, x), x), _TANH_CUBIC)
    return b.mul(b.add(x, cube), _TANH_SCALE)


def _mish_gate(b: Backend[A], x: A) -> tuple[A, A]:
    """(p, q) with tanh(log(1 + exp(x))) = p / (p + q), without overflow or cancellation.

    With s = exp(-|x|): p = s (s + 2) and q = 2 where x < 0, else p = 1 + 2 s and q = 2 s^2.
    """
    negative = b.lt(x, 0)
    s = b.exp(b.neg(b.abs(x)))
    p = b.where(negative, b.mul(s, b.add(s, 2)), b.add(b.mul(s, 2), 1))
    return p, b.where(negative, 2, b.mul(b.mul(s, s), 2))


def _below_maximum(b: Backend[A], x: A, dim: int) -> A:
    """`x` minus its largest value along `dim`: the value is a constant, since it cancels."""
    return b.sub(x, b.detach(b.amax(b.detach(x), (dim,), True)))
