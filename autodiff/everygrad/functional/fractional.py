"""Max pooling over windows whose places are drawn, so that the output shrinks by any factor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from everygrad.functional.window import batched, unbatched
from everygrad.generator import current_generator
from everygrad.tensor.wrap import wrap
from everygrad_ops import Backend, DType, ShapeError
from everygrad_ops.geometry import Ints, ints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everygrad.tensor.tensor import Tensor

__all__ = ["fractional_max_pool2d", "fractional_max_pool3d"]

Ratio = float | Sequence[float]


@overload
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    output_size: Ints | None = None,
    output_ratio: Ratio | None = None,
    return_indices: Literal[False] = False,
    _random_samples: Tensor | None = None,
) -> Tensor: ...
@overload
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    output_size: Ints | None = None,
    output_ratio: Ratio | None = None,
    *,
    return_indices: bool,
    _random_samples: Tensor | None = None,
) -> Any: ...
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Ints,
    output_size: Ints | None = None,
    output_ratio: Ratio | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest value of each of `output_size` windows of input (N, C, H, W), at places drawn per plane.

    The size is given, or a ratio between 0 and 1 of the input's. `_random_samples` (N, C, 2) in [0, 1) settle
    the places (of the columns, then of the rows); without them the seed is the next one of
    `everygrad.manual_seed`. With `return_indices`, (values, flat indices into the plane).
    Source: Graham, "Fractional Max-Pooling", arXiv:1412.6071.

    >>> import everygrad as eg
    >>> eg.functional.fractional_max_pool2d(eg.ones(1, 2, 9, 7), 2, output_ratio=0.7).shape
    (1, 2, 6, 4)
    """
    return _fractional(2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@overload
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Ints,
    output_size: Ints | None = None,
    output_ratio: Ratio | None = None,
    return_indices: Literal[False] = False,
    _random_samples: Tensor | None = None,
) -> Tensor: ...
@overload
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Ints,
    output_size: Ints | None = None,
    output_ratio: Ratio | None = None,
    *,
    return_indices: bool,
    _random_samples: Tensor | None = None,
) -> Any: ...
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Ints,
    output_size: Ints | None = None,
    output_ratio: Ratio | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest value of each of `output_size` windows of input (N, C, D, H, W), at places drawn per plane.

    As `fractional_max_pool2d`; `_random_samples` are (N, C, 3), for D, H and W.

    >>> import everygrad as eg
    >>> eg.functional.fractional_max_pool3d(eg.ones(1, 2, 6, 9, 7), 2, output_size=(2, 3, 4)).shape
    (1, 2, 2, 3, 4)
    """
    return _fractional(3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


def _fractional(
    rank: int,
    input: Tensor,
    kernel_size: Ints,
    output_size: Ints | None,
    output_ratio: Ratio | None,
    return_indices: bool,
    samples: Tensor | None,
) -> Any:
    op = f"fractional_max_pool{rank}d"
    x, alone = batched(op, input, rank)
    b, shape = input.backend, (*((1,) if alone else ()), *input.shape)
    kernel = ints(kernel_size, rank, "kernel_size", 1)
    size = _output(op, rank, shape[2:], output_size, output_ratio)
    if any(k + o - 1 > length for k, o, length in zip(kernel, size, shape[2:])):
        raise ShapeError(
            f"{op}: windows of {kernel} for an output of {size} must fit in the input. "
            f"Received: spatial size {shape[2:]}; write a smaller kernel_size or output_size"
        )
    drawn = _samples(op, b, (*shape[:2], rank), samples)
    table = _table(drawn[..., ::-1] if rank == 2 else drawn, shape[2:], kernel, size)
    taps, count = table.shape[2:]
    places = b.from_numpy(table)
    plane = b.reshape(x, (*shape[:2], math.prod(shape[2:])))
    flat = b.reshape(places, (*shape[:2], taps * count))
    columns = b.reshape(b.gather(b.detach(plane), 2, flat), (*shape[:2], taps, count))
    indices = b.reshape(b.gather(places, 2, b.argmax(columns, 2, True)), (*shape[:2], count))
    values = b.reshape(b.gather(plane, 2, indices), (*shape[:2], *size))
    if not return_indices:
        return unbatched(values, input, alone)
    whole = wrap(indices, b, DType.int64)
    places_of = unbatched(b.reshape(indices, (*shape[:2], *size)), whole, alone)
    return unbatched(values, input, alone), places_of


def _output(
    op: str, rank: int, sizes: tuple[int, ...], output_size: Ints | None, output_ratio: Ratio | None
) -> tuple[int, ...]:
    if (output_size is None) == (output_ratio is None):
        raise ValueError(
            f"{op}: needs one of output_size and output_ratio. "
            f"Received: output_size={output_size}, output_ratio={output_ratio}"
        )
    if output_size is not None:
        return ints(output_size, rank, "output_size", 1)
    assert output_ratio is not None  # one of the two is given
    ratios = (output_ratio,) * rank if isinstance(output_ratio, (int, float)) else tuple(output_ratio)
    if len(ratios) != rank or any(not 0 < ratio < 1 for ratio in ratios):
        raise ValueError(
            f"{op}: output_ratio must be between 0 and 1. Received: output_ratio={output_ratio!r}"
        )
    return ints([int(length * ratio) for length, ratio in zip(sizes, ratios)], rank, "output_size", 1)


def _samples(op: str, b: Backend[Any], shape: tuple[int, ...], samples: Tensor | None) -> NDArray[Any]:
    if samples is None:
        drawn = b.uniform(shape, current_generator().next_seed(), DType.float64)
        host: NDArray[Any] = b.to_numpy(b.detach(drawn))
        return host
    if tuple(samples.shape) != shape:
        raise ShapeError(f"{op}: _random_samples must have shape {shape}. Received: shape {samples.shape}")
    return samples.detach().numpy()


def _table(
    samples: NDArray[Any], sizes: tuple[int, ...], kernel: tuple[int, ...], counts: tuple[int, ...]
) -> NDArray[Any]:
    """(N, C, taps, windows) flat index in the plane of each tap of each window."""
    flat: NDArray[Any] = np.zeros((*samples.shape[:2], 1, 1), np.int64)
    for axis, (length, k, count) in enumerate(zip(sizes, kernel, counts)):
        start = _starts(samples[..., axis], length, k, count)
        at = start[:, :, None, :] + np.arange(k)[:, None]
        both = flat[:, :, :, None, :, None] * length + at[:, :, None, :, None, :]
        flat = both.reshape(*samples.shape[:2], flat.shape[2] * k, flat.shape[3] * count)
    return flat


def _starts(sample: NDArray[Any], length: int, kernel: int, count: int) -> NDArray[Any]:
    """Where the windows of an axis begin, (N, C, count): drawn, but for the last, which ends with the axis."""
    start: NDArray[Any] = np.full((*sample.shape, count), length - kernel, np.int64)
    if count > 1:
        step = sample.dtype.type((length - kernel) / (count - 1))
        i = np.arange(count - 1, dtype=sample.dtype)
        begin = np.floor((i + sample[..., None]) * step) - np.floor(sample * step)[..., None]
        start[..., :-1] = begin.astype(np.int64)
    return start
