"""Parts by name, freezing by pattern, ties, copies, summaries, and modules as functions of their parameters."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# (modules give whatever their forward gives)

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import pytest
import torch

import everygrad as eg
from everygrad import nn, optim


class Tied(nn.Module):
    def __init__(self) -> None:
        self.table = nn.Embedding(5, 3)
        self.blocks = [nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 3), nn.ReLU())]
        self.heads = {"a": nn.Linear(3, 5, bias=False)}
        self.heads["a"].weight = self.table.weight
        self.pair = (nn.ReLU(),)

    def forward(self, x: eg.Tensor) -> Any:
        for block in self.blocks:
            x = block(self.table(x) if block is self.blocks[0] else x)
        return self.heads["a"](x)


def frozen(net: nn.Module) -> list[str]:
    return [name for name, p in net.named_parameters(remove_duplicate=False) if not p.requires_grad]


def test_parts_by_name() -> None:
    net = Tied()
    assert net.get_submodule("") is net
    assert net.get_submodule("blocks.1.0") is net.blocks[1][0]  # type: ignore[index]  # pyright: ignore[reportIndexIssue]  # a Sequential
    assert net.get_parameter("heads.a.weight") is net.table.weight
    assert nn.BatchNorm1d(2).get_buffer("running_var").shape == (2,)
    for where in (net.get_submodule, net.get_parameter, net.get_buffer):
        with pytest.raises(AttributeError, match=re.escape("'blocks.1.9'")):
            where("blocks.1.9")
    with pytest.raises(AttributeError, match=r"table\.weight"):
        net.get_parameter("table.weigth")
    for name in ("table", "blocks.0", "blocks.1.1", "heads.a"):
        net.set_submodule(name, nn.Identity())
        assert isinstance(net.get_submodule(name), nn.Identity)
    with pytest.raises(TypeError, match="tuple"):
        net.set_submodule("pair.0", nn.Tanh())
    layers = nn.ModuleList([nn.ReLU()])
    layers.set_submodule("0", nn.Tanh())
    named = nn.ModuleDict({"x": nn.ReLU()})
    named.set_submodule("x", nn.Tanh())
    assert isinstance(layers[0], nn.Tanh) and isinstance(named["x"], nn.Tanh)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("blocks.*", ["blocks.0.weight", "blocks.0.bias", "blocks.1.0.weight", "blocks.1.0.bias"]),
        ("blocks.1", ["blocks.1.0.weight", "blocks.1.0.bias"]),
        ("*.bias", ["blocks.0.bias", "blocks.1.0.bias"]),
        ("heads", ["table.weight", "heads.a.weight"]),
        (re.compile(r"\d\.weight$"), ["blocks.0.weight", "blocks.1.0.weight"]),
        (lambda name, p: p.ndim == 1, ["blocks.0.bias", "blocks.1.0.bias"]),
    ],
)
def test_freezing_by_pattern(pattern: Any, names: list[str]) -> None:
    net = Tied()
    assert net.freeze(pattern) is net and frozen(net) == names
    assert len(list(net.parameters(pattern=pattern))) == len(set(names) - {"heads.a.weight"})
    net.to(eg.float64)
    assert frozen(net) == names == frozen(copy.deepcopy(net)) == frozen(net.valid().autodiff())
    assert frozen(net.unfreeze(pattern)) == []
    assert len(frozen(net.freeze())) == 6


def test_patterns_that_match_nothing() -> None:
    with pytest.raises(KeyError, match=r"encoder.*table\.weight"):
        Tied().freeze("encoder.*")
    with pytest.raises(KeyError, match="named_parameters"):
        list(Tied().parameters(pattern=["table", "x"]))
    with pytest.raises(TypeError, match="pattern"):
        Tied().freeze(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose


def test_groups_by_pattern(library: str) -> None:
    eg.manual_seed(0)  # at other draws every relu may be dead
    net = Tied()
    biases = list(net.parameters(pattern="*.bias"))
    others = list(net.parameters(pattern=lambda name, p: not name.endswith("bias")))
    optimizer = optim.SGD([{"params": biases, "lr": 0.0}, {"params": others}], lr=0.1)
    before = net.state_dict()
    optimizer.step(net(eg.tensor([1, 2])).sum().backward())
    after = net.state_dict()
    assert {name for name in before if before[name].tolist() != after[name].tolist()} == {
        name for name in before if not name.endswith("bias")
    }


def test_ties_stay(library: str) -> None:
    net = Tied()

    def tied(module: Any) -> bool:
        return module.heads["a"].weight is module.table.weight and len(list(module.parameters())) == 5

    assert net.num_params() == 15 + 24 and tied(net)
    net.to(eg.float64)
    other = Tied().double()
    other.load_state_dict(net.state_dict())
    for made in (
        net,
        other,
        copy.deepcopy(net),
        net.valid(),
        net.valid().autodiff(),
        pickle.loads(pickle.dumps(net)),
    ):
        assert tied(made)
        assert made.table.weight.tolist() == made.state_dict()["heads.a.weight"].tolist()
    optimizer = optim.Adam(net.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.step(net(eg.tensor([1, 2])).sum().backward())
    assert tied(net) and net.table.weight.tolist() != other.table.weight.tolist()


def test_valid_records_nothing_and_shares_no_steps(library: str) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout(0.5))
    used = net.valid()
    x = eg.rand(4, 2)
    out = used(x)
    assert not out.requires_grad and not used.training and net.training
    assert used[0].weight.backend is eg.backend(library) and not used[0].weight.requires_grad
    assert out.tolist() == net.eval()(x).detach().tolist()
    net.train()
    before = used.state_dict()["0.weight"].tolist()
    optim.SGD(net.parameters(), lr=1.0).step(net(x).square().sum().backward())
    assert used[0].weight.tolist() == before != net[0].weight.tolist()
    back = used.autodiff()
    assert back.training and back(x).requires_grad and used.valid()(x).tolist() == used(x).tolist()


def test_a_module_as_a_function_of_its_parameters(library: str) -> None:
    net = Tied()
    i = eg.tensor([1, 2])
    values = {name: p.detach() * 0.5 for name, p in net.named_parameters()}

    def loss(params: Any) -> Any:
        return nn.functional_call(net, params, i).square().sum()

    found = eg.grad(loss)(values)
    half = copy.deepcopy(net)
    half.load_state_dict({**values, "heads.a.weight": values["table.weight"]})
    expected = half(i).square().sum().backward()
    for name, p in half.named_parameters():
        assert torch.allclose(found[name].torch(), expected[p].torch(), atol=1e-5)
    assert net.table.weight.requires_grad and net.table.weight.is_leaf
    line = nn.Linear(1, 1, bias=False)
    second = eg.hessian(
        lambda w: nn.functional_call(line, {"weight": w}, (eg.tensor([[3.0]]),)).square().sum()
    )
    assert second(eg.ones(1, 1)).reshape(()).item() == 18.0
    assert nn.functional_call(line, {}, eg.ones(1, 1)).shape == (1, 1)
    assert (
        nn.functional_call(line, [{}, {"weight": eg.ones(1, 1)}], kwargs={"input": eg.ones(1, 1)}).item() == 1
    )


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ({"x": eg.ones(1)}, {}, "unknown: x"),
        ({"table.weight": eg.ones(1)}, {}, r"shape \(5, 3\)"),
        ({"table.weight": 3}, {}, "int"),
        ({}, {"strict": True}, "missing: table.weight"),
        ({"table.weight": eg.ones(5, 3), "heads.a.weight": eg.zeros(5, 3)}, {}, "tied"),
        ({}, {"tie_weights": False}, "tie_weights"),
        ([{"table.weight": eg.ones(5, 3)}] * 2, {}, "several"),
    ],
)
def test_values_that_do_not_fit(values: Any, options: Any, words: str) -> None:
    net = Tied()
    before = net.table.weight.tolist()
    with pytest.raises(nn.StateDictError, match=words):
        nn.functional_call(net, values, (eg.tensor([1]),), **options)
    assert net.table.weight.tolist() == before


def test_a_failing_call_puts_the_parameters_back() -> None:
    net = nn.Linear(2, 2)
    before = net.weight.tolist()
    with pytest.raises(eg.ShapeError):
        nn.functional_call(net, {"weight": eg.ones(2, 2)}, (eg.ones(1, 3),))
    assert net.weight.tolist() == before and net.weight.requires_grad


def test_summary(library: str) -> None:
    net = nn.Sequential(
        nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Sequential(nn.Linear(8, 2).freeze("bias"))
    )
    state = {name: value.tolist() for name, value in net.state_dict().items()}
    for shown in (
        net.summary(eg.ones(3, 4)),
        net.summary(input_shape=(3, 4)),
        net.summary(input_shape=[(3, 4)]),
    ):
        assert [row.output for row in shown.rows] == [
            "(3, 2)",
            "(3, 8)",
            "(3, 8)",
            "(3, 8)",
            "(3, 2)",
            "(3, 2)",
        ]
        assert (shown.parameters, shown.trainable) == (40 + 16 + 18, 40 + 16 + 16)
        assert shown.bytes == 4 * (shown.parameters + 16) + 8
        assert shown.rows[-1].trainable == 16 and "16" in shown.plain() and "Sequential" in str(shown)
    assert all(part.training for part in net.modules())
    assert {name: value.tolist() for name, value in net.state_dict().items()} == state
    assert [row.depth for row in net.summary(depth=1).rows] == [0, 1, 1, 1, 1]
    assert net.summary().rows[1].output == ""
    shared = nn.Linear(2, 2)
    twice = nn.Sequential(shared, shared).summary(input_shape=(1, 2))
    assert [row.shared for row in twice.rows] == [False, False, True] and twice.parameters == 6
    assert "shared" in twice.plain()
    with pytest.raises(TypeError, match="both"):
        net.summary(eg.ones(1, 4), input_shape=(1, 4))
    table = nn.Embedding(5, 3)
    assert table.summary(input_shape=(2,), dtype=eg.int64).rows[0].output == "(2, 3)"
    assert nn.LSTM(2, 3).summary(input_shape=(4, 1, 2)).rows[0].output.startswith("[(4, 1, 3), ")


def test_the_summary_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    shown = nn.Linear(2, 3).summary()
    assert str(shown) == shown.plain()


def test_counts_in_the_repr() -> None:
    assert repr(nn.Sequential(nn.Linear(2, 3)).freeze("*.bias")).endswith(")  # 9 parameters, 3 frozen")


def test_parameter_containers(library: str) -> None:
    several = nn.ParameterList([eg.ones(2), nn.Parameter(eg.zeros(1)), 3])
    several[0] = eg.ones(4)
    several.extend([eg.ones(1)]).append(nn.Buffer(eg.ones(1)))
    assert [p.shape for p in several.parameters()] == [(4,), (1,), (1,)] and several[2] == 3
    assert (
        list(several.state_dict()) == ["0", "1", "3", "4"]
        and len(several[:2]) == 2
        and len(list(several)) == 5
    )
    assert several.pop().persistent and "float32 [4]" in repr(several)
    named = nn.ParameterDict({"a": eg.ones(2)})
    assert named.setdefault("b", eg.zeros(1)).requires_grad and named.get("c") is None
    both = named | nn.ParameterDict({"c": eg.ones(1)})
    assert list(both) == list(both.keys()) == ["a", "b", "c"] and both["a"] is named["a"] and "c" in both
    assert named.copy()["a"] is named["a"] and len(list(named.items())) == len(list(named.values())) == 2
    del named["b"]
    assert both.pop("c").shape == (1,) and both.popitem()[0] == "b" and len(both) == 1
    named.clear()
    assert list(named.parameters()) == [] and list(both.state_dict()) == ["a"]


def test_sequences_are_edited() -> None:
    a, b, c = nn.Linear(1, 1), nn.ReLU(), nn.Tanh()
    net = nn.Sequential(a, b, c)
    theirs = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.ReLU(), torch.nn.Tanh())
    del net[1], theirs[1]
    net.insert(0, b)
    theirs.insert(0, torch.nn.ReLU())
    assert list(net) == [b, a, c] and list(net.state_dict()) == list(theirs.state_dict())
    assert net.pop(0) is b and list(net.state_dict()) == ["0.weight", "0.bias"]
    assert list(net + nn.Sequential(b)) == [a, c, b] and list(net * 2) == [a, c, a, c]
    del net[:]
    assert len(net) == 0 and list(net.append(c)) == [c]
    named = nn.Sequential({"in": a, "out": c})
    named.insert(1, b)
    assert [name for name, _ in named.named_children()] == ["in", "1", "out"]
    del named[0]
    assert [name for name, _ in named.append(a).named_children()] == ["1", "out", "2"]
    layers = nn.ModuleList([a, b]) + nn.ModuleList([c])
    del layers[0]
    assert list(layers) == [b, c] and layers.pop() is c and len(layers) == 1
    heads = nn.ModuleDict({"a": a})
    heads.clear()
    assert len(heads) == 0
