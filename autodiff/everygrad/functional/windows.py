"""Windows under torch's older names: `periodic`, the default, is the opposite of `sym`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.signal import windows
from everygrad_ops import DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


def hann_window(
    window_length: int, periodic: bool = True, *, dtype: DType | None = None, backend: Any = None
) -> Tensor:
    """sin(pi n / N)^2, with N the length, or one less where not periodic.

    >>> import everygrad as eg
    >>> eg.hann_window(4).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return windows.hann(window_length, sym=not periodic, dtype=dtype, backend=backend)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DType | None = None,
    backend: Any = None,
) -> Tensor:
    """alpha - beta cos(2 pi n / N).

    >>> import everygrad as eg
    >>> [round(v, 2) for v in eg.hamming_window(2).tolist()]
    [0.08, 1.0]
    """
    weights = (alpha, beta)
    return windows.general_cosine(window_length, a=weights, sym=not periodic, dtype=dtype, backend=backend)


def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: DType | None = None, backend: Any = None
) -> Tensor:
    """0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N).

    >>> import everygrad as eg
    >>> eg.blackman_window(4).tolist()[2]
    1.0
    """
    return windows.blackman(window_length, sym=not periodic, dtype=dtype, backend=backend)


def bartlett_window(
    window_length: int, periodic: bool = True, *, dtype: DType | None = None, backend: Any = None
) -> Tensor:
    """1 - |2 n / N - 1|.

    >>> import everygrad as eg
    >>> eg.bartlett_window(4).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return windows.bartlett(window_length, sym=not periodic, dtype=dtype, backend=backend)


def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: DType | None = None,
    backend: Any = None,
) -> Tensor:
    """I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta).

    >>> import everygrad as eg
    >>> eg.kaiser_window(4).tolist()[2]
    1.0
    """
    return windows.kaiser(window_length, beta=beta, sym=not periodic, dtype=dtype, backend=backend)
