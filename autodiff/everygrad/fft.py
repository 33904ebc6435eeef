"""Fourier transforms of any size, under the names of torch.fft. Complex tensors are pairs (re, im) of real ones.

`norm` says where the factor is: "backward" (the default) divides the inverse by n, "forward" the transform itself,
"ortho" both by sqrt(n).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from everygrad.edge import behind_the_edge as _behind_the_edge
from everygrad.functional.frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from everygrad.tensor.dims import Dims, many_dims, plain
from everygrad.tensor.operands import floating, together
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import Backend, DType, ShapeError
from everygrad_ops.shape import part

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


class Complex(NamedTuple):
    """A complex tensor as two real ones of one shape."""

    re: Tensor
    im: Tensor


Pair = tuple["Tensor", "Tensor"]


def fft(input: Tensor | Pair, n: int | None = None, dim: int = -1, norm: str | None = None) -> Complex:
    """The transform along one dim: sums over j of input[j] exp(-2 pi i j k / n), for k from 0 to n - 1.

    `input` is a pair (re, im) or a real tensor; n cuts it or adds zeros at its end.

    >>> import everygrad as eg
    >>> eg.fft.fft(eg.tensor([1.0, 0.0, 0.0])).re.tolist()
    [1.0, 1.0, 1.0]
    """
    return _complex("fft", input, None if n is None else (n,), (dim,), norm, inverse=False)


def ifft(input: Tensor | Pair, n: int | None = None, dim: int = -1, norm: str | None = None) -> Complex:
    """The inverse of `fft`.

    >>> import everygrad as eg
    >>> eg.fft.ifft(eg.fft.fft(eg.tensor([1.0, 2.0]))).re.tolist()
    [1.0, 2.0]
    """
    return _complex("ifft", input, None if n is None else (n,), (dim,), norm, inverse=True)


def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Complex:
    """The first n // 2 + 1 coefficients of a real signal; the others are their conjugates.

    >>> import everygrad as eg
    >>> re, im = eg.fft.rfft(eg.tensor([1.0, 2.0, 3.0, 4.0]))
    >>> re.tolist(), im.tolist()
    ([10.0, -2.0, -2.0], [0.0, 2.0, 0.0])
    """
    return rfftn(input, None if n is None else (n,), (dim,), norm)


def irfft(input: Tensor | Pair, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The real signal of n elements with these coefficients: the inverse of `rfft`.

    n is twice the number of coefficients less 2 unless given: write the size of an odd signal. The imaginary part of
    the first coefficient, and for even n of the last, does not count.

    >>> import everygrad as eg
    >>> eg.fft.irfft(eg.fft.rfft(eg.tensor([1.0, 2.0, 4.0])), n=3).round().tolist()
    [1.0, 2.0, 4.0]
    """
    return irfftn(input, None if n is None else (n,), (dim,), norm)


def fft2(
    input: Tensor | Pair, s: Sequence[int] | None = None, dim: Dims = (-2, -1), norm: str | None = None
) -> Complex:
    """`fftn` over two dims.

    >>> import everygrad as eg
    >>> eg.fft.fft2(eg.ones(2, 2)).re.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    return fftn(input, s, dim, norm)


def ifft2(
    input: Tensor | Pair, s: Sequence[int] | None = None, dim: Dims = (-2, -1), norm: str | None = None
) -> Complex:
    """`ifftn` over two dims.

    >>> import everygrad as eg
    >>> eg.fft.ifft2(eg.ones(2, 2)).re.tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    return ifftn(input, s, dim, norm)


def fftn(
    input: Tensor | Pair, s: Sequence[int] | None = None, dim: Dims = None, norm: str | None = None
) -> Complex:
    """`fft` over each of several dims: all, or the last len(s), unless given.

    >>> import everygrad as eg
    >>> eg.fft.fftn(eg.ones(1, 2)).re.tolist()
    [[2.0, 0.0]]
    """
    return _complex("fftn", input, s, dim, norm, inverse=False)


def ifftn(
    input: Tensor | Pair, s: Sequence[int] | None = None, dim: Dims = None, norm: str | None = None
) -> Complex:
    """The inverse of `fftn`.

    >>> import everygrad as eg
    >>> eg.fft.ifftn(eg.ones(1, 2)).re.tolist()
    [[1.0, 0.0]]
    """
    return _complex("ifftn", input, s, dim, norm, inverse=True)


