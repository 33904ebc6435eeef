"""The walk back: order, sums, freeing, pruning, levels, threads, memory."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# (lambdas under test take and give whatever tensors they meet)

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad.engine import Autodiff, Node, Tracked, run
from everygrad.engine.node import LEAF, Record
from everygrad_numpy import NumpyBackend


def variable(value: Any, dtype: Any = None) -> eg.Tensor:
    return eg.tensor(np.asarray(value, dtype or np.float64), requires_grad=True)


@pytest.mark.usefixtures("library")
class TestSums:
    def test_diamond(self) -> None:
        a, b = variable(3.0), variable(5.0)
        grads = ((a + b) * a).backward()
        assert (grads[a].item(), grads[b].item()) == (11.0, 3.0)

    def test_one_tensor_in_both_slots(self) -> None:
        x = variable(3.0)
        assert (x * x + x).backward()[x].item() == 7.0

    def test_many_paths_do_not_share_a_buffer(self) -> None:
        x, y = variable([1.0, 2.0]), variable([5.0, 7.0])
        total = x + y  # the same upstream array reaches x and y
        grads = (total + total + x + x + x).sum().backward()
        assert grads[x].tolist() == [5.0, 5.0]
        assert grads[y].tolist() == [2.0, 2.0]

    def test_gradients_of_two_leaves_are_not_changed_later(self) -> None:
        x, y = variable([1.0]), variable([1.0])
        g = (x + y).sum().backward(retain_graph=True)
        first = g[x].tolist()
        _ = g[x] + 5.0
        assert g[x].tolist() == first == g[y].tolist()

    def test_broadcast_operands_get_their_own_shape(self) -> None:
        row, column = variable([[1.0, 2.0, 3.0]]), variable([[10.0], [20.0]])
        grads = (row * column).sum().backward()
        assert grads[row].tolist() == [[30.0, 30.0, 30.0]]
        assert grads[column].tolist() == [[6.0], [6.0]]

    def test_broadcast_against_size_zero(self) -> None:
        b = variable([1.0, 2.0, 3.0, 4.0])
        grads = (eg.zeros(4, 0, dtype=eg.float64) + b.reshape(4, 1)).sum().backward()
        assert grads[b].tolist() == [0.0] * 4


@pytest.mark.usefixtures("library")
class TestUse:
    def test_a_graph_is_used_once(self) -> None:
        x = variable(2.0)
        y = x * x
        y.backward()
        with pytest.raises(eg.GradientError, match=r"already used.*retain_graph=True"):
            y.backward()

    def test_retain_graph(self) -> None:
        x = variable(2.0)
        y = x * x
        assert y.backward(retain_graph=True)[x].item() == y.backward()[x].item() == 4.0

    def test_a_freed_graph_is_never_an_unconnected_one(self) -> None:
        x = variable(2.0)
        middle = x * 3.0
        (middle * middle).backward()
        with pytest.raises(eg.GradientError, match="already used"):
            eg.gradients(middle * 2.0, [x])

    def test_untracked(self) -> None:
        with pytest.raises(eg.GradientError, match="not tracked"):
            eg.tensor(1.0).backward()

    def test_not_a_scalar(self) -> None:
        with pytest.raises(eg.GradientError, match="scalar"):
            variable([1.0, 2.0]).backward()

    def test_upstream_of_another_shape(self) -> None:
        with pytest.raises(eg.ShapeError, match="gradient"):
            (variable([1.0, 2.0]) * 2.0).backward(eg.ones(3))

    def test_unconnected(self) -> None:
        x, y = variable(1.0), variable(1.0)
        grads = (x * 2.0).backward(retain_graph=True)
        assert grads.get(y) is None
        with pytest.raises(eg.GradientError, match="not connected"):
            grads[y]
        z = x * 2.0
        assert eg.gradients(z, [y]) == (None,)
        (zero,) = eg.gradients(x * 2.0, [y], materialize_grads=True)
        assert zero is not None and zero.item() == 0.0

    def test_no_grad_attribute(self) -> None:
        with pytest.raises(AttributeError, match="backward\\(\\) returns them"):
            _ = variable(1.0).grad

    def test_intermediate_input(self) -> None:
        x = variable(2.0)
        middle = x * 3.0
        (g,) = eg.gradients(middle * middle, [middle])
        assert g is not None and g.item() == 12.0

    def test_an_input_behind_another_input(self) -> None:
        x = variable(2.0)
        middle = x * 3.0
        out = middle * middle
        found = eg.gradients(out, [x, middle, x, out], create_graph=True)
        assert [g.item() for g in found if g is not None] == [36.0, 12.0, 36.0, 1.0]
        assert [g.item() for g in eg.gradients(out, [middle, x]) if g is not None] == [12.0, 36.0]

    def test_what_lies_behind_the_inputs_stays_unused(self) -> None:
        x = variable(2.0)
        middle = x * 3.0
        (g,) = eg.gradients(middle * middle, [middle])
        assert g is not None and g.item() == 12.0
        assert middle.backward()[x].item() == 3.0
        (g,) = eg.gradients(middle * 2.0, [middle])  # used now, but the way to it is not
        assert g is not None and g.item() == 2.0
        with pytest.raises(eg.GradientError, match="already used"):
            eg.gradients(middle * 2.0, [middle, x])

    def test_an_error_on_the_way_leaves_a_used_graph(self) -> None:
        x = variable([1.0, 2.0, 3.0])
        first = x * 1.0

        def fail(b: object, g: object, node: Node, parents: object) -> tuple[object, ...]:
            raise KeyboardInterrupt

        b = first.backend
        assert isinstance(b, Autodiff)
        record = Record("failing", fail, fail, inputs=("x",))
        node = Node(record, (first.array.node,), None, first.array.node.signature)
        out = eg.Tensor(Tracked(first.array.value, node), b).sum()
        with pytest.raises(KeyboardInterrupt):
            out.backward()
        with pytest.raises(eg.GradientError, match="already used"):
            out.backward()
        assert first.sum().backward()[x].tolist() == [1.0, 1.0, 1.0]  # it never came so far

    def test_pruned_nodes_are_not_visited(self) -> None:
        x, y = variable(2.0), variable(3.0)
        branch = y * y
        out = x * 2.0 + branch
        (g,) = eg.gradients(out, [x])
        assert g is not None and g.item() == 2.0
        assert branch.backward()[y].item() == 6.0  # its nodes were not used


@pytest.mark.usefixtures("library")
class TestSwitch:
    def test_no_grad(self) -> None:
        x = variable(1.0)
        with eg.no_grad():
            assert not (x * 2.0).requires_grad
            with eg.enable_grad():
                assert (x * 2.0).requires_grad
        assert (x * 2.0).requires_grad

    def test_an_exception_restores_it(self) -> None:
        with pytest.raises(ZeroDivisionError), eg.no_grad():
            _ = 1 / 0
        assert eg.is_grad_enabled()

    def test_new_threads_start_with_it_on(self) -> None:
        seen: list[bool] = []
        with eg.no_grad():
            thread = threading.Thread(target=lambda: seen.append(eg.is_grad_enabled()))
            thread.start()
            thread.join()
        assert seen == [True]

    def test_as_a_decorator(self) -> None:
        @eg.no_grad()
        def double(x: eg.Tensor) -> eg.Tensor:
            return x * 2.0

        assert not double(variable(1.0)).requires_grad

    def test_create_graph_inside_no_grad(self) -> None:
        x = variable(2.0)
        y = x * x * x
        with eg.no_grad():
            (g,) = eg.gradients(y, [x], create_graph=True)
        assert g is not None and g.requires_grad


class TestLevels:
    def test_nested_decorators(self) -> None:
        for name in ("numpy", "torch"):
            inner = eg.backend(f"autodiff({name})")
            outer = eg.backend(f"autodiff(autodiff({name}))")
            assert isinstance(inner, Autodiff) and isinstance(outer, Autodiff)
            x = inner.variable(inner.from_numpy(np.array(0.7)))
            lifted = outer.variable(outer.lift(x))
            y = outer.mul(outer.mul(lifted, lifted), outer.lift(x))  # x * t**2 at t = x
            assert lifted.node is not None and x.node is not None and y.node is not None
            g = run(outer, [(y.node, inner.ones_like(inner.detach(y.value)))])[lifted.node]
            h = run(inner, [(g.node, inner.inner.ones_like(g.value))])[x.node]
            assert float(eg.backend(name).to_numpy(g.value)) == pytest.approx(2 * 0.49)
            assert float(eg.backend(name).to_numpy(h)) == pytest.approx(4 * 0.7)

    def test_an_array_of_another_level_is_explained(self) -> None:
        b = eg.backend("autodiff(numpy)")
        with pytest.raises(TypeError, match=r"add: x must be an array of autodiff\(numpy\).*lift"):
            b.add(np.ones(2), 1.0)

    def test_reading_a_tracked_array_is_refused(self) -> None:
        b = eg.backend("autodiff(numpy)")
        assert isinstance(b, Autodiff)
        with pytest.raises(eg.GradientError, match="detach"):
            b.to_numpy(b.variable(b.from_numpy(np.ones(2))))


def broken(pull: Callable[..., Any]) -> eg.Tensor:
    """A tracked tensor whose gradient goes through `pull`."""
    b = eg.backend("autodiff(numpy)")
    assert isinstance(b, Autodiff)
    x = b.variable(b.from_numpy(np.ones(3, np.float32)))
    record = Record("wrong", pull, pull, inputs=("x",))
    value = np.ones(3, np.float32)
    return eg.Tensor(Tracked(value, Node(record, (x.node,), None, b.inner.signature(value))), b)


class TestChecks:
    def test_a_gradient_of_the_wrong_shape_is_refused(self) -> None:
        out = broken(lambda b, g, node, parents: (np.ones(4, np.float32),))
        with pytest.raises(
            eg.GradientError, match=r"float32\[3\], got float32\[4\], from the rule of wrong, argument x"
        ):
            out.sum().backward()

    def test_a_gradient_of_the_wrong_dtype_is_refused(self) -> None:
        out = broken(lambda b, g, node, parents: (np.ones(3, np.float64),))
        with pytest.raises(eg.GradientError, match=r"float32\[3\], got float64\[3\]"):
            out.sum().backward()

    def test_a_right_one_passes(self) -> None:
        broken(lambda b, g, node, parents: (g,)).sum().backward()


class FloatBackend(NumpyBackend):
    """Its results of rank 0 are NumPy scalars, which are a kind of Python float."""

    name = "float-scalars"

    def sum(self, x: Any, dims: tuple[int, ...], keepdim: bool = False) -> Any:
        return super().sum(x, dims, keepdim)[()]


def test_arrays_that_are_a_kind_of_float_keep_their_second_derivative() -> None:
    with eg.use(Autodiff(FloatBackend())):
        x = variable([1.0, 2.0])
        assert isinstance(x.sum().array.value, float)
        assert eg.hessian(lambda t: (t / t.sum()).square().sum())(x.detach()).numpy() == pytest.approx(
            eg.hessian(lambda t: t.square().sum() / t.sum().square())(x.detach()).numpy()
        )
        (g,) = eg.gradients((x * x.sum()).sum(), [x], create_graph=True)  # (sum x)^2
        assert g is not None and g.sum().backward()[x].tolist() == [4.0, 4.0]


def live_nodes() -> int:
    gc.collect()
    return sum(type(o) is Node for o in gc.get_objects())


@pytest.mark.usefixtures("library")
class TestMemory:
    def test_a_dropped_result_frees_its_graph_without_the_collector(self) -> None:
        x = variable([1.0, 2.0])
        hidden = eg.Tensor(x.array, x.backend)
        y = (hidden * hidden).tanh()
        watched = weakref.ref(y)
        middle = hidden * 2.0
        seen = weakref.ref(middle)
        gc.disable()
        try:
            out = (middle * y).sum()
            del y, middle, out
            assert watched() is None and seen() is None
        finally:
            gc.enable()

    def test_gradients_with_a_graph_do_not_keep_the_variable(self) -> None:
        x = variable([1.0])
        seen = weakref.ref(x)
        (g,) = eg.gradients(x.tanh().sum(), [x], create_graph=True)
        del x, g
        assert seen() is None

    def test_backward_frees_as_it_goes(self) -> None:
        x = variable([1.0])
        before = live_nodes()
        y = x
        for _ in range(50):
            y = y * 1.5
        assert live_nodes() >= before + 50
        y.sum().backward()
        assert live_nodes() <= before + 2  # y's own node is held by y

    def test_a_thousand_forwards_leave_nothing(self) -> None:
        x = variable([1.0])
        before = live_nodes()
        for _ in range(1000):
            (x * 2.0).tanh()
        assert live_nodes() == before

    def test_a_sum_saves_no_array(self) -> None:
        x = variable(np.ones(10))
        node = x.sum().array.node
        assert all(not hasattr(item, "dtype") for item in node.saved)


def test_deep_chain_without_recursion() -> None:
    x = variable(1.0)
    y = x
    for _ in range(100_000):
        y = y * 1.00001
    assert y.backward()[x].item() == pytest.approx(2.71827, abs=1e-5)
    y = x
    for _ in range(100_000):
        y = y * 1.00001
    del y


def test_threads_do_not_disturb_each_other() -> None:
    wrong: list[tuple[int, float]] = []

    def work(k: int) -> None:
        for _ in range(200):
            x = variable(3.0)
            found = ((x * float(k)) ** 2).backward()[x].item()
            if found != 6.0 * k * k:
                wrong.append((k, found))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 9)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_saved_values_cannot_be_changed_from_outside() -> None:
    data = np.array([3.0, 4.0])
    t = eg.tensor(data)
    w = variable([1.0, 1.0])
    loss = (w * t).sum()
    data[:] = 100
    assert loss.backward()[w].tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match="read-only"):
        t.numpy()[0] = 1


def test_leaf_record_has_no_parents() -> None:
    assert variable(1.0).array.node.record is LEAF
