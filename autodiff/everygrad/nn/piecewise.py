"""Activations made of pieces, as modules; each is the function of the same name.

`inplace` is torch's argument and changes nothing: tensors are values.
"""

from __future__ import annotations

from typing_extensions import override

from everygrad.functional.piecewise import (
    celu,
    elu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    prelu,
    relu6,
    rrelu,
    selu,
    shrink,
    softshrink,
    threshold,
    thresholded_relu,
)
from everygrad.nn.build import Place
from everygrad.nn.build import parameter as make_parameter
from everygrad.nn.init import constant_
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad_ops import DType

__all__ = [
    "CELU",
    "ELU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "PReLU",
    "RReLU",
    "ReLU6",
    "Shrink",
    "Softshrink",
    "Threshold",
    "ThresholdedReLU",
]


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


class CELU(Module):
    """x where x > 0, else alpha * (exp(x / alpha) - 1).

    >>> import everygrad as eg
    >>> eg.nn.CELU(0.5)(eg.tensor([-1000.0, 2.0])).tolist()
    [-0.5, 2.0]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return celu(input, self.alpha)

    @override
    def extra_repr(self) -> str:
        return f"alpha={self.alpha}"


class SELU(Module):
    """ELU with the alpha and the scale that keep mean 0 and variance 1.

    >>> import everygrad as eg
    >>> round(eg.nn.SELU()(eg.tensor(1.0)).item(), 4)
    1.0507
    """

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return selu(input)


class PReLU(Module):
    """x where x > 0, else weight * x: the weight is learnt, one in all or one for each channel, dim 1.

    >>> import everygrad as eg
    >>> eg.nn.PReLU()(eg.tensor([-4.0, 2.0])).tolist()
    [-1.0, 2.0]
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.num_parameters = num_parameters
        self.init = init
        self.weight = make_parameter((num_parameters,), dtype, backend)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Every slope as at the start."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """The input (N, C, ...), element by element."""
        return prelu(input, self.weight)

    @override
    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class RReLU(Module):
    """x where x > 0, else x times a slope: drawn from [lower, upper) in training, their mean in use.

    >>> import everygrad as eg
    >>> eg.nn.RReLU(0.25, 0.75).eval()(eg.tensor([-4.0, 2.0])).tolist()
    [-2.0, 2.0]
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return rrelu(input, self.lower, self.upper, self.training)

    @override
    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}"


class Hardsigmoid(Module):
    """x / 6 + 1 / 2 limited to [0, 1].

    >>> import everygrad as eg
    >>> eg.nn.Hardsigmoid()(eg.tensor([-4.0, 0.0, 4.0])).tolist()
    [0.0, 0.5, 1.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return hardsigmoid(input)


class Hardswish(Module):
    """x * Hardsigmoid()(x).

    >>> import everygrad as eg
    >>> eg.nn.Hardswish()(eg.tensor([0.0, 4.0])).tolist()
    [0.0, 4.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return hardswish(input)


class Threshold(Module):
    """x where x > threshold, else value.

    >>> import everygrad as eg
    >>> eg.nn.Threshold(0.5, -1.0)(eg.tensor([0.5, 2.0])).tolist()
    [-1.0, 2.0]
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return threshold(input, self.threshold, self.value)

    @override
    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}"


class ThresholdedReLU(Module):
    """x where x > alpha, else 0.

    >>> import everygrad as eg
    >>> eg.nn.ThresholdedReLU()(eg.tensor([0.5, 2.0])).tolist()
    [0.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return thresholded_relu(input, self.alpha)

    @override
    def extra_repr(self) -> str:
        return f"alpha={self.alpha}"


class Shrink(Module):
    """x moved by bias towards 0 where |x| > lambd, else 0.

    >>> import everygrad as eg
    >>> eg.nn.Shrink(0.5, 0.25)(eg.tensor([-2.0, 0.5, 2.0])).tolist()
    [-1.75, 0.0, 1.75]
    """

    def __init__(self, lambd: float = 0.5, bias: float = 0.5) -> None:
        self.lambd = lambd
        self.bias = bias

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return shrink(input, self.lambd, self.bias)

    @override
    def extra_repr(self) -> str:
        return f"lambd={self.lambd}, bias={self.bias}"


class Softshrink(Module):
    """x moved by lambd towards 0, which it does not cross.

    >>> import everygrad as eg
    >>> eg.nn.Softshrink()(eg.tensor([-2.0, 0.25])).tolist()
    [-1.5, 0.0]
    """

    def __init__(self, lambd: float = 0.5) -> None:
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return softshrink(input, self.lambd)

    @override
    def extra_repr(self) -> str:
        return f"lambd={self.lambd}"


class Hardshrink(Module):
    """x where |x| > lambd, else 0.

    >>> import everygrad as eg
    >>> eg.nn.Hardshrink()(eg.tensor([-2.0, 0.25])).tolist()
    [-2.0, 0.0]
    """

    def __init__(self, lambd: float = 0.5) -> None:
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The input, element by element."""
        return hardshrink(input, self.lambd)

    @override
    def extra_repr(self) -> str:
        return f"lambd={self.lambd}"
