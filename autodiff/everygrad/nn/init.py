"""Initial values, under torch.nn.init's names. They are drawn on the host: one seed, equal weights everywhere.

Each function replaces the value of a parameter (or buffer) and returns it.
"""

from __future__ import annotations

import math
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from everygrad.generator import Generator, current_generator
from everygrad.nn.parameter import Cell
from everygrad_ops import DType, ShapeError

C = TypeVar("C", bound=Cell)
Mode = Literal["fan_in", "fan_out"]
Draw = NDArray[np.float64]

_GAINS = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}
_LINEAR = {"linear", "sigmoid", *(f"conv{t}{n}d" for n in (1, 2, 3) for t in ("", "_transpose"))}


def uniform_(tensor: C, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> C:
    """Evenly from [a, b).

    >>> import everygrad as eg
    >>> p = eg.nn.init.uniform_(eg.nn.Parameter(eg.zeros(100)), -2, 2)
    >>> bool((p.abs() <= 2).all()), bool((p > 0).any()), bool((p < 0).any())
    (True, True, True)
    """
    return _fill(tensor, _host(generator).random(tensor.shape) * (b - a) + a)


def normal_(tensor: C, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> C:
    """From the normal distribution.

    >>> import everygrad as eg
    >>> eg.nn.init.normal_(eg.nn.Parameter(eg.zeros(2)), mean=3.0, std=0.0).tolist()
    [3.0, 3.0]
    """
    return _fill(tensor, _host(generator).standard_normal(tensor.shape) * std + mean)


def constant_(tensor: C, val: float) -> C:
    """One value everywhere.

    >>> import everygrad as eg
    >>> eg.nn.init.constant_(eg.nn.Parameter(eg.zeros(2)), 0.5).tolist()
    [0.5, 0.5]
    """
    b = tensor.backend
    tensor.put_array(b.full(tensor.shape, val, tensor.dtype))
    return tensor


def zeros_(tensor: C) -> C:
    """Zeros.

    >>> import everygrad as eg
    >>> eg.nn.init.zeros_(eg.nn.Parameter(eg.ones(2))).tolist()
    [0.0, 0.0]
    """
    return constant_(tensor, 0)


def ones_(tensor: C) -> C:
    """Ones.

    >>> import everygrad as eg
    >>> eg.nn.init.ones_(eg.nn.Parameter(eg.zeros(2))).tolist()
    [1.0, 1.0]
    """
    return constant_(tensor, 1)


def xavier_uniform_(tensor: C, gain: float = 1.0, generator: Generator | None = None) -> C:
    """Evenly from [-a, a) with a = gain * sqrt(6 / (fan_in + fan_out)).

    Source: Glorot, Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010.

    >>> import everygrad as eg
    >>> p = eg.nn.init.xavier_uniform_(eg.nn.Parameter(eg.zeros(3, 3)))
    >>> bool((p.abs() <= 1).all())
    True
    """
    bound = gain * math.sqrt(6 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: C, gain: float = 1.0, generator: Generator | None = None) -> C:
    """Normal with standard deviation gain * sqrt(2 / (fan_in + fan_out)).

    Source: Glorot, Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010.

    >>> import everygrad as eg
    >>> eg.nn.init.xavier_normal_(eg.nn.Parameter(eg.zeros(3, 2)), gain=0.0).tolist()
    [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(fans(tensor))), generator)


def kaiming_uniform_(
    tensor: C,
    a: float = 0,
    mode: Mode = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> C:
    """Evenly from [-b, b) with b = gain * sqrt(3 / fan); `a` is the slope of the leaky_relu that follows.

    Source: He et al., "Delving deep into rectifiers", 2015.

    >>> import everygrad as eg
    >>> p = eg.nn.init.kaiming_uniform_(eg.nn.Parameter(eg.zeros(5, 6)), nonlinearity="relu")
    >>> bool((p.abs() <= 1).all())
    True
    """
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / _fan(tensor, mode))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: C,
    a: float = 0,
    mode: Mode = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> C:
    """Normal with standard deviation gain / sqrt(fan); `a` is the slope of the leaky_relu that follows.

    Source: He et al., "Delving deep into rectifiers", 2015.

    >>> import everygrad as eg
    >>> eg.nn.init.kaiming_normal_(eg.nn.Parameter(eg.zeros(5, 6)), mode="fan_out").shape
    (5, 6)
    """
    std = calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much weights are widened before an activation, so that the signal keeps its variance.

    >>> import everygrad as eg
    >>> eg.nn.init.calculate_gain("leaky_relu", 1.0), eg.nn.init.calculate_gain("linear")
    (1.0, 1.0)
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity in _LINEAR:
        return 1.0
    try:
        return _GAINS[nonlinearity]
    except KeyError:
        known = ", ".join(sorted({"leaky_relu", *_GAINS, *_LINEAR}))
        raise ValueError(
            f"nonlinearity: no gain is known for it. Received: {nonlinearity!r}; write one of {known}"
        ) from None


def fans(tensor: Cell) -> tuple[int, int]:
    """(fan_in, fan_out) of a weight (out, in, kernel...): how many values meet in an output, and leave an input.

    >>> import everygrad as eg
    >>> eg.nn.init.fans(eg.nn.Parameter(eg.zeros(8, 3, 5, 5)))
    (75, 200)
    """
    if tensor.ndim < 2:
        raise ShapeError(
            f"init: fans need a weight of at least 2 dims, (out, in, ...). Received: shape {tensor.shape}"
        )
    taps = math.prod(tensor.shape[2:])
    return tensor.shape[1] * taps, tensor.shape[0] * taps


def _fan(tensor: Cell, mode: Mode) -> int:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"mode: must be 'fan_in' or 'fan_out'. Received: {mode!r}")
    return max(1, fans(tensor)[mode == "fan_out"])  # a weight without elements has nothing to scale


def _host(generator: Generator | None) -> np.random.Generator:
    return (current_generator() if generator is None else generator).numpy()


def _fill(tensor: C, drawn: Draw) -> C:
    """The draw in the cell's precision: rounded on the host, since a device may have no float64."""
    wide = tensor.dtype is DType.float64
    tensor.assign(np.asarray(drawn, np.float64 if wide else np.float32))
    return tensor
