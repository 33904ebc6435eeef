"""The Tensor: dtypes, operators, conversions, errors."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# (lambdas under test take and give whatever tensors they meet)

from __future__ import annotations

import copy
import importlib
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.dlpack import from_dlpack as torch_from_dlpack

import everygrad as eg

DTYPES = list(eg.DType)


@pytest.mark.usefixtures("library")
class TestPromotion:
    @pytest.mark.parametrize("left", DTYPES, ids=str)
    @pytest.mark.parametrize("right", DTYPES, ids=str)
    def test_pairs_follow_torchs_table(self, left: eg.DType, right: eg.DType) -> None:
        expected = torch.promote_types(getattr(torch, left.value), getattr(torch, right.value))
        found = (eg.ones(2).to(left) * eg.ones(2).to(right)).dtype
        assert f"torch.{found.value}" == str(expected)

    @pytest.mark.parametrize("dtype", DTYPES, ids=str)
    @pytest.mark.parametrize("scalar", [2, 0.5])
    @pytest.mark.parametrize("op", [operator.add, operator.mul, operator.truediv])
    def test_python_scalars_are_weak(self, dtype: eg.DType, scalar: float, op: Any) -> None:
        t = torch.ones(2, dtype=getattr(torch, dtype.value))
        x = eg.ones(2).to(dtype)
        for ours, theirs in ((op(x, scalar), op(t, scalar)), (op(scalar, x), op(scalar, t))):
            assert f"torch.{ours.dtype.value}" == str(theirs.dtype)
            assert ours.tolist() == theirs.tolist()

    @pytest.mark.parametrize(
        "op", [operator.floordiv, operator.mod, operator.truediv, operator.pow, operator.sub]
    )
    @pytest.mark.parametrize("dtype", [eg.int64, eg.int8, eg.float32], ids=str)
    def test_operators_agree_with_torch(self, op: Any, dtype: eg.DType) -> None:
        a, b = [7, -7, 7, -7], [2, 2, 3, 3]
        x, y = eg.tensor(a).to(dtype), eg.tensor(b).to(dtype)
        s = torch.tensor(a, dtype=getattr(torch, dtype.value))
        t = torch.tensor(b, dtype=getattr(torch, dtype.value))
        assert op(x, y).tolist() == pytest.approx(op(s, t).tolist())
        assert op(x, 2).tolist() == pytest.approx(op(s, 2).tolist())
        assert op(2, y).tolist() == pytest.approx(op(2, t).tolist())

    def test_mixed_dtypes_give_each_operand_its_own_gradient(self) -> None:
        x = eg.tensor(np.ones(2, np.float32), requires_grad=True)
        y = eg.tensor(np.ones(2, np.float64), requires_grad=True)
        grads = (x * y).sum().backward()
        assert (grads[x].dtype, grads[y].dtype) == (eg.float32, eg.float64)


@pytest.mark.usefixtures("library")
class TestPython:
    def test_numpy_operands(self) -> None:
        x = eg.tensor([1.0, 2.0], requires_grad=True)
        one: Any = np.float32(1)
        for y in (np.ones(2, np.float32) + x, x + np.ones(2, np.float32), x + one):
            assert isinstance(y, eg.Tensor) and y.tolist() == [2.0, 3.0] and y.requires_grad

    def test_an_operand_that_is_none(self) -> None:
        for bad in ("text", None, [1.0]):
            wrong: Any = bad
            with pytest.raises(TypeError, match=r"add: an operand must be a Tensor.*eg.tensor\(...\)"):
                _ = eg.ones(2) + wrong

    def test_len_iter_and_truth(self) -> None:
        x = eg.tensor([[1.0], [2.0]])
        assert len(x) == 2 and [row.tolist() for row in x] == [[1.0], [2.0]]
        assert bool(eg.tensor(1.0)) and float(eg.tensor(2.5)) == 2.5 and int(eg.tensor(2.5)) == 2
        assert [10, 20][eg.tensor(1)] == 20
        with pytest.raises(ValueError, match="one element"):
            bool(eg.ones(2))
        with pytest.raises(TypeError, match="rank-0"):
            len(eg.tensor(1.0))
        with pytest.raises(TypeError, match="integer tensor"):
            operator.index(eg.tensor(1.0))

    def test_is_a_value(self) -> None:
        x = eg.tensor([1.0, 2.0])
        before = x
        x += 1.0
        assert before.tolist() == [1.0, 2.0] and x.tolist() == [2.0, 3.0]
        with pytest.raises(TypeError, match="index_put"):
            x[0] = 5.0

    def test_can_be_a_key(self) -> None:
        x, y = eg.ones(2), eg.ones(2)
        assert {x: 1, y: 2}[x] == 1

    def test_copies_and_pickles(self) -> None:
        x = eg.tensor([1.0, 2.0], requires_grad=True)
        for other in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
            assert other.requires_grad and other.backend is x.backend and other.tolist() == x.tolist()
            assert other.array.node is not x.array.node
        with pytest.raises(eg.GradientError, match="detach"):
            pickle.dumps(x * 2.0)

    def test_repr(self, library: str) -> None:
        x = eg.tensor([1.0, 2.0], requires_grad=True)
        assert repr(x) == (
            f"tensor([1., 2.], shape=(2,), dtype=float32, backend=autodiff({library}), requires_grad=True)"
        )
        assert "grad_fn=mul" in repr(x * 2.0)
        assert repr(eg.tensor(True)) == f"tensor(True, shape=(), dtype=bool, backend=autodiff({library}))"


@pytest.mark.usefixtures("library")
class TestConversions:
    def test_numpy_refuses_a_tracked_tensor(self) -> None:
        x = eg.tensor([1.0], requires_grad=True)
        for read in (x.numpy, lambda: np.asarray(x), x.torch, lambda: np.from_dlpack(x)):
            with pytest.raises(eg.GradientError, match="detach"):
                read()
        assert x.item() == 1.0 and x.detach().numpy().tolist() == [1.0]

    def test_data_is_copied_on_entry(self) -> None:
        data = np.array([1.0, 2.0])
        x = eg.tensor(data)
        data[0] = 9.0
        assert x.tolist() == [1.0, 2.0]

    def test_torch_in_and_out(self) -> None:
        t = torch.tensor([1.0, 2.0])
        x = eg.tensor(t)
        out: Any = x.torch()
        out[0] = 9.0
        t[1] = 9.0
        assert x.tolist() == [1.0, 2.0] and x.dtype is eg.float32

    def test_bfloat16_of_torch(self) -> None:
        assert eg.tensor(torch.tensor([1.5], dtype=torch.bfloat16)).dtype is eg.bfloat16

    def test_dlpack_shares_no_memory_that_could_be_written(self) -> None:
        x = eg.tensor([1.0, 2.0])
        shared = torch_from_dlpack(x)
        assert shared.tolist() == [1.0, 2.0]
        np.testing.assert_array_equal(np.from_dlpack(x), [1.0, 2.0])

    def test_python_numbers(self) -> None:
        assert eg.tensor(1).dtype is eg.int64
        assert eg.tensor(1.0).dtype is eg.float32
        assert eg.tensor(True).dtype is eg.bool
        assert eg.tensor([[1, 2], [3, 4.5]]).dtype is eg.float32
        assert eg.tensor(np.float64(1.0)).dtype is eg.float64
        assert eg.tensor([1.0], dtype=eg.bfloat16).dtype is eg.bfloat16
        assert eg.tensor([]).shape == (0,)

    def test_ragged_and_foreign_data(self) -> None:
        with pytest.raises(eg.ShapeError, match="equally long"):
            eg.tensor([[1.0], [1.0, 2.0]])
        with pytest.raises(TypeError, match="numbers"):
            eg.tensor(["a"])
        with pytest.raises(TypeError, match=r"eg\.stack"):
            eg.tensor([eg.ones(1), eg.ones(1)])
        with pytest.raises(eg.DTypeError, match="complex"):
            eg.tensor(np.array([1j]))

    def test_integers_carry_no_gradient(self) -> None:
        with pytest.raises(eg.DTypeError, match="int64"):
            eg.tensor([1, 2], requires_grad=True)
        x = eg.tensor([1.5], requires_grad=True)
        assert not x.to(eg.int64).requires_grad and not (x > 1.0).requires_grad

    def test_a_backend_that_records_nothing(self, library: str) -> None:
        with eg.use(eg.backend(library)), pytest.raises(eg.GradientError, match="records nothing"):
            eg.ones(2).requires_grad_()

    def test_requires_grad_of_a_result(self) -> None:
        x = eg.tensor([1.0], requires_grad=True)
        with pytest.raises(eg.GradientError, match="detach"):
            (x * 2.0).requires_grad_(False)
        assert not x.requires_grad_(False).requires_grad

    def test_requires_grad_is_set_as_in_torch(self, library: str) -> None:
        with eg.use(library):
            layer = eg.nn.Linear(2, 1)
            x = eg.tensor([[1.0, 2.0]])
            layer.weight.requires_grad = False
            grads = layer(x).sum().backward()
            assert grads.get(layer.weight) is None and grads[layer.bias].tolist() == [1.0]
            layer.weight.requires_grad = True
            assert layer(x).sum().backward()[layer.weight].tolist() == [[1.0, 2.0]]
            with pytest.raises(eg.GradientError, match="detach"):
                (layer(x) * 2.0).requires_grad = False

    def test_a_scalar_is_formatted_as_a_number(self, library: str) -> None:
        with eg.use(library):
            loss = eg.tensor(0.25, requires_grad=True) * 0.5
            assert f"{loss:.3f} {loss}" == "0.125 0.125" and f"{eg.tensor(3):03d}" == "003"
            x = eg.tensor([1.0])
            assert f"{x}" == str(x)
            with pytest.raises(TypeError, match=r"rank 0 .* shape \(1,\), '.2f'; write x.tolist"):
                f"{x:.2f}"

    def test_functions_by_the_path_of_torch(self) -> None:
        functional = importlib.import_module("everygrad.nn.functional")
        assert functional is eg.nn.functional and functional.relu is eg.functional.relu
        ours = {name: f for name, f in vars(eg.functional).items() if name[0] != "_" and callable(f)}
        assert len(ours) > 400
        assert [name for name, f in ours.items() if vars(functional)[name] is not f] == []

    def test_to(self, library: str) -> None:
        x = eg.tensor([1.0, 2.0])
        assert x.to(eg.float16).dtype is x.to("float16").dtype is x.half().dtype is eg.float16
        assert x.to(float).dtype is eg.float32 and x.to(int).dtype is eg.int64 and x.to(bool).dtype is eg.bool
        assert x.to("cpu").backend is x.backend and x.to(library).backend is x.backend
        assert x.to(eg.tensor([1], backend="numpy")).dtype is eg.int64
        with pytest.raises(eg.BackendError, match="unknown backend"):
            x.to("float23")


@pytest.mark.usefixtures("library")
def test_dims_out_of_range() -> None:
    x = eg.ones(2, 3)
    calls: list[Callable[[], Any]] = [
        lambda: x.sum(2),
        lambda: x.sum((0, -3)),
        lambda: x.max(dim=5),
        lambda: x.transpose(0, 2),
    ]
    for call in calls:
        with pytest.raises(eg.ShapeError, match=r"dim must be an integer from -2 to 1"):
            call()
        with pytest.raises(IndexError):
            call()
    with pytest.raises(eg.ShapeError, match="each dim once"):
        x.sum((0, -2))


def legacy_state() -> Any:
    """The words of NumPy's global generator."""
    state: Any = np.random.get_state()
    return state[1]


@pytest.mark.usefixtures("library")
def test_seeds() -> None:
    eg.manual_seed(3)
    first = [eg.rand(3).tolist(), eg.randn(3).tolist(), eg.randperm(5).tolist()]
    eg.manual_seed(3)
    assert first == [eg.rand(3).tolist(), eg.randn(3).tolist(), eg.randperm(5).tolist()]
    assert eg.rand(3).tolist() != eg.rand(3).tolist()
    state, torch_state = legacy_state().copy(), torch.get_rng_state()
    _ = eg.rand(4), eg.randn(4), eg.randint(0, 5, (3,))
    assert (legacy_state() == state).all() and (torch.get_rng_state() == torch_state).all()
