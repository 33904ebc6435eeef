"""Attention on torch: the flash kernels of the CPU, in float64 and float32, for what they compute as the contract does.

A float mask is the kernels' own form: boolean masks become 0 and -inf. Their logsumexp of a query that may
look nowhere is 0. They multiply whatever stands under the mask by 0, so where a result is not finite, or keys
that no query sees might leak, those keys are zeroed first, and what is still not finite is computed anew. A
query whose scores are all NaN they take for one that may look nowhere too; its logsumexp of 0 gives it away.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from typing_extensions import override

from everygrad_ops import Backend
from everygrad_ops.attention import AttentionOps, Four
from everygrad_ops.attention_parts import AttentionOptions, check_attention
from everygrad_torch.arrays import LOW, Array, kernel
from everygrad_torch.looks import binding

_aten: Any = torch.ops.aten
_flash: Callable[..., tuple[Array, Array]] = binding("_scaled_dot_product_flash_attention_for_cpu")
_flash_backward: Callable[..., tuple[Array, Array, Array]] = kernel(
    _aten._scaled_dot_product_flash_attention_for_cpu_backward.default
)


class Heads(NamedTuple):
    """The operands as the kernels take them: (batch, heads, length, width), the mask of floats and of four dims."""

    q: Array
    k: Array
    v: Array
    mask: Array | None


class TorchAttention(AttentionOps[Array]):
    """Fused forwards and backwards; softcap, unequal widths, low precision's rounding and GPUs by the default."""

    @override
    def attention_with_lse(
        self: Backend[Array], q: Array, k: Array, v: Array, mask: Array | None, options: AttentionOptions
    ) -> tuple[Array, Array]:
        if mask is None and _is_plain(q, k, v, options):
            out, lse = _flash(q, k, v, 0.0, False, attn_mask=None, scale=options.scale_for(q.shape[3]))
            return (out, lse) if lse.all() else _default(self, q, k, v, mask, options)
        if q.dtype in LOW and k.dtype is v.dtype is q.dtype:
            out, lse = self.attention_with_lse(q.float(), k.float(), v.float(), _wide(mask, q), options)
            return out.to(q.dtype), lse
        check_attention("attention", self, q, k, v, mask, options)
        if not _is_fused(q, k, v, options):
            return _default(self, q, k, v, mask, options)
        heads = _heads(q, k, v, mask)
        scale = options.scale_for(q.shape[-1])
        out, lse = _flash(*heads[:3], 0.0, options.is_causal, attn_mask=heads.mask, scale=scale)
        out, lse = out.reshape(*q.shape[:-1], v.shape[-1]), lse.reshape(q.shape[:-1])
        if mask is None and not lse.all():
            return _default(self, q, k, v, mask, options)
        if mask is None and not options.is_causal:
            return out, lse
        if not math.isfinite(out.sum().item()):
            return _default(self, q, k, v, mask, options)
        if heads.mask is not None:
            dead = _dead(heads, options).expand(lse.reshape(heads.q.shape[:-1]).shape).reshape(lse.shape)
            lse = lse.masked_fill(dead, -math.inf)
            if not lse.all():
                return _default(self, q, k, v, mask, options)
        return out, lse

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
        dtype = q.dtype
        if (
            mask is None
            and out is not None
            and lse is not None
            and grad.shape == out.shape == q.shape
            and grad.dtype is out.dtype is dtype
            and lse.shape == q.shape[:3]
            and _is_plain(q, k, v, options)
        ):
            scale = options.scale_for(q.shape[3])
            gq, gk, gv = _flash_backward(
                _four(grad), q, k, v, out, lse, 0.0, False, attn_mask=None, scale=scale
            )
            return gq if needs[0] else None, gk if needs[1] else None, gv if needs[2] else None, None
        if dtype in LOW and k.dtype is v.dtype is dtype:
            more = None if out is None else out.float()
            wide = (grad.float(), q.float(), k.float(), v.float(), _wide(mask, q))
            found = self.attention_backward(*wide, options, needs, None if lse is None else more, lse)
            return _narrow(found, dtype)
        check_attention("attention_backward", self, q, k, v, mask, options)
        if needs[3] or not _is_fused(q, k, v, options):
            return _default_backward(self, grad, q, k, v, mask, options, needs)
        if out is None or lse is None:
            out, lse = self.attention_with_lse(q, k, v, mask, options)
        heads = _heads(q, k, v, mask)
        up, result = _four(grad), _four(out)
        lse = lse.reshape(heads.q.shape[:-1])
        if mask is not None:
            lse = lse.masked_fill(lse == -math.inf, 0)
        scale = options.scale_for(q.shape[-1])
        gq, gk, gv = _flash_backward(
            up, *heads[:3], result, lse, 0.0, options.is_causal, attn_mask=heads.mask, scale=scale
        )
        if (mask is not None or options.is_causal) and not math.isfinite((gq.sum() + gk.sum()).item()):
            return _default_backward(self, grad, q, k, v, mask, options, needs)
        return (
            gq.reshape(q.shape) if needs[0] else None,
            _to_key_heads(gk, k.shape) if needs[1] else None,
            _to_key_heads(gv, v.shape) if needs[2] else None,
            None,
        )


