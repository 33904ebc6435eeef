"""docs/semantics.md, sections 1 to 6, sentence by sentence: on both libraries, bare and through tensors."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# (lambdas under test take and give whatever tensors they meet)

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import functional as F
from everygrad_ops import DType, conv_options, pool_options
from everygrad_ops.errors import DimError
from tests.fault_tools import INF, NAN, line, same, slopes, variable

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture
def b(library: str) -> Any:
    """The bare backend; tensors are made on the same library."""
    return eg.backend(library)


def array(b: Any, values: Any, dtype: Any = np.float64) -> Any:
    return b.from_numpy(np.asarray(values, dtype))


def values(b: Any, x: Any) -> Any:
    return b.to_numpy(x).astype(np.float64).tolist()


class TestShapes:
    def test_rank_0_and_size_0(self, b: Any) -> None:
        assert b.shape(b.exp(array(b, 0.0))) == () and b.shape(b.exp(array(b, np.zeros((2, 0))))) == (2, 0)
        x = variable(np.zeros((0, 3)))
        assert x.exp().sum(1).shape == (0,)
        (g,) = eg.gradients(x.exp().sum(), [x])
        assert g is not None and g.shape == (0, 3)
        for shape in ((0, 2, 5), (2, 0, 5)):
            y = F.avg_pool1d(variable(np.zeros(shape)), 2)
            assert y.shape == (*shape[:2], 2)
        assert F.conv1d(variable(np.zeros((0, 2, 5))), eg.zeros(3, 2, 2, dtype=eg.float64)).shape == (0, 3, 4)

    def test_one_stretches_to_nothing(self, b: Any) -> None:
        assert b.shape(b.add(array(b, np.zeros((2, 1))), array(b, np.zeros((1, 0))))) == (2, 0)

    @pytest.mark.parametrize("dim", [2, -1])
    def test_dims_out_of_range(self, b: Any, dim: int) -> None:
        x, index = array(b, np.zeros((2, 3))), array(b, np.zeros((1, 1)), np.int64)
        truth, rows = b.gt(x, 0), array(b, np.zeros((1, 3)))
        reduce = [b.sum, b.mean, b.prod, b.amax, b.amin, b.var, b.std, b.logsumexp, b.flip]
        along = [b.argmax, b.argmin, b.sort, b.argsort, b.cumsum, b.cumprod, b.softmax, b.log_softmax]
        calls: list[Callable[[], Any]] = [
            *(functools.partial(op, x, (dim,)) for op in reduce),
            *(functools.partial(op, x, dim) for op in along),
            *(functools.partial(op, truth, (dim,)) for op in (b.any, b.all)),
            lambda: b.topk(x, 1, dim),
            lambda: b.cat([x, x], dim),
            lambda: b.stack([x, x], dim + (dim > 0)),
            lambda: b.split(x, (2,), dim),
            lambda: b.roll(x, (1,), (dim,)),
            lambda: b.permute(x, (0, dim)),
            lambda: b.gather(x, dim, index),
            lambda: b.scatter(x, dim, index, array(b, [[1]])),
            lambda: b.scatter_add(x, dim, index, array(b, [[1]])),
            lambda: b.index_select(x, dim, array(b, [0], np.int64)),
            lambda: b.index_add(x, dim, array(b, [0], np.int64), rows),
        ]
        for call in calls:
            with pytest.raises(DimError) as caught:
                call()
            assert isinstance(caught.value, eg.ShapeError) and isinstance(caught.value, IndexError)

    def test_dims_of_tensors(self) -> None:
        x = eg.zeros(2, 3)
        assert x.sum(-1).shape == (2,) and F.softmax(x, -2).shape == (2, 3)
        wrong: list[Callable[[], Any]] = [lambda: x.sum(2), lambda: x.cumsum(-3), lambda: F.softmax(x, 2)]
        for call in wrong:
            with pytest.raises(DimError):
                call()

    def test_one_size_may_be_minus_one(self) -> None:
        assert eg.zeros(2, 6).reshape(3, -1).shape == (3, 4)
        for wrong in ((-1, -1), (-1, 5), (7,)):
            with pytest.raises(eg.ShapeError):
                eg.zeros(2, 6).reshape(wrong)

    def test_cat_takes_equal_ranks(self, b: Any) -> None:
        with pytest.raises(eg.ShapeError, match="rank"):
            b.cat([array(b, []), array(b, np.zeros((1, 2)))], 0)
        with pytest.raises(eg.ShapeError, match="rank"):
            eg.cat([eg.zeros(0), eg.zeros(1, 2)])


class TestDtypes:
    def test_scalars_out_of_range(self, b: Any) -> None:
        x = array(b, [1, 2], np.int8)
        calls: list[Callable[[], Any]] = [
            lambda: b.full((2,), 300, DType.int8),
            lambda: b.full((2,), -1, DType.uint8),
            lambda: b.where(b.gt(x, 1), x, 300),
            lambda: b.maximum(x, 300),
            lambda: b.minimum(x, -300),
            lambda: eg.full((2,), 300, dtype=eg.int8),
            lambda: eg.where(eg.tensor([True]), eg.tensor([1]).to(eg.int8), 300),
            lambda: eg.maximum(eg.tensor([1]).to(eg.int8), 300),
        ]
        for call in calls:
            with pytest.raises(eg.DTypeError, match=r"300|-1"):
                call()
        assert values(b, b.full((1,), 1e39, DType.float32)) == [INF]

    def test_arithmetic_with_scalars_wraps(self, b: Any) -> None:
        x, t = array(b, [1, 2], np.int8), eg.tensor([1, 2]).to(eg.int8)
        assert values(b, b.add(x, 300)) == (t + 300).tolist() == [45, 46]
        assert values(b, b.sub(x, 300)) == (t - 300).tolist() == [-43, -42]
        assert values(b, b.mul(x, 300)) == (t * 300).tolist() == [44, 88]

    def test_comparisons_are_by_value(self, b: Any) -> None:
        x, t = array(b, [1, 2], np.int8), eg.tensor([1, 2]).to(eg.int8)
        assert values(b, b.lt(x, 300)) == (t < 300).tolist() == [True, True]
        assert values(b, b.gt(x, 257)) == (t > 257).tolist() == [False, False]
        assert values(b, b.eq(x, 257)) == eg.eq(t, 257).tolist() == [False, False]

    def test_integers_divided_by_zero(self, b: Any) -> None:
        x, zero = array(b, [1, -7], np.int64), array(b, [0, 2], np.int64)
        calls: list[Callable[[], Any]] = [
            lambda: b.remainder(x, 0),
            lambda: b.remainder(x, zero),
            lambda: b.floor_divide(x, 0),
            lambda: b.floor_divide(x, zero),
            lambda: eg.tensor([1]) // 0,
            lambda: eg.tensor([1]) % eg.tensor([0]),
        ]
        for call in calls:
            with pytest.raises(ZeroDivisionError):
                call()
        assert values(b, b.floor_divide(x, 2)) == [0, -4] and values(b, b.remainder(x, 2)) == [1, 1]
        assert (eg.tensor([2**53 + 1]) // 1).tolist() == [2**53 + 1]

    def test_integers_to_a_negative_power(self, b: Any) -> None:
        for power in (lambda: b.pow(array(b, [2], np.int64), -1), lambda: eg.tensor([2]) ** eg.tensor([-1])):
            with pytest.raises(eg.DTypeError, match="negative"):
                power()

    def test_arange(self, b: Any) -> None:
        for start, stop, step in ((0, 3, 0), (0, 3, -1), (3, 0, 1)):
            with pytest.raises(eg.ShapeError, match="step"):
                b.arange(start, stop, step, DType.int64)
            with pytest.raises(eg.ShapeError, match="step"):
                eg.arange(start, stop, step)
        assert values(b, b.arange(3, 0, -2, DType.int64)) == eg.arange(3, 0, -2).tolist() == [3, 1]

    @pytest.mark.parametrize("dtype", [eg.float16, eg.bfloat16])
    def test_low_precision_accumulates_in_float32(self, b: Any, dtype: eg.DType) -> None:
        x = b.full((3000,), 1, dtype)
        assert values(b, b.sum(x, (0,))) == float(values(b, b.cast(b.full((), 3000, DType.float32), dtype)))
        assert values(b, b.mean(x, (0,))) == 1
        assert values(b, b.sum(b.matmul(b.reshape(x, (1, 3000)), b.reshape(x, (3000, 1))), (0, 1))) == values(
            b, b.sum(x, (0,))
        )

    def test_integer_sums(self, b: Any) -> None:
        for kind in (np.int8, np.uint8, np.bool_, np.int32):
            for op in (b.sum, b.prod):
                assert b.dtype(op(array(b, [1, 1], kind), (0,))) is DType.int64
            assert b.dtype(b.cumsum(array(b, [1, 1], kind), 0)) is DType.int64
        assert eg.tensor([1, 2]).mean().dtype is eg.float32

    def test_indices_are_integers(self, b: Any) -> None:
        with pytest.raises(eg.DTypeError, match="int64"):
            b.gather(array(b, [1.0]), 0, array(b, [0], np.int32))
        assert eg.gather(eg.tensor([5.0]), 0, eg.tensor([0]).to(eg.int8)).tolist() == [5.0]
        with pytest.raises(eg.DTypeError):
            eg.gather(eg.tensor([5.0]), 0, eg.tensor([0.0]))


class TestReductions:
    def test_nan_wins(self, b: Any) -> None:
        x = array(b, [1, NAN, 3])
        for op in (b.amax, b.amin):
            same(values(b, op(x, (0,))), NAN)
        assert values(b, b.argmax(x, 0)) == values(b, b.argmin(x, 0)) == 1
        same(values(b, b.sort(x, 0)[0]), [1, 3, NAN])
        t = eg.tensor([1, NAN, 3])
        assert t.argmin().item() == 1 and t.topk(2).indices.tolist() == [1, 2]

    def test_several_nan_are_tied(self) -> None:
        x = variable([1, NAN, NAN])
        assert slopes(x.amax(), x) == slopes(x.amin(), x) == [0, 0.5, 0.5]

    def test_a_lone_nan_takes_the_gradient_and_two_share_it(self) -> None:
        for op in (eg.maximum, eg.minimum):
            x, y = variable([NAN, 1, NAN, 2]), variable([1, NAN, NAN, 2])
            assert slopes(op(x, y), x, y) == [[1, 0, 0.5, 0.5], [0, 1, 0.5, 0.5]]

    def test_over_nothing(self, b: Any) -> None:
        x, none = array(b, np.zeros((0, 2))), variable(np.zeros((0, 2)))
        same(values(b, b.mean(x, (0,))), [NAN, NAN])
        assert values(b, b.sum(x, (0,))) == [0, 0] and values(b, b.prod(x, (0,))) == [1, 1]
        assert values(b, b.logsumexp(x, (0,))) == none.logsumexp(0).tolist() == [-INF, -INF]
        for refuse in (lambda: b.amax(x, (0,)), lambda: b.argmin(x, 0), lambda: none.max(0), none.amin):
            with pytest.raises(eg.ShapeError):
                refuse()
        (g,) = eg.gradients(none.mean(), [none])
        assert g is not None and g.shape == (0, 2)

    @pytest.mark.parametrize(("count", "correction"), [(1, 1), (2, 2), (2, 3), (0, 0), (0, 1)])
    def test_variance_without_a_divisor(self, b: Any, count: int, correction: float) -> None:
        x = array(b, np.ones(count))
        same(values(b, b.var(x, (0,), correction)), NAN)
        same(eg.std(eg.ones(count), correction=correction).item(), NAN)

    @pytest.mark.parametrize("value", [0.1, 1e10 / 3, 1e30, 3])
    @pytest.mark.parametrize("dtype", [eg.float64, eg.float32])
    def test_variance_of_equal_values(self, b: Any, value: float, dtype: eg.DType) -> None:
        assert values(b, b.var(b.full((1001,), value, dtype), (0,))) == 0
        x = eg.full((1001,), value, dtype=dtype).requires_grad_()
        assert x.std().item() == 0 and {*slopes(x.std(), x)} == {0}

    def test_logsumexp_of_minus_infinity(self, b: Any) -> None:
        x = variable([[-INF, -INF], [0, -INF]])
        assert values(b, b.logsumexp(array(b, [-INF, -INF]), (0,))) == -INF
        assert slopes(x.logsumexp(1), x) == [[0, 0], [1, 0]]

    def test_softmax_of_minus_infinity(self, b: Any) -> None:
        for op in (b.softmax, b.log_softmax):
            same(values(b, op(array(b, [-INF, -INF]), 0)), [NAN, NAN])
        same(F.softmax(eg.tensor([[-INF, -INF], [0, 0]])).tolist(), [[NAN, NAN], [0.5, 0.5]])

    def test_ties_go_to_the_lowest_index(self, b: Any) -> None:
        x = array(b, [2, 1, 2, 1])
        assert values(b, b.argmax(x, 0)) == 0 and values(b, b.argmin(x, 0)) == 1
        assert values(b, b.sort(x, 0, True)[1]) == [0, 2, 1, 3]
        assert values(b, b.topk(x, 3, 0)[1]) == [0, 2, 1]
        t = variable([2.0, 1, 2, 1])
        found: Any = t.max(0)
        assert slopes(found.values, t) == [1, 0, 0, 0]
        assert slopes(t.amax(), t) == [0.5, 0, 0.5, 0]


class TestKinks:
    def test_bounds(self) -> None:
        x = variable([-1.0, 0, 1])
        assert slopes(F.hardtanh(x), x) == [0, 1, 0]
        six = variable([0.0, 6, 3])
        assert slopes(F.relu6(six), six) == [0, 0, 1]
        assert slopes(x.clamp(-1, 1), x) == [1, 1, 1]
        low = variable([-1.0, 1, 0])
        assert slopes(x.clamp(low), x, low) == [[1, 0, 1], [0, 1, 0]]
        same(eg.clamp(x, eg.tensor([NAN, 0.0, 0.0]), 0.5).tolist(), [NAN, 0, 0.5])
        zero = variable(0.0)
        assert slopes(F.leaky_relu(zero, 0.25), zero) == 0.25
        assert slopes(F.elu(zero, 3.0), zero) == 3
        assert slopes(zero.sign(), zero) == slopes(zero.abs(), zero) == slopes(F.relu(zero), zero) == 0

    def test_powers(self, b: Any) -> None:
        x, y = variable([0.0, 0, 2]), variable([0.0, 2, 0])
        assert slopes(x**y, x, y) == [[0, 0, 0], [0, 0, math.log(2)]]
        assert values(b, b.pow(array(b, [NAN, 0]), 0)) == [1, 1]
        assert values(b, b.pow(array(b, [-2.0]), 3)) == [-8]

    def test_a_zero_upstream_stops(self, b: Any) -> None:
        assert values(b, b.mul0(array(b, [0, INF, NAN, 2]), array(b, [NAN, 0, 0, 3]))) == [0, 0, 0, 6]
        assert values(b, b.div0(array(b, [0, 0, 6]), array(b, [0, NAN, 2]))) == [0, 0, 3]
        x = variable([-1.0, 0, 0])
        for op in (eg.sqrt, eg.log, eg.reciprocal, eg.rsqrt):
            assert slopes(eg.where(eg.tensor([False] * 3), op(x), 1.0), x) == [0, 0, 0]

    def test_tanh_passes_nan_on(self, b: Any) -> None:
        """Its derivative is finite wherever x is a number: nothing has to be stopped."""
        x = variable([NAN, 1])
        same(slopes(eg.where(eg.tensor([False, False]), x.tanh(), 1.0), x), [NAN, 0])
        same(values(b, b.tanh_backward(array(b, [0, 0]), array(b, [NAN, 1]))), [NAN, 0])


class TestWindows:
    def test_sizes_below_one(self, b: Any) -> None:
        x = array(b, np.zeros((1, 1, 3)))
        for wrong in (
            lambda: b.avg_pool1d(x, 4),
            lambda: b.conv1d(x, array(b, np.zeros((1, 1, 4))), None),
            lambda: F.avg_pool1d(line([1.0, 2, 3]), 2, 0),
            lambda: F.max_pool1d(line([1.0, 2, 3]), 2, dilation=0),
            lambda: F.conv1d(line([1.0, 2, 3]), line([1.0]), stride=0),
            lambda: pool_options(0, rank=1),
            lambda: conv_options(dilation=0, rank=1),
        ):
            with pytest.raises(eg.ShapeError):
                wrong()

    def test_average_pools_are_of_floats(self, b: Any) -> None:
        with pytest.raises(eg.DTypeError, match="avg_pool"):
            b.avg_pool1d(array(b, np.zeros((1, 1, 4)), np.int64), 2)
        with pytest.raises(eg.DTypeError):
            F.avg_pool1d(eg.tensor([[[1, 2]]]), 2)

    def test_any_divisor_but_zero(self) -> None:
        assert F.avg_pool1d(line([1.0, 2]), 2, divisor_override=-2).tolist() == [[[-1.5]]]
        with pytest.raises(eg.ShapeError, match="divisor_override"):
            F.avg_pool1d(line([1.0, 2]), 2, divisor_override=0)

    def test_same_padding_needs_stride_1(self) -> None:
        x, w = line([1.0, 2, 3]), line([1.0, 1])
        assert F.conv1d(x, w, padding="same").tolist() == [[[3, 5, 3]]]  # the odd zero goes right
        with pytest.raises(eg.ShapeError, match="stride 1"):
            F.conv1d(x, w, stride=2, padding="same")

    def test_a_convolution_may_read_padding_alone(self, b: Any) -> None:
        x, w = array(b, [[[5.0]]]), array(b, [[[1.0]]])
        assert values(b, b.conv1d(x, w, None, 1, 2)) == [[[0, 0, 5, 0, 0]]]

    def test_what_the_stride_leaves_out_has_gradient_zero(self) -> None:
        x, w = line([1.0, 2, 3, 4]), line([1.0, 1])
        assert slopes(F.conv1d(x, w, stride=3), x) == [[[1, 1, 0, 0]]]
        assert slopes(F.avg_pool1d(x, 3), x)[0][0][3] == 0


class TestIndexing:
    def test_a_smaller_index(self) -> None:
        x = variable(np.arange(6.0).reshape(2, 3))
        assert slopes(eg.gather(x, 1, eg.tensor([[2, 2]])), x) == [[0, 0, 2], [0, 0, 0]]
        src = variable(np.ones((2, 3)))
        assert slopes(eg.scatter_add(x, 1, eg.tensor([[0]]), src), src) == [[1, 0, 0], [0, 0, 0]]

    def test_a_mask_of_another_size(self) -> None:
        with pytest.raises(IndexError, match="mask"):
            _ = eg.zeros(3)[eg.tensor([True, False])]

    def test_padding_idx(self) -> None:
        weight = variable(np.ones((3, 2)))
        for index in ([1], [1, 1, 2], [[1, 0]]):
            assert slopes(F.embedding(eg.tensor(index), weight, padding_idx=1), weight)[1] == [0, 0]

    def test_negative_indices_are_the_tensors(self, b: Any) -> None:
        with pytest.raises(IndexError):
            b.gather(array(b, [1.0, 2]), 0, array(b, [-1], np.int64))
        assert eg.gather(eg.tensor([1.0, 2]), 0, eg.tensor([-1])).tolist() == [2]
