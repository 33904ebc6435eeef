"""The anomaly context: it stops at the right op and line, lets through what is no anomaly, and leaves nothing behind."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# (functions under test take and give whatever tensors they meet)

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any

import pytest

import everygrad as eg
from everygrad import nn
from everygrad.debug import AnomalyError


def stopped(call: Callable[[], Any], **options: bool) -> AnomalyError:
    with pytest.raises(AnomalyError) as found, eg.debug.anomaly(**options):
        call()
    return found.value


def x0() -> eg.Tensor:
    return eg.tensor([1.0, -1.0, 0.0], requires_grad=True)


def test_a_result_names_the_op_the_line_and_the_operands(library: str) -> None:
    x = x0()
    error = stopped(lambda: x.log())  # this very line
    number = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]  # CPython has frames
    assert error.op == "log" and error.argument is None and error.line is not None
    assert error.line.file == __file__ and error.line.number == number
    text = str(error)
    assert "this very line" in text and "1 NaN, 1 inf" in text and "x: float32[3], from -1 to 1" in text
    assert "Write instead" in text and isinstance(error, FloatingPointError)


def test_a_gradient_names_the_line_of_its_forward_pass(library: str) -> None:
    x = x0()

    def forward() -> eg.Tensor:
        y = x * x
        return y.sqrt().sum()  # the root

    error = stopped(lambda: forward().backward())
    assert (error.op, error.argument) == ("sqrt", "x") and error.line is not None
    assert error.line.function == "forward" and "the root" in error.line.source
    assert "upstream gradient" in str(error) and error.operands["result"].least == 0


def test_a_second_derivative_is_found(library: str) -> None:
    x = eg.tensor([0.0, 1.0], requires_grad=True)

    def twice() -> None:
        (g,) = eg.gradients((x**1.5).sum(), [x], create_graph=True)  # the power
        assert g is not None
        g.sum().backward()

    error = stopped(twice)
    assert error.line is not None and "the power" in error.line.source
    assert error.argument is not None


def test_a_graph_from_outside_is_looked_at_too(library: str) -> None:
    y = x0().square().sqrt().sum()
    error = stopped(lambda: y.backward())
    assert error.op == "sqrt" and error.line is None and "before the forward pass" in str(error)


def test_a_sum_of_gradients_that_overflows(library: str) -> None:
    x = eg.tensor([0.1], dtype=eg.float16, requires_grad=True)
    error = stopped(lambda: (x * 40000.0 + x * 40000.0).sum().backward())
    assert "a sum that overflows" in str(error)
    y = x * 1.0

    def inside() -> None:
        z = y * 1.0
        (z * 40000.0 + z * 40000.0).sum().backward()

    assert stopped(inside).op == "mul"


@pytest.mark.parametrize("record", [True, False])
def test_a_layer_is_named(library: str, record: bool) -> None:
    layer = nn.Linear(2, 1)
    nn.init.constant_(layer.weight, 1e30)
    net: nn.Module = nn.Sequential(nn.Identity(), layer)
    if not record:
        net = net.valid()  # on the backend that records nothing
    error = stopped(lambda: net(eg.full((1, 2), 1e30)))
    assert error.op == "linear" and error.line is not None and error.line.layers[-1] == "Linear"
    assert "weight: float32[1, 2]" in str(error)


def test_what_is_no_anomaly_passes(library: str) -> None:
    x = x0()
    with eg.debug.anomaly():
        masked = eg.where(x > 0, x, float("-inf"))
        assert masked.softmax(-1).tolist() == [1.0, 0.0, 0.0]
        assert eg.full((2,), float("inf")).isinf().all()
        assert eg.tensor([float("nan")]).isnan().all()
        assert eg.where(eg.tensor([float("nan")]).isnan(), 0.0, 1.0).tolist() == [0.0]
        (eg.safe_where(x > 0, lambda t: t.sqrt(), 0.0, x)).sum().backward()
        nn.functional.max_pool1d(eg.ones(1, 1, 4), 3, 1, 1).sum()
    with eg.debug.anomaly(inf=False):
        assert (1 / eg.zeros(1)).isinf().all()
    assert stopped(lambda: eg.zeros(1) / eg.zeros(1), inf=False).op == "div"


def test_data_with_nan_is_said_to_be_data(library: str) -> None:
    data = eg.tensor([float("nan"), 1.0])
    assert "came in with the data" in str(stopped(lambda: data + 1))


def test_half_precision_and_several_results(library: str) -> None:
    x = eg.tensor([300.0], dtype=eg.float16, requires_grad=True)
    assert stopped(lambda: x * x).op == "mul"
    wide = eg.tensor([1e30], dtype=eg.bfloat16)
    assert stopped(lambda: wide * wide).op == "mul"
    both = eg.tensor([[1.0, float("nan")]])
    assert stopped(lambda: both.sort(-1)).op == "sort"


def test_nested_levels_and_transforms(library: str) -> None:
    error = stopped(lambda: eg.grad(eg.grad(lambda t: t**1.5))(eg.tensor(0.0)))
    assert error.line is not None and "t**1.5" in error.line.source
    with eg.debug.anomaly():
        assert eg.hessian(lambda t: (t**3).sum())(eg.tensor([1.0, 2.0])).tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_checkpoints_and_balanced_decorators_work_inside(library: str) -> None:
    x = eg.tensor([0.5], requires_grad=True)
    with eg.debug.anomaly():
        assert eg.checkpoint(lambda t: t.exp().sum(), x).backward()[x].item() == pytest.approx(
            1.6487, rel=1e-4
        )
        b = eg.backend(f"autodiff({library},checkpointing=balanced)")
        y = eg.tensor([0.5], backend=b).requires_grad_()
        assert (y.exp().sin() * y).sum().backward()[y].item() == pytest.approx(0.9340, abs=2e-2)
    z = eg.tensor([0.0], backend=b).requires_grad_()
    assert stopped(lambda: (z.exp() - 1).sqrt().sum().backward()).op == "sqrt"


def test_nothing_stays_behind(library: str) -> None:
    x = x0()
    b: Any = x.backend
    x.exp()
    before = dict(vars(b)), dict(vars(b.inner))
    with eg.debug.anomaly():
        with eg.debug.anomaly():
            x.exp().sin()
        x.exp().cos()
    assert dict(vars(b.inner)) == before[1]
    assert {name: f for name, f in vars(b).items() if name in before[0]} == before[0]
    stopped(lambda: x.log())
    assert x.log().isnan().any()
    assert "watched" not in {getattr(f, "__name__", "") for f in vars(b).values()}
    zero = eg.zeros(1).requires_grad_()
    assert zero.sqrt().sum().backward()[zero].isinf().any()


def test_other_threads_are_left_alone(library: str) -> None:
    x = x0()
    found: list[Any] = []
    with eg.debug.anomaly():
        with eg.use(library):
            thread = threading.Thread(target=lambda: found.append(bool(x.log().isnan().any())))
            thread.start()
            thread.join()
        with pytest.raises(AnomalyError):
            x.log()
    assert found == [True]


def test_what_is_inside_an_op_is_not_looked_at(library: str) -> None:
    """An op may pass an infinity on its way: only what it gives counts."""
    x = eg.tensor([[0.0, -1e9]], requires_grad=True)
    with eg.debug.anomaly():
        y = nn.functional.log_softmax(x, -1)
        nn.functional.cross_entropy(x, eg.tensor([0])).backward()
        (y.exp() * 2).sum().backward()


def test_results_are_the_same_inside(library: str) -> None:
    x = eg.rand(3, 4).requires_grad_()
    net = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.GELU())
    outside = net(x).sum().backward()[x].tolist()
    with eg.debug.anomaly():
        assert net(x).sum().backward()[x].tolist() == outside