def rfft2(
    input: Tensor, s: Sequence[int] | None = None, dim: Dims = (-2, -1), norm: str | None = None
) -> Complex:
    """`rfftn` over two dims.

    >>> import everygrad as eg
    >>> eg.fft.rfft2(eg.ones(2, 2)).re.tolist()
    [[4.0, 0.0], [0.0, 0.0]]
    """
    return rfftn(input, s, dim, norm)


def irfft2(
    input: Tensor | Pair, s: Sequence[int] | None = None, dim: Dims = (-2, -1), norm: str | None = None
) -> Tensor:
    """`irfftn` over two dims.

    >>> import everygrad as eg
    >>> eg.fft.irfft2(eg.fft.rfft2(eg.ones(2, 2))).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return irfftn(input, s, dim, norm)


def rfftn(
    input: Tensor, s: Sequence[int] | None = None, dim: Dims = None, norm: str | None = None
) -> Complex:
    """`rfft` over the last of several dims, then `fft` over the others.

    >>> import everygrad as eg
    >>> eg.fft.rfftn(eg.ones(2, 4)).re.shape
    (2, 3)
    """
    if not is_tensor(input):
        raise TypeError(
            f"rfft: input must be a real Tensor. Received: {type(input).__name__}; write fft for a pair"
        )
    x = floating(input)
    b, dims, sizes = x.backend, *_places("rfft", x.shape, s, dim)
    array = _resized(b, x.array, dims, sizes)
    re, im = b.rfft(array, dims[-1])
    for d in dims[:-1]:
        re, im = b.fft(re, im, d, False)
    return _scaled(b, (re, im), x.dtype, _factor(norm, sizes, inverse=False))


def irfftn(
    input: Tensor | Pair, s: Sequence[int] | None = None, dim: Dims = None, norm: str | None = None
) -> Tensor:
    """The inverse of `rfftn`; the last size is twice the number of coefficients less 2 unless given.

    >>> import everygrad as eg
    >>> eg.fft.irfftn(eg.fft.rfftn(eg.ones(2, 3)), s=(2, 3)).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    x, y = _pair("irfft", input)
    dims, sizes = _places("irfft", x.shape, s, dim)
    if s is None:
        sizes = (*sizes[:-1], 2 * (sizes[-1] - 1))
    if sizes[-1] < 1:
        raise ShapeError(
            f"irfft: needs a signal of at least one element. Received: shape {x.shape}, dim {dims[-1]}; write n=1"
        )
    b, halves = x.backend, (*sizes[:-1], sizes[-1] // 2 + 1)
    re, im = (_resized(b, v.array, dims, halves) for v in (x, y))
    for d in dims[:-1]:
        re, im = b.fft(re, im, d, True)
    out = b.irfft(re, im, sizes[-1], dims[-1])  # which divides by the last size
    factor = _factor(norm, sizes, inverse=True) * sizes[-1]
    return wrap(out if factor == 1 else b.mul(out, factor), b, x.dtype)


def hfft(input: Tensor | Pair, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The real transform, of n elements, of a signal of which half is given: the rest are its conjugates.

    n is twice the number of elements given less 2 unless written.

    >>> import everygrad as eg
    >>> eg.fft.hfft(eg.tensor([1.0, 2.0])).tolist()
    [3.0, -1.0]
    """
    return hfftn(input, None if n is None else (n,), (dim,), norm)


def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Complex:
    """The inverse of `hfft`: the first n // 2 + 1 elements of the signal.

    >>> import everygrad as eg
    >>> eg.fft.ihfft(eg.tensor([5.0, -3.0])).re.tolist()
    [1.0, 4.0]
    """
    return ihfftn(input, None if n is None else (n,), (dim,), norm)


def hfft2(
    input: Tensor | Pair, s: Sequence[int] | None = None, dim: Dims = (-2, -1), norm: str | None = None
) -> Tensor:
    """`hfftn` over two dims.

    >>> import everygrad as eg
    >>> eg.fft.hfft2(eg.ones(1, 2)).tolist()
    [[2.0, 0.0]]
    """
    return hfftn(input, s, dim, norm)


def ihfft2(
    input: Tensor, s: Sequence[int] | None = None, dim: Dims = (-2, -1), norm: str | None = None
) -> Complex:
    """`ihfftn` over two dims.

    >>> import everygrad as eg
    >>> eg.fft.ihfft2(eg.tensor([[2.0, 0.0]])).re.tolist()
    [[1.0, 1.0]]
    """
    return ihfftn(input, s, dim, norm)


def hfftn(
    input: Tensor | Pair, s: Sequence[int] | None = None, dim: Dims = None, norm: str | None = None
) -> Tensor:
    """`fft` over all but the last of several dims, then `hfft` over that one.

    >>> import everygrad as eg
    >>> eg.fft.hfftn(eg.ones(1, 2)).tolist()
    [[2.0, 0.0]]
    """
    re, im = _pair("hfft", input)
    return irfftn((re, -im), s, dim, _turned(norm))


def ihfftn(
    input: Tensor, s: Sequence[int] | None = None, dim: Dims = None, norm: str | None = None
) -> Complex:
    """The inverse of `hfftn`.

    >>> import everygrad as eg
    >>> eg.fft.ihfftn(eg.tensor([[2.0, 0.0]])).re.tolist()
    [[1.0, 1.0]]
    """
    re, im = rfftn(input, s, dim, _turned(norm))
    return Complex(re, -im)


def _turned(norm: str | None) -> str | None:
    """The factor on the other side."""
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)


def _complex(
    op: str, input: Any, s: Sequence[int] | None, dim: Dims, norm: str | None, inverse: bool
) -> Complex:
    x, y = _pair(op, input)
    b, dims, sizes = x.backend, *_places(op, x.shape, s, dim)
    re, im = (_resized(b, v.array, dims, sizes) for v in (x, y))
    for d in dims:
        re, im = b.fft(re, im, d, inverse)
    return _scaled(b, (re, im), x.dtype, _factor(norm, sizes, inverse))


def _pair(op: str, input: Any) -> Pair:
    """(re, im) of a pair or of a real tensor."""
    if is_tensor(input):
        x = floating(input)
        return x, wrap(x.backend.zeros_like(x.array), x.backend, x.dtype)
    given: Any = input
    if not isinstance(given, (tuple, list)) or len(given) != 2:  # pyright: ignore[reportUnknownArgumentType]  # of anything
        raise TypeError(f"{op}: input must be a Tensor or a pair (re, im). Received: {type(input).__name__}")
    first, second = _two(input)
    need_tensor(op, "re", first)
    need_tensor(op, "im", second)
    if first.shape != second.shape:
        raise ShapeError(
            f"{op}: re and im must have one shape. Received: shapes {first.shape} and {second.shape}"
        )
    re, im = together(op, floating(first), floating(second))
    return re, im


def _two(pair: Any) -> tuple[Any, Any]:
    return pair[0], pair[1]


def _places(
    op: str, shape: tuple[int, ...], s: Sequence[int] | None, dim: Dims
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(dims, the size of the transform along each)."""
    rank = len(shape)
    if dim is None and s is not None and len(s) <= rank:
        dims = tuple(range(rank - len(s), rank))
    else:
        dims = many_dims(op, dim, rank)
    if not dims:
        raise ShapeError(f"{op}: needs at least one dim. Received: shape {shape}, dim={dim!r}")
    if s is None:
        return dims, tuple(shape[d] for d in dims)
    sizes = tuple(shape[d] if v == -1 else plain(v) for d, v in zip(dims, s))
    if len(s) != len(dims) or any(not isinstance(v, int) or v < 1 for v in sizes):
        raise ShapeError(
            f"{op}: sizes must be one integer from 1 on per dim. Received: {tuple(s)}, dims {dims}"
        )
    return dims, sizes


def _resized(b: Backend[Any], x: Any, dims: tuple[int, ...], sizes: tuple[int, ...]) -> Any:
    """`x` cut, or with zeros added at the end, to a size per dim."""
    for d, size in zip(dims, sizes):
        shape = b.shape(x)
        if size < shape[d]:
            x = b.slice(x, part(shape, d, 0, size))
        elif size > shape[d]:
            x = b.pad(x, tuple((0, size - shape[d] if i == d else 0) for i in range(len(shape))))
    return x


def _factor(norm: str | None, sizes: tuple[int, ...], inverse: bool) -> float:
    if norm not in (None, "backward", "forward", "ortho"):
        raise ValueError(f"norm must be 'backward', 'forward' or 'ortho'. Received: norm={norm!r}")
    count = math.prod(sizes)
    if norm == "ortho":
        return 1 / math.sqrt(count)
    return 1 / count if (norm == "forward") != inverse else 1.0


def _scaled(b: Backend[Any], pair: tuple[Any, Any], dtype: DType, factor: float) -> Complex:
    re, im = (v if factor == 1 else b.mul(v, factor) for v in pair)
    return Complex(wrap(re, b, dtype), wrap(im, b, dtype))


_behind_the_edge(globals(), __name__)
