"""Normalisation of channels, in groups or one by one."""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override

from everygrad.functional.group_norm import group_norm, instance_norm
from everygrad.nn.build import Place, parameter, reset_scale_and_shift
from everygrad.nn.init import ones_
from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.nn.running_norm import RunningNorm
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import need_tensor
from everygrad_ops import DType, ShapeError

__all__ = ["GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class GroupNorm(Module):
    """Each of `num_groups` runs of channels of each sample to mean 0 and variance 1, then weight and bias.

    >>> import everygrad as eg
    >>> eg.nn.GroupNorm(2, 4)(eg.ones(3, 4, 5)).shape
    (3, 4, 5)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
        bias: bool = True,
    ) -> None:
        if num_groups < 1 or num_channels % num_groups:
            raise ShapeError(
                "GroupNorm: num_channels must divide by num_groups. "
                f"Received: num_groups={num_groups}, num_channels={num_channels}; write a divisor of the channels"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        size = (num_channels,)
        self.weight: Parameter | None = ones_(parameter(size, dtype, backend)) if affine else None
        self.bias: Parameter | None = parameter(size, dtype, backend) if affine and bias else None

    def reset_parameters(self) -> None:
        """As a new layer: ones and zeros."""
        reset_scale_and_shift(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """(N, num_channels, ...), normalised."""
        return group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    @override
    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class _InstanceNorm(RunningNorm):
    """What the ranks share; with `track_running_stats`, use outside of training is by the running statistics."""

    rank: ClassVar[int]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        *,
        dtype: DType | None = None,
        backend: Place = None,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, bias, dtype, backend)

    def forward(self, input: Tensor) -> Tensor:
        """(N, num_features, ...), or one sample without N: each channel of each sample normalised."""
        need_tensor(type(self).__name__, "input", input)
        alone = input.ndim == self.rank + 1
        if input.ndim not in (self.rank + 1, self.rank + 2) or input.shape[not alone] != self.num_features:
            raise ShapeError(
                f"{type(self).__name__}: input must be (N, {self.num_features}, ...) with {self.rank} dims more, "
                f"or without N. Received: shape {input.shape}"
            )
        batch = input.reshape(1, *input.shape) if alone else input
        by_input = self.training or self.running_mean is None
        running = self.running_mean, self.running_var
        share = 0.0 if self.momentum is None else self.momentum
        out = instance_norm(batch, *running, self.weight, self.bias, by_input, share, self.eps)
        return out.reshape(*input.shape) if alone else out


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (N, C, L), or (C, L).

    >>> import everygrad as eg
    >>> eg.nn.InstanceNorm1d(1, eps=0.0)(eg.tensor([[[1.0, 3.0]]])).tolist()
    [[[-1.0, 1.0]]]
    """

    rank = 1


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of images (N, C, H, W), or (C, H, W).

    >>> import everygrad as eg
    >>> norm = eg.nn.InstanceNorm2d(3, affine=True, track_running_stats=True)
    >>> norm(eg.ones(2, 3, 4, 4)).shape, norm.running_mean.tolist()
    ((2, 3, 4, 4), [0.10000000149011612, 0.10000000149011612, 0.10000000149011612])
    """

    rank = 2


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of volumes (N, C, D, H, W), or (C, D, H, W).

    >>> import everygrad as eg
    >>> eg.nn.InstanceNorm3d(3)(eg.ones(2, 3, 2, 2, 2)).shape
    (2, 3, 2, 2, 2)
    """

    rank = 3
