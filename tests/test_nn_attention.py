"""Attention and transformers against torch.nn with the same weights; reported faults; caches; burn's layers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import functional as F
from everygrad import nn
from tests.fault_tools import NAN, same, slopes, variable

pytestmark = pytest.mark.usefixtures("library")
Call = Callable[[Any, list[Any], Callable[[Any], Any]], Any]


def pair(kind: str, *sizes: int, **options: Any) -> tuple[Any, Any]:
    """(torch's module in float64, ours with its weights)."""
    theirs = getattr(torch.nn, kind)(*sizes, **options).double()
    ours = getattr(nn, kind)(*sizes, **options).double()
    with torch.no_grad():
        for p in theirs.parameters():
            p.copy_(torch.tensor(np.random.default_rng(p.numel()).normal(size=tuple(p.shape)) / 2))
    return theirs, load(theirs, ours)


def load(theirs: Any, ours: Any) -> Any:
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.load_state_dict(theirs.state_dict())
    return ours


def flat(results: Any) -> list[Any]:
    parts: Any = results
    return [r for r in parts if r is not None] if isinstance(results, tuple) else [results]


def agree(theirs: Any, ours: Any, call: Call, *shapes: Sequence[int]) -> None:
    """Equal results of `call(module, inputs, constant)`, and equal gradients in inputs and parameters."""
    values = [np.random.default_rng(at).normal(size=shape) for at, shape in enumerate(shapes)]
    given = [torch.tensor(x, requires_grad=True) for x in values]
    mine = [eg.tensor(x, requires_grad=True) for x in values]
    due, found = flat(call(theirs, given, torch.tensor)), flat(call(ours, mine, eg.tensor))
    objective: Any = 0
    total: Any = 0
    for d, f in zip(due, found, strict=True):
        same(f.tolist(), d.detach().numpy(), 1e-10)
        weights = np.cos(np.arange(float(d.numel()))).reshape(d.shape)
        objective, total = (
            objective + (d * torch.tensor(weights)).sum(),
            total + (f * eg.tensor(weights)).sum(),
        )
    theirs.zero_grad()
    objective.backward()
    grads = eg.gradients(total, [*mine, *ours.parameters()])
    for g, other in zip(grads, [*given, *theirs.parameters()], strict=True):
        if other.grad is None:
            assert g is None
        else:
            assert g is not None
            same(g.tolist(), other.grad.numpy(), 1e-10)


HIDDEN = np.triu(np.ones((3, 3), bool), 1)
PADDING = np.array([[False, False, True], [False, True, True]])
FLOATS = np.random.default_rng(9).normal(size=(3, 3))
HEADS = np.stack([HIDDEN, HIDDEN.T & ~np.eye(3, dtype=bool)] * 2)

MASKS: list[dict[str, Any]] = [
    {},
    {"attn_mask": HIDDEN},
    {"key_padding_mask": PADDING},
    {"attn_mask": HIDDEN, "key_padding_mask": PADDING},
    {"attn_mask": FLOATS},
    {"attn_mask": HEADS, "average_attn_weights": False},
    {"attn_mask": HEADS, "need_weights": False},
    {"key_padding_mask": PADDING, "need_weights": False},
]


@pytest.mark.parametrize("masks", MASKS)
@pytest.mark.parametrize("batch_first", [True, False])
def test_multihead_self_attention(masks: dict[str, Any], batch_first: bool) -> None:
    def call(m: Any, xs: list[Any], constant: Callable[[Any], Any]) -> Any:
        options = {k: constant(v) if isinstance(v, np.ndarray) else v for k, v in masks.items()}
        return m(xs[0], xs[0], xs[0], **options)

    theirs, ours = pair("MultiheadAttention", 4, 2, batch_first=batch_first)
    agree(theirs, ours, call, (2, 3, 4) if batch_first else (3, 2, 4))


@pytest.mark.parametrize(
    "options",
    [
        {"kdim": 3, "vdim": 5},
        {"bias": False, "kdim": 3, "vdim": 5},
        {"add_bias_kv": True, "kdim": 3, "vdim": 5},
        {"add_zero_attn": True, "kdim": 3, "vdim": 5},
    ],
)
def test_multihead_attention_to_other_widths(options: dict[str, Any]) -> None:
    def call(m: Any, xs: list[Any], constant: Callable[[Any], Any]) -> Any:
        return m(*xs, key_padding_mask=constant(PADDING))

    theirs, ours = pair("MultiheadAttention", 4, 2, batch_first=True, **options)
    agree(theirs, ours, call, (2, 2, 4), (2, 3, 3), (2, 3, 5))
    if len(options) == 2:
        agree(theirs, ours, lambda m, xs, _: m(*xs), (2, 4), (3, 3), (3, 5))


def test_a_row_of_padding_alone_gives_zeros() -> None:
    layer = nn.MultiheadAttention(4, 2, bias=False, batch_first=True)
    x = eg.ones(1, 2, 4)
    for need_weights in (True, False):
        out = layer(x, x, x, key_padding_mask=eg.tensor([[True, True]]), need_weights=need_weights)[0]
        assert out.tolist() == np.zeros((1, 2, 4)).tolist()


@pytest.mark.parametrize("options", [{}, {"norm_first": True, "activation": "gelu"}, {"bias": False}])
@pytest.mark.parametrize("batch_first", [True, False])
def test_transformer_layers(options: dict[str, Any], batch_first: bool) -> None:
    options = {"dropout": 0.0, "batch_first": batch_first, **options}
    x, memory = ((2, 3, 4), (2, 5, 4)) if batch_first else ((3, 2, 4), (5, 2, 4))
    agree(
        *pair("TransformerEncoderLayer", 4, 2, 6, **options),
        lambda m, xs, constant: m(xs[0], constant(FLOATS)),
        x,
    )
    agree(
        *pair("TransformerDecoderLayer", 4, 2, 6, **options),
        lambda m, xs, constant: m(*xs, tgt_mask=constant(HIDDEN)),
        x,
        memory,
    )


def test_transformer() -> None:
    options: dict[str, Any] = {"dropout": 0.0, "batch_first": True, "num_encoder_layers": 2}
    theirs, ours = pair("Transformer", 4, 2, num_decoder_layers=2, dim_feedforward=6, **options)

    def call(m: Any, xs: list[Any], constant: Callable[[Any], Any]) -> Any:
        return m(*xs, tgt_mask=constant(HIDDEN), memory_key_padding_mask=constant(PADDING))

    agree(theirs, ours, call, (2, 3, 4), (2, 3, 4))
    due: Any = torch.nn.Transformer.generate_square_subsequent_mask(3)
    assert nn.Transformer.generate_square_subsequent_mask(3).tolist() == due.tolist()


def test_steps_with_a_cache_are_the_whole() -> None:
    x = eg.tensor(np.random.default_rng(0).normal(size=(2, 4, 8)))
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 6, batch_first=True), 2, nn.LayerNorm(8))
    encoder.double().eval()
    cache = encoder.new_cache()
    steps = [encoder(part, is_causal=True, cache=cache) for part in x.split((1, 2, 1), 1)]
    same(eg.cat(steps, 1).tolist(), encoder(x, is_causal=True).tolist(), 1e-12)
    same(encoder(x, ~eg.ones(4, 4).tril().bool()).tolist(), encoder(x, is_causal=True).tolist(), 1e-12)
    cache[0].reset()
    assert len(cache[0]) == 0 and len(cache[1]) == 4


