"""A softmax over very many classes in clusters: the rare ones cost little."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from typing_extensions import override

from everygrad.functional.activation import log_softmax
from everygrad.functional.creation import tensor
from everygrad.functional.indexing import gather, index_add, index_select
from everygrad.functional.shape import cat
from everygrad.nn.build import Place
from everygrad.nn.container import ModuleList, Sequential
from everygrad.nn.linear import Linear
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad.tensor.convert import values
from everygrad_ops import DType, DTypeError, ShapeError

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class AdaptiveLoss(NamedTuple):
    """What `AdaptiveLogSoftmaxWithLoss` returns."""

    output: Tensor
    """The log-probability of each target."""
    loss: Tensor
    """Their mean, negated."""


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of `n_classes` classes, numbered from the most frequent to the rarest.

    `cutoffs` say where clusters begin: classes below the first stand in the head, with one entry per cluster, and
    cluster i is a Linear to in_features / div_value ** (i + 1) and one to its classes. forward(input (N, in_features),
    target (N,)) returns (output (N,), loss): only the clusters that have a target are computed.
    Source: Grave et al., "Efficient softmax approximation for GPUs", 2016.

    >>> import everygrad as eg
    >>> layer = eg.nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[4, 10], div_value=2.0)
    >>> output, loss = layer(eg.ones(3, 8), eg.tensor([0, 5, 19]))
    >>> output.shape, loss.shape, layer.log_prob(eg.ones(3, 8)).shape
    ((3,), (), (3, 20))
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        starts = list(cutoffs)
        whole = all(isinstance(n, int) for n in starts)  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        if not starts or not whole or starts != sorted({*starts}) or starts[0] < 1 or starts[-1] >= n_classes:
            raise ValueError(
                "AdaptiveLogSoftmaxWithLoss: cutoffs must be rising integers from 1 to n_classes - 1. "
                f"Received: {starts} for n_classes={n_classes}"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*starts, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.head = Linear(in_features, starts[0] + len(starts), bias=head_bias, dtype=dtype, backend=backend)
        self.tail = ModuleList(
            Sequential(
                Linear(in_features, width, bias=False, dtype=dtype, backend=backend),
                Linear(width, stop - start, bias=False, dtype=dtype, backend=backend),
            )
            for i, (start, stop) in enumerate(pairwise(self.cutoffs))
            for width in [int(in_features // div_value ** (i + 1))]
        )

    def reset_parameters(self) -> None:
        """Draw new values, as for a new layer."""
        for part in self.modules():
            if isinstance(part, Linear):
                part.reset_parameters()

    def forward(self, input: Tensor, target: Tensor) -> AdaptiveLoss:
        """(the log-probability of each target, minus their mean)."""
        rows, classes = self._checked(input, target)
        chosen = values(classes)
        head = log_softmax(self.head.forward(rows), -1)
        first = self.cutoffs[0]
        cluster = np.searchsorted(self.cutoffs, chosen, side="right")  # 0 is the head's own classes
        place = np.where(cluster == 0, chosen, first + cluster - 1)
        output = _picked(head, place)
        for i, start in enumerate(self.cutoffs[:-1]):
            (members,) = np.nonzero(cluster == i + 1)
            if len(members):
                at = tensor(members, backend=rows.backend)
                inside = log_softmax(self.tail[i](index_select(rows, 0, at)), -1)
                output = index_add(output, 0, at, _picked(inside, chosen[members] - start))
        loss = -output.mean()
        return AdaptiveLoss(output if input.ndim == 2 else output[0], loss)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities (N, n_classes) of every class."""
        head = log_softmax(self.head.forward(input), -1)
        first = self.cutoffs[0]
        parts = [head[..., :first]]
        for i, cluster in enumerate(self.tail):
            parts.append(log_softmax(cluster(input), -1) + head[..., first + i : first + i + 1])
        return cat(parts, -1)

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each row (N,)."""
        return self.log_prob(input).argmax(-1)

    def _checked(self, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Rows and their classes, of a batch or of a single row."""
        if target.dtype.is_floating or target.dtype is DType.bool_:
            raise DTypeError(
                f"AdaptiveLogSoftmaxWithLoss: target must be integers. Received: {target.dtype}; write target.long()"
            )
        fits = input.ndim in (1, 2) and input.shape[-1] == self.in_features
        if not fits or target.shape != input.shape[:-1]:
            raise ShapeError(
                f"AdaptiveLogSoftmaxWithLoss: needs input (N, {self.in_features}) and target (N,), or both without N. "
                f"Received: input of shape {input.shape}, target of shape {target.shape}"
            )
        host = values(target)
        if host.size and not (host.min() >= 0 and host.max() < self.n_classes):
            raise IndexError(
                f"AdaptiveLogSoftmaxWithLoss: target must be from 0 to {self.n_classes - 1}. "
                f"Received: from {host.min()} to {host.max()}"
            )
        return input.reshape(-1, self.in_features), target.reshape(-1)

    @override
    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, n_classes={self.n_classes}, cutoffs={self.cutoffs[:-1]}"


def _picked(rows: Tensor, places: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Tensor:
    """One entry of each row."""
    return gather(rows, 1, tensor(places.reshape(-1, 1), dtype=DType.int64, backend=rows.backend)).squeeze(1)
