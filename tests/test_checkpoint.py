"""A checkpoint changes what is kept, and nothing else: the same values and gradients, bit for bit."""

# Lambdas are short, and take what they are given.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn

Loss = Callable[[Callable[..., Any]], eg.Tensor]


def plainly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def tensor(seed: int, *shape: int) -> eg.Tensor:
    return eg.tensor(np.random.default_rng(seed).normal(size=shape), dtype=eg.float64, requires_grad=True)


def bits(x: eg.Tensor) -> bytes:
    return x.detach().numpy().tobytes()


def same(loss: Loss, inputs: list[eg.Tensor]) -> None:
    """Values and gradients are those without the checkpoint, bit for bit; second ones add up in another order."""
    found: list[list[bytes]] = []
    seconds: list[list[Any]] = []
    for call in (plainly, eg.checkpoint):
        eg.manual_seed(3)
        y = loss(call)
        first = eg.gradients(y, inputs, create_graph=True)
        assert all(g is not None for g in first)
        size = sum(((g * g).sum() for g in first if g is not None), start=eg.tensor(0.0, dtype=eg.float64))
        second = eg.gradients(size, inputs, materialize_grads=True)
        eg.manual_seed(3)
        grads = loss(call).backward()
        found.append([bits(g) for g in (y, *first, *(grads[x] for x in inputs)) if g is not None])
        seconds.append([g.numpy() for g in second if g is not None])
    assert found[0] == found[1]
    for plain, saved in zip(*seconds, strict=True):
        np.testing.assert_allclose(saved, plain, rtol=1e-13, atol=1e-14)


def test_an_argument_and_a_tensor_from_outside(library: str) -> None:
    x, w = tensor(0, 3, 4), tensor(1, 4, 4)
    same(lambda call: (call(lambda t: (t @ w).tanh() @ w, x) * x).sum(), [x, w])


def test_arguments_that_depend_on_each_other(library: str) -> None:
    x = tensor(0, 3)

    def loss(call: Callable[..., Any]) -> eg.Tensor:
        y = x.exp()
        z: eg.Tensor = call(lambda a, b: a * b.sin(), y, x)
        return (z * y).sum()

    same(loss, [x])


def test_nests_of_results_and_keywords(library: str) -> None:
    x = tensor(0, 4)

    def f(pair: dict[str, eg.Tensor], *, scale: float) -> tuple[eg.Tensor, dict[str, Any]]:
        a = pair["x"].sort()
        return a.values * scale, {"i": a.indices, "square": pair["x"] ** 2, "same": pair["x"], "text": "t"}

    def loss(call: Callable[..., Any]) -> eg.Tensor:
        first, rest = call(f, {"x": x}, scale=3.0)
        assert rest["same"] is x and rest["text"] == "t" and rest["i"].dtype is eg.int64
        y: eg.Tensor = (first * rest["square"]).sum()
        return y

    same(loss, [x])


def test_checkpoints_nest(library: str) -> None:
    x, w = tensor(0, 2, 3), tensor(1, 3, 3)

    def loss(call: Callable[..., Any]) -> eg.Tensor:
        def inner(t: eg.Tensor) -> eg.Tensor:
            return eg.functional.dropout((t @ w).sin(), 0.5)

        def outer(t: eg.Tensor) -> eg.Tensor:
            a: eg.Tensor = call(inner, t)
            b: eg.Tensor = call(inner, a + eg.rand(2, 3, dtype=eg.float64))
            return b

        y: eg.Tensor = call(outer, x)
        return (y * y).sum()

    same(loss, [x, w])


def test_random_numbers_go_on_as_without_it() -> None:
    for call in (plainly, eg.checkpoint):
        eg.manual_seed(0)
        call(lambda t: t * eg.rand(2, dtype=eg.float64), tensor(0, 2))
        after = eg.rand(2)
        eg.manual_seed(0)
        eg.rand(2)
        assert after.tolist() == eg.rand(2).tolist()


def test_a_model_with_dropout_and_batch_norm(library: str) -> None:
    x = tensor(0, 6, 3)
    results: list[list[bytes]] = []
    for call in (plainly, eg.checkpoint):
        eg.manual_seed(1)
        nn = eg.nn
        model = nn.Sequential(
            nn.Linear(3, 8), nn.BatchNorm1d(8, momentum=None), nn.Dropout(0.3), nn.Linear(8, 2)
        )
        model.to(eg.float64)
        call(model, x)  # changes the running statistics
        grads = (call(model, x) ** 2).sum().backward()
        results.append([bits(grads[p]) for p in model.parameters()] + [bits(b) for b in model.buffers()])
    assert results[0] == results[1]


def test_nothing_to_record() -> None:
    x = eg.tensor([1.0, 2.0])
    assert not eg.checkpoint(lambda t: t * 2, x).requires_grad
    with eg.no_grad():
        assert not eg.checkpoint(lambda t: t * 2, tensor(0, 2)).requires_grad
    assert eg.checkpoint(lambda: 3) == 3


def test_the_context_of_the_call_comes_back(library: str) -> None:
    x = tensor(0, 2)
    with eg.use("numpy" if library == "torch" else "torch"):
        pass
    y = eg.checkpoint(lambda t: (t + eg.ones(2, dtype=eg.float64)) * t, x).sum()
    with eg.use("numpy" if library == "torch" else "torch"):
        grads = y.backward()
    assert np.allclose(grads[x].numpy(), 2 * x.detach().numpy() + 1)


