"""Evenly spaced values, and the places of triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from everygrad.functional.creation import Like, tensor
from everygrad.registry import current, resolve
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType, ShapeError, as_dtype

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["linspace", "logspace", "tril_indices", "triu_indices"]


def linspace(
    start: float, end: float, steps: int, *, dtype: DType | None = None, backend: Like = None
) -> Tensor:
    """`steps` values from start to end, both included and exact, at equal distances.

    >>> import everygrad as eg
    >>> eg.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    return _made(_spaced("linspace", start, end, steps), dtype, backend)


def logspace(
    start: float,
    end: float,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DType | None = None,
    backend: Like = None,
) -> Tensor:
    """base ** v for `steps` values v from start to end, at equal distances.

    >>> import everygrad as eg
    >>> eg.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    with np.errstate(all="ignore"):
        return _made(np.power(float(base), _spaced("logspace", start, end, steps)), dtype, backend)


def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType | None = None, backend: Like = None
) -> Tensor:
    """(2, count): rows and columns of the lower triangle of a matrix, in row-major order.

    >>> import everygrad as eg
    >>> eg.tril_indices(2, 2).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    return _triangle("tril_indices", row, col, offset, True, dtype, backend)


def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType | None = None, backend: Like = None
) -> Tensor:
    """(2, count): rows and columns of the upper triangle of a matrix, in row-major order.

    >>> import everygrad as eg
    >>> eg.triu_indices(2, 2).tolist()
    [[0, 0, 1], [0, 1, 1]]
    """
    return _triangle("triu_indices", row, col, offset, False, dtype, backend)


def _spaced(op: str, start: float, end: float, steps: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """In float64, the second half counted back from the end, so that reversing the ends reverses the values."""
    if steps < 0:
        raise ShapeError(f"{op}: steps must not be negative. Received: steps={steps}")
    place = np.arange(steps, dtype=np.float64)
    step = (float(end) - float(start)) / max(steps - 1, 1)
    return np.where(place < steps / 2, start + place * step, end - (steps - 1 - place) * step)


def _made(values: np.ndarray[tuple[int], np.dtype[np.float64]], dtype: DType | None, backend: Like) -> Tensor:
    b = current() if backend is None else resolve(backend)
    wide = tensor(values, backend=b)
    chosen = DType.float32 if dtype is None else as_dtype(dtype)
    return wrap(b.cast(wide.array, chosen), b, chosen)


def _triangle(
    op: str, row: int, col: int, offset: int, lower: bool, dtype: DType | None, backend: Like
) -> Tensor:
    if row < 0 or col < 0:
        raise ShapeError(f"{op}: sizes must not be negative. Received: row={row}, col={col}")
    i, j = np.indices((row, col))
    inside = j - i <= offset if lower else j - i >= offset
    places = np.stack([i[inside], j[inside]]).astype(np.int64)
    return tensor(places, None if dtype is None else as_dtype(dtype), backend=backend)
