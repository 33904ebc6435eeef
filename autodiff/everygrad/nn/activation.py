"""Activations as modules; each is the function of the same name.

`inplace` is torch's argument and changes nothing: tensors are values.
"""

from __future__ import annotations

from typing import Literal

from typing_extensions import override

from everygrad.functional.activation import (
    elu,
    gelu,
    glu,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    mish,
    relu,
    relu6,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softsign,
)
from everygrad.functional.unary import tanh
from everygrad.nn.module import Module
from everygrad.tensor import Tensor

__all__ = [
    "ELU",
    "GELU",
    "GLU",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmin",
    "Softplus",
    "Softsign",
    "Tanh",
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


class ReLU6(Module):
    """x limited to [0, 6].

    >>> import everygrad as eg
    >>> eg.nn.ReLU6()(eg.tensor([-1.0, 8.0])).tolist()
    [0.0, 6.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return relu6(input)


class LeakyReLU(Module):
    """x where x > 0, else negative_slope * x.

    >>> import everygrad as eg
    >>> eg.nn.LeakyReLU(0.5)(eg.tensor([-1.0, 2.0])).tolist()
    [-0.5, 2.0]
    """

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return leaky_relu(input, self.negative_slope)

    @override
    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}"


class ELU(Module):
    """x where x > 0, else alpha * (exp(x) - 1).

    >>> import everygrad as eg
    >>> eg.nn.ELU()(eg.tensor([0.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return elu(input, self.alpha)

    @override
    def extra_repr(self) -> str:
        return f"alpha={self.alpha}"


class Hardtanh(Module):
    """x limited to [min_val, max_val].

    >>> import everygrad as eg
    >>> eg.nn.Hardtanh()(eg.tensor([-3.0, 0.5])).tolist()
    [-1.0, 0.5]
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return hardtanh(input, self.min_val, self.max_val)

    @override
    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"


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
