"""Multi-head attention, under torch's names. Masks of modules are torch's: True hides, the reverse of the function's."""

from __future__ import annotations

from typing_extensions import override

from everygrad.functional.attention import attention_weights, scaled_dot_product_attention
from everygrad.functional.comparison import logical_not
from everygrad.functional.creation import zeros
from everygrad.functional.dropout import dropout as drop
from everygrad.functional.linear import linear
from everygrad.functional.shape import cat
from everygrad.nn.build import Place, parameter
from everygrad.nn.cache import CrossAttentionCache, KeyValueCache, causal_mask
from everygrad.nn.init import xavier_normal_, xavier_uniform_, zeros_
from everygrad.nn.linear import Linear
from everygrad.nn.masks import combined, padded_columns
from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.tensor import Tensor
from everygrad_ops import DType, ShapeError

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Attention of `num_heads` heads, each on its own projection of query, key and value.

    forward(query, key, value) takes (L, N, E) and (S, N, kdim or vdim), or batches first with
    `batch_first`, or without N, and returns (output, weights averaged over the heads or None).
    Parameters and masks are torch's: in `key_padding_mask` (N, S) and a boolean `attn_mask`
    ((L, S) or (N * num_heads, L, S)), True hides a key; a float mask is added to the scores.

    >>> import everygrad as eg
    >>> layer = eg.nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = eg.ones(3, 5, 8)
    >>> out, weights = layer(x, x, x)
    >>> out.shape, weights.shape
    ((3, 5, 8), (3, 5, 5))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise ShapeError(
                "MultiheadAttention: embed_dim must be a multiple of num_heads. "
                f"Received: embed_dim={embed_dim}, num_heads={num_heads}"
            )
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.add_zero_attn = add_zero_attn
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.in_proj_weight: Parameter | None = None
        self.q_proj_weight: Parameter | None = None
        self.k_proj_weight: Parameter | None = None
        self.v_proj_weight: Parameter | None = None
        if self.kdim == self.vdim == embed_dim:
            self.in_proj_weight = xavier_uniform_(parameter((3 * embed_dim, embed_dim), dtype, backend))
        else:
            self.q_proj_weight = xavier_uniform_(parameter((embed_dim, embed_dim), dtype, backend))
            self.k_proj_weight = xavier_uniform_(parameter((embed_dim, self.kdim), dtype, backend))
            self.v_proj_weight = xavier_uniform_(parameter((embed_dim, self.vdim), dtype, backend))
        self.in_proj_bias = parameter((3 * embed_dim,), dtype, backend) if bias else None
        self.bias_k: Parameter | None = None
        self.bias_v: Parameter | None = None
        if add_bias_kv:
            self.bias_k = xavier_normal_(parameter((1, 1, embed_dim), dtype, backend))
            self.bias_v = xavier_normal_(parameter((1, 1, embed_dim), dtype, backend))
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype=dtype, backend=backend)
        if self.out_proj.bias is not None:
            zeros_(self.out_proj.bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
        *,
        cache: KeyValueCache | CrossAttentionCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """(output, weights (N, L, S), per head (N, heads, L, S) without the average, None without `need_weights`).

        `is_causal` hides what comes after a query, also without a mask. A `cache` keeps the keys and values of
        earlier calls: the new ones go behind them, and with `is_causal` queries count on from there. A
        `CrossAttentionCache` keeps those of a context that is the same at every call.
        """
        batched = query.ndim == 3
        if not batched:
            query, key, value = (x.unsqueeze(0 if self.batch_first else 1) for x in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        q = self._heads(self._projected(0, query))
        k, v = self._keys(key, value, cache)
        if isinstance(cache, KeyValueCache) and is_causal:
            past = causal_mask(q.shape[2], k.shape[2], like=q)
            attn_mask, is_causal = combined(attn_mask, logical_not(past), like=q), False
        mask = self._mask(attn_mask, key_padding_mask, q)
        extra = 0
        for tail_k, tail_v in self._tails(k, v):
            k, v, extra = cat([k, tail_k], 2), cat([v, tail_v], 2), extra + 1
        if extra and is_causal:
            mask = combined(
                mask,
                logical_not(causal_mask(q.shape[2], q.shape[2], like=q, columns=k.shape[2] - extra)),
                like=q,
            )
            is_causal = False
        mask = padded_columns(mask, extra)
        if mask is not None and not mask.dtype.is_floating:
            mask = logical_not(mask)
        rate = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            weights = attention_weights(q, k, mask, is_causal)
            out = (drop(weights, rate) if rate else weights) @ v
            weights = weights.mean(1) if average_attn_weights else weights
        else:
            out = scaled_dot_product_attention(q, k, v, mask, rate, is_causal)
        out = self.out_proj(self._joined(out))
        if not batched:
            out = out.squeeze(0 if self.batch_first else 1)
            weights = None if weights is None else weights.squeeze(0)
        return out, weights

    def _keys(
        self, key: Tensor, value: Tensor, cache: KeyValueCache | CrossAttentionCache | None
    ) -> tuple[Tensor, Tensor]:
        """The keys and values by head, with those that the cache holds."""

        def made() -> tuple[Tensor, Tensor]:
            return self._heads(self._projected(1, key)), self._heads(self._projected(2, value))

        if isinstance(cache, CrossAttentionCache):
            return cache.kept(key, made)
        return made() if cache is None else cache.append(*made())

    def _projected(self, at: int, x: Tensor) -> Tensor:
        """Queries (0), keys (1) or values (2)."""
        part = slice(at * self.embed_dim, (at + 1) * self.embed_dim)
        own = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)[at]
        weight = self.in_proj_weight[part] if self.in_proj_weight is not None else own
        assert weight is not None
        return linear(x, weight, None if self.in_proj_bias is None else self.in_proj_bias[part])

    def _heads(self, x: Tensor) -> Tensor:
        """(N, heads, length, width of a head)."""
        deep = self.embed_dim // self.num_heads
        x = x.reshape(x.shape[0], x.shape[1], self.num_heads, deep)
        return x.permute(0, 2, 1, 3) if self.batch_first else x.permute(1, 2, 0, 3)

    def _joined(self, x: Tensor) -> Tensor:
        x = x.permute(0, 2, 1, 3) if self.batch_first else x.permute(2, 0, 1, 3)
        return x.reshape(x.shape[0], x.shape[1], self.embed_dim)

    def _mask(self, attn_mask: Tensor | None, padding: Tensor | None, q: Tensor) -> Tensor | None:
        """Both masks as one of four dims, True hiding."""
        if attn_mask is not None and attn_mask.ndim == 3:
            attn_mask = attn_mask.reshape(q.shape[0], self.num_heads, *attn_mask.shape[1:])
        if padding is not None:
            padding = padding.reshape(padding.shape[0], 1, 1, padding.shape[1])
        return combined(attn_mask, padding, like=q)

    def _tails(self, k: Tensor, v: Tensor) -> list[tuple[Tensor, Tensor]]:
        """What is put behind all keys and values: the learned pair, then zeros."""
        tails: list[tuple[Tensor, Tensor]] = []
        shape = (k.shape[0], self.num_heads, 1, k.shape[3])
        if self.bias_k is not None and self.bias_v is not None:
            own = (
                x.reshape(1, self.num_heads, 1, k.shape[3]).expand(*shape) for x in (self.bias_k, self.bias_v)
            )
            tails.append((next(own), next(own)))
        if self.add_zero_attn:
            nothing = zeros(shape, dtype=k.dtype, backend=k.backend)
            tails.append((nothing, nothing))
        return tails

    @override
    def extra_repr(self) -> str:
        return f"embed_dim={self.embed_dim}, num_heads={self.num_heads}, batch_first={self.batch_first}"
