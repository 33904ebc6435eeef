"""Activations, under torch's names. `inplace`, where torch has it, changes nothing: tensors are values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import cast_to, floating, no_booleans
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType, ShapeError
from everygrad_ops.activation import Approximate

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "elu",
    "gelu",
    "glu",
    "hardtanh",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "mish",
    "relu",
    "relu6",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softsign",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0); the derivative at 0 is 0, NaN stays NaN.

    >>> import everygrad as eg
    >>> eg.functional.relu(eg.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    need_tensor("relu", "input", input)
    if input.dtype is DType.bool_:
        raise no_booleans("relu", input)
    return wrap(input.backend.relu(input.array), input.backend, input.known_dtype)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where positive, else negative_slope * input.

    >>> import everygrad as eg
    >>> eg.functional.leaky_relu(eg.tensor([-1.0, 2.0]), 0.5).tolist()
    [-0.5, 2.0]
    """
    x = floating(input)
    return wrap(x.backend.leaky_relu(x.array, float(negative_slope)), x.backend, x.known_dtype)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where positive, else alpha * (exp(input) - 1).

    >>> import everygrad as eg
    >>> eg.functional.elu(eg.tensor([0.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    x = floating(input)
    return wrap(x.backend.elu(x.array, float(alpha)), x.backend, x.known_dtype)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input limited to [min_val, max_val]; on the bounds the derivative is 0.

    >>> import everygrad as eg
    >>> eg.functional.hardtanh(eg.tensor([-3.0, 0.5])).tolist()
    [-1.0, 0.5]
    """
    if min_val > max_val:
        raise ValueError(f"hardtanh: min_val must not exceed max_val. Received: {min_val} and {max_val}")
    x = floating(input)
    return wrap(x.backend.hardtanh(x.array, float(min_val), float(max_val)), x.backend, x.known_dtype)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input limited to [0, 6].

    >>> import everygrad as eg
    >>> eg.functional.relu6(eg.tensor([-3.0, 5.0, 9.0])).tolist()
    [0.0, 5.0, 6.0]
    """
    return hardtanh(input, 0.0, 6.0)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)).

    >>> import everygrad as eg
    >>> eg.functional.sigmoid(eg.tensor([0.0])).tolist()
    [0.5]
    """
    x = floating(input)
    return wrap(x.backend.sigmoid(x.array), x.backend, x.known_dtype)


def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(input)), exact for large negative values.

    >>> import everygrad as eg
    >>> eg.functional.logsigmoid(eg.tensor([-1000.0])).tolist()
    [-1000.0]
    """
    x = floating(input)
    return wrap(x.backend.log_sigmoid(x.array), x.backend, x.known_dtype)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta * input)) / beta; input itself where beta * input > threshold.

    >>> import everygrad as eg
    >>> eg.functional.softplus(eg.tensor([1000.0])).tolist()
    [1000.0]
    """
    x = floating(input)
    return wrap(x.backend.softplus(x.array, float(beta), float(threshold)), x.backend, x.known_dtype)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input * sigmoid(input).

    >>> import everygrad as eg
    >>> eg.functional.silu(eg.tensor([0.0])).tolist()
    [0.0]
    """
    x = floating(input)
    return wrap(x.backend.silu(x.array), x.backend, x.known_dtype)


def gelu(input: Tensor, approximate: Approximate = "none") -> Tensor:
    """input times the normal distribution function at input: by erf ("none"), or by its "tanh" approximation.

    >>> import everygrad as eg
    >>> eg.functional.gelu(eg.tensor([0.0])).tolist()
    [0.0]
    """
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate must be 'none' or 'tanh'. Received: {approximate!r}")
    x = floating(input)
    return wrap(x.backend.gelu(x.array, approximate), x.backend, x.known_dtype)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * tanh(softplus(input)).

    >>> import everygrad as eg
    >>> eg.functional.mish(eg.tensor([0.0])).tolist()
    [0.0]
    """
    return input * softplus(input).tanh()


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|).

    >>> import everygrad as eg
    >>> eg.functional.softsign(eg.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """
    return input / (input.abs() + 1)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of input along `dim` times the sigmoid of the second.

    >>> import everygrad as eg
    >>> eg.functional.glu(eg.tensor([2.0, 0.0])).tolist()
    [1.0]
    """
    at = one_dim("glu", dim, input.ndim)
    if not input.ndim or input.shape[at] % 2:
        raise ShapeError(f"glu: the size along dim must be even. Received: shape {input.shape}, dim={dim}")
    value, gate = input.split(input.shape[at] // 2, at) if input.shape[at] else (input, input)
    return value * sigmoid(gate)


def softmax(input: Tensor, dim: int = -1, *, dtype: DType | None = None) -> Tensor:
    """exp(input) over its sum along `dim`; a row of -inf only is NaN.

    >>> import everygrad as eg
    >>> eg.functional.softmax(eg.tensor([1.0, 1.0]), dim=0).tolist()
    [0.5, 0.5]
    """
    x = floating(input) if dtype is None else cast_to(input, dtype)
    b, dim = x.backend, one_dim("softmax", dim, x.ndim)
    if not x.ndim:
        return wrap(b.reshape(b.softmax(b.reshape(x.array, (1,)), 0), ()), b, x.known_dtype)
    return wrap(b.softmax(x.array, dim), b, x.known_dtype)


def log_softmax(input: Tensor, dim: int = -1, *, dtype: DType | None = None) -> Tensor:
    """log(softmax(input)), exact where a softmax is tiny; a row of -inf only is NaN.

    >>> import everygrad as eg
    >>> eg.functional.log_softmax(eg.tensor([0.0, -1000.0]), dim=0).tolist()
    [0.0, -1000.0]
    """
    x = floating(input) if dtype is None else cast_to(input, dtype)
    b, dim = x.backend, one_dim("log_softmax", dim, x.ndim)
    if not x.ndim:
        return wrap(b.reshape(b.log_softmax(b.reshape(x.array, (1,)), 0), ()), b, x.known_dtype)
    return wrap(b.log_softmax(x.array, dim), b, x.known_dtype)


def softmin(input: Tensor, dim: int = -1, *, dtype: DType | None = None) -> Tensor:
    """softmax(-input).

    >>> import everygrad as eg
    >>> eg.functional.softmin(eg.tensor([1.0, 1.0])).tolist()
    [0.5, 0.5]
    """
    return softmax(-floating(input), dim, dtype=dtype)
