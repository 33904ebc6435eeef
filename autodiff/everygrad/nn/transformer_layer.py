"""The layers of a transformer, under torch's names."""

from __future__ import annotations

from collections.abc import Callable

from everygrad.functional.activation import gelu, relu
from everygrad.nn.attention import MultiheadAttention
from everygrad.nn.build import Place
from everygrad.nn.cache import KeyValueCache
from everygrad.nn.dropout import Dropout
from everygrad.nn.linear import Linear
from everygrad.nn.module import Module
from everygrad.nn.norm import LayerNorm
from everygrad.tensor import Tensor
from everygrad_ops import DType

__all__ = ["TransformerDecoderLayer", "TransformerEncoderLayer"]

Activation = str | Callable[[Tensor], Tensor]


class TransformerEncoderLayer(Module):
    """Self-attention and a feed-forward pair, each with a residual and a norm, first if `norm_first`.

    Source: Vaswani et al., "Attention is all you need", 2017. Masks are those of `MultiheadAttention`.

    >>> import everygrad as eg
    >>> layer = eg.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> layer(eg.ones(3, 5, 8)).shape
    (3, 5, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype, backend=backend
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype=dtype, backend=backend)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype=dtype, backend=backend)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype, backend=backend)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype, backend=backend)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = named_activation(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
        *,
        cache: KeyValueCache | None = None,
    ) -> Tensor:
        """The tokens, each with what it found; with a `cache`, new tokens behind those of earlier calls."""

        def attend(x: Tensor) -> Tensor:
            found = self.self_attn.forward(
                x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal, cache=cache
            )
            return self.dropout1.forward(found[0])

        def feed(x: Tensor) -> Tensor:
            inner = self.dropout.forward(self.activation(self.linear1.forward(x)))
            return self.dropout2.forward(self.linear2.forward(inner))

        return residuals(src, self.norm_first, (attend, self.norm1), (feed, self.norm2))


class TransformerDecoderLayer(Module):
    """Self-attention, attention to a memory and a feed-forward pair, each with a residual and a norm.

    >>> import everygrad as eg
    >>> layer = eg.nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
    >>> layer(eg.ones(3, 5, 8), eg.ones(3, 4, 8), tgt_is_causal=True).shape
    (3, 5, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype, backend=backend
        )
        self.multihead_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype, backend=backend
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype=dtype, backend=backend)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype=dtype, backend=backend)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype, backend=backend)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype, backend=backend)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype, backend=backend)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = named_activation(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
        *,
        cache: KeyValueCache | None = None,
    ) -> Tensor:
        """The tokens, each with what it found; with a `cache`, new tokens behind those of earlier calls.

        The cache keeps the keys and values of the memory, too, which must be the same at every call.
        """
        memory_cache = None if cache is None else cache.memory

        def attend(x: Tensor) -> Tensor:
            found = self.self_attn.forward(
                x, x, x, tgt_key_padding_mask, False, tgt_mask, is_causal=tgt_is_causal, cache=cache
            )
            return self.dropout1.forward(found[0])

        def look(x: Tensor) -> Tensor:
            found = self.multihead_attn.forward(
                x, memory, memory, memory_key_padding_mask, False, memory_mask,
                is_causal=memory_is_causal, cache=memory_cache,
            )  # fmt: skip
            return self.dropout2.forward(found[0])

        def feed(x: Tensor) -> Tensor:
            inner = self.dropout.forward(self.activation(self.linear1.forward(x)))
            return self.dropout3.forward(self.linear2.forward(inner))

        return residuals(tgt, self.norm_first, (attend, self.norm1), (look, self.norm2), (feed, self.norm3))


def residuals(x: Tensor, norm_first: bool, *parts: tuple[Callable[[Tensor], Tensor], LayerNorm]) -> Tensor:
    """x + part(norm(x)) for each part, or norm(x + part(x))."""
    for part, norm in parts:
        x = x + part(norm.forward(x)) if norm_first else norm.forward(x + part(x))
    return x


def named_activation(activation: Activation) -> Callable[[Tensor], Tensor]:
    """The function that "relu" or "gelu" names; a function as it is."""
    if callable(activation):
        return activation
    known: dict[str, Callable[[Tensor], Tensor]] = {"relu": relu, "gelu": gelu}
    if activation not in known:
        raise ValueError(
            f"activation: must be 'relu', 'gelu' or a function. Received: {activation!r}; write nn.functional.silu, "
            "for instance"
        )
    return known[activation]
