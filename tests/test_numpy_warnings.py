"""NumPy's complaints about infinities and NaN stay inside the backend, whatever the user's settings are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from everygrad_numpy import NumpyBackend
from everygrad_ops import conv_options, pool_options

Array = NDArray[Any]
B: Any = NumpyBackend()
BAD: Array = np.array([np.inf, -np.inf, np.nan, 3e38, -3e38, 0, 1, 2], np.float32)
ROWS: Array = np.stack([np.roll(BAD, i) for i in range(8)])
IMAGES: Array = ROWS.reshape(1, 2, 4, 8)
INDEX: Array = np.zeros((8, 8), np.int64)
OPTIONS = conv_options(1, 1, 1, 1, rank=2)
DEPTHWISE = conv_options(2, 1, 1, 2, rank=2)
POOL = pool_options(2, 2, 0, rank=2)
ALL = (True, True, True)

HEAVY: dict[str, Callable[[], Any]] = {
    "conv": lambda: B.conv(IMAGES, IMAGES[:, :, :3, :3], None, OPTIONS),
    "conv_x_backward": lambda: B.conv_x_backward(IMAGES[:, :1], IMAGES[:, :, :3, :3], IMAGES.shape, OPTIONS),
    "conv_weight_backward": lambda: B.conv_weight_backward(IMAGES, IMAGES[:, :1], (1, 2, 3, 3), OPTIONS),
    "depthwise": lambda: B.conv(IMAGES, IMAGES[0, :, None, :3, :3], None, DEPTHWISE),
    "avg_pool": lambda: B.avg_pool(IMAGES, POOL),
    "adaptive_avg_pool": lambda: B.adaptive_avg_pool(IMAGES, (2, 3)),
    "max_pool": lambda: B.max_pool_with_indices(IMAGES, POOL),
    "matmul": lambda: B.matmul(ROWS, ROWS),
    "linear": lambda: B.linear(ROWS, ROWS, BAD),
    "layer_norm": lambda: B.layer_norm_with_stats(ROWS, (8,), BAD, BAD, 1e-5),
    "layer_norm_backward": lambda: B.layer_norm_backward(ROWS, np.eye(8, dtype=np.float32), (8,), BAD, 1e-5, ALL),
    "batch_norm": lambda: B.batch_norm_train(IMAGES, None, None, 1e-5),
    "rms_norm": lambda: B.rms_norm_with_stats(np.eye(8, dtype=np.float32), (8,), BAD, 1e-5),
    "softmax": lambda: B.softmax(ROWS, 1),
    "log_softmax": lambda: B.log_softmax(ROWS, 0),
    "softmax_backward": lambda: B.softmax_backward(ROWS, ROWS, 1),
    "gelu": lambda: B.gelu(BAD),
    "gelu, float64": lambda: B.gelu_backward(BAD.astype(np.float64), BAD.astype(np.float64)),
    "sigmoid_backward": lambda: B.sigmoid_backward(BAD, BAD),
    "scatter_add": lambda: B.scatter_add(ROWS, 0, INDEX, ROWS),
    "index_add": lambda: B.index_add(ROWS, 1, INDEX[0], ROWS),
    "embedding_backward": lambda: B.embedding_backward(ROWS, INDEX[0], 3),
    "cumsum": lambda: B.cumsum(ROWS, 1),
    "pow": lambda: B.pow(BAD, 2),
    "cast": lambda: B.cast(BAD.astype(np.float64) * 10, B.dtype(BAD)),
}  # fmt: skip
LIGHT: dict[str, Callable[[], Any]] = {
    "add": lambda: B.add(BAD, BAD[::-1]),
    "sub": lambda: B.sub(BAD, BAD),
    "mul": lambda: B.mul(BAD, BAD[::-1]),
    "square": lambda: B.square(BAD),
    "sum": lambda: B.sum(ROWS, (0,)),
}
TINY: Array = np.array([1e-30, -1e-40, 1e-4, 9, 30, -30, -200, 200], np.float32)
TINIER: Array = np.array([1e-30, 3e-30, 1e-25, 2e-28], np.float32)
HALF: Array = np.array([6e-8, 1e-4, 9, 60000, 60000, -20, 5, 0.5], np.float16)
SMALL: dict[str, Callable[[], Any]] = {
    "logsumexp": lambda: B.logsumexp(TINY, (0,)),
    "softmax": lambda: B.softmax(TINY, 0),
    "var": lambda: B.var(TINIER, (0,)),
    "sum, float16": lambda: B.sum(HALF, (0,)),
    "mean, float16": lambda: B.mean(HALF, (0,)),
    "erfc, float16": lambda: B.erfc(HALF),
    "tanh_backward": lambda: B.tanh_backward(TINY, 1 - TINY),
    "tanh_backward, float16": lambda: B.tanh_backward(HALF, np.full_like(HALF, 2e-4)),
    "sigmoid_backward": lambda: B.sigmoid_backward(TINY, TINY),
    "elu": lambda: B.elu(TINY, 1e-20),
    "matmul": lambda: B.matmul(TINY[:, None], TINY[None]),
    "logcumsumexp": lambda: B.logcumsumexp(TINY, 0),
    "cumprod": lambda: B.cumprod(TINY, 0),
    "lerp": lambda: B.lerp(TINY, TINY, 1e-20),
    "gelu": lambda: B.gelu(TINY),
    "exp": lambda: B.exp(TINY),
    "mul": lambda: B.mul(TINY, TINY),
}
"""Numbers that vanish, and sums that overflow in float16."""


@pytest.mark.parametrize("op", HEAVY)
def test_no_warning_of_a_kernel_under_any_filter(op: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.resetwarnings()
        warnings.simplefilter("error")
        HEAVY[op]()


@pytest.mark.parametrize("op", [*HEAVY, *LIGHT])
def test_nothing_is_raised_where_the_user_has_numpy_raise(op: str) -> None:
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        (HEAVY | LIGHT)[op]()


@pytest.mark.parametrize("op", SMALL)
def test_nothing_is_raised_of_numbers_that_vanish(op: str) -> None:
    with np.errstate(all="ignore"):
        expected = SMALL[op]()
    with np.errstate(all="raise"):
        found = SMALL[op]()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("op", LIGHT)
def test_light_ops_pass_where_warnings_are_errors_and_are_silent_by_default(op: str) -> None:
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("error")
        LIGHT[op]()
    with warnings.catch_warnings(record=True) as seen:
        warnings.resetwarnings()
        NumpyBackend()  # whose first use sets the filter
        LIGHT[op]()
    assert not seen


def test_the_users_own_settings_stay() -> None:
    with np.errstate(all="raise"):
        before = np.geterr()
        B.conv(IMAGES, IMAGES[:, :, :3, :3], None, OPTIONS)
        assert np.geterr() == before
    with pytest.warns(RuntimeWarning), np.errstate(all="warn"):
        np.subtract(BAD, BAD)
