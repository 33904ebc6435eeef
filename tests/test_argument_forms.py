"""Forms of arguments that torch takes: keywords for sizes and dims, booleans, scalars as vectors, numbers as tensors."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# Tables of lambdas: each gets what the test makes.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import functional as F
from tests.fault_tools import same, slopes, variable
from tests.like_torch import both, twice

torch: Any = pytest.importorskip("torch", reason="the values are compared with its")
T: Any = torch.nn.functional

X = np.array([[1.0, -2.0, 3.5], [0.5, 4.0, -1.5]])
ROW = np.array([[2.0, 5.0, 11.0]])
CUBE = np.random.default_rng(4).normal(size=(2, 1, 3))
ONE = np.array(2.5)
RANKS = np.stack([np.diag([3.0, 0.3, 0.02]), np.diag([2.0, 1.0, 0.1])]) + 0.001
INTS = np.array([[7, -2, 3], [0, 9, -9]])
BITS = np.array([[True, False], [False, True]])

FORMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {  # m is everygrad or torch
    "var-unbiased": (lambda m, x: m.var(x, False), (X,)),
    "var-biased-dim": (lambda m, x: m.var(x, 1, True, True), (X,)),
    "std-keyword": (lambda m, x: m.std(x, dim=0, unbiased=False, keepdim=True), (X,)),
    "std-no-correction": (lambda m, x: m.std(x, dim=0, correction=None), (X,)),
    "std-method": (lambda _, x: x.std(True), (X,)),
    "var_mean-unbiased": (lambda m, x: m.var_mean(x, False), (X,)),
    "std_mean-keyword": (lambda m, x: m.std_mean(x, dim=1, unbiased=False), (X,)),
    "sum-int32": (lambda m, x: m.sum(x, 0, dtype=m.int32), (INTS,)),
    "prod-bool": (lambda m, x: m.prod(x, 1, dtype=m.bool), (BITS,)),
    "cumsum-int16": (lambda m, x: m.cumsum(x, 0, dtype=m.int16), (INTS,)),
    "cov-of-one": (lambda m, x: m.cov(x), (ROW,)),
    "corrcoef-of-one": (lambda m, x: m.corrcoef(x), (ROW,)),
    "diff-0": (lambda m, x, y: m.diff(x, 0, 0, y), (X, ROW)),
    "flip-dims": (lambda m, x: m.flip(x, dims=(0, 1)), (X,)),
    "permute-dims": (lambda m, x: m.permute(x, dims=(1, 0)), (X,)),
    "tile-dims": (lambda m, x: m.tile(x, dims=(2,)), (X,)),
    "reshape-shape": (lambda m, x: m.reshape(x, shape=(3, -1)), (X,)),
    "expand-size": (lambda _, x: x.expand(size=(2, 3)), (ROW,)),
    "repeat-repeats": (lambda _, x: x.repeat(repeats=(2, 1)), (ROW,)),
    "new_zeros-size": (lambda _, x: x.new_zeros(size=(2,)), (X,)),
    "new_ones-sizes": (lambda _, x: x.new_ones(2, 3), (X,)),
    "sum_to_size-list": (lambda _, x: x.sum_to_size([1, 3]), (X,)),
    "zeros-size": (lambda m: m.zeros(size=(2, 1)), ()),
    "ones-size": (lambda m: m.ones(size=[2]), ()),
    "masked_scatter-mask": (lambda m, x, y: m.masked_scatter(x[0], x > -1.8, y), (X, X + 1)),
    "gather-scalar": (lambda m, x: m.gather(x, 0, m.tensor([0])), (ONE,)),
    "gather-scalar-index": (lambda m, x: m.gather(x, 0, m.tensor(1)), (ROW[0],)),
    "gather-nothing": (lambda m, x: m.gather(x, 0, m.zeros(2, 0, dtype=m.int64)), (ROW[0],)),
    "index_select-scalar": (lambda m, x: m.index_select(x, 0, m.tensor([0])), (ONE,)),
    "index_add-scalar": (lambda m, x: m.index_add(x, 0, m.tensor([0]), x, alpha=3), (ONE,)),
    "index_add-scalars": (lambda m, x: m.index_add(x, 0, m.tensor(0), x), (ONE,)),
    "nonzero-scalar": (lambda m, x: m.nonzero(x, as_tuple=True), (ONE,)),
    "norm-nuc": (lambda m, x: m.norm(x, "nuc"), (X,)),
    "norm-nuc-dims": (lambda m, x: m.norm(x, "nuc", (0, 2), True), (CUBE,)),
    "histogram-one-value": (lambda m, x: m.histogram(x, 4), (ONE,)),
    "histc-one-value": (lambda m, x: m.histc(x, 4), (ONE,)),
    "heaviside-bool": (lambda m, x: m.heaviside(x, ~x), (BITS,)),
    "tensordot-stretched": (lambda m, x, y: m.tensordot(x, y, dims=[[1, 0], [0, 1]]), (CUBE, X.T)),
    "tensorsolve-dims": (
        lambda m, a, b: m.linalg.tensorsolve(a, b, (0, 2)),
        (np.random.default_rng(5).normal(size=(2, 3, 6)), np.ones((2, 3))),
    ),
    "unfold-scalar": (lambda _, x: x.unfold(0, 1, 1), (ONE,)),
    "sum_to_size-bool": (lambda _, x: x.sum_to_size(1, 2), (BITS,)),
    "to-device-dtype": (lambda m, x: x.to("cpu", m.float32), (X,)),
    "to-dtype-flags": (lambda m, x: x.to(m.float32, False, True), (X,)),
    "to-keywords": (lambda m, x: x.to(device="cpu", dtype=m.float32, copy=True), (X,)),
    "to-nothing": (lambda _, x: x.to(device=None), (X,)),
    "matrix_rank-tensors": (
        lambda m, x, t: m.linalg.matrix_rank(x, atol=t, rtol=m.tensor(0.1)),
        (RANKS, np.array([0.5, 0.05])),
    ),
    "matrix_rank-tensor": (lambda m, x, t: m.linalg.matrix_rank(x, atol=t), (RANKS, np.array([0.0, 5.0]))),
    "pinv-tensors": (lambda m, x, t: m.linalg.pinv(x, rtol=t), (RANKS, np.array([0.5, 0.001]))),
    "pinv-atol": (lambda m, x: m.linalg.pinv(x, atol=0.4), (RANKS,)),
    "pinv-both": (lambda m, x, t: m.linalg.pinv(x, atol=t, rtol=0.2), (RANKS, np.array(0.4))),
    "block_diag-bool": (lambda m, x: m.block_diag(x, x), (BITS,)),
    "masked_fill-bool": (lambda m, x: m.masked_fill(x, x, 0), (BITS,)),
    "masked_fill-float": (lambda m, x: m.masked_fill(x, x > 1, 4.0), (INTS,)),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_are_torchs(library: str, name: str) -> None:
    call, arrays = FORMS[name]
    both(call, *arrays)


FUNCTIONAL: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "cosine_similarity-stretched": (lambda f, x, y: f.cosine_similarity(x, y, dim=-2), (ROW, CUBE)),
    "relu6-int": (lambda f, x: f.relu6(x), (INTS,)),
    "hardtanh-int": (lambda f, x: f.hardtanh(x, -3, 4), (INTS,)),
    "threshold-int": (lambda f, x: f.threshold(x, 2, 20), (INTS,)),
    "pad-bool": (lambda f, x: f.pad(x, (1, 1)), (BITS,)),
    "pad-int": (lambda f, x: f.pad(x, (1, 1), value=2.0), (INTS,)),
}


@pytest.mark.parametrize("name", FUNCTIONAL)
def test_functional_forms_are_torchs(library: str, name: str) -> None:
    call, arrays = FUNCTIONAL[name]
    both(lambda m, *a: call(F if m is eg else T, *a), *arrays)


def test_single_class_margins(library: str) -> None:
    target = np.array(0)
    both(lambda m, x, t: (F if m is eg else T).multi_margin_loss(x, t), ONE, target)
    both(lambda m, x, t: (F if m is eg else T).multilabel_margin_loss(x, t, "none"), ONE, target)


def test_gradients_of_the_forms(library: str) -> None:
    x = variable([[1.0, -2.0], [3.0, 0.5]])
    same(slopes(x.var(False), x), 0.5 * (np.asarray(x.tolist()) - 0.625), 1e-9)
    twice(lambda t: eg.linalg.pinv(t, rtol=eg.tensor([1e-3, 1e-4], dtype=eg.float64)), RANKS + np.eye(3))
    twice(lambda t: eg.norm(t, "nuc"), X)
    twice(lambda t: eg.cosine_similarity(t, eg.tensor(CUBE), dim=-2), ROW)
    twice(lambda t: eg.tensordot(t, eg.tensor(X.T.copy()), dims=[[1, 0], [0, 1]]), CUBE)
    twice(lambda t: eg.masked_scatter(t[0], t > -1.8, t * t), X)
    scalar = variable(2.5)
    same(slopes(eg.gather(scalar, 0, eg.tensor([0])), scalar), 1.0)
    same(slopes(eg.index_add(scalar, 0, eg.tensor([0]), scalar, alpha=3), scalar), 4.0)


def test_randint_takes_one_bound(library: str) -> None:
    for drawn in (eg.randint(3, (200,)), eg.randint(3, size=(200,)), eg.randint(high=3, low=0, size=(200,))):
        assert sorted({*drawn.tolist()}) == [0, 1, 2]
    assert sorted({*eg.randint_like(eg.zeros(200), 2).tolist()}) == [0, 1]
    for low, high in ((3, 3), (2, 1), (0, 1.5)):
        with pytest.raises(eg.ShapeError, match="low below high"):
            eg.randint(low, high, (2,))
    with pytest.raises(TypeError, match="size"):
        eg.randint(3)


REFUSED: dict[str, tuple[Callable[[], object], type[Exception] | tuple[type[Exception], ...], str]] = {
    "bool-dim": (lambda: eg.sum(eg.ones(2, 2), True), (IndexError, TypeError), "dim"),
    "both-corrections": (lambda: eg.var(eg.ones(3), 0, True, correction=1), ValueError, "not both"),
    "cov-weights": (lambda: eg.cov(eg.ones(2, 2), fweights=eg.tensor([1, -1])), ValueError, "fweights"),
    "cov-shares": (lambda: eg.cov(eg.ones(2, 2), aweights=eg.tensor([1.0, -1])), ValueError, "aweights"),
    "mean-int": (lambda: eg.mean(eg.ones(3), dtype=eg.int64), eg.DTypeError, "floating"),
    "masked_fill-vector": (
        lambda: eg.ones(2).masked_fill(eg.ones(2) > 0, eg.ones(1)),
        eg.ShapeError,
        "where",
    ),
    "narrow-bool": (lambda: eg.narrow(eg.ones(2), 0, eg.tensor(True), 1), eg.DTypeError, "start"),
    "narrow-float": (lambda: eg.narrow(eg.ones(2), 0, 0, 1.0), TypeError, "length"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    "eye-negative": (lambda: eg.eye(-1), eg.ShapeError, "eye"),
    "margin": (
        lambda: F.triplet_margin_loss(eg.ones(1, 2), eg.ones(1, 2), eg.ones(1, 2), 0.0),
        ValueError,
        "margin",
    ),
    "cosines": (lambda: eg.signal.windows.general_cosine(3, a=None), TypeError, "general_cosine: a must"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    "fraction-in-ints": (lambda: F.pad(eg.tensor([1]), (1, 1), value=0.5), eg.DTypeError, "does not go"),
    "two-in-bools": (lambda: F.pad(eg.tensor([True]), (1, 1), value=2), eg.DTypeError, "does not go"),
    "tensordot": (lambda: eg.tensordot(eg.ones(2, 3), eg.ones(2, 3), 1), eg.ShapeError, "pairs"),
    "bounds": (lambda: eg.linalg.pinv(eg.ones(2, 3, 3), rtol=eg.ones(3)), eg.ShapeError, "rtol"),
    "cosine": (lambda: F.cosine_similarity(eg.ones(2, 3), eg.ones(2, 2)), eg.ShapeError, "cosine"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(library: str, name: str) -> None:
    call, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        call()
