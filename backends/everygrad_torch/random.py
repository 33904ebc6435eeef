"""Random arrays on torch: a generator per seed."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops import DType
from everygrad_ops.random import RandomOps
from everygrad_torch.arrays import TO_TORCH, Array


class TorchRandom(RandomOps[Array]):
    """Pure functions of the seed; torch's global generator is never touched."""

    _device: torch.device

    @override
    def uniform(self, shape: tuple[int, ...], seed: int, dtype: DType) -> Array:
        wide = torch.float64 if dtype is DType.float64 else torch.float32
        drawn = torch.rand(shape, generator=self._generator(seed), dtype=wide, device=self._device)
        if dtype in _DROPPED:  # round down, so that no draw becomes 1
            drawn = (drawn.view(torch.int32) & _DROPPED[dtype]).view(torch.float32)
        return drawn.to(TO_TORCH[dtype])

    @override
    def normal(self, shape: tuple[int, ...], seed: int, dtype: DType) -> Array:
        wide = torch.float64 if dtype is DType.float64 else torch.float32
        drawn = torch.randn(shape, generator=self._generator(seed), dtype=wide, device=self._device)
        return drawn.to(TO_TORCH[dtype])

    def _generator(self, seed: int) -> torch.Generator:
        generator = torch.Generator(self._device)
        generator.manual_seed(seed % 2**63)
        return generator


_DROPPED = {DType.float16: ~0x1FFF, DType.bfloat16: ~0xFFFF}
"""Which bits of a float32 low precision keeps."""
