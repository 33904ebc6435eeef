"""Attention on NumPy: block by block of heads and queries, so that a block's scores stay in the cache."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from typing_extensions import override

from everygrad_numpy.arrays import LOW, Array
from everygrad_ops import Backend
from everygrad_ops.attention import AttentionOps, Four
from everygrad_ops.attention_parts import AttentionOptions, check_attention

_BLOCK = 1 << 17
"""Scores per block."""
Slices = tuple[slice, slice, slice]


class NumpyAttention(AttentionOps[Array]):
    """The scores are computed in blocks, and again in the backward pass; they are never there as a whole."""

    @override
    def attention_with_lse(
        self: Backend[Array], q: Array, k: Array, v: Array, mask: Array | None, options: AttentionOptions
    ) -> tuple[Array, Array]:
        check_attention("attention", self, q, k, v, mask, options)
        if q.dtype in LOW:
            wide = _wide(q), _wide(k), _wide(v)
            out, lse = self.attention_with_lse(*wide, _wide_mask(mask), options)
            return out.astype(q.dtype), lse
        if not q.size or not k.size:
            return _default(self, q, k, v, mask, options)
        heads = _heads(q, k, v, mask, options)
        out = np.empty((*heads.q.shape[:-1], v.shape[-1]), q.dtype)
        lse = np.empty(heads.q.shape[:-1], q.dtype)
        with np.errstate(all="ignore"):
            for at in _blocks(heads):
                scores, _ = _scores(heads, at, options)
                top = scores.max(-1, keepdims=True)
                if heads.is_masked:
                    top[top == -math.inf] = 0  # a query that may look nowhere
                scores -= top
                np.exp(scores, scores)
                total = scores.sum(-1, keepdims=True)
                lse[at] = (np.log(total) + top)[..., 0]
                if heads.is_masked:
                    total[total == 0] = 1
                out[at] = np.matmul(scores, heads.v[at[:2]]) / total
        return out.reshape(*q.shape[:-1], v.shape[-1]), lse.reshape(q.shape[:-1])

    @override
    def attention_backward(
        self: Backend[Array],
        grad: Array,
        q: Array,
        k: Array,
        v: Array,
        mask: Array | None,
        options: AttentionOptions,
        needs: tuple[bool, bool, bool, bool],
        out: Array | None = None,
        lse: Array | None = None,
    ) -> Four[Array]:
        check_attention("attention_backward", self, q, k, v, mask, options)
        if q.dtype in LOW:
            known = None if out is None or lse is None else out.astype(np.float32)
            wide = _wide(grad), _wide(q), _wide(k), _wide(v)
            found = self.attention_backward(
                *wide, _wide_mask(mask), options, needs, known, None if known is None else lse
            )
            gq, gk, gv, gm = (None if g is None else g.astype(q.dtype) for g in found)
            return gq, gk, gv, gm
        if needs[3] or not q.size or not k.size or not v.size:
            return _default_backward(self, grad, q, k, v, mask, options, needs)
        if out is None or lse is None:
            out, lse = self.attention_with_lse(q, k, v, mask, options)
        heads = _heads(q, k, v, mask, options)
        lead, scale = heads.q.shape[:-1], heads.q.dtype.type(options.scale_for(q.shape[-1]))
        up, lse = grad.reshape(*lead, v.shape[-1]), lse.reshape(*lead, 1)
        with np.errstate(all="ignore"):
            along = np.sum(grad * out, -1).reshape(*lead, 1)
            lse = np.where(lse == -math.inf, 0, lse) if heads.is_masked else lse
            gq, gk, gv = np.empty_like(heads.q), np.zeros_like(heads.k), np.zeros_like(heads.v)
            for at in _blocks(heads):
                weights, bend = _scores(heads, at, options)
                weights -= lse[at]
                np.exp(weights, weights)
                kv = at[:2]
                gv[kv] += np.matmul(weights.swapaxes(-1, -2), up[at])
                rise = np.matmul(up[at], heads.v[kv].swapaxes(-1, -2))
                rise -= along[at]
                rise *= weights
                if bend is not None:
                    rise = np.where(rise == 0, 0, rise * bend)
                gq[at] = np.matmul(rise, heads.k[kv])
                gk[kv] += np.matmul(rise.swapaxes(-1, -2), heads.q[at])  # of queries that are scaled already
            gq *= scale
        return (
            gq.reshape(q.shape) if needs[0] else None,
            _to_key_heads(gk, k.shape) if needs[1] else None,
            _to_key_heads(gv, v.shape) if needs[2] else None,
            None,
        )


_default: Callable[..., tuple[Array, Array]] = Backend[Array].attention_with_lse
_default_backward: Callable[..., Four[Array]] = Backend[Array].attention_backward


class Heads(NamedTuple):
    """The operands as (batch, heads, length, width); q is scaled, and no key that nobody sees is left.

    `bias` is what is added to the scores, or None: the mask, 0 and -inf for a boolean one.
    """

    q: Array
    k: Array
    v: Array
    bias: Array | None
    future: Array | None
    is_masked: bool
    is_finite: bool


def _heads(q: Array, k: Array, v: Array, mask: Array | None, options: AttentionOptions) -> Heads:
    if options.enable_gqa:
        group = q.shape[-3] // k.shape[-3]
        k, v = np.repeat(k, group, -3), np.repeat(v, group, -3)
    rows, columns = q.shape[-2], k.shape[-2]
    if mask is not None and mask.ndim < 2:
        mask = mask.reshape(1, -1)
    if mask is not None and q.ndim > 4:
        mask = np.broadcast_to(mask, (*q.shape[:-2], *mask.shape[-2:]))
    q, k, v = _four(q), _four(k), _four(v)
    mask = None if mask is None else _four(mask)
    order: Array = np.arange(columns, dtype=np.int64)
    if mask is not None or (options.is_causal and columns > rows):
        seen: Array = np.ones((1, 1, 1, columns), np.bool_)
        if mask is not None:
            given: Array = mask if mask.dtype == np.bool_ else np.not_equal(mask, -math.inf)
            seen = np.logical_and(seen, np.any(given, -2, keepdims=True))
        if options.is_causal:
            seen = np.logical_and(seen, order < rows)
        if not seen.all():
            seen = seen.swapaxes(-1, -2)
            k, v = np.where(seen, k, k.dtype.type(0)), np.where(seen, v, v.dtype.type(0))
    future: Array | None = None
    if options.is_causal:
        queries: Array = np.arange(rows, dtype=np.int64)
        future = _bias(np.less(queries[:, None], order), q)
    if mask is not None and mask.dtype == np.bool_:
        mask = _bias(np.logical_not(mask), q)
    with np.errstate(all="ignore"):
        q = q * q.dtype.type(options.scale_for(q.shape[-1]))
        is_finite = bool(np.isfinite(q.sum() + k.sum()))
    return Heads(q, k, v, mask, future, mask is not None, is_finite)


def _bias(forbidden: Array, q: Array) -> Array:
    """-inf where forbidden, else 0."""
    bias = np.zeros(forbidden.shape, q.dtype)
    bias[forbidden] = -math.inf
    return bias


def _four(x: Array) -> Array:
    """Of four dims: ones in front, or the first ones as one."""
    shape = (*(1,) * (4 - x.ndim), *x.shape)
    return x.reshape(math.prod(shape[:-3]), *shape[-3:])


def _blocks(heads: Heads) -> Iterator[Slices]:
    """Slices of batch, heads and queries with about `_BLOCK` scores each."""
    batch, count, rows = heads.q.shape[:3]
    columns = heads.k.shape[2]
    width = max(1, min(rows, _BLOCK // columns))
    deep = max(1, min(count, _BLOCK // (width * columns))) if width == rows else 1
    many = max(1, _BLOCK // (deep * width * columns)) if deep == count else 1
    for b in range(0, batch, many):
        for h in range(0, count, deep):
            for r in range(0, rows, width):
                yield slice(b, b + many), slice(h, h + deep), slice(r, r + width)


def _scores(heads: Heads, at: Slices, options: AttentionOptions) -> tuple[Array, Array | None]:
    """(a block of scores, -inf where forbidden; the slope of the softcap, if there is one)."""
    scores: Array = np.matmul(heads.q[at], heads.k[at[:2]].swapaxes(-1, -2))
    bend = None
    if options.softcap is not None:
        cap = scores.dtype.type(options.softcap)
        scores /= cap
        np.tanh(scores, scores)
        bend = 1 - scores * scores
        scores *= cap
    if heads.bias is not None:
        _add(
            scores,
            heads.bias[tuple(s if n > 1 else slice(None) for s, n in zip(at, heads.bias.shape))],
            heads,
        )
    if heads.future is not None:
        _add(scores, heads.future[at[2]], heads)
    return scores, bend


def _add(scores: Array, bias: Array, heads: Heads) -> None:
    """-inf forbids, whatever the score is."""
    scores += bias
    if not heads.is_finite:
        np.copyto(scores, -math.inf, where=bias == -math.inf)


def _to_key_heads(grad: Array, shape: tuple[int, ...]) -> Array:
    """The gradient of k or v, summed over the heads that one of theirs served."""
    if grad.size != math.prod(shape):
        grad = grad.reshape(-1, shape[-3], grad.shape[-3] // shape[-3], *shape[-2:]).sum(2)
    return grad.reshape(shape)


def _wide(x: Array) -> Array:
    return x.astype(np.float32)


def _wide_mask(mask: Array | None) -> Array | None:
    return mask if mask is None or mask.dtype == np.bool_ else mask.astype(np.float32)
