"""Adapters: they start as nothing, train alone, merge and unmerge exactly, and are saved alone."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# (modules give whatever their forward gives)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn, optim
from everygrad.engine.node import LEAF

LAYERS: dict[str, tuple[Callable[[], nn.Module], Callable[[], eg.Tensor]]] = {
    "linear": (lambda: nn.Linear(4, 3), lambda: eg.rand(2, 4)),
    "embedding": (lambda: nn.Embedding(6, 4, padding_idx=1), lambda: eg.tensor([[0, 1], [5, 2]])),
    "conv": (lambda: nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, groups=2), lambda: eg.rand(1, 4, 5, 5)),
    "circular": (lambda: nn.Conv1d(2, 3, 3, padding=1, padding_mode="circular"), lambda: eg.rand(1, 2, 5)),
    "transposed": (lambda: nn.ConvTranspose1d(4, 2, 3), lambda: eg.rand(1, 4, 5)),
}


def awake(layer: nn.LoRA) -> nn.LoRA:
    """With an adapter that does something."""
    nn.init.normal_(layer.lora_B)
    return layer


@pytest.mark.parametrize("kind", LAYERS)
def test_an_adapter_starts_as_nothing_and_is_a_change_of_the_weight(library: str, kind: str) -> None:
    make, data = LAYERS[kind]
    base, x = make(), data()
    before: Any = base(x).detach()
    weight: Any = base.get_parameter("weight").detach()
    layer = nn.LoRA(base, rank=2, alpha=3.0)
    assert layer(x).tolist() == before.tolist()
    change = (awake(layer).lora_B @ layer.lora_A).reshape(weight.shape) * 1.5
    plain = make()
    plain.load_state_dict({**layer.state_dict(), "weight": weight + change.detach()}, strict=False)
    out = layer(x)
    assert torch.allclose(out.detach().torch(), plain(x).detach().torch(), atol=1e-5)
    assert out.detach().tolist() != before.tolist()
    grads = out.sum().backward()
    assert grads.get(base.get_parameter("weight")) is None and grads[layer.lora_A].shape == layer.lora_A.shape
    layer.merge()
    assert layer.merged and torch.allclose(layer(x).detach().torch(), out.detach().torch(), atol=1e-5)
    layer.unmerge()
    assert base.get_parameter("weight").tolist() == weight.tolist() and layer(x).tolist() == out.tolist()


def test_only_adapters_train_and_are_saved(library: str) -> None:
    def make() -> nn.Sequential:
        with eg.seeded(3):
            return nn.Sequential(
                nn.Linear(3, 4), nn.Tanh(), nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
            )

    net = nn.lora(make(), ["2.*"], rank=1, alpha=2)
    assert [name for name, p in net.named_parameters() if p.requires_grad] == ["2.0.lora_A", "2.0.lora_B"]
    before = {name: value.tolist() for name, value in net.state_dict().items()}
    optimizer = optim.AdamW(net.parameters(pattern=lambda name, p: p.requires_grad), lr=0.1)
    x = eg.rand(5, 3)
    for _ in range(3):
        optimizer.step(net(x).square().sum().backward())
    net.eval()
    after = {name: value.tolist() for name, value in net.state_dict().items()}
    assert {name for name in after if after[name] != before[name] and "running" not in name and "num" not in name} == {
        "2.0.lora_A", "2.0.lora_B",
    }  # fmt: skip
    adapters = nn.lora_state_dict(net)
    assert set(adapters) == {"2.0.lora_A", "2.0.lora_B"}
    other = nn.lora(make(), "2", rank=1, alpha=2)
    other.load_state_dict(
        {name: value for name, value in net.state_dict().items() if name not in adapters}, strict=False
    )
    assert other.load_state_dict(adapters, strict=False).unexpected_keys == []
    expected = net(x).detach().torch()
    assert torch.allclose(other.eval()(x).detach().torch(), expected)
    assert torch.allclose(nn.merge_lora(net)(x).detach().torch(), expected, atol=1e-5)
    assert nn.unmerge_lora(net)(x).detach().tolist() == expected.tolist()
    plain = nn.remove_lora(net)
    assert type(plain[2][0]) is nn.Linear and list(plain.state_dict()) == list(make().state_dict())
    assert torch.allclose(plain(x).detach().torch(), expected, atol=1e-5)
    assert type(nn.remove_lora(other, merge=False)[2][0]) is nn.Linear
    assert other[2][0].weight.tolist() == make()[2][0].weight.tolist()


def test_inside_an_attention(library: str) -> None:
    net = nn.lora(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0), ["linear1", "*.out_proj"], rank=2)
    x = eg.rand(3, 1, 4)
    for part in net.modules():
        if isinstance(part, nn.LoRA):
            awake(part)
    out = net(x)
    grads = out.square().sum().backward()
    adapters = [p for p in net.parameters() if p.requires_grad]
    assert len(adapters) == 4 and all(grads[p].abs().sum() > 0 for p in adapters)
    assert torch.allclose(nn.merge_lora(net)(x).detach().torch(), out.detach().torch(), atol=1e-5)


def test_a_tied_weight_elsewhere_stays(library: str) -> None:
    table, head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
    head.weight = table.weight
    net = nn.lora(nn.Sequential(table, head), "1", rank=2)
    awake(net[1])
    before = table.weight.tolist()
    nn.merge_lora(net)
    assert table.weight.tolist() == before and net[1].weight.tolist() != before
    nn.unmerge_lora(net).to(eg.float64)
    assert net[1].base.weight is table.weight


def test_a_shared_layer_gets_one_adapter() -> None:
    layer = nn.Linear(2, 2)
    net = nn.lora(nn.Sequential(layer, layer), "*", rank=1)
    assert net[0] is net[1] and net.num_params(trainable=True) == 4


def test_dropout_moves_and_repr(library: str) -> None:
    layer = awake(nn.LoRA(nn.Linear(3, 2), rank=1, dropout=0.5))
    x = eg.ones(1, 3)
    with eg.seeded(0):
        several = {tuple(layer(x).detach().reshape(-1).tolist()) for _ in range(20)}
    assert len(several) > 1
    assert layer.eval()(x).tolist() == layer(x).tolist() and not layer.base.training
    assert layer.in_features == 3 and layer.bias.shape == (2,) and "rank=1" in repr(layer)
    layer.merge()
    layer.to(eg.float64).unmerge()
    assert layer.base.get_parameter("weight").dtype is eg.float64
    assert layer.double()(x.double()).dtype is eg.float64
    assert layer.lora_A.array.node.record is LEAF
    with pytest.raises(AttributeError):
        _ = layer.nothing


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: nn.lora(nn.Sequential(nn.ReLU())), KeyError, "none"),
        (lambda: nn.lora(nn.Sequential(nn.Linear(1, 1)), "x"), KeyError, "'x'"),
        (lambda: nn.lora(nn.Linear(1, 1)), ValueError, "nn.LoRA"),
        (lambda: nn.LoRA(nn.ReLU()), TypeError, "ReLU"),
        (lambda: nn.LoRA(nn.Linear(1, 1), rank=0), ValueError, "rank"),
        (lambda: nn.merge_lora(nn.Linear(1, 1)), KeyError, "no adapters"),
    ],
)
def test_wrong_calls(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_a_merged_state_is_that_of_plain_layers() -> None:
    def make() -> nn.Sequential:
        return nn.lora(nn.Sequential(nn.Linear(3, 2)), rank=2)

    net, other, plain = make(), make(), nn.Sequential(nn.Linear(3, 2))
    net.get_parameter("0.lora_B").assign(eg.ones(2, 2))
    x = eg.ones(1, 3)
    expected, adapters, apart = net(x).tolist(), nn.lora_state_dict(net), net.state_dict()
    nn.merge_lora(net)
    plain.load_state_dict(net.state_dict())
    np.testing.assert_allclose(plain(x).tolist(), expected, rtol=1e-5)
    with pytest.raises(RuntimeError, match=r"missing: 0\.lora_A, 0\.lora_B"):
        other.load_state_dict(net.state_dict())
    with pytest.raises(RuntimeError, match=r"unexpected: 0\.lora_A, 0\.lora_B"):
        net.load_state_dict(apart)
    assert {k: v.tolist() for k, v in nn.lora_state_dict(net).items()} == {
        k: v.tolist() for k, v in adapters.items()
    }
    nn.unmerge_lora(net.double())
    assert {p.dtype for p in net.parameters()} == {eg.float64}
    np.testing.assert_allclose(net(x.double()).tolist(), expected, rtol=1e-5)


class TestAttention:
    def made(self) -> tuple[nn.TransformerEncoderLayer, dict[str, eg.Tensor], eg.Tensor]:
        """(an encoder layer with adapters everywhere, its state before, an input)."""
        model = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        before = model.state_dict()
        return nn.lora(model, "*", rank=2), before, eg.randn(3, 5, 8)

    def test_it_starts_as_it_was_and_only_adapters_train(self, library: str) -> None:
        model, before, x = self.made()
        plain = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        plain.load_state_dict(before)
        assert eg.allclose(model(x), plain(x), atol=1e-6)
        trained = [name for name, p in model.named_parameters() if p.requires_grad]
        layers = ["self_attn", "self_attn.out_proj", "linear1", "linear2"]
        assert sorted(trained) == sorted(f"{layer}.lora_{side}" for layer in layers for side in "AB")
        assert set(before) <= set(model.state_dict())

    def test_a_step_a_merge_and_the_way_back(self, library: str) -> None:
        model, before, x = self.made()
        optim.SGD(model.parameters(), lr=0.5).step(model(x).square().mean().backward())
        a, b = (model.state_dict()[f"self_attn.lora_{side}"] for side in "AB")
        found = model(x)
        plain = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        merged = nn.merge_lora(model).state_dict()
        plain.load_state_dict(merged)
        assert eg.allclose(plain(x), found, atol=1e-5)
        change = merged["self_attn.in_proj_weight"] - before["self_attn.in_proj_weight"]
        assert eg.allclose(change, (b @ a) * 8.0, atol=1e-6)  # alpha / rank
        assert b.abs().sum().item() > 0
        nn.unmerge_lora(model)
        assert (
            model.state_dict()["self_attn.in_proj_weight"].tolist()
            == before["self_attn.in_proj_weight"].tolist()
        )
        assert nn.remove_lora(model, merge=False).state_dict().keys() == before.keys()

    def test_three_weights_are_not_adapted(self) -> None:
        layer = nn.MultiheadAttention(8, 2, kdim=6, vdim=5)
        with pytest.raises(TypeError, match="MultiheadAttention with one in_proj_weight"):
            nn.LoRA(layer)
