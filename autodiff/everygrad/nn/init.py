"""Initial values, under torch.nn.init's names. They are drawn on the host: one seed, equal weights everywhere.

Each function replaces the value of a parameter (or buffer) and returns it.
"""

from __future__ import annotations

import math
from typing import Any, Literal, TypeVar

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


def eye_(tensor: C) -> C:
    """Ones on the diagonal of a matrix, zeros elsewhere: the identity, as far as it fits.

    >>> import everygrad as eg
    >>> eg.nn.init.eye_(eg.nn.Parameter(eg.zeros(2, 3))).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    _need_matrix("eye_", tensor)
    rows, columns = tensor.shape
    return _fill(tensor, np.eye(rows, columns))


def dirac_(tensor: C, groups: int = 1) -> C:
    """A convolution weight (out, in / groups, kernel...) that hands each input channel on, as far as there are any.

    >>> import everygrad as eg
    >>> weight = eg.nn.init.dirac_(eg.nn.Parameter(eg.zeros(2, 2, 3)))
    >>> weight.tolist()
    [[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    """
    if not 3 <= tensor.ndim <= 5 or groups < 1 or tensor.shape[0] % groups:
        raise ShapeError(
            "dirac_: needs a weight (out, in, kernel...) of 3 to 5 dims, out divisible by groups. "
            f"Received: shape {tensor.shape}, groups={groups}"
        )
    values = np.zeros(tensor.shape)
    per_group = tensor.shape[0] // groups
    channels = np.arange(min(per_group, tensor.shape[1]))
    middle = [size // 2 for size in tensor.shape[2:]]
    for group in range(groups):
        place: Any = (group * per_group + channels, channels, *middle)
        values[place] = 1
    return _fill(tensor, values)


def trunc_normal_(
    tensor: C,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> C:
    """From the part of the normal distribution that lies in [a, b]: by the inverse of its distribution function.

    >>> import everygrad as eg
    >>> p = eg.nn.init.trunc_normal_(eg.nn.Parameter(eg.zeros(100)), a=0.0, b=1.0)
    >>> bool((p >= 0).all()), bool((p <= 1).all())
    (True, True)
    """
    from scipy.special import ndtr, ndtri  # not needed to import the library

    if not a < b or not std > 0:
        raise ValueError(
            f"trunc_normal_: needs a < b and std > 0. Received: a={a}, b={b}, std={std}; write constant_ for one value"
        )
    low, high = (a - mean) / std, (b - mean) / std
    side = -1.0 if low > 0 else 1.0  # the lower tail keeps its digits, the upper one lies next to 1
    low, high = sorted((side * low, side * high))
    part = _host(generator).random(tensor.shape)
    drawn = side * ndtri(ndtr(low) + part * (ndtr(high) - ndtr(low)))
    return _fill(tensor, np.clip(drawn * std + mean, a, b))


def orthogonal_(tensor: C, gain: float = 1, generator: Generator | None = None) -> C:
    """gain times a matrix with orthonormal rows or columns, whichever are fewer; dims after the first are joined.

    Evenly from all such matrices: Q of the QR factorization of normal draws, the signs of R's diagonal taken in.
    Source: Saxe, McClelland, Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep linear
    neural networks", 2014; Mezzadri, "How to generate random matrices from the classical compact groups", 2007.

    >>> import everygrad as eg
    >>> p = eg.nn.init.orthogonal_(eg.nn.Parameter(eg.zeros(2, 5)))
    >>> [[round(abs(v), 4) for v in row] for row in (p @ p.T).tolist()]
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if tensor.ndim < 2:
        raise ShapeError(f"orthogonal_: needs at least 2 dims. Received: shape {tensor.shape}")
    if not tensor.numel():
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    drawn = _host(generator).standard_normal((max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(drawn)
    q = q * np.where(np.diag(r) < 0, -1.0, 1.0)
    return _fill(tensor, gain * (q if rows >= columns else q.T).reshape(tensor.shape))


def sparse_(tensor: C, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> C:
    """A matrix of normal draws, in each column of which the share `sparsity` (rounded up) is zero.

    Source: Martens, "Deep learning via Hessian-free optimization", 2010.

    >>> import everygrad as eg
    >>> p = eg.nn.init.sparse_(eg.nn.Parameter(eg.zeros(10, 3)), sparsity=0.75)
    >>> (p == 0).sum(0).tolist()
    [8, 8, 8]
    """
    _need_matrix("sparse_", tensor)
    if not 0 <= sparsity <= 1:
        raise ValueError(f"sparse_: sparsity must be between 0 and 1. Received: {sparsity}")
    host = _host(generator)
    values = host.standard_normal(tensor.shape) * std
    places = host.random(tensor.shape).argsort(0)[: math.ceil(sparsity * tensor.shape[0])]
    np.put_along_axis(values, places, 0, 0)
    return _fill(tensor, values)


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


def _need_matrix(where: str, tensor: Cell) -> None:
    if tensor.ndim != 2:
        raise ShapeError(f"{where}: needs a matrix. Received: shape {tensor.shape}")


def _host(generator: Generator | None) -> np.random.Generator:
    return (current_generator() if generator is None else generator).numpy()


def _fill(tensor: C, drawn: Draw) -> C:
    """The draw in the cell's precision: rounded on the host, since a device may have no float64."""
    wide = tensor.dtype is DType.float64
    tensor.assign(np.asarray(drawn, np.float64 if wide else np.float32))
    return tensor