_default: Callable[..., tuple[Array, Array]] = Backend[Array].attention_with_lse
_default_backward: Callable[..., Four[Array]] = Backend[Array].attention_backward


def _is_plain(q: Array, k: Array, v: Array, options: AttentionOptions) -> bool:
    """Whether the kernels take the operands as they are, and nothing is wrong with them: what most calls are."""
    size = q.shape
    return (
        k.shape == v.shape
        and len(size) == 4
        and size[:2] == k.shape[:2]
        and size[3] == k.shape[3]
        and q.dtype in _FUSED
        and k.dtype is v.dtype is q.dtype
        and q.stride(3) == k.stride(3) == v.stride(3) == 1
        and not (options.is_causal or options.enable_gqa)
        and _is_fused(q, k, v, options)
    )


_FUSED = frozenset({torch.float32, torch.float64})


def _is_fused(q: Array, k: Array, v: Array, options: AttentionOptions) -> bool:
    return (
        options.softcap is None
        and q.is_cpu
        and q.shape[-1] == v.shape[-1]
        and q.numel() > 0
        and k.numel() > 0
    )


def _heads(q: Array, k: Array, v: Array, mask: Array | None) -> Heads:
    """Four dims each; k and v repeated for the heads of q that they serve."""
    group = q.shape[-3] // k.shape[-3] if q.dim() > 2 else 1
    if group > 1:
        k, v = k.repeat_interleave(group, -3), v.repeat_interleave(group, -3)
    if mask is not None:
        if mask.dtype is torch.bool:
            mask = torch.zeros(mask.shape, dtype=q.dtype).masked_fill_(mask.logical_not(), -math.inf)
        mask = mask.expand(*mask.shape[:-2], q.shape[-2], k.shape[-2]) if mask.dim() > 1 else mask
        if q.dim() > 4 or mask.dim() < 2:
            mask = mask.expand(*q.shape[:-1], k.shape[-2])
        mask = _four(mask.contiguous())
        seen = torch.amax(mask, 2, keepdim=True) != -math.inf
        if not seen.all().item():  # what no query sees may be NaN
            hidden = seen.logical_not_().transpose(2, 3)
            return Heads(_four(q), _four(k).masked_fill(hidden, 0), _four(v).masked_fill(hidden, 0), mask)
    return Heads(_four(q), _four(k), _four(v), mask)


def _four(x: Array) -> Array:
    rank = x.dim()
    if x.stride(-1) != 1:  # the kernels take it for granted
        x = x.contiguous()
    if rank == 4:
        return x
    if rank < 4:
        return x.reshape(*(1,) * (4 - rank), *x.shape)
    return x.reshape(math.prod(x.shape[:-3]), *x.shape[-3:])


def _dead(heads: Heads, options: AttentionOptions) -> Array:
    """Which queries may look nowhere: (1 or batch, 1 or heads, length)."""
    assert heads.mask is not None
    mask = heads.mask
    if options.is_causal:
        past = torch.ones(mask.shape[-2:], dtype=torch.bool).tril_()
        mask = mask.masked_fill(past.logical_not_(), -math.inf)
    return torch.amax(mask, 3) == -math.inf


def _to_key_heads(grad: Array, shape: torch.Size) -> Array:
    """The gradient of k or v, summed over the heads that one of theirs served."""
    group = grad.shape[-3] // shape[-3] if len(shape) > 2 else 1
    if group > 1:
        grad = grad.reshape(-1, shape[-3], group, *shape[-2:]).sum(2)
    return grad.reshape(shape)


def _wide(mask: Array | None, q: Array) -> Array | None:
    return mask.float() if mask is not None and mask.dtype is q.dtype else mask


def _narrow(grads: Four[Array], dtype: torch.dtype) -> Four[Array]:
    q, k, v, mask = (None if g is None else g.to(dtype) for g in grads)
    return q, k, v, mask