def test_dropout_of_weights() -> None:
    eg.manual_seed(0)
    q = eg.ones(1, 64, 4)
    out = F.scaled_dot_product_attention(q, q, eg.ones(1, 64, 4), dropout_p=0.5)
    values = out[..., 0].numpy()
    assert 0.8 < values.mean() < 1.2 and values.std() > 0.05
    assert F.scaled_dot_product_attention(q, q, q).tolist() != out.tolist()


@pytest.mark.parametrize("mask", [None, (3, 5), (2, 1, 3, 5), (1, 5)])
def test_function_against_torch(mask: tuple[int, ...] | None) -> None:
    r = np.random.default_rng(5)
    arrays = [r.normal(size=s) for s in ((2, 4, 3, 2), (2, 4, 5, 2), (2, 4, 5, 3))]
    given = None if mask is None else r.normal(size=mask)
    a, b, c = (torch.tensor(x) for x in arrays)
    added = None if given is None else torch.tensor(given)
    due = torch.nn.functional.scaled_dot_product_attention(a, b, c, attn_mask=added)
    q, k, v = (eg.tensor(x) for x in arrays)
    same(
        F.scaled_dot_product_attention(q, k, v, None if given is None else eg.tensor(given)).tolist(),
        due.numpy(),
    )


def test_grouped_heads_are_repeated_ones() -> None:
    r = np.random.default_rng(6)
    q, k, v = (eg.tensor(r.normal(size=s)) for s in ((2, 4, 3, 2), (1, 2, 5, 2), (1, 2, 5, 3)))
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3, enable_gqa=True)
    k, v = (t.repeat_interleave(2, 1) for t in (k, v))
    same(out.tolist(), F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3).tolist())


