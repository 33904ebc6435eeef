"""Window functions of M points, under the names of torch.signal.windows; no gradient flows into their parameters.

`sym` gives a symmetric window, for filters; without it, one period of M points, for spectra.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from everygrad.functional.creation import tensor
from everygrad.tensor.dims import plain
from everygrad_ops import DType, DTypeError, ShapeError, as_dtype

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]

Points = NDArray[np.float64]


def sampled(
    op: str,
    points: int,
    sym: bool,
    formula: Callable[[Points, int], Any],
    dtype: DType | None,
    backend: Any,
) -> Tensor:
    """`formula` at 0, 1, ... of that many points, of a window whose last point is the second argument; one point is 1."""
    count = plain(points)
    if not isinstance(count, int) or count < 0:
        raise ShapeError(f"{op}: M must be an integer, not negative. Received: M={points!r}")
    chosen = DType.float32 if dtype is None else as_dtype(dtype)
    if not chosen.is_floating:
        raise DTypeError(f"{op}: a window is floating point. Received: dtype={chosen}; write eg.float32")
    values = np.ones(1)
    if count != 1:
        places = np.arange(count, dtype=np.float64)
        values = np.asarray(formula(places, count - 1 if sym else count), np.float64)
    return tensor(values, chosen, backend=backend)


def _cosines(a: Sequence[float]) -> Callable[[Points, int], Any]:
    return lambda x, last: sum(
        (-1) ** i * v * np.cos(2 * math.pi * i * x / max(last, 1)) for i, v in enumerate(a)
    )


def general_cosine(
    M: int, *, a: Sequence[float], sym: bool = True, dtype: DType | None = None, backend: Any = None
) -> Tensor:
    """The sum of (-1)^i a[i] cos(2 pi i n / (M - 1)).

    >>> import everygrad as eg
    >>> eg.signal.windows.general_cosine(3, a=[0.5, 0.5]).tolist()
    [0.0, 1.0, 0.0]
    """
    if len(a) == 0:
        raise ShapeError("general_cosine: a must have at least one weight. Received: a=[]")
    return sampled("general_cosine", M, sym, _cosines(a), dtype, backend)


def general_hamming(
    M: int, *, alpha: float = 0.54, sym: bool = True, dtype: DType | None = None, backend: Any = None
) -> Tensor:
    """alpha - (1 - alpha) cos(2 pi n / (M - 1)).

    >>> import everygrad as eg
    >>> eg.signal.windows.general_hamming(3, alpha=0.5).tolist()
    [0.0, 1.0, 0.0]
    """
    return sampled("general_hamming", M, sym, _cosines((alpha, 1 - alpha)), dtype, backend)


def hann(M: int, *, sym: bool = True, dtype: DType | None = None, backend: Any = None) -> Tensor:
    """sin(pi n / (M - 1))^2.

    >>> import everygrad as eg
    >>> eg.signal.windows.hann(3).tolist(), eg.signal.windows.hann(4, sym=False).tolist()
    ([0.0, 1.0, 0.0], [0.0, 0.5, 1.0, 0.5])
    """
    return sampled("hann", M, sym, _cosines((0.5, 0.5)), dtype, backend)


def hamming(M: int, *, sym: bool = True, dtype: DType | None = None, backend: Any = None) -> Tensor:
    """0.54 - 0.46 cos(2 pi n / (M - 1)).

    >>> import everygrad as eg
    >>> [round(v, 2) for v in eg.signal.windows.hamming(3).tolist()]
    [0.08, 1.0, 0.08]
    """
    return sampled("hamming", M, sym, _cosines((0.54, 0.46)), dtype, backend)


def blackman(M: int, *, sym: bool = True, dtype: DType | None = None, backend: Any = None) -> Tensor:
    """0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1)).

    >>> import everygrad as eg
    >>> eg.signal.windows.blackman(5).tolist()[2]
    1.0
    """
    return sampled("blackman", M, sym, _cosines((0.42, 0.5, 0.08)), dtype, backend)


def nuttall(M: int, *, sym: bool = True, dtype: DType | None = None, backend: Any = None) -> Tensor:
    """Nuttall's minimum 4-term window (Nuttall, "Some windows with very good sidelobe behavior", 1981).

    >>> import everygrad as eg
    >>> eg.signal.windows.nuttall(5).tolist()[2]
    1.0
    """
    weights = (0.3635819, 0.4891775, 0.1365995, 0.0106411)
    return sampled("nuttall", M, sym, _cosines(weights), dtype, backend)


def bartlett(M: int, *, sym: bool = True, dtype: DType | None = None, backend: Any = None) -> Tensor:
    """1 - |2 n / (M - 1) - 1|: a triangle.

    >>> import everygrad as eg
    >>> eg.signal.windows.bartlett(5).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return sampled("bartlett", M, sym, lambda x, last: 1 - np.abs(2 * x / last - 1), dtype, backend)


def cosine(M: int, *, sym: bool = True, dtype: DType | None = None, backend: Any = None) -> Tensor:
    """sin(pi (n + 1/2) / M).

    >>> import everygrad as eg
    >>> [round(v, 3) for v in eg.signal.windows.cosine(3).tolist()]
    [0.5, 1.0, 0.5]
    """
    return sampled("cosine", M, sym, lambda x, last: np.sin(math.pi * (x + 0.5) / (last + 1)), dtype, backend)


def gaussian(
    M: int, *, std: float = 1.0, sym: bool = True, dtype: DType | None = None, backend: Any = None
) -> Tensor:
    """exp(-(n - (M - 1) / 2)^2 / (2 std^2)).

    >>> import everygrad as eg
    >>> [round(v, 4) for v in eg.signal.windows.gaussian(3).tolist()]
    [0.6065, 1.0, 0.6065]
    """
    if not std > 0:
        raise ValueError(f"gaussian: std must be positive. Received: std={std}")
    return sampled(
        "gaussian", M, sym, lambda x, last: np.exp(-0.5 * ((x - last / 2) / std) ** 2), dtype, backend
    )


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: DType | None = None,
    backend: Any = None,
) -> Tensor:
    """exp(-|n - center| / tau); the centre is the middle, and may be chosen where `sym` is false.

    >>> import everygrad as eg
    >>> [round(v, 4) for v in eg.signal.windows.exponential(3).tolist()]
    [0.3679, 1.0, 0.3679]
    """
    if not tau > 0:
        raise ValueError(f"exponential: tau must be positive. Received: tau={tau}")
    if sym and center is not None:
        raise ValueError("exponential: a symmetric window has its centre. Received: center; write sym=False")
    return sampled(
        "exponential",
        M,
        sym,
        lambda x, last: np.exp(-np.abs(x - (last / 2 if center is None else center)) / tau),
        dtype,
        backend,
    )


def kaiser(
    M: int, *, beta: float = 12.0, sym: bool = True, dtype: DType | None = None, backend: Any = None
) -> Tensor:
    """I0(beta sqrt(1 - (2 n / (M - 1) - 1)^2)) / I0(beta), with the modified Bessel function of order 0.

    >>> import everygrad as eg
    >>> eg.signal.windows.kaiser(3, beta=0.0).tolist()
    [1.0, 1.0, 1.0]
    """
    if beta < 0:
        raise ValueError(f"kaiser: beta must not be negative. Received: beta={beta}")

    def formula(x: Points, last: int) -> Any:
        inside = np.maximum(1 - (2 * x / last - 1) ** 2, 0)
        return np.i0(beta * np.sqrt(inside)) / np.i0(beta)

    return sampled("kaiser", M, sym, formula, dtype, backend)
