"""Special functions on torch."""

from __future__ import annotations

import torch
from typing_extensions import override

from everygrad_ops.special import SpecialOps
from everygrad_torch.arrays import Array


class TorchSpecial(SpecialOps[Array]):
    """ATen's own, on the device."""

    @override
    def erf(self, x: Array) -> Array:
        return torch.erf(x)
