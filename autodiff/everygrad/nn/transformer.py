"""Transformers: stacks of layers, and encoder and decoder together, under torch's names."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from everygrad.functional.activation import relu
from everygrad.nn.build import Place
from everygrad.nn.cache import KeyValueCache
from everygrad.nn.container import ModuleList
from everygrad.nn.init import xavier_uniform_
from everygrad.nn.masks import generate_square_subsequent_mask
from everygrad.nn.module import Module
from everygrad.nn.norm import LayerNorm
from everygrad.nn.transformer_layer import Activation, TransformerDecoderLayer, TransformerEncoderLayer
from everygrad.tensor import Tensor
from everygrad_ops import DType, ShapeError

__all__ = ["Transformer", "TransformerDecoder", "TransformerEncoder"]


class _Stack(Module):
    """Copies of one layer, one after the other."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        self.layers = ModuleList(copy.deepcopy(layer) for _ in range(num_layers))
        self.num_layers = num_layers
        self.norm = norm

    def new_cache(self) -> list[KeyValueCache]:
        """An empty cache per layer, for calls with one new token at a time."""
        return [KeyValueCache() for _ in range(self.num_layers)]

    def _each(self, cache: Sequence[KeyValueCache] | None) -> list[tuple[Any, KeyValueCache | None]]:
        return list(zip(self.layers, [None] * self.num_layers if cache is None else cache, strict=True))


class TransformerEncoder(_Stack):
    """`num_layers` copies of an encoder layer, and a norm at the end if there is one.

    `enable_nested_tensor` and `mask_check` are torch's arguments and change nothing.

    >>> from everygrad import nn
    >>> import everygrad as eg
    >>> encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
    >>> encoder(eg.ones(3, 5, 8)).shape
    (3, 5, 8)
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
        *,
        cache: Sequence[KeyValueCache] | None = None,
    ) -> Tensor:
        """The tokens after all layers."""
        for layer, kept in self._each(cache):
            more = {} if kept is None else {"cache": kept}
            src = layer(src, mask, src_key_padding_mask, bool(is_causal), **more)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(_Stack):
    """`num_layers` copies of a decoder layer, and a norm at the end if there is one.

    >>> from everygrad import nn
    >>> import everygrad as eg
    >>> decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), 2).eval()
    >>> text, memory, cache = eg.ones(1, 3, 8), eg.ones(1, 4, 8), decoder.new_cache()
    >>> steps = [decoder(t, memory, tgt_is_causal=True, cache=cache) for t in text.split(1, 1)]
    >>> eg.allclose(eg.cat(steps, 1), decoder(text, memory, tgt_is_causal=True), atol=1e-5)
    True
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
        *,
        cache: Sequence[KeyValueCache] | None = None,
    ) -> Tensor:
        """The tokens after all layers."""
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        for layer, kept in self._each(cache):
            more = {} if kept is None else {"cache": kept}
            tgt = layer(tgt, memory, *masks, bool(tgt_is_causal), memory_is_causal, **more)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """Encoder and decoder: forward(src (S, N, E), tgt (T, N, E)) gives (T, N, E), batches first with `batch_first`.

    Source: Vaswani et al., "Attention is all you need", 2017.

    >>> import everygrad as eg
    >>> model = eg.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    >>> model(eg.ones(3, 4, 8), eg.ones(3, 5, 8), tgt_is_causal=True).shape
    (3, 5, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype, backend=backend)

        if custom_encoder is None:
            one = TransformerEncoderLayer(*options, norm_first, bias, dtype=dtype, backend=backend)
            custom_encoder = TransformerEncoder(one, num_encoder_layers, norm())
        if custom_decoder is None:
            other = TransformerDecoderLayer(*options, norm_first, bias, dtype=dtype, backend=backend)
            custom_decoder = TransformerDecoder(other, num_decoder_layers, norm())
        self.encoder = custom_encoder
        self.decoder = custom_decoder
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first
        for p in self.parameters():
            if p.ndim > 1:
                xavier_uniform_(p)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The decoder's tokens, from what the encoder made of the source."""
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ShapeError(
                f"Transformer: src and tgt must be of width d_model={self.d_model}. "
                f"Received: shapes {src.shape}, {tgt.shape}"
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        found: Tensor = self.decoder(tgt, memory, *masks, tgt_is_causal, memory_is_causal)
        return found

    @staticmethod
    def generate_square_subsequent_mask(sz: int, dtype: DType | None = None, backend: Place = None) -> Tensor:
        """The same as `nn.generate_square_subsequent_mask`."""
        return generate_square_subsequent_mask(sz, dtype, backend)
