"""What NumPy's kernels allocate on their way: the result, a block of work space, and nothing in float64."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# (the lambdas of a parametrization are untyped)

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import functional as F

ROWS, WIDTH = 512, 1024
SMALL = 20_000
"""Bytes of Python objects around the arrays."""

Work = Callable[[Any], Any]
random = np.random.default_rng(0)


def given(dtype: str) -> Any:
    """Operands of 2 MB in float32, one for each letter of a work."""

    def normal(*shape: int) -> eg.Tensor:
        return eg.tensor(random.normal(size=shape).astype(dtype))

    class Given:
        x, y, square = normal(ROWS, WIDTH), normal(ROWS, WIDTH), normal(WIDTH, WIDTH)
        row = normal(WIDTH)
        image, kernel, point, depth = normal(8, 16, 64, 64), normal(16, 16, 3, 3), normal(16, 16, 1, 1), normal(16, 1, 3, 3)  # fmt: skip
        query = normal(8, 8, 128, 64)
        places = eg.tensor(random.integers(0, ROWS, ROWS))

    return Given


WORKS: dict[str, tuple[Work, float]] = {
    "add": (lambda a: a.x + a.y, 1.0),
    "mul by a number": (lambda a: a.x * 2.5, 1.0),
    "tanh": (lambda a: a.x.tanh(), 1.0),
    "square": (lambda a: a.x**2.0, 1.0),
    "sigmoid": (lambda a: a.x.sigmoid(), 1.01),
    "silu": (lambda a: F.silu(a.x), 1.1),
    "gelu": (lambda a: F.gelu(a.x), 1.25),
    "relu": (lambda a: F.relu(a.x), 1.01),
    "softmax": (lambda a: F.softmax(a.x, -1), 1.05),
    "log_softmax": (lambda a: F.log_softmax(a.x, -1), 1.1),
    "layer_norm": (lambda a: F.layer_norm(a.x, (WIDTH,), a.row, a.row), 1.05),
    "rms_norm": (lambda a: F.rms_norm(a.x, (WIDTH,), a.row), 1.05),
    "group_norm": (lambda a: F.group_norm(a.image, 4), 1.05),
    "batch_norm": (lambda a: F.batch_norm(a.image, None, None, training=True), 1.05),
    "sum": (lambda a: a.x.sum(0), 0.01),
    "mean": (lambda a: a.x.mean(1), 0.01),
    "amax": (lambda a: a.x.amax(1), 0.01),
    "var": (lambda a: a.x.var(1), 1.05),
    "linear": (lambda a: F.linear(a.x, a.square, a.row), 1.05),
    "matmul": (lambda a: a.x @ a.square, 1.0),
    "conv2d 3x3": (lambda a: F.conv2d(a.image, a.kernel, padding=1), 1.4),
    "conv2d 1x1": (lambda a: F.conv2d(a.image, a.point), 1.01),
    "conv2d depthwise": (lambda a: F.conv2d(a.image, a.depth, padding=1, groups=16), 1.25),
    "max_pool2d": (lambda a: F.max_pool2d(a.image, 2), 0.8),
    "avg_pool2d": (lambda a: F.avg_pool2d(a.image, 2), 0.8),
    "attention": (lambda a: F.scaled_dot_product_attention(a.query, a.query, a.query), 2.7),
    "cumsum": (lambda a: a.x.cumsum(1), 1.0),
    "index_select": (lambda a: a.x.index_select(0, a.places), 1.01),
    "transpose": (lambda a: a.x.T, 0.0),
    "reshape": (lambda a: a.x.reshape(WIDTH, ROWS), 0.0),
}
"""Each with the most it may take at once, in arrays of the operand's size: the result, and blocks."""


def peak(work: Work, operands: Any) -> int:
    """The most bytes taken at once by a run, after work space that stays was made."""
    work(operands)
    work(operands)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    result = work(operands)
    most = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    del result
    return most


@pytest.fixture(scope="module")
def narrow() -> Any:
    return given("float32")


@pytest.fixture(scope="module")
def wide() -> Any:
    return given("float64")


def check(work: Work, arrays: float, narrow: Any, wide: Any) -> None:
    size = ROWS * WIDTH * 4
    most = peak(work, narrow)
    assert most <= arrays * size + SMALL, f"{most / size:.2f} arrays"
    if most > SMALL * 10:  # float32 takes half of what float64 does, unless something is widened on the way
        assert most <= 0.6 * peak(work, wide)


@pytest.mark.parametrize("name", WORKS)
def test_no_more_than_its_result_and_blocks(name: str, narrow: Any, wide: Any) -> None:
    check(*WORKS[name], narrow, wide)


@pytest.mark.parametrize(
    ("work", "arrays"),
    [
        (lambda a: (a.x + a.y) * 1.0, 1.0),
        (lambda a: a.x.double().tanh().float(), 10.0),
    ],
    ids=["a copy", "float64"],
)
def test_a_copy_and_a_hidden_float64_are_found(work: Work, arrays: float, narrow: Any, wide: Any) -> None:
    with pytest.raises(AssertionError):
        check(work, arrays, narrow, wide)
