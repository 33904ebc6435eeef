"""Graphs die when nobody holds them, by reference counts alone; `eg.debug.memory` sees what is left."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import everygrad as eg


@pytest.fixture(autouse=True)
def no_cycles() -> Iterator[None]:
    """The collector is off: what is freed is freed by reference counts."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def step(x: eg.Tensor) -> eg.Tensor:
    return ((x * 2).sin() @ x).tanh().sum()


def test_what_is_kept_by_op(library: str) -> None:
    before = eg.debug.memory()
    x = eg.rand(10, 10).requires_grad_()
    y = x.exp()
    z = y.tanh().sum()
    rows = {row.op: row for row in eg.debug.memory().ops}
    assert {"exp", "tanh", "sum"} <= rows.keys()
    assert rows["exp"].bytes == rows["tanh"].bytes == 400
    assert eg.debug.memory().nodes == before.nodes + 3
    text = str(eg.debug.memory())
    assert "saved bytes" in text and "tanh" in text and text.splitlines()[-1].startswith("all")
    del y, z
    assert eg.debug.memory().nodes == before.nodes


def test_an_array_is_counted_once() -> None:
    before = eg.debug.memory().bytes
    x = eg.rand(100).requires_grad_()
    y = x.sin()
    z = (y.sin(), y.cos(), y.reshape(10, 10).sin())
    assert eg.debug.memory().bytes - before == 800, "x once and y once"
    del y, z


def test_forwards_without_backward_leave_nothing(library: str) -> None:
    x = eg.rand(4, 4).requires_grad_()
    before = eg.debug.memory().nodes
    for _ in range(1000):
        step(x)
    assert eg.debug.memory().nodes == before


def test_dropping_the_loss_frees_the_graph(library: str) -> None:
    x = eg.rand(4, 4).requires_grad_()
    before = eg.debug.memory().nodes
    loss = step(x)
    assert eg.debug.memory().nodes > before
    del loss
    assert eg.debug.memory().nodes == before


def test_backward_frees_what_was_saved(library: str) -> None:
    x = eg.rand(4, 4).requires_grad_()
    before = eg.debug.memory().bytes
    loss = step(x)
    loss.backward()
    assert eg.debug.memory().bytes == before


def test_create_graph_leaves_no_cycle(library: str) -> None:
    x = eg.rand(4, 4).requires_grad_()
    before = eg.debug.memory().nodes
    loss = step(x)
    (g,) = eg.gradients(loss, [x], create_graph=True)
    assert g is not None and g.requires_grad
    del loss, g
    assert eg.debug.memory().nodes == before


def test_a_million_ops_in_a_row() -> None:
    x = eg.tensor(1.0, dtype=eg.float64, requires_grad=True)
    before = eg.debug.memory().nodes
    y = x
    for _ in range(1_000_000):
        y = y * 1.000001
    grad = y.backward(retain_graph=True)[x].item()
    assert grad == pytest.approx(1.000001**1_000_000, rel=1e-9)
    del y
    assert eg.debug.memory().nodes == before


def test_eight_threads_agree(library: str) -> None:
    gc.enable()

    def work(k: int) -> list[float]:
        found: list[float] = []
        for _ in range(200):
            x = eg.tensor(3.0, dtype=eg.float64, requires_grad=True)
            found.append((k * x).square().backward()[x].item())
        return found

    with ThreadPoolExecutor(8) as pool:
        for k, found in enumerate(pool.map(work, range(8))):
            assert found == [6.0 * k * k] * 200
