"""Fourier transforms on torch; float16 and bfloat16 through float32."""

from __future__ import annotations

from typing import Any

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.fft import FftOps, check_halves, check_signal
from everygrad_torch.arrays import LOW, Array

_fft: Any = torch.fft


class TorchFft(FftOps[Array]):
    """torch.fft, on the tensor's device."""

    @override
    def rfft(self: Backend[Array], x: Array, dim: int) -> tuple[Array, Array]:
        check_signal("rfft", self, dim, x)
        if x.numel() == 0:  # which the kernels refuse
            shape = (*x.shape[:dim], x.shape[dim] // 2 + 1, *x.shape[dim + 1 :])
            return x.new_zeros(shape), x.new_zeros(shape)
        return _pair(_fft.rfft(_float(x), dim=dim), x)

    @override
    def irfft(self: Backend[Array], re: Array, im: Array, n: int, dim: int) -> Array:
        check_halves("irfft", self, re, im, n, dim)
        if re.numel() == 0:
            return re.new_zeros((*re.shape[:dim], n, *re.shape[dim + 1 :]))
        z = torch.complex(_float(re), _float(im))
        ends = [0, n // 2] if n % 2 == 0 else [0]
        z.imag.index_fill_(dim, torch.tensor(ends, device=z.device), 0.0)  # the kernel may read them
        out: Array = _fft.irfft(z, n, dim=dim)
        return out.to(re.dtype)

    @override
    def fft(
        self: Backend[Array], re: Array, im: Array, dim: int, inverse: bool = False
    ) -> tuple[Array, Array]:
        check_signal("fft", self, dim, re, im)
        if re.numel() == 0:
            return torch.zeros_like(re), torch.zeros_like(im)
        z = torch.complex(_float(re), _float(im))
        if inverse:
            return _pair(_fft.ifft(z, dim=dim, norm="forward"), re)
        return _pair(_fft.fft(z, dim=dim), re)


def _pair(z: Array, like: Array) -> tuple[Array, Array]:
    return z.real.to(like.dtype).contiguous(), z.imag.to(like.dtype).contiguous()


def _float(x: Array) -> Array:
    return x.float() if x.dtype in LOW else x
