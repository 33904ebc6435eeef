"""Embedding on NumPy."""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array, hushed
from everygrad_ops.embedding import EmbeddingOps
from everygrad_ops.errors import bad_index, misfit


@hushed
class NumpyEmbedding(EmbeddingOps[Array]):
    """Rows by `take`; sums over repeated indices by one sorted pass."""

    @override
    def embedding(
        self,
        weight: Array,
        indices: Array,
        padding_idx: int | None = None,
        scale_grad_by_freq: bool = False,
    ) -> Array:
        try:
            if indices.size and indices.min() < 0:
                raise IndexError
            return np.take(weight, indices, 0)
        except IndexError:
            raise bad_index("embedding", int(indices.min()), int(indices.max()), weight.shape[0]) from None

    @override
    def embedding_backward(
        self,
        grad: Array,
        indices: Array,
        num_weights: int,
        padding_idx: int | None = None,
        scale_grad_by_freq: bool = False,
    ) -> Array:
        if grad.shape[:-1] != indices.shape:
            reason = ValueError("grad is (indices..., width)")
            raise misfit("embedding_backward", reason, grad=grad, indices=indices)
        table = np.zeros((num_weights, grad.shape[-1]), grad.dtype)
        if not indices.size:
            return table
        flat = indices.reshape(-1)
        order = np.argsort(flat, kind="stable")
        ordered = flat[order]
        low, high = int(ordered[0]), int(ordered[-1])
        if low < 0 or high >= num_weights:
            raise bad_index("embedding_backward", low, high, num_weights)
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        rows = grad.reshape(indices.size, grad.shape[-1])[order]
        summed = np.add.reduceat(rows, starts, 0, np.float32 if grad.dtype in LOW else None)
        if scale_grad_by_freq:
            summed = summed / np.diff(starts, append=indices.size).astype(summed.dtype)[:, None]
        table[ordered[starts]] = summed
        if padding_idx is not None:
            table[padding_idx] = 0
        return table
