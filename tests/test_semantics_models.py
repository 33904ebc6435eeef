"""docs/semantics.md, sections 8 to 11, sentence by sentence: on both libraries, bare and through tensors."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# (lambdas under test take and give whatever tensors they meet)

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import functional as F
from everygrad import nn
from everygrad_ops import DType
from tests.fault_tools import INF, NAN, same, slopes, variable

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture
def b(library: str) -> Any:
    """The bare backend; tensors are made on the same library."""
    return eg.backend(library)


LOW = [eg.float16, eg.bfloat16]


class TestNorms:
    @pytest.mark.parametrize("dtype", LOW)
    def test_statistics_of_low_precision_are_float32(self, b: Any, dtype: eg.DType) -> None:
        x = b.full((4, 3), 1, dtype)
        for statistics in (
            b.layer_norm_with_stats(x, (3,), None, None, 1e-5)[1:],
            b.batch_norm_train(x, None, None, 1e-5)[1:],
        ):
            assert {b.dtype(s) for s in statistics} == {DType.float32}
        big = b.full((2, 3), 300, dtype)  # whose squares float16 cannot hold
        assert (
            b.to_numpy(b.cast(b.layer_norm(big, (3,), None, None, 1e-5), DType.float32)).tolist()
            == [[0] * 3] * 2
        )

    def test_statistics_over_nothing(self, b: Any) -> None:
        _, mean, var, rstd = b.batch_norm_train(b.full((0, 2), 0, DType.float32), None, None, 1e-5)
        for statistic in (mean, var, rstd):
            same(b.to_numpy(statistic), [NAN, NAN])

    def test_an_empty_batch_leaves_running_statistics(self) -> None:
        norm = nn.BatchNorm1d(2)
        assert norm(eg.zeros(0, 2)).shape == (0, 2)
        assert norm.running_mean is not None and norm.running_var is not None
        assert norm.running_mean.tolist() == [0, 0] and norm.running_var.tolist() == [1, 1]

    def test_one_value_per_channel(self) -> None:
        with pytest.raises(eg.ShapeError, match="more than one value per channel"):
            nn.BatchNorm1d(2)(eg.zeros(1, 2))
        assert nn.BatchNorm1d(2).eval()(eg.zeros(1, 2)).shape == (1, 2)

    @pytest.mark.parametrize("c", [1e10, 0.1, -3e5])
    def test_a_constant_column(self, c: float) -> None:
        bound = 4 * np.finfo("f").eps * abs(c) / math.sqrt(1e-5)
        out = F.batch_norm(eg.full((5, 1), c, dtype=eg.float32), None, None, training=True)
        assert out.abs().amax().item() <= bound
        assert F.layer_norm(eg.full((5,), c, dtype=eg.float32), 5).abs().amax().item() <= bound


class TestLosses:
    def test_weight_zero_against_minus_infinity(self) -> None:
        log_probs, weight = eg.tensor([[-INF, 0.0]]), eg.tensor([0.0, 1.0])
        same(F.nll_loss(log_probs, eg.tensor([0]), weight, reduction="sum").item(), NAN)

    def test_soft_labels_of_zero(self) -> None:
        loss = F.cross_entropy(eg.tensor([[-INF, 0.0]]), eg.tensor([[0.0, 1.0]]))
        assert loss.item() == 0

    @pytest.mark.parametrize(
        "loss",
        [F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss, F.binary_cross_entropy, F.binary_cross_entropy_with_logits],
    )  # fmt: skip
    def test_elementwise_losses_refuse_unequal_shapes(self, loss: Any) -> None:
        with pytest.raises(eg.ShapeError, match="shape of input"):
            loss(eg.zeros(3), eg.zeros(3, 1))

    def test_all_ignored(self) -> None:
        x = variable(np.zeros((2, 3)))
        loss = F.cross_entropy(x, eg.tensor([-100, -100]))
        same(loss.item(), NAN)
        assert slopes(loss, x) == [[0] * 3] * 2
        total = F.cross_entropy(x, eg.tensor([-100, -100]), reduction="sum")
        assert total.item() == 0


class TestRandomness:
    @pytest.mark.parametrize("dtype", [*LOW, eg.float32])
    def test_uniform_never_gives_1(self, b: Any, dtype: eg.DType) -> None:
        drawn = b.to_numpy(b.cast(b.uniform((200_000,), 0, dtype), DType.float64))
        assert drawn.min() >= 0 and drawn.max() < 1

    def test_pure_in_the_seed(self, b: Any) -> None:
        for draw in (b.uniform, b.normal):
            first, again, other = (b.to_numpy(draw((5,), s, DType.float32)).tolist() for s in (1, 1, 2))
            assert first == again != other

    def test_equal_weights(self) -> None:
        drawn: list[Any] = []
        for name in ("numpy", "torch"):
            with eg.use(name):
                eg.manual_seed(4)
                drawn.append(nn.Linear(3, 2).weight.tolist())
        assert drawn[0] == drawn[1]


class TestDifferentiation:
    def test_piecewise_constant(self) -> None:
        x = variable([0.5, -1.5])
        for op in (eg.round, eg.floor, eg.ceil, eg.trunc, eg.sign):
            assert slopes(op(x), x) == [0, 0]
        y = variable([2.0, 2.0])
        assert slopes(x // y, x, y) == [[0, 0], [0, 0]]
        assert not (x > 0).requires_grad and not x.argmax().requires_grad

    def test_reading_values_inside_an_op(self, library: str) -> None:
        b: Any = eg.backend(f"autodiff({library})")
        x = b.variable(b.lift(b.inner.from_numpy(np.ones(2))))
        with pytest.raises(eg.GradientError):
            b.to_numpy(x)

    def test_unconnected(self) -> None:
        x, y = variable(1.0), variable(1.0)
        grads = (x * 2).backward()
        assert grads.get(y) is None and y not in grads
        with pytest.raises(eg.GradientError, match="not connected"):
            grads[y]
        assert eg.gradients(x * 2, [y]) == (None,)
        assert eg.grad(lambda t: eg.tensor(np.array(1.0)))(x).item() == 0
        assert eg.hessian(lambda t: t.sum())(variable([1.0, 2.0])).tolist() == [[0, 0], [0, 0]]

    def test_a_used_graph_is_an_error(self) -> None:
        x = variable(2.0)
        middle = x * 3
        out = middle * middle
        out.backward()
        for again in (
            lambda: out.backward(),
            lambda: eg.gradients(out, [x]),
            lambda: eg.gradients(middle * 2, [x]),
        ):
            with pytest.raises(eg.GradientError, match="already used"):
                again()

    def test_transforms_record_only_for_variables_outside(self) -> None:
        square = eg.grad(lambda t: (t**3).sum())
        constant, tracked = eg.tensor([2.0]), eg.tensor([2.0], requires_grad=True)
        assert not square(constant).requires_grad
        assert square(tracked).requires_grad and slopes(square(tracked), tracked) == [12]
        closed = eg.grad(lambda t: (t * tracked).sum())
        assert closed(constant).requires_grad
        with eg.no_grad():
            assert not square(tracked).requires_grad and square(tracked).tolist() == [12]

    def test_gradients_are_of_their_tensor(self, library: str) -> None:
        x = eg.tensor([1.0], requires_grad=True)
        other = "numpy" if library == "torch" else "torch"
        (g,) = eg.gradients((x.to(eg.float64).to(other) * 2).sum(), [x])
        assert g is not None and g.dtype is eg.float32 and g.backend is x.backend and g.shape == (1,)

    def test_numbers_are_no_arrays(self, b: Any) -> None:
        with pytest.raises((TypeError, AttributeError)):
            b.sum(2.0, ())

    def test_mixed_libraries(self, library: str) -> None:
        other = eg.ones(1, backend="numpy" if library == "torch" else "torch")
        with pytest.raises(eg.BackendError, match=r"\.to\("):
            _ = eg.ones(1) + other


class TestErrors:
    def test_kinds(self) -> None:
        assert issubclass(eg.ShapeError, ValueError) and issubclass(eg.DTypeError, TypeError)
        for kind in (eg.DeviceError, eg.BackendError, eg.GradientError):
            assert issubclass(kind, RuntimeError) and issubclass(kind, eg.EverygradError)
        assert issubclass(eg.ShapeError, eg.EverygradError) and issubclass(eg.DTypeError, eg.EverygradError)
