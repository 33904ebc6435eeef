"""Attention: queries look up keys and take a weighted mean of values; float16 and bfloat16 through float32."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.attention_parts import (
    AttentionOptions,
    allowed_pairs,
    check_attention,
    masked_scores,
    only_seen,
    per_query_head,
    to_key_heads,
    weights_of,
)
from everygrad_ops.marks import caches, outputs
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")
Four = tuple[A | None, A | None, A | None, A | None]


class AttentionOps(Protocol[A]):
    """q is (..., L, E), k (..., S, E), v (..., S, D), with equal leading sizes; mask broadcasts to (..., L, S).

    A boolean mask says True where a query may look; a float mask, of q's dtype, is added to the scores.
    A query that may look nowhere gives zeros and zero gradients. Keys and values that no query may look
    at are never read, so NaN there does not matter.
    """

    def attention(self: Backend[A], q: A, k: A, v: A, mask: A | None, options: AttentionOptions) -> A:
        """softmax(scale * q k^T + mask) v: (..., L, D). See `AttentionOptions` for the rest.

        Source: Vaswani et al., "Attention is all you need", 2017.
        """
        return self.attention_with_lse(q, k, v, mask, options)[0]

    @outputs("out", "lse")
    def attention_with_lse(
        self: Backend[A], q: A, k: A, v: A, mask: A | None, options: AttentionOptions
    ) -> tuple[A, A]:
        """(attention, the logsumexp of each query's scores (..., L)); -inf for one that may look nowhere."""
        check_attention("attention", self, q, k, v, mask, options)
        dtype, allowed = self.dtype(q), allowed_pairs(self, q, k, mask, options)
        q, k, v = wide(self, q), wide(self, k), wide(self, v)
        if options.enable_gqa:
            k, v = per_query_head(self, q, k), per_query_head(self, q, v)
        scores = masked_scores(self, q, only_seen(self, k, allowed), mask, allowed, options)[0]
        weights = weights_of(self, scores, allowed)
        out = self.matmul(weights, only_seen(self, v, allowed))
        return narrow(self, out, dtype), self.logsumexp(scores, (len(self.shape(q)) - 1,))

    def attention_weights(self: Backend[A], q: A, k: A, mask: A | None, options: AttentionOptions) -> A:
        """softmax(scale * q k^T + mask): (..., L, S), zeros for a query that may look nowhere."""
        check_attention("attention_weights", self, q, k, k, mask, options)
        dtype, allowed = self.dtype(q), allowed_pairs(self, q, k, mask, options)
        q, k = wide(self, q), wide(self, k)
        if options.enable_gqa:
            k = per_query_head(self, q, k)
        scores = masked_scores(self, q, only_seen(self, k, allowed), mask, allowed, options)[0]
        return narrow(self, weights_of(self, scores, allowed), dtype)

    @caches("out", "lse")
    @outputs("grad_q", "grad_k", "grad_v", "grad_mask")
    def attention_backward(
        self: Backend[A],
        grad: A,
        q: A,
        k: A,
        v: A,
        mask: A | None,
        options: AttentionOptions,
        needs: tuple[bool, bool, bool, bool],
        out: A | None = None,
        lse: A | None = None,
    ) -> tuple[A | None, A | None, A | None, A | None]:
        """The gradients of `attention` in q, k, v and a float mask; those not in `needs` are None.

        `out` and `lse`, from `attention_with_lse`, save going over the scores once more.
        """
        check_attention("attention_backward", self, q, k, v, mask, options)
        rank, dtype, sizes = len(self.shape(q)), self.dtype(q), (self.shape(k), self.shape(v))
        turned = (*range(rank - 2), rank - 1, rank - 2)
        allowed = allowed_pairs(self, q, k, mask, options)
        grad, q, k, v = (wide(self, x) for x in (grad, q, k, v))
        if options.enable_gqa:
            k, v = per_query_head(self, q, k), per_query_head(self, q, v)
        k, v = only_seen(self, k, allowed), only_seen(self, v, allowed)
        scores, bend = masked_scores(self, q, k, mask, allowed, options)
        weights = weights_of(self, scores, allowed)
        grad_q = grad_k = grad_v = grad_mask = None
        if needs[2]:
            grad_v = to_key_heads(self, self.matmul(self.permute(weights, turned), grad), sizes[1])
            grad_v = narrow(self, grad_v, dtype)
        if not (needs[0] or needs[1] or needs[3]):
            return None, None, grad_v, None
        rise = self.matmul(grad, self.permute(v, turned))
        rise = self.mul(weights, self.sub(rise, self.sum(self.mul(weights, rise), (rank - 1,), True)))
        if needs[3] and mask is not None and self.dtype(mask).is_floating:
            grad_mask = narrow(self, self.sum_to(rise, self.shape(mask)), dtype)
        if bend is not None:
            rise = self.mul0(rise, bend)
        scale = options.scale_for(self.shape(q)[-1])
        if needs[0]:
            grad_q = narrow(self, self.mul(self.matmul(rise, k), scale), dtype)
        if needs[1]:
            grad_k = self.mul(self.matmul(self.permute(rise, turned), q), scale)
            grad_k = narrow(self, to_key_heads(self, grad_k, sizes[0]), dtype)
        return grad_q, grad_k, grad_v, grad_mask
