"""Activations as modules; each is the function of the same name.

`inplace` is torch's argument and changes nothing: tensors are values.
"""

from __future__ import annotations

from typing import Literal

from typing_extensions import override

from everygrad.functional.activation import (
    gelu,
    log_softmax,
    logsigmoid,
    mish,
    relu,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softsign,
    tanhshrink,
)
from everygrad.functional.gated import glu
from everygrad.functional.unary import tanh
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad_ops import ShapeError

__all__ = [
    "GELU",
    "GLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "ReLU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softsign",
    "Tanh",
    "Tanhshrink",
]

Approximate = Literal["none", "tanh"]


class ReLU(Module):
    """max(x, 0).

    >>> import everygrad as eg
    >>> eg.nn.ReLU()(eg.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return relu(input)


class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    >>> import everygrad as eg
    >>> eg.nn.Sigmoid()(eg.zeros(1)).tolist()
    [0.5]
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return sigmoid(input)


class LogSigmoid(Module):
    """log(sigmoid(x)), without underflow.

    >>> import everygrad as eg
    >>> round(eg.nn.LogSigmoid()(eg.tensor(-100.0)).item(), 4)
    -100.0
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return logsigmoid(input)


class Tanh(Module):
    """Hyperbolic tangent.

    >>> import everygrad as eg
    >>> eg.nn.Tanh()(eg.zeros(1)).tolist()
    [0.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return tanh(input)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold.

    >>> import everygrad as eg
    >>> eg.nn.Softplus()(eg.tensor([30.0])).tolist()
    [30.0]
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return softplus(input, self.beta, self.threshold)

    @override
    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softsign(Module):
    """x / (1 + |x|).

    >>> import everygrad as eg
    >>> eg.nn.Softsign()(eg.tensor([1.0])).tolist()
    [0.5]
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return softsign(input)


class SiLU(Module):
    """x * sigmoid(x).

    >>> import everygrad as eg
    >>> eg.nn.SiLU()(eg.zeros(1)).tolist()
    [0.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return silu(input)


class Mish(Module):
    """x * tanh(softplus(x)).

    >>> import everygrad as eg
    >>> eg.nn.Mish()(eg.zeros(1)).tolist()
    [0.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return mish(input)


class GELU(Module):
    """x times the normal distribution function at x, exact or by the "tanh" approximation.

    >>> import everygrad as eg
    >>> round(eg.nn.GELU()(eg.tensor(1.0)).item(), 4)
    0.8413
    """

    def __init__(self, approximate: Approximate = "none") -> None:
        self.approximate: Approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return gelu(input, self.approximate)

    @override
    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class GLU(Module):
    """The first half of `dim` times the sigmoid of the second.

    >>> import everygrad as eg
    >>> eg.nn.GLU()(eg.tensor([2.0, 0.0])).tolist()
    [1.0]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The input, along `dim`."""
        return glu(input, self.dim)

    @override
    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(Module):
    """exp(x) over its sum along `dim`.

    >>> import everygrad as eg
    >>> eg.nn.Softmax(dim=1)(eg.zeros(1, 2)).tolist()
    [[0.5, 0.5]]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The input, along `dim`."""
        return softmax(input, self.dim)

    @override
    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of softmax along `dim`.

    >>> import everygrad as eg
    >>> round(eg.nn.LogSoftmax(dim=0)(eg.zeros(2))[0].item(), 4)
    -0.6931
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The input, along `dim`."""
        return log_softmax(input, self.dim)

    @override
    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmin(Module):
    """softmax of -x along `dim`.

    >>> import everygrad as eg
    >>> eg.nn.Softmin(dim=0)(eg.zeros(2)).tolist()
    [0.5, 0.5]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The input, along `dim`."""
        return softmin(input, self.dim)

    @override
    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax2d(Module):
    """softmax over the channels of (N, C, H, W) or (C, H, W).

    >>> import everygrad as eg
    >>> eg.nn.Softmax2d()(eg.zeros(2, 1, 1)).tolist()
    [[[0.5]], [[0.5]]]
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, at each place."""
        if input.ndim not in (3, 4):
            raise ShapeError(
                f"Softmax2d: input must be (N, C, H, W) or (C, H, W). Received: shape {input.shape}"
            )
        return softmax(input, -3)


class Tanhshrink(Module):
    """x - tanh(x).

    >>> import everygrad as eg
    >>> eg.nn.Tanhshrink()(eg.tensor([0.0, 100.0])).tolist()
    [0.0, 99.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return tanhshrink(input)
