"""Feed-forward parts of transformers, and attention from one width to another."""

from __future__ import annotations

from everygrad.functional.activation import gelu, silu
from everygrad.functional.attention import quiet_softmax, scaled_dot_product_attention
from everygrad.functional.comparison import logical_not
from everygrad.nn.build import Place
from everygrad.nn.cache import CrossAttentionCache
from everygrad.nn.dropout import Dropout
from everygrad.nn.linear import Linear
from everygrad.nn.masks import combined
from everygrad.nn.module import Module
from everygrad.nn.transformer_layer import Activation, named_activation
from everygrad.tensor import Tensor
from everygrad_ops import DType, ShapeError

__all__ = ["CrossAttention", "PositionWiseFeedForward", "SwiGLU"]


class PositionWiseFeedForward(Module):
    """linear_outer(dropout(activation(linear_inner(x)))), for each token alone.

    >>> import everygrad as eg
    >>> eg.nn.PositionWiseFeedForward(4, 16)(eg.ones(2, 3, 4)).shape
    (2, 3, 4)
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        dropout: float = 0.1,
        activation: Activation = gelu,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.linear_inner = Linear(d_model, d_ff, dtype=dtype, backend=backend)
        self.linear_outer = Linear(d_ff, d_model, dtype=dtype, backend=backend)
        self.dropout = Dropout(dropout)
        self.activation = named_activation(activation)

    def forward(self, input: Tensor) -> Tensor:
        """(..., d_model) to the same."""
        inner = self.dropout.forward(self.activation(self.linear_inner.forward(input)))
        return self.linear_outer.forward(inner)


class SwiGLU(Module):
    """silu(linear_inner(x)) * linear_outer(x): (..., d_input) to (..., d_output).

    Source: Shazeer, "GLU variants improve transformer", 2020.

    >>> import everygrad as eg
    >>> eg.nn.SwiGLU(4, 6)(eg.ones(2, 4)).shape
    (2, 6)
    """

    def __init__(
        self,
        d_input: int,
        d_output: int,
        bias: bool = False,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.linear_inner = Linear(d_input, d_output, bias, dtype=dtype, backend=backend)
        self.linear_outer = Linear(d_input, d_output, bias, dtype=dtype, backend=backend)

    def forward(self, input: Tensor) -> Tensor:
        """The gated product."""
        return silu(self.linear_inner.forward(input)) * self.linear_outer.forward(input)


class CrossAttention(Module):
    """Attention of a text (N, L, d_model) to a context (N, S, d_context), with `n_heads_kv` heads in the context.

    Each of those serves n_heads / n_heads_kv of the queries' heads, of width `d_head`. With `quiet_softmax` a
    query may attend to nothing. Masks are those of `MultiheadAttention`: True hides.

    >>> import everygrad as eg
    >>> layer = eg.nn.CrossAttention(8, 6, 4, 2, 3)
    >>> layer(eg.ones(2, 5, 8), eg.ones(2, 7, 6)).shape
    (2, 5, 8)
    """

    def __init__(
        self,
        d_model: int,
        d_context: int,
        n_heads: int,
        n_heads_kv: int,
        d_head: int,
        dropout: float = 0.1,
        quiet_softmax: bool = False,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        if n_heads % n_heads_kv:
            raise ShapeError(
                "CrossAttention: n_heads must be a multiple of n_heads_kv. "
                f"Received: n_heads={n_heads}, n_heads_kv={n_heads_kv}"
            )
        self.n_heads = n_heads
        self.n_heads_kv = n_heads_kv
        self.d_head = d_head
        self.quiet_softmax = quiet_softmax
        self.query = Linear(d_model, n_heads * d_head, dtype=dtype, backend=backend)
        self.key = Linear(d_context, n_heads_kv * d_head, dtype=dtype, backend=backend)
        self.value = Linear(d_context, n_heads_kv * d_head, dtype=dtype, backend=backend)
        self.output = Linear(n_heads * d_head, d_model, dtype=dtype, backend=backend)
        self.dropout = Dropout(dropout)

    def forward(
        self,
        query: Tensor,
        context: Tensor,
        key_padding_mask: Tensor | None = None,
        attn_mask: Tensor | None = None,
        *,
        cache: CrossAttentionCache | None = None,
    ) -> Tensor:
        """(N, L, d_model): what each query found in the context, whose keys and values a `cache` keeps."""

        def made() -> tuple[Tensor, Tensor]:
            k = self._heads(self.key.forward(context), self.n_heads_kv)
            return k, self._heads(self.value.forward(context), self.n_heads_kv)

        q = self._heads(self.query.forward(query), self.n_heads)
        k, v = made() if cache is None else cache.kept(context, made)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.reshape(k.shape[0], 1, 1, k.shape[2])
        mask = combined(attn_mask, key_padding_mask, like=q)
        if mask is not None and not mask.dtype.is_floating:
            mask = logical_not(mask)
        if self.quiet_softmax:
            k, v = (x.repeat_interleave(self.n_heads // self.n_heads_kv, 1) for x in (k, v))
            out = self.dropout.forward(self._quiet(q, k, mask)) @ v
        else:
            rate = self.dropout.p if self.training else 0.0
            out = scaled_dot_product_attention(q, k, v, mask, rate, enable_gqa=True)
        out = out.permute(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], self.n_heads * self.d_head)
        return self.output.forward(out)

    def _heads(self, x: Tensor, heads: int) -> Tensor:
        return x.reshape(x.shape[0], x.shape[1], heads, self.d_head).permute(0, 2, 1, 3)

    def _quiet(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        scores = q @ k.transpose(-1, -2) / self.d_head**0.5
        if mask is not None:
            scores = (
                scores + mask
                if mask.dtype.is_floating
                else scores.masked_fill(logical_not(mask), -float("inf"))
            )
        return quiet_softmax(scores)
