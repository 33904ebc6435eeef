"""Gradients of Fourier transforms: they are linear, and each adjoint is a transform again."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import gradient, joint_gradient
from everygrad_ops import Backend, DType

A = TypeVar("A")


@gradient("rfft", "x")
def rfft_x(b: Backend[A], g_re: A | None, g_im: A | None, x_shape: tuple[int, ...], dim: int) -> A:
    n = x_shape[dim]
    re, im = _pair(b, g_re, g_im)
    twice = _times(b, re, n, dim)
    return b.irfft(b.mul(b.div(re, twice), n), b.mul(b.div(im, twice), n), n, dim)


@joint_gradient("irfft", "re", "im")
def irfft_all(b: Backend[A], g: A, n: int, dim: int, needs: tuple[bool, bool]) -> tuple[A | None, A | None]:
    re, im = b.rfft(g, dim)
    twice = _times(b, re, n, dim)
    return (
        b.div(b.mul(re, twice), n) if needs[0] else None,
        b.div(b.mul(im, twice), n) if needs[1] else None,
    )


@joint_gradient("fft", "re", "im")
def fft_all(
    b: Backend[A], g_re: A | None, g_im: A | None, dim: int, inverse: bool, needs: tuple[bool, bool]
) -> tuple[A | None, A | None]:
    re, im = b.fft(*_pair(b, g_re, g_im), dim, not inverse)
    return re if needs[0] else None, im if needs[1] else None


def _pair(b: Backend[A], re: A | None, im: A | None) -> tuple[A, A]:
    if re is None:
        assert im is not None
        return b.zeros_like(im), im
    return re, b.zeros_like(re) if im is None else im


def _times(b: Backend[A], like: A, n: int, dim: int) -> A:
    """How often each coefficient of a real signal stands in its full spectrum: 2, at the ends 1."""
    shape = b.shape(like)
    count = b.arange(0, shape[dim], 1, DType.int64)
    single = b.eq(count, 0)
    if n % 2 == 0:
        single = b.logical_or(single, b.eq(count, n // 2))
    times = b.where(single, b.full((shape[dim],), 1, b.dtype(like)), 2)
    return b.reshape(times, tuple(s if d == dim else 1 for d, s in enumerate(shape)))
