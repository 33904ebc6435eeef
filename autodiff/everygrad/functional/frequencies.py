"""The frequencies of Fourier coefficients, and their order; `everygrad.fft` lists them with the transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from everygrad.functional.arrange import roll
from everygrad.functional.creation import tensor
from everygrad.tensor.dims import Dims, many_dims, plain
from everygrad.tensor.wrap import need_tensor
from everygrad_ops import DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def fftfreq(n: int, d: float = 1.0, *, dtype: DType | None = None, backend: Any = None) -> Tensor:
    """The frequency of each coefficient of `fft`, for samples `d` apart: 0, 1, ..., -2, -1 over n d.

    >>> import everygrad as eg
    >>> eg.fft.fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    _need_count("fftfreq", n)
    count = np.arange(n)
    return _frequencies(np.where(count < (n + 1) // 2, count, count - n), n, d, dtype, backend)


def rfftfreq(n: int, d: float = 1.0, *, dtype: DType | None = None, backend: Any = None) -> Tensor:
    """The frequency of each coefficient of `rfft`.

    >>> import everygrad as eg
    >>> eg.fft.rfftfreq(4).tolist()
    [0.0, 0.25, 0.5]
    """
    _need_count("rfftfreq", n)
    return _frequencies(np.arange(n // 2 + 1), n, d, dtype, backend)


def _need_count(op: str, n: Any) -> None:
    if not isinstance(plain(n), int) or n < 1:
        raise ShapeError(f"{op}: n must be an integer from 1 on. Received: n={n!r}")


def _frequencies(count: Any, n: int, d: float, dtype: DType | None, backend: Any) -> Tensor:
    return tensor((count / (n * d)).astype(np.float64), dtype or DType.float32, backend=backend)


def fftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The coefficient of frequency 0 moved to the middle of each dim.

    >>> import everygrad as eg
    >>> eg.fft.fftshift(eg.fft.fftfreq(4)).tolist()
    [-0.5, -0.25, 0.0, 0.25]
    """
    need_tensor("fftshift", "input", input)
    dims = many_dims("fftshift", dim, input.ndim)
    return roll(input, tuple(input.shape[d] // 2 for d in dims), dims)


def ifftshift(input: Tensor, dim: Dims = None) -> Tensor:
    """The inverse of `fftshift`.

    >>> import everygrad as eg
    >>> eg.fft.ifftshift(eg.tensor([-1.0, 0.0, 1.0])).tolist()
    [0.0, 1.0, -1.0]
    """
    need_tensor("ifftshift", "input", input)
    dims = many_dims("ifftshift", dim, input.ndim)
    return roll(input, tuple(-(input.shape[d] // 2) for d in dims), dims)
