"""Short-time Fourier transforms, and windows under torch's older names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from everygrad.tensor.dims import plain
from everygrad.tensor.operands import floating, need_floating, together
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import Backend, DType, DTypeError, ShapeError
from everygrad_ops.shape import part

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["istft", "stft"]


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """Fourier transforms of frames of n_fft elements, hop_length apart: (..., frequencies, frames, 2).

    The last dim holds the real and the imaginary part, as torch's view_as_real does. `input` is a signal (T,) or a
    batch (B, T). The window has win_length elements, and zeros on both sides up to n_fft; with `center` the signal
    is padded so that frame t is around t * hop_length; `normalized` divides by sqrt(n_fft); `onesided`, the default,
    keeps the n_fft // 2 + 1 frequencies from 0 on. Defaults: hop_length n_fft // 4, win_length n_fft, window ones.

    >>> import everygrad as eg
    >>> eg.stft(eg.ones(8), 4, window=eg.hann_window(4)).shape
    (3, 9, 2)
    """
    need_tensor("stft", "input", input)
    _need_real("stft", return_complex)
    if align_to_window is not None and center:
        raise ValueError("stft: align_to_window is for center=False. Received: both; leave one out")
    x, w = _with_window("stft", input, n_fft, win_length, window)
    hop = _hop("stft", n_fft, hop_length)
    b, shape = x.backend, x.shape
    if len(shape) not in (1, 2):
        raise ShapeError(f"stft: input must be (T,) or (B, T). Received: shape {shape}")
    array = b.reshape(x.array, (math.prod(shape[:-1]), shape[-1]))
    if center:
        side = n_fft // 2
        padding = ((0, 0), (side, side))
        array = b.pad(array, padding) if pad_mode == "constant" else b.pad_mode(array, padding, pad_mode)
    batch, length = b.shape(array)
    if length < n_fft:
        raise ShapeError(
            f"stft: the signal must have n_fft elements at least. Received: {length} (with padding), n_fft={n_fft}"
        )
    frames = (length - n_fft) // hop + 1
    index = b.reshape(_positions(b, frames, n_fft, hop), (frames * n_fft,))
    cut = b.reshape(b.index_select(array, 1, index), (batch, frames, n_fft))
    re, im = _forward(b, b.mul(cut, w), onesided is not False)
    if normalized:
        re, im = (b.mul(v, 1 / math.sqrt(n_fft)) for v in (re, im))
    out = b.permute(b.stack([re, im], 3), (0, 2, 1, 3))
    return wrap(b.reshape(out, (*shape[:-1], *b.shape(out)[1:])), b, x.dtype)


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal whose `stft` this is, by least squares: frames added up where they overlap, over their squared windows.

    `input` is (..., frequencies, frames, 2), as `stft` gives; `length` cuts the signal, or adds zeros. Raises
    `ShapeError` where no window covers an element. Source: Griffin and Lim, "Signal estimation from modified
    short-time Fourier transform", 1984.

    >>> import everygrad as eg
    >>> x, w = eg.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), eg.hann_window(4)
    >>> eg.istft(eg.stft(x, 4, window=w), 4, window=w).round().tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    """
    need_tensor("istft", "input", input)
    _need_real("istft", return_complex)
    x, w = _with_window("istft", input, n_fft, win_length, window)
    hop = _hop("istft", n_fft, hop_length)
    b, shape = x.backend, x.shape
    count = n_fft if onesided is False else n_fft // 2 + 1
    if len(shape) not in (3, 4) or shape[-1] != 2 or shape[-3] != count or shape[-2] < 1:
        raise ShapeError(
            f"istft: input must be (..., {count} frequencies, frames, 2). Received: shape {shape}"
        )
    frames, batch = shape[-2], math.prod(shape[:-3])
    array = b.permute(b.reshape(x.array, (batch, count, frames, 2)), (0, 2, 1, 3))
    re, im = (
        b.reshape(b.slice(array, part(b.shape(array), 3, i, 1)), (batch, frames, count)) for i in (0, 1)
    )
    signal = b.irfft(re, im, n_fft, 2) if onesided is not False else b.div(b.fft(re, im, 2, True)[0], n_fft)
    if normalized:
        signal = b.mul(signal, math.sqrt(n_fft))
    total = n_fft + hop * (frames - 1)
    index = b.reshape(_positions(b, frames, n_fft, hop), (frames * n_fft,))
    flat = b.reshape(b.mul(signal, w), (batch, frames * n_fft))
    added = b.index_add(b.full((batch, total), 0, x.dtype), 1, index, flat)
    squares = b.reshape(b.broadcast_to(b.mul(w, w), (frames, n_fft)), (frames * n_fft,))
    weight = b.index_add(b.full((total,), 0, x.dtype), 0, index, squares)
    start = n_fft // 2 if center else 0
    stop = total - start if center else total
    if length is not None:
        stop = min(start + plain(length), total)
    added, weight = (
        b.slice(added, ((0, batch, 1), (start, stop - start, 1))),
        b.slice(weight, ((start, stop - start, 1),)),
    )
    if stop > start and float(b.to_numpy(b.amin(b.detach(weight), (0,)))) < 1e-11:
        raise ShapeError(
            "istft: the windows leave an element uncovered. "
            f"Received: n_fft={n_fft}, hop_length={hop}, center={center}; write a smaller hop, or another window"
        )
    out = b.div(added, weight)
    if length is not None and stop - start < length:
        out = b.pad(out, ((0, 0), (0, length - (stop - start))))
    return wrap(b.reshape(out, (*shape[:-3], b.shape(out)[1])), b, x.dtype)


def _need_real(op: str, return_complex: bool | None) -> None:
    if return_complex:
        raise DTypeError(
            f"{op}: there are no complex dtypes: the last dim holds (re, im). Received: return_complex=True; leave it out"
        )


def _hop(op: str, n_fft: int, hop_length: int | None) -> int:
    hop = n_fft // 4 if hop_length is None else plain(hop_length)
    if hop < 1:
        raise ShapeError(f"{op}: hop_length must be at least 1. Received: hop_length={hop}, n_fft={n_fft}")
    return hop


def _with_window(
    op: str, input: Tensor, n_fft: int, win_length: int | None, window: Tensor | None
) -> tuple[Tensor, Any]:
    """(the input, the array of a window of n_fft elements)."""
    n_fft = plain(n_fft)
    length = n_fft if win_length is None else plain(win_length)
    if not 1 <= length <= n_fft:
        raise ShapeError(
            f"{op}: win_length must be from 1 to n_fft. Received: win_length={length}, n_fft={n_fft}"
        )
    if window is None:
        x = floating(input)
        w = x.backend.full((length,), 1, x.dtype)
    else:
        need_tensor(op, "window", window)
        x, y = together(op, floating(input), floating(window))
        w = y.array
        if y.shape != (length,):
            raise ShapeError(f"{op}: window must have shape ({length},). Received: shape {y.shape}")
    need_floating(op, x)
    left = (n_fft - length) // 2
    return x, x.backend.pad(w, ((left, n_fft - length - left),)) if length < n_fft else w


def _positions(b: Backend[Any], frames: int, n_fft: int, hop: int) -> Any:
    starts = b.mul(b.arange(0, frames, 1, DType.int64), hop)
    return b.add(b.reshape(starts, (frames, 1)), b.arange(0, n_fft, 1, DType.int64))


def _forward(b: Backend[Any], x: Any, onesided: bool) -> tuple[Any, Any]:
    if onesided:
        re, im = b.rfft(x, 2)
        return re, im
    re, im = b.fft(x, b.zeros_like(x), 2, False)
    return re, im