class TestFaults:
    q, v = [[1.0, 0], [0, 1]], [[1.0, 2], [3, 4]]

    def test_b091_nan_under_the_mask(self) -> None:
        mask = eg.tensor([[True, False], [True, False]])
        for at in (1, 2):
            arrays = [np.array(x) for x in (self.q, self.q, self.v)]
            arrays[at][1] = NAN
            q, k, v = (variable(x) for x in arrays)
            out = F.scaled_dot_product_attention(q, k, v, mask)
            same(out.tolist(), [[1, 2], [1, 2]])
            same(slopes(out, q, k, v), [np.zeros((2, 2)), np.zeros((2, 2)), [[2, 2], [0, 0]]])

    def test_b092_floats_are_added(self) -> None:
        q, v = variable(self.q), variable(self.v)
        mask = np.array([[1.0, 0], [0, 0]])
        out = F.scaled_dot_product_attention(q * 0, q, v, eg.tensor(mask))
        same(out.tolist(), [[1.537883, 2.537883], [2, 3]], 1e-6)
        with pytest.raises(eg.DTypeError, match=r"boolean.*int64"):
            F.scaled_dot_product_attention(q, q, v, eg.tensor([[1, 0], [0, 0]]))


def test_positions() -> None:
    table = nn.PositionalEncoding(4, 10)(eg.zeros(1, 3, 4)).tolist()[0]
    for at, row in enumerate(table):
        same(row, [math.sin(at), math.cos(at), math.sin(at / 100), math.cos(at / 100)], 1e-6)
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    for interleaved in (True, False):
        rotary = nn.RotaryEmbedding(10, 4, interleaved=interleaved, dtype=eg.float64, scaling=lambda f: f / 2)
        out = rotary(eg.tensor(x), start=2).numpy()
        pairs = ((0, 1), (2, 3)) if interleaved else ((0, 2), (1, 3))
        for at in range(3):
            for rate, (a, b) in zip((0.5, 0.005), pairs):
                turned = (x[:, at, a] + 1j * x[:, at, b]) * np.exp(1j * rate * (at + 2))
                same(out[:, at, a], turned.real)
                same(out[:, at, b], turned.imag)
    with pytest.raises(eg.ShapeError, match="start"):
        rotary(eg.tensor(x), start=8)


def test_rotary_scores_depend_on_distance_alone() -> None:
    rotary = nn.RotaryEmbedding(20, 4, dtype=eg.float64)
    q, k = (eg.tensor(np.random.default_rng(at).normal(size=(1, 4))) for at in (0, 1))
    near = (rotary(q, 3) * rotary(k, 1)).sum().item()
    same(near, (rotary(q, 12) * rotary(k, 10)).sum().item())


def test_cross_attention() -> None:
    layer = nn.CrossAttention(6, 5, 4, 2, 3, dropout=0.0).double()
    x, context = (
        eg.tensor(np.random.default_rng(0).normal(size=(2, 3, 6))),
        eg.ones(2, 4, 5, dtype=eg.float64),
    )
    layer(x, context)
    hidden = eg.tensor([[False, False, True, True], [False, True, True, True]])
    moved = context + eg.tensor(np.array([0.0, 0, 5, 5]).reshape(1, 4, 1))
    same(layer(x, moved, hidden)[0].tolist(), layer(x, context, hidden)[0].tolist())
    layer.quiet_softmax = True
    everything = eg.ones(2, 4).bool()
    bias = layer.output.bias
    assert bias is not None
    same(layer(x, context, everything)[0, 0].tolist(), bias.tolist())
    q = layer.query(x).reshape(2, 3, 4, 3)
    k, v = (part(context).reshape(2, 4, 2, 3) for part in (layer.key, layer.value))
    scores = np.einsum("nlhd,nshd->nhls", q.detach().numpy(), k.detach().numpy().repeat(2, 2)) / math.sqrt(3)
    weights = np.exp(scores) / (1 + np.exp(scores).sum(-1, keepdims=True))
    heads = np.einsum("nhls,nshd->nlhd", weights, v.detach().numpy().repeat(2, 2)).reshape(2, 3, 12)
    same(layer(x, context).tolist(), layer.output(eg.tensor(heads)).tolist(), 1e-12)


