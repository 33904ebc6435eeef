"""Faults that users of other libraries reported, as small cases with the right answer: a test for each, by its id.

Shapes are (N, C, spatial...); where a list stands for a spatial input, N = C = 1. The gradient is that of the sum
of the output unless something else is said. The other half is in test_faults_models.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import functional as F
from tests.fault_tools import INF, NAN, line, same, slopes, variable

MISSING = {
    "B089": "no forward mode yet",
}
"""Rows about what is not there yet."""

pytestmark = pytest.mark.usefixtures("library")


class TestPooling:
    def test_b001_windows_over_the_edge(self) -> None:
        x = line(np.arange(16.0).reshape(4, 4))
        out = F.avg_pool2d(x, 3, 2, 0, ceil_mode=True, count_include_pad=True)
        same(out.tolist()[0][0], [[5, 6.5], [11, 12.5]])
        g = slopes(out, x)[0][0]
        same(g[0], [1 / 9, 1 / 9, 5 / 18, 1 / 6])
        same(g[2][2], 25 / 36)

    def test_b002_explicit_padding_counts_and_the_overhang_does_not(self) -> None:
        x = line([1.0, 2, 3, 4, 5, 6])
        out = F.avg_pool1d(x, 3, 2, 1, ceil_mode=True)
        same(out.tolist()[0][0], [1, 3, 5, 3])
        same(slopes(out, x)[0][0], [1 / 3, 2 / 3, 1 / 3, 2 / 3, 1 / 3, 5 / 6])
        without = F.avg_pool1d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)
        same(without.tolist()[0][0], [1.5, 3, 5, 6])

    def test_b004_divisor_override(self) -> None:
        out = F.avg_pool2d(line([[1.0, 2], [3, 4]]), 2, 1, 1, count_include_pad=False, divisor_override=3)
        same(out.tolist()[0][0], [[1 / 3, 1, 2 / 3], [4 / 3, 10 / 3, 2], [1, 7 / 3, 4 / 3]])

    def test_b005_same_padding_divides_by_real_elements(self) -> None:
        a = F.avg_pool1d(line([4.0, 8]), 3, 2, ((0, 1),), count_include_pad=False)
        b = F.avg_pool1d(line([2.0, 4, 6]), 2, 1, ((0, 1),), count_include_pad=False)
        same(a.tolist()[0][0], [6])
        same(b.tolist()[0][0], [3, 5, 6])

    def test_b007_a_dilation_per_axis(self) -> None:
        i, j = np.indices((5, 7))
        x = line(7.0 * (7 * i + j) % 11)
        out = F.max_pool2d(x, 2, 2, dilation=(1, 3))
        assert isinstance(out, eg.Tensor)
        same(out.tolist()[0][0], [[10, 8], [10, 7]])
        due = np.zeros((5, 7))
        due[[0, 1, 2, 3], [3, 2, 0, 2]] = 1
        same(slopes(out, x)[0][0], due)

    def test_b008_nan_wins(self) -> None:
        for shape in ((4,), (4, 1), (1, 1, 4)):
            x = line(np.array([NAN, 1, 2, 3]).reshape(shape))
            kernel = tuple(2 if s == 4 else 1 for s in shape)
            out = getattr(F, f"max_pool{len(shape)}d")(x, kernel)
            same(out.reshape(-1).tolist(), [NAN, 3])
            same(np.ravel(slopes(out, x)), [1, 0, 0, 1])
        same(eg.amax(variable([NAN, 1])).item(), NAN)

    def test_b010_integers_stay_integers(self) -> None:
        x = eg.tensor(np.array([[[[-1, -2], [-3, -4]]]], np.int32))
        out: Any = F.max_pool2d(x, 2, 1, 1)
        assert out.dtype is eg.int32
        assert out.tolist()[0][0] == [[-1, -1, -2], [-1, -1, -2], [-3, -3, -4]]

    def test_b011_padding_never_wins(self) -> None:
        out: Any = F.max_pool1d(line([-5.0, -5, -5]), 3, 1, 1)
        same(out.tolist()[0][0], [-5, -5, -5])

    def test_b013_a_window_of_padding_alone(self) -> None:
        for pool in (F.avg_pool2d, F.max_pool2d):
            with pytest.raises(eg.ShapeError, match=r"padding.*3"):
                pool(line([[1.0]]), 3, 3, 3)
        with pytest.raises(
            eg.ShapeError, match=r"size \(1, 1\).*kernel_size=\(3, 3\).*padding=.*dilation=\(2, 2\)"
        ):
            F.max_pool2d(line([[1.0]]), 3, 1, 1, 2)
        with pytest.raises(eg.ShapeError, match=r"size 1, kernel_size=2.*padding=\(1, 1\), dilation=2"):
            F.max_pool2d(line([[1.0]]), 2, 1, 1, 2)

    def test_b016_second_derivatives(self) -> None:
        x = line([1.0, 2, 3, 4])
        (g,) = eg.gradients((F.avg_pool1d(x, 2, 1) ** 3).sum(), [x], create_graph=True)
        assert g is not None
        same(g.tolist()[0][0], [3.375, 12.75, 27.75, 18.375])
        same(slopes(g, x)[0][0], [4.5, 12, 18, 10.5])
        x = line([1.0, 3, 2, 4])
        pooled: Any = F.max_pool1d(x, 2)
        (g,) = eg.gradients((pooled**3).sum(), [x], create_graph=True)
        assert g is not None
        same(g.tolist()[0][0], [0, 27, 0, 48])
        same(slopes(g, x)[0][0], [0, 18, 0, 24])

    def test_b017_no_window_fits(self) -> None:
        with pytest.raises(eg.ShapeError, match=r"\(3, 6\).*\(0, 1\)"):
            F.avg_pool2d(eg.zeros(1, 1, 3, 6), 6)


class TestConvolution:
    def test_b025_sides_groups_and_dilation(self) -> None:
        x, w = (
            variable(np.arange(1.0, 13).reshape(1, 2, 2, 3)),
            variable(np.arange(1.0, 9).reshape(2, 1, 2, 2)),
        )
        y = F.conv2d(x, w, stride=(1, 2), padding=((1, 1), (1, 0)), dilation=(2, 1), groups=2)
        same(y.tolist()[0], [[[16, 39], [2, 8]], [[80, 173], [42, 94]]])
        padded = F.pad(x, (1, 0, 1, 1))
        same(F.conv2d(padded, w, stride=(1, 2), dilation=(2, 1), groups=2).tolist(), y.tolist())
        dx, dw = slopes(y, x, w)
        same(dx[0], [[[2, 1, 2], [4, 3, 4]], [[6, 5, 6], [8, 7, 8]]])
        same(dw, [[[[2, 4], [5, 10]]], [[[8, 16], [11, 22]]]])

    def test_b026_double_backward(self) -> None:
        x, w = line(np.arange(1.0, 7)), line([1.0, 2, -1])
        y = F.conv1d(x, w, stride=2, padding=1)
        (g,) = eg.gradients((y**2).sum(), [x], create_graph=True)
        assert g is not None
        penalty = (g**2).sum()
        same(y.tolist()[0][0], [0, 4, 8])
        same(penalty.item(), 1664)
        dx, dw = slopes(penalty, x, w)
        same(dx[0][0], [-64, 160, 256, 224, 704, -352])
        same(dw[0][0], [2048, 3392, 2176])

    def test_b028_long_sums(self) -> None:
        """An error of random walks, sqrt(n) eps, is what float32 allows over n = 28672 products."""
        r = np.random.default_rng(0)
        x, w = (r.normal(size=s).astype("f") for s in ((1, 1024, 8, 7), (1, 1024, 7, 4)))
        found = F.conv2d(eg.tensor(x), eg.tensor(w), padding="same", dilation=(3, 2)).numpy()
        padded = np.pad(x.astype("d"), ((0, 0), (0, 0), (9, 9), (3, 3)))
        due = np.zeros((8, 7))
        for i in range(7):
            for j in range(4):
                due += np.einsum(
                    "chw,c->hw", padded[0, :, 3 * i :, 2 * j :][:, :8, :7], w[0, :, i, j].astype("d")
                )
        assert np.abs(found[0, 0] - due).max() < math.sqrt(28672) * np.finfo("f").eps * due.std()


class TestIndexing:
    def test_b040_duplicates_in_gather(self) -> None:
        x = variable([1.0, 2, 3])
        y = eg.gather(x, 0, eg.tensor([0, 0, 2, 0]))
        same(y.tolist(), [1, 1, 3, 1])
        same(slopes(y, x), [3, 0, 1])

    def test_b041_duplicates_in_scatter(self) -> None:
        x, src = variable(np.zeros(4)), variable([11.0, 12, 13, 14])
        y = eg.scatter(x, 0, eg.tensor([0, 1, 1, 2]), src)
        same(y.tolist(), [11, 13, 14, 0])
        same(slopes(y, x, src), [[0, 0, 0, 1], [1, 0, 1, 1]])

    def test_b046_out_of_range(self, library: str) -> None:
        x, ids = variable([1.0, 2, 3]), eg.tensor([0, 5, 1])
        with pytest.raises(IndexError, match=r"\b5\b.*\b2\b"):
            eg.index_add(eg.zeros(2, dtype=eg.float64), 0, ids, x)
        reads: list[Callable[[], Any]] = [
            lambda: x[eg.tensor([0, 7])],
            lambda: eg.gather(x, 0, eg.tensor([0, 7])),
            lambda: eg.index_select(x, 0, eg.tensor([0, 7])),
            lambda: eg.take(x, eg.tensor([0, 7])),
        ]
        for read in reads:
            with pytest.raises(IndexError, match=r"\b7\b.*\b3\b"):
                read()
        b = eg.backend(library)  # and what runs backwards
        index, values = b.from_numpy(np.array([0, 7])), b.from_numpy(np.ones(2))
        with pytest.raises(IndexError, match=r"\b7\b.*\b3\b"):
            b.scatter_add(b.from_numpy(np.zeros(3)), 0, index, values)
        with pytest.raises(IndexError, match=r"\b7\b.*\b3\b"):
            b.index_add(b.from_numpy(np.zeros(3)), 0, index, values)

    def test_b047_take_is_of_the_flattened_input(self) -> None:
        y = eg.take(eg.arange(10).reshape(2, 5), eg.tensor([[1, 1, 1, 1], [1, 2, 3, 4]]))
        assert y.tolist() == [[1, 1, 1, 1], [1, 2, 3, 4]]

    def test_b050_a_mask_of_false(self) -> None:
        x = variable([1.0, 2])
        y = eg.masked_select(x, eg.tensor([False, False]))
        assert y.tolist() == [] and slopes(y, x) == [0, 0]
        assert slopes(x[eg.tensor([False, False])], x) == [0, 0]


class TestSingular:
    def test_b052_the_branch_not_taken(self) -> None:
        x = variable(1.0)
        assert slopes(eg.where(x >= 0, x, (-x).sqrt()), x) == 1
        assert slopes(eg.where(eg.tensor(False), x / 0, x), x) == 1
        assert slopes(eg.where(eg.tensor(False), x / eg.zeros((), dtype=eg.float64), x), x) == 1
        x = variable(100.0)
        assert slopes(eg.where(x <= 0, x.exp(), 1 + x), x) == 1
        x = variable(100.0, np.float32)  # whose exponential is inf
        assert slopes(eg.where(x <= 0, x.exp(), 1 + x), x) == 1

    def test_b055_std_of_equal_values(self) -> None:
        x, alone = variable([2.0, 2, 2, 2]), variable([5.0])
        assert slopes(x.std(), x) == [0, 0, 0, 0]
        same([alone.std().item(), *slopes(alone.std(), alone)], [NAN, NAN])

    def test_b056_var_of_one(self) -> None:
        x = variable([[1.0]])
        out = x.var(0, correction=1, keepdim=True)
        same(out.tolist(), [[NAN]])
        same(slopes(out, x), [[NAN]])
        out = x.var(0, correction=0, keepdim=True)
        assert out.tolist() == [[0]] and slopes(out, x) == [[0]]

    def test_b058_four_derivatives(self) -> None:
        f: Callable[[Any], Any] = lambda x: (-(x**2)).exp()  # replaced by its derivative below
        for due in (0, -2, 0, 12):
            f = eg.grad(f)
            same(f(eg.tensor(np.array(0.0))).item(), due)

    def test_b059_roots_at_zero(self) -> None:
        x = variable(0.0)
        assert slopes(x**1.5, x) == 0 and slopes(x * x**0.5, x) == 0

    def test_b061_which_side_of_a_power_is_tracked(self) -> None:
        x = variable(3.0)
        same(slopes(2**x, x), 5.545177, 1e-6)
        x = variable(2.0)
        same(slopes(x**3, x), 12)
        same(slopes(eg.pow(x, eg.tensor(np.array(3.0))), x), 12)

    def test_b062_zeros_in_a_product(self) -> None:
        for values, due in (([0.0, 2, 3], [6, 0, 0]), ([0.0, 0, 3], [0, 0, 0])):
            x = variable(values)
            assert slopes(x.prod(), x) == due
        x = variable([[0.0, 2, 3], [1, 0, 0]])
        assert slopes(x.prod(1), x) == [[6, 0, 0], [0, 0, 0]]

    def test_b064_zeros_in_a_running_product(self) -> None:
        for values, due in (
            ([2.0, 0, 0, 3], [1, 2, 0, 0]),
            ([0.0, 2, 3], [9, 0, 0]),
            ([2.0, 3, 0], [4, 2, 6]),
        ):
            x = variable(values)
            assert slopes(x.cumprod(0), x) == due

    def test_b065_scans_over_nothing(self) -> None:
        x = variable(np.zeros((2, 0)))
        for scan in (eg.cumsum, eg.cumprod):
            (g,) = eg.gradients(scan(x, -1).sum(), [x])
            assert g is not None and g.shape == (2, 0)

    def test_b067_many_ties_in_float16(self) -> None:
        x = variable(np.ones(70000), np.float16)
        same(np.array(slopes(x.amax(), x)), np.full(70000, 1.4305e-05), 1e-8)

    def test_b068_kinks(self) -> None:
        x, y = variable(1.0), variable(1.0)
        assert slopes(eg.maximum(x, y), x, y) == [0.5, 0.5]
        zero, four = variable(0.0), variable([-1.0, 0, 1, 2])
        assert slopes(F.relu(zero), zero) == 0 and slopes(zero.abs(), zero) == 0
        assert slopes(zero.clamp(min=0), zero) == 1
        assert slopes(four.clamp(0, 1), four) == [0, 1, 1, 0]

    def test_b070_softmax_under_a_mask(self) -> None:
        x = variable([0.0, 100])
        out = x.masked_fill(eg.tensor([False, True]), -INF).logsumexp()
        assert out.item() == 0 and slopes(out, x) == [1, 0]
        x = variable([1.0, 1, 100])
        first = F.softmax(x.masked_fill(eg.tensor([False, False, True]), -INF), 0)[0]
        assert first.item() == 0.5
        same(slopes(first, x), [0.25, -0.25, 0])

    def test_b071_soft_labels_against_minus_infinity(self) -> None:
        x = variable([[-INF, 0, 0]])
        loss = F.cross_entropy(x, eg.tensor(np.array([[0.0, 1, 0]])))
        same(loss.item(), 0.693147, 1e-6)
        same(slopes(loss, x), [[0, -0.5, 0.5]])

    def test_b074_a_masked_loss(self) -> None:
        x, y, mask = variable([3.0, 3]), eg.tensor(np.array([1, NAN])), eg.tensor([True, False])
        assert slopes(eg.where(mask, (x - y) ** 2, 0.0), x) == [4, 0]
        assert slopes(eg.where(mask, x - y, 0.0) ** 2, x) == [4, 0]


def test_a_row_is_tested_or_missing() -> None:
    """A row's test stands here, or in the file of its family."""
    files = Path(__file__).parent.glob("test_*.py")
    tested = {f"B{row}" for file in files for row in re.findall(r"def test_b(\d{3})_", file.read_text())}
    assert not tested & {*MISSING} and len(tested) + len(MISSING) == 89
