"""Embedding on torch."""

from __future__ import annotations

from collections.abc import Callable

import torch
from typing_extensions import override

from everygrad_ops.embedding import EmbeddingOps
from everygrad_ops.errors import bad_index, misfit
from everygrad_torch.arrays import LOW, Array, kernel

_embedding: Callable[[Array, Array], Array] = kernel(torch.ops.aten.embedding.default)
_dense_backward: Callable[[Array, Array, int, int, bool], Array] = kernel(
    torch.ops.aten.embedding_dense_backward.default
)


class TorchEmbedding(EmbeddingOps[Array]):
    """The forward kernel checks its indices on the CPU; the backward one does not, so that is done here."""

    @override
    def embedding(
        self,
        weight: Array,
        indices: Array,
        padding_idx: int | None = None,
        scale_grad_by_freq: bool = False,
    ) -> Array:
        try:
            return _embedding(weight, indices)
        except (RuntimeError, IndexError) as error:
            _check("embedding", indices, weight.shape[0])
            raise misfit("embedding", error, weight=weight, indices=indices) from None

    @override
    def embedding_backward(
        self,
        grad: Array,
        indices: Array,
        num_weights: int,
        padding_idx: int | None = None,
        scale_grad_by_freq: bool = False,
    ) -> Array:
        _check("embedding_backward", indices, num_weights)
        if grad.shape[:-1] != indices.shape:
            reason = ValueError("grad is (indices..., width)")
            raise misfit("embedding_backward", reason, grad=grad, indices=indices)
        wide = grad.to(torch.float32) if grad.dtype in LOW else grad
        padding = -1 if padding_idx is None else padding_idx
        return _dense_backward(wide, indices, num_weights, padding, scale_grad_by_freq).to(grad.dtype)


def _check(op: str, indices: Array, size: int) -> None:
    if indices.numel():
        low, high = (int(bound) for bound in torch.aminmax(indices))
        if low < 0 or high >= size:
            raise bad_index(op, low, high, size)
