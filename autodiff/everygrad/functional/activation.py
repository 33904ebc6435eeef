"""Activations, under torch's names. `inplace`, where torch has it, changes nothing: tensors are values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.generator import current_generator
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import cast_to, floating, no_booleans
from everygrad.tensor.precision import ACTIVE, at_precision
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType
from everygrad_ops.activation import Approximate

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "gelu",
    "gumbel_softmax",
    "log_softmax",
    "logsigmoid",
    "mish",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softsign",
    "tanhshrink",
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
    x = floating(input)
    return wrap(x.backend.mish(x.array), x.backend, x.known_dtype)


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|); 1 at inf.

    >>> import everygrad as eg
    >>> eg.functional.softsign(eg.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """
    x = floating(input)
    b, far = x.backend, 6e4 if x.dtype is DType.float16 else 1e30  # where the quotient is 1
    y = b.clamp(x.array, -far, far)
    return wrap(b.div(y, b.add(b.abs(y), 1)), b, x.known_dtype)


def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input).

    >>> import everygrad as eg
    >>> eg.functional.tanhshrink(eg.tensor([0.0, 100.0])).tolist()
    [0.0, 99.0]
    """
    x = floating(input)
    return wrap(x.backend.sub(x.array, x.backend.tanh(x.array)), x.backend, x.known_dtype)


def softmax(input: Tensor, dim: int = -1, *, dtype: DType | None = None) -> Tensor:
    """exp(input) over its sum along `dim`; a row of -inf only is NaN.

    >>> import everygrad as eg
    >>> eg.functional.softmax(eg.tensor([1.0, 1.0]), dim=0).tolist()
    [0.5, 0.5]
    """
    x = floating(input) if dtype is None else cast_to(input, dtype)
    if ACTIVE and dtype is None:
        (x,) = at_precision("softmax", x)
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
    if ACTIVE and dtype is None:
        (x,) = at_precision("log_softmax", x)
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


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """softmax((logits + noise) / tau) with Gumbel noise: a draw of one class that has a gradient.

    With `hard` the value is exactly one-hot, and the gradient that of the soft draw. `eps` is torch's argument
    and changes nothing. The seed is the next one of the current generator.
    Source: Jang, Gu, Poole, "Categorical reparameterization with Gumbel-softmax", 2017.

    >>> import everygrad as eg
    >>> sorted(eg.functional.gumbel_softmax(eg.zeros(3), hard=True).tolist())
    [0.0, 0.0, 1.0]
    """
    if not tau > 0:
        raise ValueError(f"gumbel_softmax: tau must be positive. Received: tau={tau!r}")
    x = floating(logits)
    b, dtype, at = x.backend, x.dtype, one_dim("gumbel_softmax", dim, x.ndim)
    wide = DType.float64 if dtype is DType.float64 else DType.float32
    drawn = b.maximum(b.uniform(x.shape, current_generator().next_seed(), wide), 1e-30)
    noise = b.cast(b.neg(b.log(b.neg(b.log(drawn)))), dtype)
    soft = softmax(wrap(b.div(b.add(x.array, noise), float(tau)), b, dtype), dim)
    if not hard or not x.ndim:
        return soft
    held = b.detach(soft.array)
    if 0 in x.shape:
        return soft
    chosen = b.argmax(held, at, True)
    one = b.scatter_add(b.zeros_like(held), at, chosen, b.full(b.shape(chosen), 1, dtype))
    return wrap(b.add(one, b.sub(soft.array, held)), b, dtype)
