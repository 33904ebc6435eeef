"""Hooks see, and may change, what goes into a module, what comes out, and the gradients of both: as in torch."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# (hooks take and give whatever a module does)

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

import everygrad as eg
from everygrad import nn


class Two(nn.Module):
    def forward(self, x: Any, y: Any = None, *, scale: float = 1.0) -> Any:
        return x * scale, x * 3


def test_forward_hooks_in_order(library: str) -> None:
    layer, order = nn.Identity(), []
    handles = [
        layer.register_forward_pre_hook(lambda m, args: order.append("a")),
        layer.register_forward_pre_hook(lambda m, args: order.append("b"), prepend=True),
        layer.register_forward_hook(lambda m, args, out: order.append("c")),
        layer.register_forward_hook(lambda m, args, out: out + 1, prepend=True),
    ]
    assert layer(eg.zeros(1)).tolist() == [1.0] and order == ["b", "a", "c"]
    for handle in handles:
        handle.remove()
        handle.remove()
    assert layer(eg.zeros(1)).tolist() == [0.0] and len(order) == 3


def test_keyword_hooks_and_always_call() -> None:
    layer, seen = Two(), []
    layer.register_forward_pre_hook(lambda m, args, kwargs: (args, {"scale": 5.0}), with_kwargs=True)
    layer.register_forward_hook(lambda m, args, kwargs, out: seen.append(kwargs), with_kwargs=True)
    assert layer(eg.ones(1), scale=2.0)[0].item() == 5.0 and seen == [{"scale": 5.0}]
    broken = nn.Module()
    broken.register_forward_hook(lambda m, args, out: seen.append(out), always_call=True)
    with pytest.raises(NotImplementedError):
        broken(1)
    assert seen[-1] is None
    layer.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
    with pytest.raises(TypeError, match="args, kwargs"):
        layer(eg.ones(1))
    with pytest.raises(TypeError, match="function"):
        layer.register_forward_hook(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose


def both(home: Any, x: Any, tensors: Any) -> list[Any]:
    """What backward hooks of a Linear-Tanh net see, in `home` (our nn or torch's)."""
    torch_net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
    with torch.no_grad():
        for i, p in enumerate(torch_net.parameters()):
            p.copy_(torch.linspace(-1, 1 + i, p.numel()).reshape(p.shape))
    net = home.Sequential(home.Linear(2, 3), home.Tanh())
    net.load_state_dict(torch_net.state_dict())
    seen: list[Any] = []

    def note(name: str) -> Any:
        return lambda *args: seen.append(
            (name, [[None if g is None else g.tolist() for g in gs] for gs in args[1:]])
        )

    net[0].register_full_backward_hook(note("linear"))
    net[1].register_full_backward_pre_hook(note("tanh before"))
    net[1].register_full_backward_hook(note("tanh"))
    net(x).sum().backward()
    return seen


@pytest.mark.parametrize("tracked", [True, False])
def test_backward_hooks_are_torchs(library: str, tracked: bool) -> None:
    values = [[0.5, -1.0], [2.0, 0.0]]
    theirs = both(torch.nn, torch.tensor(values, requires_grad=tracked), torch.tensor)
    ours = both(nn, eg.tensor(values, requires_grad=tracked), eg.tensor)
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    for (_, a), (_, b) in zip(ours, theirs):
        for group, other in zip(a, b):
            for g, h in zip(group, other):
                assert (g is None) == (h is None)
                if g is not None:
                    assert torch.allclose(torch.tensor(g), torch.tensor(h), atol=1e-6)


def test_backward_hooks_change_gradients_to_any_order(library: str) -> None:
    layer = nn.Identity()
    layer.register_full_backward_hook(lambda m, gin, gout: (gin[0] * 2,))
    layer.register_full_backward_pre_hook(lambda m, gout: gout[0] * 5)
    x = eg.tensor([3.0], requires_grad=True)
    (g,) = eg.gradients((layer(x) ** 2).sum(), [x], create_graph=True)
    assert g is not None and g.item() == 60.0
    (h,) = eg.gradients(g, [x])
    assert h is not None and h.item() == 200.0  # the second derivative passes twice
    layer.register_full_backward_hook(lambda m, gin, gout: (1, 2))
    with pytest.raises(TypeError, match="one gradient for each of 1"):
        layer(x).sum().backward()


def test_several_arguments_and_results(library: str) -> None:
    layer, seen = Two(), []
    layer.register_full_backward_hook(lambda m, gin, gout: seen.append((gin, gout)))
    x, y = eg.ones(2).requires_grad_(), eg.ones(1)
    first, second = layer(x, y)
    assert (first.sum() + 0 * second.sum()).backward()[x].tolist() == [1.0, 1.0]
    ((gin, gout),) = seen
    assert gin[0].tolist() == [1.0, 1.0] and gin[1] is None and len(gout) == 2
    with eg.no_grad():
        layer(x, y)
    assert len(seen) == 1


def test_hooks_are_copied_with_the_module() -> None:
    layer, seen = nn.Linear(2, 2), []
    layer.register_forward_hook(lambda m, args, out: seen.append(m))
    other = copy.deepcopy(layer)
    other(eg.ones(1, 2))
    assert seen == [other] and list(other.state_dict()) == ["weight", "bias"]
