"""Fourier transforms along one dim, of any size, as (real, imaginary) pairs: the optional group.

Pairs have the imaginary part second. No transform is scaled but `irfft`, which divides by n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from everygrad_ops.checks import check_dim
from everygrad_ops.errors import DTypeError, ShapeError, mixed_dtypes
from everygrad_ops.host import all_on_host, on_host
from everygrad_ops.marks import optional, outputs

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class FftOps(Protocol[A]):
    """Each is linear; n is the size along `dim`."""

    @optional
    @outputs("re", "im")
    def rfft(self: Backend[A], x: A, dim: int) -> tuple[A, A]:
        """The sums over j of x[j] exp(-2 pi i j k / n) for k from 0 to n // 2."""
        import numpy as np

        check_signal("rfft", self, dim, x)
        re, im = all_on_host(self, lambda v: pair_of(np.fft.rfft(v, axis=dim)), x)
        return re, im

    @optional
    def irfft(self: Backend[A], re: A, im: A, n: int, dim: int) -> A:
        """The real signal of `n` elements whose `rfft` is given by its n // 2 + 1 coefficients.

        The imaginary part of the first, and for even n of the last, does not count.
        """
        import numpy as np

        check_halves("irfft", self, re, im, n, dim)
        return on_host(self, lambda r, i: np.fft.irfft(real_ends(r, i, n, dim), n, axis=dim), re, im)

    @optional
    @outputs("re", "im")
    def fft(self: Backend[A], re: A, im: A, dim: int, inverse: bool = False) -> tuple[A, A]:
        """The sums over j of (re + i im)[j] exp(-2 pi i j k / n) for k from 0 to n - 1; with `inverse`, of
        exp(2 pi i j k / n), not divided by n.
        """
        import numpy as np

        check_signal("fft", self, dim, re, im)
        way: Any = np.fft.ifft if inverse else np.fft.fft
        norm = "forward" if inverse else "backward"
        re, im = all_on_host(self, lambda r, i: pair_of(way(r + 1j * i, axis=dim, norm=norm)), re, im)
        return re, im


def pair_of(z: Any) -> tuple[Any, Any]:
    """(real, imaginary) parts of a complex NumPy array."""
    return z.real, z.imag


def real_ends(re: Any, im: Any, n: int, dim: int) -> Any:
    """re + i im of NumPy arrays, with the coefficients real that must be."""
    import numpy as np

    z = np.moveaxis(re + 1j * im, dim, -1)
    z[..., 0] = z[..., 0].real
    if n % 2 == 0:
        z[..., -1] = z[..., -1].real
    return np.moveaxis(z, -1, dim)


def check_signal(op: str, b: Backend[A], dim: int, *xs: A) -> tuple[int, ...]:
    """Refuse what is no signal of floats with at least one element; the shape of the first."""
    shape, dtype = b.shape(xs[0]), b.dtype(xs[0])
    check_dim(op, dim, len(shape))
    if not dtype.is_floating:
        raise DTypeError(f"{op}: needs floating-point values. Received: {dtype}; write cast(...)")
    if shape[dim] < 1:
        raise ShapeError(f"{op}: needs at least one element along dim {dim}. Received: shape {shape}")
    for x in xs[1:]:
        if b.shape(x) != shape:
            raise ShapeError(
                f"{op}: re and im must have one shape. Received: shapes {shape} and {b.shape(x)}"
            )
        if b.dtype(x) is not dtype:
            raise mixed_dtypes(op, re=dtype, im=b.dtype(x))
    return shape


def check_halves(op: str, b: Backend[A], re: A, im: A, n: int, dim: int) -> None:
    """Refuse a number of coefficients that is not that of a real signal of `n` elements."""
    shape = check_signal(op, b, dim, re, im)
    if n < 1 or shape[dim] != n // 2 + 1:
        raise ShapeError(
            f"{op}: a signal of n elements has n // 2 + 1 coefficients. Received: n={n}, "
            f"shape {shape}, dim={dim}"
        )
