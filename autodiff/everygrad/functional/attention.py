"""Attention, under torch's name, and the softmax that may attend to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.arguments import ready
from everygrad.functional.dropout import dropout
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import cast_to, on_one_backend
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import AttentionOptions, Backend, DType
from everygrad_ops.attention_parts import allowed_pairs, check_attention, only_seen, per_query_head

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["attention_weights", "quiet_softmax", "scaled_dot_product_attention"]


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    *,
    softcap: float | None = None,
) -> Tensor:
    """softmax(scale * query key^T + attn_mask) value, with query (..., L, E), key (..., S, E), value (..., S, D).

    A boolean `attn_mask` is True where a query may look, a float one is added; it broadcasts to (..., L, S).
    `is_causal` lets query i look at keys 0 to i, also where a mask is given. A query that may look nowhere
    gives zeros and zero gradients. `dropout_p` drops weights, always: pass 0.0 in use. `softcap` c puts
    c * tanh(scores / c) in the place of the scores. Leading dims broadcast; with `enable_gqa` the heads
    (dim -3) of key and value serve equal groups of query's.

    >>> import everygrad as eg
    >>> q, v = eg.eye(2), eg.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> eg.functional.scaled_dot_product_attention(q, q, v, is_causal=True)[0].tolist()
    [1.0, 2.0]
    """
    b, dtype, (q, k, v), mask = _arrays("scaled_dot_product_attention", query, key, value, attn_mask)
    common = not is_causal and scale is None and softcap is None and not enable_gqa
    options = _COMMON if common else AttentionOptions(is_causal, scale, softcap, enable_gqa)
    if not dropout_p:
        if mask is not None or not query.shape[:-2] == key.shape[:-2] == value.shape[:-2]:
            q, k, v = _alike(b, [q, k, v], enable_gqa)
        return wrap(b.attention(q, k, v, mask, options), b, dtype)
    q, k, v = _alike(b, [q, k, v], enable_gqa)
    check_attention("scaled_dot_product_attention", b, q, k, v, mask, options)
    weights = dropout(wrap(b.attention_weights(q, k, mask, options), b, dtype), dropout_p)
    v = only_seen(b, per_query_head(b, q, v) if enable_gqa else v, allowed_pairs(b, q, k, mask, options))
    return wrap(b.matmul(weights.array, v), b, dtype)


_COMMON = AttentionOptions()


def attention_weights(
    query: Tensor,
    key: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    *,
    softcap: float | None = None,
) -> Tensor:
    """The weights (..., L, S) by which `scaled_dot_product_attention` takes the mean of the values.

    >>> import everygrad as eg
    >>> eg.functional.attention_weights(eg.eye(2), eg.eye(2), is_causal=True)[0].tolist()
    [1.0, 0.0]
    """
    b, dtype, (q, k), mask = _arrays("attention_weights", query, key, None, attn_mask)
    q, k = _alike(b, [q, k], enable_gqa)
    options = AttentionOptions(is_causal, scale, softcap, enable_gqa)
    return wrap(b.attention_weights(q, k, mask, options), b, dtype)


def quiet_softmax(input: Tensor, dim: int = -1) -> Tensor:
    """exp(input) / (1 + the sum of exp(input) along `dim`): all may be near 0, where softmax must sum to 1.

    Source: Miller, "Attention is off by one", 2023.

    >>> import everygrad as eg
    >>> eg.functional.quiet_softmax(eg.tensor([0.0, 0.0, 0.0])).tolist()
    [0.25, 0.25, 0.25]
    """
    b, dtype, (x,) = ready("quiet_softmax", input)
    at = one_dim("quiet_softmax", dim, len(b.shape(x)))
    padding = tuple((0, 1) if d == at else (0, 0) for d in range(len(b.shape(x))))
    whole = b.softmax(b.pad(x, padding, 0.0), at)  # one more score, of 0
    kept = tuple((0, size, 1) for size in b.shape(x))
    return wrap(b.slice(whole, kept), b, dtype)


def _arrays(
    op: str, query: Tensor, key: Tensor, value: Tensor | None, mask: Tensor | None
) -> tuple[Backend[Any], DType, list[Any], Any]:
    """(backend, dtype, arrays of query, key and value, array of the mask)."""
    if mask is not None:
        need_tensor(op, "attn_mask", mask)
        if mask.backend is not query.backend:
            query, mask = on_one_backend(op, query, mask)
    b, dtype, arrays = ready(op, query, key, *(() if value is None else (value,)))
    if mask is None:
        return b, dtype, arrays, None
    if mask.backend is not b:
        _, mask = on_one_backend(op, wrap(arrays[0], b, dtype), mask)
    return b, dtype, arrays, (cast_to(mask, dtype) if mask.dtype.is_floating else mask).array


def _alike(b: Backend[Any], arrays: list[Any], grouped: bool) -> list[Any]:
    """The arrays with their leading dims broadcast, all but the heads' where those are grouped."""
    own = 3 if grouped else 2
    shapes = [b.shape(a) for a in arrays]
    leads = [shape[:-own] for shape in shapes]
    if all(lead == leads[0] for lead in leads) or min(map(len, shapes)) < own:
        return arrays
    rank = max(map(len, leads))
    padded = [(*(1,) * (rank - len(lead)), *lead) for lead in leads]
    lead = tuple(max(sizes) if 0 not in sizes else 0 for sizes in zip(*padded))
    return [b.broadcast_to(a, (*lead, *shape[-own:])) for a, shape in zip(arrays, shapes)]
