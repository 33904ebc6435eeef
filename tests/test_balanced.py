"""Checkpointing by op: the same answers to the last bit, from less memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import everygrad as eg
from everygrad import nn
from everygrad.engine.balanced import DEEPEST, LazyNode
from everygrad.tensor.variable import node_of

pytest.importorskip("torch", reason="the random programs are those that run beside torch")
from tests.test_programs import OPS, SHAPE, STEP, Step, ours

LIBRARIES = ("numpy", "torch")


def lazily(library: str) -> str:
    return f"autodiff({library},checkpointing=balanced)"


def check(steps: list[Step], seed: int) -> None:
    """Values, first and second gradients of a program are the same bits with and without."""
    generator = np.random.default_rng(seed)
    data = [generator.standard_normal(SHAPE) for _ in range(2)]
    directions = [generator.standard_normal(SHAPE) for _ in range(2)]
    for library in LIBRARIES:
        plain = ours(f"autodiff({library})", steps, data, directions)
        lazy = ours(lazily(library), steps, data, directions)
        assert [x.tobytes() for x in plain] == [x.tobytes() for x in lazy], library


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, min_size=2, max_size=8), st.integers(0, 2**16))
def test_random_programs(steps: list[Step], seed: int) -> None:
    check(steps, seed)


@pytest.mark.parametrize("name", sorted(OPS))
def test_each_op_between_cheap_ones(name: str) -> None:
    check([("sin", 0, 1, 0), (name, 2, 1, 1), ("mul", 3, 2, 0), (name, 1, 4, 4)], 7)


def model() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.GELU(), nn.AvgPool2d(4), nn.Flatten(),
        nn.Linear(32, 64), nn.LayerNorm(64), nn.Tanh(), nn.Dropout(0.2), nn.Linear(64, 2),
    )  # fmt: skip


def train(spec: str) -> tuple[list[bytes], int]:
    """The bits of the gradients of a model, and the bytes that its graph kept."""
    with eg.use(eg.backend(spec)):
        eg.manual_seed(0)
        net = model()
        before = eg.debug.memory().bytes
        loss = net(eg.rand(4, 3, 8, 8)).square().sum()
        kept = eg.debug.memory().bytes - before
        grads = loss.backward()
        return [grads[p].numpy().tobytes() for p in net.parameters()], kept


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_model(library: str) -> None:
    plain, much = train(f"autodiff({library})")
    lazy, little = train(lazily(library))
    assert plain == lazy
    assert little < 0.75 * much


def test_a_chain_of_cheap_ops_is_cut() -> None:
    with eg.use(eg.backend(lazily("numpy"))):
        x = eg.rand(4, dtype=eg.float64).requires_grad_()
        y = x
        depths: list[int] = []
        for _ in range(3 * DEEPEST):
            y = y.sin()
            node = node_of(y)
            assert isinstance(node, LazyNode)
            depths.append(0 if node.recipe is None else node.recipe.depth)
        assert max(depths) == DEEPEST and 0 in depths
        assert y.sum().backward()[x].dtype is eg.float64


def test_an_operand_that_nobody_keeps_gets_no_recipe() -> None:
    with eg.use(eg.backend(lazily("numpy"))):
        w = eg.rand(4, 4).requires_grad_()
        y = (w @ w).tanh()  # the product is kept by nobody: tanh keeps its own result
        node = node_of(y)
        assert isinstance(node, LazyNode) and node.recipe is None and node.held


def test_the_name_is_the_spec_and_moves_keep_it() -> None:
    b = eg.backend("autodiff(numpy, checkpointing=balanced)")
    assert b is eg.backend(b.name) and b.name == lazily("numpy")
    with eg.use(b), eg.use("torch") as other:
        assert other.name == lazily("torch")
    assert eg.tensor(1.0, backend=b).to("torch").backend.name == lazily("torch")


def test_it_mixes_with_tensors_of_the_plain_decorator() -> None:
    x = eg.tensor([1.0, 2.0], backend="autodiff(numpy)", requires_grad=True)
    y = eg.tensor([3.0, 4.0], backend=eg.backend(lazily("numpy")), requires_grad=True)
    for product in (x * y, y * x):
        grads = (product * product.sin()).sum().backward()
        a = np.array([3.0, 8.0])
        slope = np.sin(a) + a * np.cos(a)
        np.testing.assert_allclose(grads[x].numpy(), slope * [3, 4], rtol=1e-6)
        np.testing.assert_allclose(grads[y].numpy(), slope * [1, 2], rtol=1e-6)


def test_a_graph_can_be_used_again() -> None:
    with eg.use(eg.backend(lazily("numpy"))):
        x = eg.rand(3, dtype=eg.float64).requires_grad_()
        y = (x.exp().sin() * x).sum()
        first = y.backward(retain_graph=True)[x].tolist()
        assert y.backward()[x].tolist() == first


def test_another_word_is_refused() -> None:
    with pytest.raises(eg.BackendError, match="checkpointing must be"):
        eg.Autodiff(eg.backend("numpy"), "all")  # type: ignore[arg-type]  # the wrong word
