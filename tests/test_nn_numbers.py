"""Numbers of NumPy as options, and what is no Tensor as input: the first things a new program gets wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import functional as F
from everygrad import nn, optim

WIDE, SMALL = np.float64(0.5), np.float32(0.5)
X = eg.tensor([[0.1, 0.6, -0.3]])


def ops(x: eg.Tensor, number: Any) -> list[eg.Tensor]:
    """Functions that take a number, directly or through a default of the contract."""
    return [
        *(x * number, number * x, x + number, x - number, x / number, x**number, x % number, x // number),
        *(x.clamp(-number, number), F.leaky_relu(x, number), F.elu(x, number), F.softplus(x, number)),
        *(F.hardtanh(x, -number, number), F.dropout(x, number), eg.maximum(x, eg.full_like(x, number))),
        *(F.layer_norm(x, 3, eps=number), F.batch_norm(x, eg.zeros(3), eg.ones(3), eps=number)),
        *(F.cross_entropy(x, eg.tensor([1]), label_smoothing=number), F.huber_loss(x, x * 0, delta=number)),
        *(nn.LeakyReLU(number)(x), nn.BatchNorm1d(3, number, number).eval()(x), x.masked_fill(x > 0, number)),
    ]


@pytest.mark.parametrize("number", [WIDE, SMALL])
@pytest.mark.parametrize("spec", ["autodiff(numpy)", "numpy", "autodiff(torch)"])
def test_a_number_of_numpy_does_not_widen(spec: str, number: Any) -> None:
    with eg.use(eg.backend(spec)):
        tracked = "autodiff" in spec
        x = eg.tensor([[0.1, 0.6, 0.3]], requires_grad=tracked)
        for out in ops(x, number):
            assert out.dtype is eg.float32
            assert out.detach().numpy().dtype == np.float32
            if tracked:
                assert out.sum().backward()[x].numpy().dtype == np.float32
        eg.manual_seed(0)
        found = [out.tolist() for out in ops(x, number)]
        eg.manual_seed(0)
        assert found == [out.tolist() for out in ops(x, float(number))]


@pytest.mark.parametrize("number", [WIDE, SMALL])
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_learning_rate_of_numpy_does_not_widen(library: str, number: Any) -> None:
    with eg.use(library):
        for name, options in (
            ("SGD", {"momentum": number, "weight_decay": number}),
            ("Adam", {}),
            ("AdamW", {}),
        ):
            p = nn.Parameter(eg.ones(3))
            optimizer = getattr(optim, name)([p], lr=number, **options)
            for _ in range(2):
                optimizer.step((p * p).sum().backward())
                optimizer.lr = number / 2
            kept = [value for value in optimizer.state[p].values() if isinstance(value, eg.Tensor)]
            assert {value.detach().numpy().dtype for value in (p, *kept)} == {np.dtype("float32")}


def test_whole_numbers_of_numpy_are_sizes_and_dims() -> None:
    two: Any = np.int64(2)
    three: Any = np.int32(3)
    one: Any = np.int64(1)
    last: Any = np.int8(-1)
    assert nn.Linear(three, two)(X).shape == (1, 2)
    assert nn.Conv2d(two, three, 1)(eg.ones(1, 2, 4, 4)).shape == (1, 3, 4, 4)
    assert nn.Embedding(three, two)(eg.tensor([0])).shape == (1, 2)
    assert eg.zeros(two, three).shape == eg.ones((two, three)).shape == (2, 3)
    assert X.sum(dim=one).shape == X.sum(dim=(one,)).shape == (1,)
    assert F.softmax(X, last).shape == (1, 3)
    for odd in (two, 1.5, None, "3"):
        kernel: Any = odd
        with pytest.raises(eg.ShapeError, match="kernel_size must be an integer or 2 integers"):
            nn.Conv2d(1, 1, kernel)
        with pytest.raises(eg.ShapeError, match="padding"):
            nn.AvgPool2d(2, padding=kernel)(eg.ones(1, 1, 4, 4))
    for wrong in ("1", 1.0, None, np.array([0, 1])):
        with pytest.raises((eg.ShapeError, IndexError, TypeError), match="Received"):
            eg.flatten(X, wrong)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # what is refused


LABELS = np.array([1])
CALLS: dict[str, Callable[[Any], Any]] = {
    "linear": nn.Linear(3, 2),
    "conv1d": nn.Conv1d(1, 2, 1),
    "conv2d": nn.Conv2d(1, 2, 1),
    "batch norm": nn.BatchNorm1d(3),
    "layer norm": nn.LayerNorm(3),
    "flatten": nn.Flatten(),
    "avg pool": nn.AvgPool2d(1),
    "max pool": nn.MaxPool2d(1),
    "dropout": nn.Dropout(0.5),
    "relu": nn.ReLU(),
    "tanh": nn.Tanh(),
    "gelu": nn.GELU(),
    "leaky relu": nn.LeakyReLU(),
    "softplus": nn.Softplus(),
    "embedding": nn.Embedding(3, 2),
    "cross entropy input": lambda x: F.cross_entropy(x, eg.tensor([1])),
    "cross entropy target": lambda x: F.cross_entropy(X, x),
    "nll target": lambda x: F.nll_loss(X, x),
    "mse input": lambda x: F.mse_loss(x, X),
    "mse target": lambda x: F.mse_loss(X, x),
    "bce target": lambda x: F.binary_cross_entropy_with_logits(X, x),
    "functional batch norm": lambda x: F.batch_norm(x, None, None, training=True),
}


@pytest.mark.parametrize(
    "given", [np.ones((1, 3), np.float32), LABELS, [[1.0, 2.0, 3.0]], None, 1.0], ids=repr
)
@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_tensor_is_said_so(name: str, given: Any) -> None:
    with pytest.raises(
        TypeError, match=rf"must be a [Tt]ensor.*Received: {type(given).__name__}; write eg.tensor"
    ):
        CALLS[name](given)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("low", [eg.float16, eg.bfloat16])
def test_batch_norm_gives_one_dtype_in_training_and_in_use(library: str, low: eg.DType) -> None:
    with eg.use(library):
        x = eg.randn(4, 3).to(low)
        for affine, expected in ((True, eg.float32), (False, low)):
            norm = nn.BatchNorm1d(3, affine=affine)
            assert norm(x).dtype is norm.eval()(x).dtype is expected


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_an_empty_batch_does_not_count(library: str) -> None:
    with eg.use(library):
        norm = nn.BatchNorm1d(1, momentum=None)
        norm(eg.zeros(0, 1))
        norm(eg.tensor([[1.0], [3.0]]))
        assert norm.running_mean is not None and norm.num_batches_tracked is not None
        assert (norm.running_mean.tolist(), norm.num_batches_tracked.item()) == ([2.0], 1)


def test_rows_of_a_given_table() -> None:
    table = nn.Embedding.from_pretrained(X.reshape(3, 1), freeze=False, padding_idx=-1)
    assert table.padding_idx == 2
    grads = table(eg.tensor([0, 2])).sum().backward()
    assert grads[table.weight].tolist() == [[1.0], [0.0], [0.0]]
    with pytest.raises(IndexError, match=r"must be a row of the table\. Received: 3 for 3 rows"):
        nn.Embedding.from_pretrained(X.reshape(3, 1), padding_idx=3)
