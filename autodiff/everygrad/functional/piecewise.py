"""Activations made of pieces, under torch's names; `inplace` changes nothing: tensors are values.

Which piece a kink belongs to is pinned in the semantics page, section 4.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from everygrad.functional.arguments import ready
from everygrad.functional.comparison import where
from everygrad.functional.elementwise import clamp
from everygrad.generator import current_generator
from everygrad.tensor.operands import floating
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "celu",
    "elu",
    "hard_sigmoid",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "prelu",
    "relu6",
    "rrelu",
    "selu",
    "shrink",
    "softshrink",
    "threshold",
    "thresholded_relu",
]

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where positive, else negative_slope * input.

    >>> import everygrad as eg
    >>> eg.functional.leaky_relu(eg.tensor([-1.0, 2.0]), 0.5).tolist()
    [-0.5, 2.0]
    """
    return _of(floating(input), "leaky_relu", float(negative_slope))


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where positive, else weight * input: one weight in all, or one for each channel, dim 1.

    >>> import everygrad as eg
    >>> eg.functional.prelu(eg.tensor([[-1.0, -1.0]]), eg.tensor([0.5, 0.25])).tolist()
    [[-0.5, -0.25]]
    """
    b, dtype, (x, w) = ready("prelu", input, weight)
    shape, count = b.shape(x), math.prod(b.shape(w))
    channels = shape[1] if len(shape) > 1 else shape[0] if shape else 1
    if len(b.shape(w)) > 1 or count not in (1, channels):
        raise ShapeError(
            f"prelu: weight must have one entry, or one for each of the {channels} channels. "
            f"Received: weight of shape {b.shape(w)}, input of shape {shape}"
        )
    if count == 1:
        return wrap(b.prelu(x, b.reshape(w, ())), b, dtype)
    return wrap(b.prelu(x, b.reshape(w, (channels, *[1] * (len(shape) - 2)))), b, dtype)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """input where positive, else input times a slope: in training one drawn for each element from [lower, upper).

    Without `training` the slope is (lower + upper) / 2. The seed is the next one of the current generator.
    Source: Xu, Wang, Chen, Li, "Empirical evaluation of rectified activations in convolutional network", 2015.

    >>> import everygrad as eg
    >>> eg.functional.rrelu(eg.tensor([-4.0, 2.0]), 0.25, 0.75).tolist()
    [-2.0, 2.0]
    """
    if not lower <= upper:
        raise ValueError(f"rrelu: lower must not exceed upper. Received: lower={lower!r}, upper={upper!r}")
    if not training:
        return leaky_relu(input, (lower + upper) / 2)
    x = floating(input)
    b, dtype = x.backend, x.dtype
    slopes = b.uniform(x.shape, current_generator().next_seed(), dtype)
    return wrap(b.prelu(x.array, b.add(b.mul(slopes, upper - lower), lower)), b, dtype)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where positive, else alpha * (exp(input) - 1).

    >>> import everygrad as eg
    >>> eg.functional.elu(eg.tensor([0.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return _of(floating(input), "elu", float(alpha), 1.0, 1.0)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where positive, else alpha * (exp(input / alpha) - 1): its derivative at 0 is 1.

    Source: Barron, "Continuously differentiable exponential linear units", 2017.

    >>> import everygrad as eg
    >>> eg.functional.celu(eg.tensor([-1000.0, 2.0]), 0.5).tolist()
    [-0.5, 2.0]
    """
    if alpha == 0:
        raise ValueError("celu: alpha must not be 0. Received: alpha=0; write relu(input)")
    return _of(floating(input), "elu", float(alpha), 1.0, 1 / alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """scale * elu(input, alpha), with the two constants that keep mean 0 and variance 1.

    Source: Klambauer, Unterthiner, Mayr, Hochreiter, "Self-normalizing neural networks", 2017.

    >>> import everygrad as eg
    >>> [round(v, 4) for v in eg.functional.selu(eg.tensor([-1000.0, 1.0])).tolist()]
    [-1.7581, 1.0507]
    """
    return _of(floating(input), "elu", _SELU_ALPHA, _SELU_SCALE, 1.0)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input limited to [min_val, max_val]; on the bounds the derivative is 0.

    >>> import everygrad as eg
    >>> eg.functional.hardtanh(eg.tensor([-3.0, 0.5])).tolist()
    [-1.0, 0.5]
    """
    if min_val > max_val:
        raise ValueError(f"hardtanh: min_val must not exceed max_val. Received: {min_val} and {max_val}")
    need_tensor("hardtanh", "input", input)
    if _fit(input, min_val, max_val):
        return clamp(input, int(min_val), int(max_val))
    return _of(floating(input), "hardtanh", float(min_val), float(max_val))


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input limited to [0, 6].

    >>> import everygrad as eg
    >>> eg.functional.relu6(eg.tensor([-3.0, 5.0, 9.0])).tolist()
    [0.0, 5.0, 6.0]
    """
    return hardtanh(input, 0.0, 6.0)


def hard_sigmoid(input: Tensor, alpha: float = 0.2, beta: float = 0.5) -> Tensor:
    """alpha * input + beta limited to [0, 1]; torch's `hardsigmoid` has alpha 1 / 6.

    >>> import everygrad as eg
    >>> eg.functional.hard_sigmoid(eg.tensor([-4.0, 0.0, 4.0]), 0.25).tolist()
    [0.0, 0.5, 1.0]
    """
    return _of(floating(input), "hard_sigmoid", float(alpha), float(beta))


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """input / 6 + 1 / 2 limited to [0, 1].

    >>> import everygrad as eg
    >>> eg.functional.hardsigmoid(eg.tensor([-4.0, 0.0, 4.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return hard_sigmoid(input, 1 / 6, 0.5)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * hardsigmoid(input): 0 up to -3, input from 3 on.

    >>> import everygrad as eg
    >>> eg.functional.hardswish(eg.tensor([0.0, 4.0])).tolist()
    [0.0, 4.0]
    """
    return _of(floating(input), "hardswish")


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """input where it is above `threshold`, else `value`.

    >>> import everygrad as eg
    >>> eg.functional.threshold(eg.tensor([0.5, 2.0]), 0.5, -1.0).tolist()
    [-1.0, 2.0]
    """
    need_tensor("threshold", "input", input)
    if _fit(input, value):
        return where(input > threshold, input, int(value))
    return _of(floating(input), "threshold", float(threshold), float(value))


def thresholded_relu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """input where it is above `alpha`, else 0.

    >>> import everygrad as eg
    >>> eg.functional.thresholded_relu(eg.tensor([0.5, 2.0])).tolist()
    [0.0, 2.0]
    """
    return threshold(input, alpha, 0.0)


def shrink(input: Tensor, lambd: float = 0.5, bias: float = 0.5) -> Tensor:
    """input moved by `bias` towards 0 where |input| > lambd, else 0.

    >>> import everygrad as eg
    >>> eg.functional.shrink(eg.tensor([-2.0, 0.5, 2.0]), 0.5, 0.25).tolist()
    [-1.75, 0.0, 1.75]
    """
    return _of(floating(input), "shrink", float(lambd), float(bias))


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input moved by `lambd` towards 0, which it does not cross.

    >>> import everygrad as eg
    >>> eg.functional.softshrink(eg.tensor([-2.0, 0.25, 2.0])).tolist()
    [-1.5, 0.0, 1.5]
    """
    if lambd < 0:
        raise ValueError(f"softshrink: lambd must not be negative. Received: lambd={lambd!r}")
    return shrink(input, lambd, lambd)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input where |input| > lambd, else 0.

    >>> import everygrad as eg
    >>> eg.functional.hardshrink(eg.tensor([-2.0, 0.25, 2.0])).tolist()
    [-2.0, 0.0, 2.0]
    """
    return shrink(input, lambd, 0.0)


def _fit(x: Tensor, *bounds: float) -> bool:
    """Whether `x` holds integers, and its dtype these numbers too."""
    low, bits = (0 if x.dtype is DType.uint8 else -(2 ** (8 * x.dtype.itemsize - 1))), 8 * x.dtype.itemsize
    return x.dtype.category == 1 and all(float(v).is_integer() and low <= v < low + 2**bits for v in bounds)


def _of(x: Tensor, op: str, *options: float) -> Tensor:
    """An op of one array and numbers."""
    call: Any = getattr(x.backend, op)
    known: DType | None = x.known_dtype
    return wrap(call(x.array, *options), x.backend, known)
