"""Modules: what they hold, how it is found, moved, shown and copied."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn


class Block(nn.Module):
    def __init__(self, size: int) -> None:
        self.inner = nn.Linear(size, size, bias=False)
        self.scale = nn.Parameter(eg.ones(size))
        self.seen = nn.Buffer(eg.tensor(0))
        self.scratch = nn.Buffer(eg.zeros(1), persistent=False)
        self.name = "block"

    def forward(self, x: eg.Tensor) -> Any:
        return self.inner(x) * self.scale


class Net(nn.Module):
    def __init__(self) -> None:
        self.blocks = [Block(2), Block(2)]
        self.heads = {"a": nn.Linear(2, 1), "b": nn.ReLU()}
        self.pair = (nn.Parameter(eg.zeros(3)), 5)
        self.first = self.blocks[0]
        self.nothing = None

    def forward(self, x: eg.Tensor) -> Any:
        for block in self.blocks:
            x = block(x)
        return self.heads["a"](x)


def test_attributes_are_the_registry() -> None:
    net = Net()
    assert [name for name, _ in net.named_parameters()] == [
        "pair.0",
        "blocks.0.scale",
        "blocks.0.inner.weight",
        "blocks.1.scale",
        "blocks.1.inner.weight",
        "heads.a.weight",
        "heads.a.bias",
    ]
    assert [name for name, _ in net.named_buffers()] == [
        "blocks.0.seen",
        "blocks.0.scratch",
        "blocks.1.seen",
        "blocks.1.scratch",
    ]
    assert [name for name, _ in net.named_children()] == ["blocks.0", "blocks.1", "heads.a", "heads.b"]
    assert [name for name, _ in net.named_modules()][:3] == ["", "blocks.0", "blocks.0.inner"]
    assert len(list(net.parameters())) == 7
    assert [p.shape for p in net.parameters(recurse=False)] == [(3,)]
    assert list(net.blocks[0].state_dict()) == ["scale", "seen", "inner.weight"]


def test_replacing_an_attribute_replaces_the_parameter() -> None:
    net = Block(2)
    net.inner = nn.Linear(2, 5)
    assert [p.shape for p in net.parameters()] == [(2,), (5, 2), (5,)]
    del net.scale
    assert [name for name, _ in net.named_parameters()] == ["inner.weight", "inner.bias"]


def test_a_tensor_does_not_take_a_parameters_place() -> None:
    net = Block(2)
    before = net.scale
    for name in ("scale", "seen"):
        with pytest.raises(TypeError, match=rf"module.{name}.assign\(value\)"):
            setattr(net, name, getattr(net, name) * 2)
    assert net.scale is before
    net.scale = nn.Parameter(net.scale * 2)
    assert net.scale.tolist() == [2.0 * value for value in before.tolist()]
    net.note = eg.ones(1)  # pyright: ignore[reportAttributeAccessIssue]  # one of its own
    assert "note" not in net.state_dict()


def test_torchs_forms() -> None:
    net = nn.Linear(2, 2)
    net.register_buffer("mean", eg.zeros(2))
    net.register_buffer("kept", eg.zeros(2), persistent=False)
    net.register_buffer("none", None)
    net.register_parameter("scale", nn.Parameter(eg.ones(2)))
    net.add_module("after", nn.ReLU())
    assert [name for name, _ in net.named_children()] == ["after"]
    assert list(net.state_dict()) == ["weight", "bias", "scale", "mean"]
    assert [name for name, _ in net.named_buffers()] == ["mean", "kept"]
    assert net.to(device="cpu", dtype=eg.float64).weight.dtype is eg.float64


def test_shared_parameters_are_there_once_and_saved_under_all_names() -> None:
    net = Net()
    names = list(net.state_dict())
    assert "first.scale" in names and "blocks.0.scale" in names
    assert "first.scale" in dict(net.named_parameters(remove_duplicate=False))
    a, b = nn.Linear(2, 2), nn.Linear(2, 2)
    b.weight = a.weight
    tied = nn.Sequential(a, b)
    assert len(list(tied.parameters())) == 3
    assert list(tied.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    x = eg.ones(1, 2)
    grads = tied(x).sum().backward()
    assert grads[a.weight].tolist() == grads[b.weight].tolist()
    copied = copy.deepcopy(tied)
    assert copied[0].weight is copied[1].weight and copied[0].weight is not a.weight
    tied.to(eg.float64)
    assert a.weight is b.weight and a.weight.dtype is eg.float64


def test_a_cycle_ends() -> None:
    net: Any = Net()
    net.me = net
    net.blocks.append(net.blocks)
    net.blocks[0].parent = net
    assert len(list(net.parameters())) == 7
    assert len(list(net.modules())) == 7
    assert "Net(...)" in repr(net)
    assert len(net.state_dict()) > 7
    net.apply(nn.Module.eval).eval().to(eg.float64)
    assert copy.deepcopy(net).me.blocks[0].parent.training is False


def test_training_reaches_everything() -> None:
    net = Net()
    assert net.training and net.blocks[1].inner.training
    assert net.eval() is net and not net.blocks[1].inner.training
    assert net.train().blocks[1].inner.training
    assert nn.Module.training is True


def test_a_module_may_stay_frozen_in_a_model_that_is_trained() -> None:
    class Frozen(nn.BatchNorm1d):
        def train(self, mode: bool = True) -> Self:
            return super().train(False)

    net = nn.Sequential(nn.Linear(2, 2), nn.ModuleList([nn.Sequential(Frozen(2), nn.Dropout())]))
    inside: Any = net[1][0]
    assert net.train().training and inside.training and inside[1].training
    assert not inside[0].training


def test_apply_visits_each_after_those_it_holds() -> None:
    order: list[str] = []
    net = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU()))
    assert net.apply(lambda m: order.append(type(m).__name__)) is net
    assert order == ["Linear", "ReLU", "Sequential", "Sequential"]


def test_freezing() -> None:
    net = nn.Linear(2, 1)
    assert net.requires_grad_(False) is net
    assert not net(eg.ones(1, 2)).requires_grad
    assert net.bias is not None
    net.bias.requires_grad_()
    grads = net(eg.ones(1, 2)).sum().backward()
    assert grads.get(net.weight) is None and grads[net.bias].tolist() == [1.0]
    net.to(eg.float64)
    assert (net.weight.requires_grad, net.bias.requires_grad) == (False, True)


def test_repr() -> None:
    net = nn.Sequential(Block(2), nn.ReLU())
    assert repr(net) == (
        "Sequential(\n"
        "  (0): Block(\n"
        "    scale=[2], seen=[], scratch=[1]\n"
        "    (inner): Linear(in_features=2, out_features=2, bias=False)\n"
        "  )\n"
        "  (1): ReLU()\n"
        ")  # 6 parameters"
    )


def test_calls_that_make_no_sense() -> None:
    with pytest.raises(eg.GradientError, match="values"):
        nn.Linear(1, 1).zero_grad()
    with pytest.raises(NotImplementedError, match="forward"):
        nn.Module()(1)
    with pytest.raises(TypeError, match="function"):
        nn.Sequential(eg.tanh)
    with pytest.raises(TypeError, match="int"):
        nn.ModuleList([1])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    with pytest.raises(eg.DTypeError, match="int64"):
        nn.Linear(1, 1).to(eg.int64)
    with pytest.raises(eg.BackendError, match="nowhere"):
        nn.Linear(1, 1).to(eg.float64, "nowhere")


def test_a_failed_move_changes_nothing() -> None:
    net = nn.Linear(1, 1)
    with pytest.raises(eg.BackendError):
        net.to(eg.float64, "nowhere")
    assert net.weight.dtype is eg.float32


def test_containers() -> None:
    net = nn.Sequential({"a": nn.Linear(2, 3), "b": nn.ReLU()})
    net.append(nn.Linear(3, 1))
    assert list(net.state_dict()) == ["a.weight", "a.bias", "2.weight", "2.bias"]
    assert len(net) == 3 and net[-1] is list(net)[2] and len(net[1:]) == 2
    layers = nn.ModuleList([nn.ReLU()])
    layers.insert(0, nn.Linear(1, 1))
    layers.extend([nn.Tanh()])
    layers[1] = nn.Sigmoid()
    assert [type(m).__name__ for m in layers] == ["Linear", "Sigmoid", "Tanh"]
    assert len(layers[1:]) == 2
    named = nn.ModuleDict({"keys": nn.Linear(1, 1)})
    named["items"] = nn.ReLU()
    assert list(named) == list(named.keys()) == ["keys", "items"] and "keys" in named
    assert list(named.state_dict()) == ["keys.weight", "keys.bias"]
    assert named.pop("keys") is not None and len(named) == len(list(named.items())) == 1
    del named["items"]
    assert list(named.values()) == []


def test_a_layer_of_a_sequence_is_replaced() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)).extend([nn.Tanh(), nn.Linear(2, 2)])
    net[-1] = nn.Linear(2, 5)
    net[0] = nn.Identity()
    assert [type(module).__name__ for module in net] == ["Identity", "ReLU", "Linear", "Tanh", "Linear"]
    assert list(net.state_dict()) == ["2.weight", "2.bias", "4.weight", "4.bias"]
    assert net(eg.ones(1, 2)).shape == (1, 5)
    with pytest.raises(TypeError, match="takes modules"):
        net[0] = eg.functional.relu  # type: ignore[assignment]  # pyright: ignore[reportArgumentType]  # what is refused
    with pytest.raises(IndexError):
        net[5] = nn.ReLU()


def test_a_subclass_of_a_container_keeps_its_own() -> None:
    class Stack(nn.ModuleList):
        def __init__(self) -> None:
            super().__init__([nn.Linear(1, 1)])
            self.scale = nn.Parameter(eg.ones(1))

    assert list(Stack().state_dict()) == ["scale", "0.weight", "0.bias"]


def test_cells(library: str) -> None:
    p = nn.Parameter(np.array([1.0, 2.0]))
    assert p.dtype is eg.float64 and p.requires_grad and p.is_leaf
    assert type(p + 1) is eg.Tensor and type(p.detach()) is eg.Tensor
    before = p.detach()
    p.assign(eg.tensor([3, 4]))
    assert (p.tolist(), before.tolist(), p.dtype) == ([3.0, 4.0], [1.0, 2.0], eg.float64)
    source = np.array([5.0, 6.0])
    p.assign(source)
    source[:] = 0
    assert p.tolist() == [5.0, 6.0]
    p.assign(p * 2)
    assert p.is_leaf and p.tolist() == [10.0, 12.0]
    with pytest.raises(eg.ShapeError, match=r"\(2,\).*\(3,\)"):
        p.assign(eg.ones(3))
    with pytest.raises(eg.DTypeError, match="float32"):
        nn.Buffer(eg.tensor(1)).assign(eg.tensor(1.5))
    with pytest.raises(eg.DTypeError, match="Buffer"):
        nn.Parameter(eg.tensor(1))
    assert nn.Parameter(eg.tensor(1), requires_grad=False).tolist() == 1


def test_cells_copy_and_pickle_as_themselves(library: str) -> None:
    p = nn.Parameter(eg.tensor([1.0, 2.0]).to(eg.bfloat16))
    frozen = nn.Parameter([1.0], requires_grad=False)
    scratch = nn.Buffer(eg.zeros(1), persistent=False)
    ways: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
    for make in ways:
        q = make(p)
        assert type(q) is nn.Parameter and q is not p
        assert q.requires_grad and q.is_leaf and q.backend is p.backend and q.dtype is eg.bfloat16
        q.assign([0.0, 0.0])
        assert p.tolist() == [1.0, 2.0]
        assert not make(frozen).requires_grad
        assert type(make(scratch)) is nn.Buffer and not make(scratch).persistent


def test_models_pickle(library: str) -> None:
    net = Net().eval()
    x = eg.ones(1, 2)
    for twin in (pickle.loads(pickle.dumps(net)), copy.deepcopy(net)):
        assert twin(x).tolist() == net(x).tolist()
        assert twin.first is twin.blocks[0] and not twin.training
        twin.blocks[0].scale.assign([0.0, 0.0])
        assert net.blocks[0].scale.tolist() == [1.0, 1.0]


def test_moving_gives_the_same_outputs_and_new_leaves(library: str) -> None:
    other = "torch" if library == "numpy" else "numpy"
    net, x = Net(), eg.tensor([[1.0, -2.0]])
    before = net(x).detach()
    assert net.to(other) is net
    y = net(x.to(other))
    assert y.backend.name == f"autodiff({other})"
    np.testing.assert_allclose(y.detach().numpy(), before.numpy(), rtol=1e-6)
    grads = y.sum().backward()
    assert grads[net.blocks[0].scale].backend.name == f"autodiff({other})"
    assert net.blocks[0].seen.backend.name == f"autodiff({other})"
    assert net.blocks[0].scratch.backend.name == f"autodiff({other})"
    net.to(library)
    assert net(x).tolist() == before.tolist()


def test_dtypes_of_a_module() -> None:
    net = Block(2)
    for move, dtype in (
        (net.double, eg.float64),
        (net.half, eg.float16),
        (net.bfloat16, eg.bfloat16),
        (net.float, eg.float32),
    ):
        assert move().inner.weight.dtype is dtype
        assert net.seen.dtype is eg.int64 and net.scratch.dtype is dtype
    net.to("float64", "torch")
    assert (net.scale.dtype, net.scale.backend.name) == (eg.float64, "autodiff(torch)")


def test_plain_inference_equals_autodiff_inference(library: str) -> None:
    net, x = Net().eval(), eg.tensor([[1.0, -2.0]])
    y = net(x)
    plain = eg.backend(library)
    shipped = copy.deepcopy(net).to(plain)
    out = shipped(x.to(plain))
    assert out.backend is plain and not out.requires_grad
    assert out.tolist() == y.tolist()
    assert not any(p.requires_grad for p in shipped.parameters())
    back = shipped.to(f"autodiff({library})")
    assert all(p.requires_grad for p in back.parameters())


def test_to_the_same_place_keeps_the_leaves() -> None:
    net = nn.Linear(1, 1)
    loss = net(eg.ones(1, 1)).sum()
    net.to(eg.float32).to("numpy")
    assert loss.backward()[net.weight].tolist() == [[1.0]]