def test_gradients_inside(library: str) -> None:
    x = tensor(0, 3)

    def penalty(call: Callable[..., Any]) -> eg.Tensor:
        def f(t: eg.Tensor) -> eg.Tensor:
            slope: eg.Tensor = eg.grad(lambda u: (u.sin() * u).sum())(t)
            return (slope**2).sum()

        y: eg.Tensor = call(f, x)
        return y

    same(penalty, [x])


def test_transforms_around(library: str) -> None:
    x = eg.tensor([0.3, -0.7], dtype=eg.float64)
    plain = eg.hessian(lambda t: (t.sin() * t).prod())(x)
    saved = eg.hessian(lambda t: eg.checkpoint(lambda u: (u.sin() * u).prod(), t))(x)
    assert plain.tolist() == saved.tolist()


def test_retain_graph_runs_it_each_time() -> None:
    runs: list[int] = []
    x = tensor(0, 3)

    def f(t: eg.Tensor) -> eg.Tensor:
        runs.append(1)
        return (t * t).sum()

    y = eg.checkpoint(f, x)
    first = y.backward(retain_graph=True)[x]
    second = y.backward()[x]
    assert len(runs) == 3 and first.tolist() == second.tolist()
    with pytest.raises(eg.GradientError, match="used"):
        y.backward()


def test_it_keeps_less() -> None:
    x = tensor(0, 1000)

    def f(t: eg.Tensor) -> eg.Tensor:
        for _ in range(10):
            t = t.sin()
        return t

    before = eg.debug.memory().bytes
    y = f(x)
    plain = eg.debug.memory().bytes - before
    del y
    y = eg.checkpoint(f, x)
    assert eg.debug.memory().bytes - before == 0 and plain >= 9 * 8000
    del y


def test_a_variable_inside_is_refused() -> None:
    with pytest.raises(eg.GradientError, match="makes a variable"):
        eg.checkpoint(lambda t: t * eg.tensor(1.0, requires_grad=True), tensor(0, 2))


def test_a_move_inside_is_refused() -> None:
    pytest.importorskip("torch", reason="moves need a second array library")
    x = tensor(0, 2)
    other = "torch" if "numpy" in x.backend.name else "numpy"
    with pytest.raises(eg.GradientError, match="moves a tracked tensor"):
        eg.checkpoint(lambda t: t.to(other) * 2, x)


def test_a_parameter_that_was_replaced_is_refused() -> None:
    p = eg.nn.Parameter([1.0, 2.0])
    y = eg.checkpoint(lambda: (p * p).sum())
    p.assign([3.0, 4.0])
    with pytest.raises(eg.GradientError, match="replaced between"):
        y.backward()


@pytest.mark.parametrize("change", ["op", "tensor", "draws"])
def test_another_function_the_second_time_is_refused(change: str) -> None:
    x, w, state = tensor(0, 2), tensor(1, 2), [0]

    def f(t: eg.Tensor) -> eg.Tensor:
        state[0] += 1
        if state[0] == 1:
            return (t * 2).sum()
        if change == "draws":
            return (t * eg.rand(2, dtype=eg.float64)).sum()
        return (t * w).sum() if change == "tensor" else (t * 2).sum().detach()

    y = eg.checkpoint(f, x)
    with pytest.raises(eg.GradientError, match=r"something else|more random"):
        y.backward()


class _Net(nn.Module):
    def __init__(self) -> None:
        self.first, self.norm = nn.Linear(3, 4, dtype=eg.float64), nn.BatchNorm1d(4, dtype=eg.float64)

    def forward(self, x: eg.Tensor, kept: bool) -> Any:
        def inside(t: eg.Tensor) -> Any:
            return self.norm(self.first(t)).tanh()

        return inside(x) if kept else eg.checkpoint(inside, x)


def test_inside_a_call_with_other_parameters(library: str) -> None:
    net, x = _Net(), eg.randn(5, 3, dtype=eg.float64)
    values = {name: p.detach() * 0.5 + 0.25 for name, p in net.named_parameters()}

    def loss(params: dict[str, eg.Tensor], kept: bool) -> Any:
        inner = nn.functional_call(net, params, (x, kept))
        outer = eg.checkpoint(lambda: nn.functional_call(net, {"norm.weight": inner.mean(0)}, (x, kept)))
        return (inner * outer).square().sum()

    expected = eg.grad(lambda params: loss(params, True))(values)
    found = eg.grad(lambda params: loss(params, False))(values)
    for name, value in expected.items():
        assert found[name].tolist() == value.tolist(), name
        assert value.abs().sum().item() > 0
    own = net.first.weight.tolist()
    loss(values, False)
    assert net.first.weight.tolist() == own


def test_a_function_of_parameters_to_the_second_order(library: str) -> None:
    net, x = nn.Linear(2, 1, bias=False, dtype=eg.float64), eg.tensor([[1.0, 2.0]], dtype=eg.float64)
    weight = eg.tensor([[0.5, -1.0]], dtype=eg.float64)

    def cube(w: eg.Tensor) -> Any:
        return eg.checkpoint(lambda t: nn.functional_call(net, {"weight": t}, (x,)) ** 3, w).sum() + (
            nn.functional_call(net, {"weight": w}, (eg.checkpoint(lambda t: t * 2.0, x),)).sum()
        )

    # (x . w) ** 3 has the Hessian 6 (x . w) x x^T, with x . w = -1.5
    assert eg.hessian(cube)(weight).reshape(2, 2).tolist() == [[-9.0, -18.0], [-18.0, -36.0]]