def test_quiet_softmax_of_large_scores() -> None:
    x = variable([1000.0, 1000.0, -1000.0])
    out = F.quiet_softmax(x, 0)
    same(out.tolist(), [0.5, 0.5, 0])
    assert F.quiet_softmax(variable([-1000.0])).tolist() == [0.0]


def test_feed_forward_parts() -> None:
    x = eg.tensor(np.random.default_rng(0).normal(size=(2, 4)))
    gated = nn.SwiGLU(4, 3).double()
    inner, outer = gated.linear_inner(x), gated.linear_outer(x)
    same(gated(x).tolist(), (inner * inner.sigmoid() * outer).tolist())
    block = nn.PositionWiseFeedForward(4, 6, 0.0, activation="relu").double()
    same(block(x).tolist(), block.linear_outer(F.relu(block.linear_inner(x))).tolist())
    with pytest.raises(ValueError, match=r"'relu', 'gelu'.*'swish'"):
        nn.PositionWiseFeedForward(4, 6, activation="swish")


def test_padding_mask() -> None:
    assert nn.generate_padding_mask(eg.tensor([2, 0]), 3).tolist() == [[False, False, True], [True] * 3]


def test_wrong_calls() -> None:
    with pytest.raises(eg.ShapeError, match=r"embed_dim=5, num_heads=2"):
        nn.MultiheadAttention(5, 2)
    layer, x = nn.MultiheadAttention(4, 2), eg.ones(3, 1, 4)
    with pytest.raises(eg.DTypeError, match=r"int64"):
        layer(x, x, x, attn_mask=eg.tensor(np.zeros((3, 3), np.int64)))
    with pytest.raises(eg.ShapeError, match=r"\(2, 3\)"):
        layer(x, x, x, attn_mask=eg.zeros(2, 3))


@pytest.mark.parametrize("need_weights", [False, True])
def test_a_context_is_projected_once(need_weights: bool) -> None:
    layer = nn.MultiheadAttention(8, 2, kdim=6, vdim=5, add_bias_kv=True, batch_first=True)
    x, key, value, cache = eg.randn(3, 4, 8), eg.randn(3, 5, 6), eg.randn(3, 5, 5), nn.CrossAttentionCache()
    due = layer(x, key, value, need_weights=need_weights)[0]
    steps = [
        layer(q, k, v, need_weights=need_weights, cache=cache)[0]
        for q, k, v in zip(x.split(1, 1), (key, *[key * 0.0] * 3), (value, *[value * 0.0] * 3), strict=True)
    ]
    assert eg.allclose(eg.cat(steps, 1), due, atol=1e-6)  # what came at the first call is what counts
    with pytest.raises(
        eg.ShapeError, match=r"a context of shape \(3, 5, 6\). Received: one of shape \(3, 4, 6\)"
    ):
        layer(x, key[:, :4], value[:, :4], cache=cache)
    cache.reset()
    assert len(cache) == 0 and layer(x, key[:, :4], value[:, :4], cache=cache)[0].shape == x.shape


@pytest.mark.parametrize("quiet", [False, True])
def test_cross_attention_with_a_cache(quiet: bool) -> None:
    layer = nn.CrossAttention(8, 6, 4, 2, 3, quiet_softmax=quiet).eval()
    x, context, cache = eg.randn(2, 3, 8), eg.randn(2, 5, 6), nn.CrossAttentionCache()
    steps = [layer(part, context, cache=cache) for part in x.split(1, 1)]
    assert eg.allclose(eg.cat(steps, 1), layer(x, context), atol=1e-6)
    assert len(cache) == 5


def test_a_decoder_keeps_its_memory_too() -> None:
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), 2).eval()
    text, memory, cache = eg.randn(2, 4, 8), eg.randn(2, 5, 8), decoder.new_cache()
    steps = [decoder(t, memory, tgt_is_causal=True, cache=cache) for t in text.split(1, 1)]
    assert eg.allclose(eg.cat(steps, 1), decoder(text, memory, tgt_is_causal=True), atol=1e-5)
    assert [len(kept.memory) for kept in cache] == [5, 5]
    for kept in cache:
        kept.reset()
    other = decoder(text, memory[:, :3], tgt_is_causal=True, cache=cache)
    assert eg.allclose(other, decoder(text, memory[:, :3], tgt_is_causal=True), atol=1e-5)
