"""Every layer and loss against torch.nn with the same weights: values, gradients, text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn

LAYERS: list[tuple[str, tuple[Any, ...], dict[str, Any], tuple[int, ...]]] = [
    ("Identity", (), {}, (2, 3)),
    ("Flatten", (), {}, (2, 3, 4)),
    ("Flatten", (0, 1), {}, (2, 3, 4)),
    ("Unflatten", (1, (2, 3)), {}, (4, 6)),
    ("Unflatten", (-1, (2, -1)), {}, (4, 6)),
    ("Linear", (3, 4), {}, (5, 3)),
    ("Linear", (3, 4), {"bias": False}, (2, 5, 3)),
    ("Linear", (3, 4), {}, (3,)),
    ("Conv1d", (2, 4, 3), {}, (2, 2, 7)),
    ("Conv1d", (2, 4, 3), {"padding": "same", "dilation": 2}, (2, 2, 7)),
    ("Conv1d", (2, 4, (3,)), {"stride": (2,), "padding": (1,)}, (2, 2, 7)),
    ("Conv2d", (2, 4, 3), {}, (2, 2, 6, 5)),
    ("Conv2d", (2, 4, 3), {"stride": 2, "padding": 1, "bias": False}, (2, 2, 6, 5)),
    ("Conv2d", (4, 6, (3, 2)), {"stride": (2, 1), "padding": (0, 1), "groups": 2}, (2, 4, 6, 5)),
    ("Conv2d", (4, 4, 3), {"groups": 4, "dilation": (1, 2)}, (1, 4, 7, 8)),
    ("Conv2d", (2, 4, 3), {"padding": "valid"}, (2, 6, 5)),
    ("Conv2d", (2, 4, (5, 3)), {"padding": "same"}, (1, 2, 6, 5)),
    ("Conv3d", (2, 3, 2), {}, (1, 2, 3, 4, 5)),
    ("Conv3d", (2, 4, (1, 2, 3)), {"padding": (0, 1, 1), "groups": 2}, (1, 2, 3, 4, 5)),
    ("AvgPool1d", (2,), {}, (2, 3, 7)),
    ("AvgPool1d", (3, 2, 1), {"ceil_mode": True, "count_include_pad": False}, (2, 3, 8)),
    ("AvgPool2d", (2,), {}, (2, 3, 6, 5)),
    ("AvgPool2d", ((3, 2), (2, 1), 1), {"ceil_mode": True}, (2, 3, 6, 5)),
    ("AvgPool2d", (2,), {"divisor_override": 3}, (2, 3, 6, 5)),
    ("AvgPool3d", (2,), {}, (1, 2, 4, 5, 4)),
    ("MaxPool1d", (2,), {}, (2, 3, 7)),
    ("MaxPool1d", (3, 2, 1), {"dilation": 2, "ceil_mode": True}, (2, 3, 9)),
    ("MaxPool2d", (2,), {}, (2, 3, 6, 5)),
    ("MaxPool2d", ((3, 2), 1, (1, 0)), {}, (2, 3, 6, 5)),
    ("MaxPool3d", (2, 1), {}, (1, 2, 4, 3, 4)),
    ("BatchNorm1d", (3,), {}, (5, 3)),
    ("BatchNorm1d", (3,), {"momentum": None}, (5, 3, 4)),
    ("BatchNorm2d", (3,), {}, (2, 3, 4, 5)),
    ("BatchNorm2d", (3,), {"affine": False, "momentum": 0.3, "eps": 0.1}, (2, 3, 4, 5)),
    ("BatchNorm2d", (3,), {"track_running_stats": False}, (2, 3, 4, 5)),
    ("BatchNorm2d", (3,), {"bias": False}, (2, 3, 4, 5)),
    ("BatchNorm3d", (2,), {}, (2, 2, 3, 2, 2)),
    ("LayerNorm", (4,), {}, (2, 3, 4)),
    ("LayerNorm", ((3, 4),), {"eps": 0.1, "bias": False}, (2, 3, 4)),
    ("LayerNorm", ([4],), {"elementwise_affine": False}, (2, 3, 4)),
    ("Dropout", (0.0,), {}, (2, 3)),
    ("ReLU", (), {}, (2, 3)),
    ("ReLU6", (), {}, (2, 3)),
    ("LeakyReLU", (0.2,), {}, (2, 3)),
    ("ELU", (), {"alpha": 0.5}, (2, 3)),
    ("Hardtanh", (), {"min_val": -0.5}, (2, 3)),
    ("Sigmoid", (), {}, (2, 3)),
    ("LogSigmoid", (), {}, (2, 3)),
    ("Tanh", (), {}, (2, 3)),
    ("Softplus", (2.0,), {"threshold": 1.0}, (2, 3)),
    ("Softsign", (), {}, (2, 3)),
    ("SiLU", (), {}, (2, 3)),
    ("Mish", (), {}, (2, 3)),
    ("GELU", (), {}, (2, 3)),
    ("GELU", ("tanh",), {}, (2, 3)),
    ("GLU", (), {}, (2, 4)),
    ("Softmax", (1,), {}, (2, 3)),
    ("LogSoftmax", (0,), {}, (2, 3)),
    ("Softmin", (-1,), {}, (2, 3)),
]


def identity(layer: tuple[str, tuple[Any, ...], dict[str, Any], tuple[int, ...]]) -> str:
    name, args, options, _ = layer
    return "-".join([name, *map(str, args), *(f"{k}={v}" for k, v in options.items())])


def pair(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    """The layer of both libraries in float64, with equal, random weights."""
    theirs = getattr(torch.nn, name)(*args, **options).double()
    ours = getattr(nn, name)(*args, **options).double()
    rng = np.random.default_rng(0)
    for p in theirs.parameters():
        p.data = torch.tensor(rng.normal(size=tuple(p.shape)) * 0.5 + 0.3)
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


def close(x: Any, y: Any) -> None:
    np.testing.assert_allclose(x.detach().numpy(), y.detach().numpy(), rtol=1e-10, atol=1e-10)
    assert x.detach().numpy().dtype == y.detach().numpy().dtype


@pytest.mark.parametrize("layer", LAYERS, ids=identity)
def test_values_gradients_and_state_are_torchs(library: str, layer: Any) -> None:
    name, args, options, shape = layer
    ours, theirs = pair(name, args, options)
    assert repr(ours) == repr(theirs)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for step in range(3):  # running statistics need several batches
        ours.train(step < 2)
        theirs.train(step < 2)
        rng: Any = np.random.default_rng(step)
        data = rng.normal(size=shape)
        x, t = eg.tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
        y, u = ours(x), theirs(t * 1)  # * 1, since an inplace layer may not write to a leaf
        close(y, u)
        upstream = np.random.default_rng(9).normal(size=tuple(u.shape))
        grads = y.backward(eg.tensor(upstream))
        u.backward(torch.tensor(upstream))
        close(grads[x], t.grad)
        for p, q in zip(ours.parameters(), theirs.parameters()):
            close(grads[p], q.grad)
            q.grad = None
        for a, b in zip(ours.state_dict().values(), theirs.state_dict().values()):
            close(a, b)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_indices_of_max_pool(library: str, rank: int) -> None:
    data = np.random.default_rng(0).normal(size=(2, 2, 5, 4, 6)[: rank + 2])
    ours, theirs = (getattr(m, f"MaxPool{rank}d")(2, return_indices=True) for m in (nn, torch.nn))
    for x, y in zip(ours(eg.tensor(data)), theirs(torch.tensor(data))):
        close(x, y)


REDUCED: list[tuple[str, dict[str, Any], str]] = [
    (name, {"reduction": reduction}, kind)
    for reduction in ("none", "mean", "sum")
    for name, kind in (
        ("MSELoss", "values"),
        ("L1Loss", "values"),
        ("SmoothL1Loss", "values"),
        ("HuberLoss", "values"),
        ("BCEWithLogitsLoss", "probabilities"),
        ("NLLLoss", "classes"),
        ("CrossEntropyLoss", "classes"),
        ("CrossEntropyLoss", "probabilities"),
    )
]
OPTIONS: list[tuple[str, dict[str, Any], str]] = [
    ("CrossEntropyLoss", {"weight": [0.5, 1.0, 2.0], "label_smoothing": 0.1}, "classes"),
    ("CrossEntropyLoss", {"ignore_index": 1}, "classes"),
    ("CrossEntropyLoss", {"weight": [0.5, 1.0, 2.0], "label_smoothing": 0.2}, "probabilities"),
    ("NLLLoss", {"weight": [0.5, 1.0, 2.0], "ignore_index": 0}, "classes"),
    ("BCEWithLogitsLoss", {"weight": [0.5, 1.0, 2.0], "pos_weight": [3.0, 1.0, 2.0]}, "probabilities"),
    ("SmoothL1Loss", {"beta": 0.5}, "values"),
    ("HuberLoss", {"delta": 0.5}, "values"),
]


@pytest.mark.parametrize(("name", "options", "kind"), REDUCED + OPTIONS)
def test_losses_are_torchs(library: str, name: str, options: dict[str, Any], kind: str) -> None:
    rng = np.random.default_rng(0)
    data = rng.normal(size=(5, 3))
    target = {
        "values": rng.normal(size=(5, 3)),
        "probabilities": rng.dirichlet(np.ones(3), 5),
        "classes": np.array([0, 2, 1, 1, 2]),
    }[kind]

    def made(module: Any, tensor: Any, dtype: Any) -> Any:
        given = {k: tensor(v, dtype=dtype) if isinstance(v, list) else v for k, v in options.items()}
        return getattr(module, name)(**given)

    ours, theirs = made(nn, eg.tensor, eg.float64), made(torch.nn, torch.tensor, torch.float64)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    x, t = eg.tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
    y, u = ours(x, eg.tensor(target)), theirs(t, torch.tensor(target))
    close(y, u)
    upstream = rng.normal(size=tuple(u.shape))
    u.backward(torch.tensor(upstream))
    close(y.backward(eg.tensor(upstream))[x], t.grad)


def test_binary_cross_entropy_of_probabilities(library: str) -> None:
    p, y = np.array([0.25, 0.5, 1.0]), np.array([1.0, 0.5, 0.0])
    close(nn.BCELoss()(eg.tensor(p), eg.tensor(y)), torch.nn.BCELoss()(torch.tensor(p), torch.tensor(y)))


@pytest.mark.parametrize("padding_idx", [None, 0, -1])
def test_embedding_is_torchs(library: str, padding_idx: int | None) -> None:
    ours, theirs = pair("Embedding", (5, 3), {"padding_idx": padding_idx})
    assert repr(ours) == repr(theirs)
    index = np.array([[0, 4, 1], [4, 0, 0]])
    y, u = ours(eg.tensor(index)), theirs(torch.tensor(index))
    close(y, u)
    upstream = np.random.default_rng(0).normal(size=(2, 3, 3))
    u.backward(torch.tensor(upstream))
    close(y.backward(eg.tensor(upstream))[ours.weight], theirs.weight.grad)
    frozen = nn.Embedding.from_pretrained(ours.weight)
    assert frozen(eg.tensor(index)).tolist() == y.tolist() and not frozen.weight.requires_grad


def test_dropout_drops_in_training_only(library: str) -> None:
    layer, x = nn.Dropout(0.5), eg.ones(1000)
    eg.manual_seed(3)
    first = layer(x)
    assert set(first.tolist()) == {0.0, 2.0} and 350 < (first == 0).sum().item() < 650
    assert layer(x).tolist() != first.tolist()
    eg.manual_seed(3)
    assert layer(x).tolist() == first.tolist()
    assert layer.eval()(x).tolist() == x.tolist()
    assert set(layer.train()(x).tolist()) == {0.0, 2.0}
    z = eg.ones(4).requires_grad_()
    y = nn.Dropout(1.0)(z)
    assert y.tolist() == [0.0] * 4 and y.sum().backward()[z].tolist() == [0.0] * 4


def test_batch_norm_known_answer(library: str) -> None:
    norm = nn.BatchNorm1d(1)
    x = eg.tensor([[1.0], [3.0]])
    np.testing.assert_allclose(norm(x).detach().numpy(), [[-0.999995], [0.999995]], rtol=1e-6)
    assert norm.running_mean is not None and norm.running_var is not None
    assert norm.running_mean.item() == pytest.approx(0.2)
    assert norm.running_var.item() == pytest.approx(1.1)
    before = (norm.running_mean.item(), norm.running_var.item())
    y = norm.eval()(x)
    np.testing.assert_allclose(
        y.detach().numpy(), (np.array([[1.0], [3.0]]) - 0.2) / np.sqrt(1.1 + 1e-5), rtol=1e-6
    )
    assert (norm.running_mean.item(), norm.running_var.item()) == before
    norm.reset_running_stats()
    assert (norm.running_mean.item(), norm.running_var.item()) == (0.0, 1.0)


def test_batch_norm_under_transforms_and_without_recording(library: str) -> None:
    norm = nn.BatchNorm1d(2)
    x = eg.tensor([[1.0, 2.0], [3.0, 5.0]])

    def energy(t: eg.Tensor) -> Any:
        return (norm(t) ** 2).sum()

    def slope(t: eg.Tensor) -> Any:
        return eg.grad(energy)(t).sum()

    eg.grad(slope)(x)
    assert norm.running_mean is not None
    assert not norm.running_mean.requires_grad
    assert norm.running_mean.backend.name == f"autodiff({library})"
    with eg.no_grad():
        norm(x)
    assert norm.num_batches_tracked is not None and norm.num_batches_tracked.item() == 2


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: nn.Conv2d(3, 4, 3, groups=2), eg.ShapeError, "groups=2"),
        (lambda: nn.Conv2d(3, 4, (3, 3, 3)), eg.ShapeError, "kernel_size"),
        (lambda: nn.Conv2d(3, 4, 3, padding_mode="mirror"), ValueError, "mirror"),
        (lambda: nn.Conv2d(3, 4, 3)(eg.ones(1, 2, 5, 5)), eg.ShapeError, "channels"),
        (lambda: nn.Linear(3, 4)(eg.ones(2, 5)), eg.ShapeError, "linear"),
        (lambda: nn.Linear(3, 4)(eg.ones(2, 3).to("torch")), eg.BackendError, "torch"),
        (lambda: nn.BatchNorm2d(3)(eg.ones(2, 3)), eg.ShapeError, "BatchNorm2d"),
        (lambda: nn.BatchNorm2d(3)(eg.ones(2, 4, 1, 1)), eg.ShapeError, "BatchNorm2d"),
        (lambda: nn.BatchNorm1d(3)(eg.ones(1, 3)), eg.ShapeError, "more than one value"),
        (lambda: nn.Embedding(3, 2)(eg.tensor([3])), IndexError, "3"),
        (lambda: nn.Embedding(3, 2, padding_idx=3), IndexError, "3 rows"),
        (lambda: nn.Dropout(1.5), ValueError, "1.5"),
        (lambda: nn.MSELoss(reduction="avg"), ValueError, "avg"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
        (lambda: nn.Unflatten(1, (2, 5))(eg.ones(2, 6)), eg.ShapeError, "multiply to 6"),
    ],
)
def test_wrong_calls(make: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()
