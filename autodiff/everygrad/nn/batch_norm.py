"""Batch normalisation."""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override

from everygrad.functional.creation import tensor
from everygrad.functional.norm import batch_norm
from everygrad.nn.build import Place, buffer, parameter, reset_scale_and_shift
from everygrad.nn.init import ones_, zeros_
from everygrad.nn.module import Module
from everygrad.nn.parameter import Buffer, Parameter
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import need_tensor
from everygrad_ops import DType, ShapeError

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]


class _BatchNorm(Module):
    """What the ranks share.

    In training the batch's own statistics normalise (the biased variance), and are taken into the running
    ones (the unbiased variance) with weight `momentum`; None means the mean over all batches so far.
    In use the running statistics normalise, or without `track_running_stats` the batch's.
    """

    ranks: ClassVar[tuple[int, ...]]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        bias: bool = True,
        dtype: DType | None = None,
        backend: Place = None,
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

    def forward(self, input: Tensor) -> Tensor:
        """(N, num_features, ...), normalised per channel."""
        need_tensor(type(self).__name__, "input", input)
        if input.ndim not in self.ranks or input.shape[1] != self.num_features:
            raise ShapeError(
                f"{type(self).__name__}: input must be (N, {self.num_features}, ...) of rank "
                f"{' or '.join(map(str, self.ranks))}. Received: shape {input.shape}"
            )
        by_batch = self.training or self.running_mean is None
        running = self.running_mean, self.running_var
        out = batch_norm(input, *running, self.weight, self.bias, by_batch, self._share(), self.eps)
        if self.training and self.num_batches_tracked is not None and input.numel():
            self.num_batches_tracked.assign(self.num_batches_tracked.detach() + 1)
        return out

    def _share(self) -> float:
        """The weight of this batch in the running statistics."""
        if self.momentum is not None:
            return self.momentum
        return 1 / (self.num_batches_tracked.item() + 1) if self.num_batches_tracked is not None else 0.0

    def reset_running_stats(self) -> None:
        """Forget the batches seen so far."""
        if (
            self.running_mean is not None
            and self.running_var is not None
            and self.num_batches_tracked is not None
        ):
            zeros_(self.running_mean)
            ones_(self.running_var)
            zeros_(self.num_batches_tracked)

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


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L).

    >>> import everygrad as eg
    >>> norm = eg.nn.BatchNorm1d(1, eps=0.0)
    >>> norm(eg.tensor([[1.0], [3.0]])).tolist()
    [[-1.0], [1.0]]
    >>> [round(norm.running_mean.item(), 4), round(norm.running_var.item(), 4)]
    [0.2, 1.1]
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of images (N, C, H, W), per channel.

    >>> import everygrad as eg
    >>> norm = eg.nn.BatchNorm2d(3)
    >>> norm(eg.ones(2, 3, 4, 4)).shape, norm.num_batches_tracked.item()
    ((2, 3, 4, 4), 1)
    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of volumes (N, C, D, H, W), per channel.

    >>> import everygrad as eg
    >>> eg.nn.BatchNorm3d(3).eval()(eg.ones(2, 3, 2, 2, 2)).shape
    (2, 3, 2, 2, 2)
    """

    ranks = (5,)
