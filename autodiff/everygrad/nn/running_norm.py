"""What batch and instance norm share: a scale and a shift per channel, and statistics of what was seen."""

from __future__ import annotations

from typing_extensions import override

from everygrad.functional.creation import tensor
from everygrad.nn.build import Place, buffer, parameter, reset_scale_and_shift
from everygrad.nn.init import ones_, zeros_
from everygrad.nn.module import Module
from everygrad.nn.parameter import Buffer, Parameter
from everygrad_ops import DType


class RunningNorm(Module):
    """Parameters and buffers under torch's names, None where they are not asked for."""

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        bias: bool,
        dtype: DType | None,
        backend: Place,
    ) -> None:
        if not eps >= 0:
            raise ValueError(f"{type(self).__name__}: eps must not be negative. Received: {eps!r}")
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        size = (num_features,)
        self.weight: Parameter | None = ones_(parameter(size, dtype, backend)) if affine else None
        self.bias: Parameter | None = parameter(size, dtype, backend) if affine and bias else None
        self.running_mean: Buffer | None = None
        self.running_var: Buffer | None = None
        self.num_batches_tracked: Buffer | None = None
        if track_running_stats:
            self.running_mean = buffer(size, dtype, backend)
            self.running_var = ones_(buffer(size, dtype, backend))
            self.num_batches_tracked = Buffer(tensor(0, backend=backend))

    def reset_running_stats(self) -> None:
        """Forget what was seen so far."""
        for running in (self.running_mean, self.num_batches_tracked):
            if running is not None:
                zeros_(running)
        if self.running_var is not None:
            ones_(self.running_var)

    def reset_parameters(self) -> None:
        """As a new layer: ones and zeros, and nothing seen."""
        self.reset_running_stats()
        reset_scale_and_shift(self.weight, self.bias)

    @override
    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )
