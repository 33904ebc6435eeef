"""Each gap of burn's decorator that docs/reference/burn-map.md lists, closed: a test per line, or where it is."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typing_extensions import override

import everygrad as eg
from everygrad import functional as F
from everygrad.conformance.case import Array, Case
from everygrad.conformance.cases import all_cases
from everygrad.conformance.gradients import check_gradient
from everygrad.engine import Autodiff, run
from everygrad.registry import backend
from everygrad.rules import RULES
from everygrad.tensor.wrap import wrap
from everygrad_numpy import NumpyBackend

pytestmark = pytest.mark.usefixtures("library")

ELSEWHERE = {
    "A6": "test_engine:TestUse.test_a_graph_is_used_once",
    "A9": "test_checkpoint:test_checkpoints_nest",
    "B16": "test_engine:test_threads_do_not_disturb_each_other",
    "D8": "test_engine:TestMemory.test_a_dropped_result_frees_its_graph_without_the_collector",
    "D1": "test_recompute:test_the_override_runs_forwards_and_the_default_backwards",
}
"""Lines whose test is in another file."""
LATER = {"A8": "capture of graphs", "B1": "quantized tensors", "B14": "distributed tensors"}
"""Lines about what is not there yet, as the page says."""


def variable(values: Any) -> eg.Tensor:
    return eg.tensor(values, requires_grad=True)


def slope(out: eg.Tensor, x: eg.Tensor) -> Any:
    return out.sum().backward()[x].tolist()


def test_a1_topk() -> None:
    x = variable([3.0, 1, 2])
    assert slope(eg.topk(x, 2)[0], x) == [1, 0, 1]


@pytest.mark.parametrize(
    ("mode", "due"), [("prod", [2.0, 5, 1]), ("amin", [0.0, 1, 1]), ("amax", [1.0, 0, 1])]
)
@pytest.mark.parametrize("op", [eg.scatter_reduce, eg.index_reduce])
def test_a2_a3_modes_of_scatter(op: Callable[..., eg.Tensor], mode: str, due: list[float]) -> None:
    x = variable([3.0, 1, 2])
    assert slope(op(x, 0, eg.tensor([0, 1]), eg.tensor([2.0, 5]), mode), x) == due


def test_a4_gather_nd_of_integers() -> None:
    assert eg.gather_nd(eg.tensor([[1, 2], [3, 4]]), eg.tensor([[0, 1], [1, 0]])).tolist() == [2, 3]


def test_a5_a_result_is_no_variable() -> None:
    with pytest.raises(eg.GradientError, match="detach"):
        (variable([1.0]) * 2).requires_grad_()


def test_a7_what_is_not_tracked() -> None:
    with pytest.raises(eg.GradientError, match="not tracked"):
        eg.tensor(1.0).backward()


@pytest.mark.parametrize(
    "op", ["interpolate", "deform_conv2d", "rfft", "irfft", "adaptive_avg_pool3d", "grid_sample"]
)
def test_a10_every_mode_has_its_gradient(op: str, library: str) -> None:
    order_two(op, library, limit=99, order=1)


def test_a11_unfold_and_fold() -> None:
    x = variable(np.arange(16.0).reshape(1, 1, 4, 4))
    once = F.unfold(x, 3)
    assert slope(once, x)[0][0] == F.fold(eg.ones_like(once), (4, 4), 3).tolist()[0][0]


def test_b0_repeat() -> None:
    x = variable([1.0, 2])
    assert slope(x.repeat(3) * eg.tensor([1.0, 2, 3, 4, 5, 6]), x) == [9, 12]


def test_b2_power_zero() -> None:
    x = variable([0.0, 2])
    assert slope(x**0, x) == [0, 0]


def test_b3_prod_at_zeros() -> None:
    x = variable([0.0, 2, 3])
    assert slope(x.prod(), x) == [6, 0, 0]


def test_b4_cross_of_broadcast_operands() -> None:
    x = variable(np.ones((1, 3)))
    assert slope(eg.cross(x, eg.tensor(np.arange(6.0).reshape(2, 3)), dim=1), x) == [[-2, 4, -2]]


def test_b5_gelu_has_its_own_gradient() -> None:
    for at in (-2.02, -4.0, 0.5):
        x = variable(np.array([at]))
        normal = 0.5 * math.erfc(-at / math.sqrt(2))
        due = normal + at * math.exp(-at * at / 2) / math.sqrt(2 * math.pi)
        assert slope(F.gelu(x), x)[0] == pytest.approx(due, rel=1e-12)


def test_b6_division_by_a_number_keeps_float64() -> None:
    x = variable(np.array([1.0]))
    assert slope(x / 3, x) == [1 / 3]


def test_b7_sigmoid_keeps_float64() -> None:
    for function, due in ((F.sigmoid, 1 / (1 + math.exp(-0.3))), (F.hardsigmoid, 0.3 / 6 + 0.5)):
        assert function(eg.tensor(np.array([0.3]))).item() == pytest.approx(due, rel=1e-15)


def test_b8_writes_that_lost() -> None:
    x, src = variable([0.0, 0, 0]), variable([1.0, 2])
    grads = eg.scatter(x, 0, eg.tensor([1, 1]), src).sum().backward()
    assert (grads[x].tolist(), grads[src].tolist()) == ([1, 0, 1], [0, 1])


def test_b9_repeats_multiply_and_share_ties() -> None:
    x, src = variable([2.0]), variable([3.0, 5])
    grads = eg.scatter_reduce(x, 0, eg.tensor([0, 0]), src, "prod").sum().backward()
    assert (grads[x].tolist(), grads[src].tolist()) == ([15], [10, 6])
    x, src = variable([1.0]), variable([3.0, 3])
    grads = eg.scatter_reduce(x, 0, eg.tensor([0, 0]), src, "amax").sum().backward()
    assert (grads[x].tolist(), grads[src].tolist()) == ([0], [0.5, 0.5])


def test_b10_sign_stops_nan() -> None:
    x = variable([2.0])
    assert eg.sign(x).backward(eg.tensor([math.nan]))[x].tolist() == [0]


def test_b11_singular_points() -> None:
    x, y = variable([0.0]), variable([0.0])
    for out in (eg.hypot(x, y), eg.atan2(x, y), eg.norm(x), x**2.0):
        assert slope(out, x) == [0]
    power = variable([2.0])
    assert slope(x**power, power) == [0]
    nothing = variable([0.0])
    assert slope(x**nothing, x) == [0]


def test_b12_ties() -> None:
    x = variable([1.0, 1])
    assert slope(eg.amax(x, 0), x) == [0.5, 0.5]
    assert slope(eg.max(x, 0)[0], x) == [1, 0]
    assert slope(eg.cummax(x, 0)[0], x) in ([2, 0], [1, 1])
    assert slope(eg.sort(x)[0] * eg.tensor([1.0, 2]), x) == [1, 2]


def test_b13_attention_runs_its_fused_form() -> None:
    assert_called("attention", lambda x: F.scaled_dot_product_attention(x, x, x), np.ones((1, 2, 3, 4)))


def test_b15_detach() -> None:
    assert not variable([1.0]).detach().requires_grad


def test_b17_a_larger_mask() -> None:
    x = variable([1.0])
    assert slope(eg.masked_fill(x, eg.tensor([True, False, False]), 0.0), x) == [2]


SECOND = (
    "linear embedding avg_pool1d avg_pool2d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d "
    "max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices interpolate deform_conv2d gelu cumprod prod"
)


@pytest.mark.parametrize("op", SECOND.split())
def test_c_second_derivatives(op: str, library: str) -> None:
    order_two(op, library, limit=2, order=2)


def order_two(op: str, library: str, limit: int, order: int) -> None:
    """Gradients of an op against differences, in cases of its own."""
    cases: list[Case] = [c for c in all_cases() if c.op == op and c.order >= order and c.gradients is None]
    assert cases, op
    for case in cases[:limit]:
        check_gradient(backend(library), case, order)


def saved(op: str) -> set[str]:
    """The arrays that the rules of an op keep."""
    named = {name for rule in RULES[op] for name in rule.names}
    return {n for n in named if n in ("x", "weight", "bias") or n.startswith("out")}


@pytest.mark.parametrize(
    ("op", "due"),
    [
        *((op, {"out"}) for op in ("exp", "tanh", "sigmoid", "tan")),
        ("cummax", {"out_indices"}),
        ("cummin", {"out_indices"}),
    ],
)
def test_d2_the_result_is_kept(op: str, due: set[str]) -> None:
    assert saved(op) == due


@pytest.mark.parametrize("op", ["avg_pool", "adaptive_avg_pool", "interpolate", "embedding", "sum", "slice"])
def test_d3_shapes_are_kept(op: str) -> None:
    assert saved(op) == set()


def test_d4_sums_stretch() -> None:
    x = variable(np.ones((3, 4)))
    assert np.asarray(x.sum().backward()[x].numpy()).strides == (0, 0)


@pytest.mark.parametrize(
    ("op", "adjoint"), [("unfold_dim", "fold_dim"), ("unfold", "fold"), ("fold", "unfold")]
)
def test_d5_unfold_goes_back_by_one_op(op: str, adjoint: str) -> None:
    names = RULES[op][0].function.__code__.co_names
    assert adjoint in names


def test_d6_sums_of_gradients_are_in_place() -> None:
    class Counting(NumpyBackend):
        into: int = 0

        @override
        def accumulate(self, x: Array, y: Array) -> Array:
            out = super().accumulate(x, y)
            self.into += out is x
            return out

    b = Counting()
    d = Autodiff(b)
    x = d.variable(d.lift(np.arange(6.0)))
    parts = [d.slice(x, ((start, 2, 1),)) for start in range(4)]
    node = x.node
    assert node is not None
    run(d, [(p.node, np.ones(2)) for p in parts if p.node is not None], inputs=[node])
    assert b.into == 2  # the first sum makes the buffer


def test_d7_groups_are_one_op() -> None:
    assert_called("conv", lambda x: F.conv2d(x, x.new_ones((4, 1, 2, 2)), groups=4), np.ones((1, 4, 3, 3)))


def linear(x: eg.Tensor) -> eg.Tensor:
    return F.linear(x, x.new_ones((2, 3)))


def cube(x: eg.Tensor) -> eg.Tensor:
    return x**3


@pytest.mark.parametrize(("op", "function"), [("linear", linear), ("pow", cube), ("square", eg.square)])
def test_d9_overrides_are_reached(op: str, function: Callable[[eg.Tensor], eg.Tensor]) -> None:
    assert_called(op, function, np.ones((4, 3)))


def assert_called(op: str, function: Callable[[eg.Tensor], eg.Tensor], x: Array) -> None:
    """A function must call the op of a stranger's backend: by itself or by a form with residuals."""
    calls: list[str] = []

    def counting(name: str) -> Any:
        def method(self: Any, *args: Any) -> Any:
            calls.append(name)
            return getattr(NumpyBackend, name)(self, *args)

        return method

    forms = [name for name in dir(NumpyBackend) if name == op or name.startswith((f"{op}2d", f"{op}_with_"))]
    stranger = type("Stranger", (NumpyBackend,), {name: counting(name) for name in forms})
    b = eg.Autodiff(stranger())
    for tracked in (False, True):
        calls.clear()
        array = b.lift(b.inner.from_numpy(x))
        function(wrap(b.variable(array) if tracked else array, b))
        assert calls, f"{op} was not reached, tracked={tracked}"


def test_every_line_has_its_test() -> None:
    page = Path(__file__).parents[1] / "docs" / "reference" / "burn-map.md"
    lines = re.findall(r"^\| ([A-D]\d*) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) == 39
    here = " ".join(name for name in globals() if name.startswith("test_"))
    for line in lines:
        if line in LATER:
            continue
        found = re.search(rf"_{line.lower()}(_|\b)", here) or elsewhere(ELSEWHERE[line])
        assert found, line


def elsewhere(place: str) -> Any:
    """A test in another file."""
    module, _, path = place.partition(":")
    value: Any = importlib.import_module(f"tests.{module}")
    for step in path.split("."):
        value = getattr(value, step)
    return value
