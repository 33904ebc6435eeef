"""Batch normalisation."""

from __future__ import annotations

from typing import ClassVar

from everygrad.functional.norm import batch_norm
from everygrad.nn.build import Place
from everygrad.nn.running_norm import RunningNorm
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import need_tensor
from everygrad_ops import DType, ShapeError

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]


class _BatchNorm(RunningNorm):
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
        super().__init__(num_features, eps, momentum, affine, track_running_stats, bias, dtype, backend)

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
