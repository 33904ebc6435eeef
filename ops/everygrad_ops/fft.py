"""Fourier transforms along one dim, of any size, as (real, imaginary) pairs: the optional group.

Pairs have the imaginary part second. No transform is scaled but `irfft`, which divides by n.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops import lapack
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
        check_signal("rfft", self, dim, x)
        re, im = all_on_host(self, functools.partial(lapack.rfft, dim=dim), x)
        return re, im

    @optional
    def irfft(self: Backend[A], re: A, im: A, n: int, dim: int) -> A:
        """The real signal of `n` elements whose `rfft` is given by its n // 2 + 1 coefficients.

        The imaginary part of the first, and for even n of the last, does not count.
        """
        check_halves("irfft", self, re, im, n, dim)
        return on_host(self, functools.partial(lapack.irfft, n=n, dim=dim), re, im)

    @optional
    @outputs("re", "im")
    def fft(self: Backend[A], re: A, im: A, dim: int, inverse: bool = False) -> tuple[A, A]:
        """The sums over j of (re + i im)[j] exp(-2 pi i j k / n) for k from 0 to n - 1.

        With `inverse`, of exp(2 pi i j k / n): not divided by n.
        """
        check_signal("fft", self, dim, re, im)
        re, im = all_on_host(self, functools.partial(lapack.fft, dim=dim, inverse=inverse), re, im)
        return re, im


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
