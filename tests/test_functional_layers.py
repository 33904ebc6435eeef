"""Layers, norms and losses on tensors: against torch's own, and the answers that other libraries get wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import everygrad as eg
from everygrad import functional as F
from everygrad.conformance.calls import is_array

T: Any = torch.nn.functional
Array = NDArray[Any]
r = np.random.default_rng(7)
X, Y = r.normal(size=(4, 3)), r.normal(size=(4, 3))
PROBS = np.exp(X) / np.exp(X).sum(1, keepdims=True)
CLASSES, WEIGHT = np.array([0, 2, 1, 0]), np.abs(r.normal(size=3)) + 0.1
ACTIVATIONS = ("relu", "leaky_relu", "elu", "hardtanh", "relu6", "logsigmoid", "softplus", "silu", "gelu")
REDUCTIONS = ("none", "mean", "sum")
Call = tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def _calls() -> list[Call]:
    calls: list[Call] = []

    def add(name: str, *args: Any, ours: Any = None, theirs: Any = None, **options: Any) -> None:
        calls.append((name, ours or getattr(F, name), theirs or getattr(T, name), args, options))

    for name in ACTIVATIONS:
        add(name, X)
    add("mish", X)
    add("softsign", X)
    add("gelu", X, approximate="tanh")
    add("glu", r.normal(size=(3, 4)))
    add("sigmoid", X, theirs=torch.sigmoid)
    add("erf", X, theirs=torch.erf)
    for name in ("softmax", "log_softmax", "softmin"):
        add(name, X, dim=0)
        add(name, X, dim=-1)
        add(name, np.array(2.0), dim=0)
    add("linear", r.normal(size=(2, 5, 3)), r.normal(size=(4, 3)), r.normal(size=4))
    add("linear", r.normal(size=3), r.normal(size=(4, 3)))
    add("linear", r.normal(size=(2, 3)), r.normal(size=3))
    add("embedding", np.array([[0, 1], [2, 2]]), r.normal(size=(4, 3)), padding_idx=1)
    add("embedding", np.array([0, 3]), r.normal(size=(4, 3)), padding_idx=-1)
    add("layer_norm", r.normal(size=(2, 3, 4)), (3, 4), r.normal(size=(3, 4)), r.normal(size=(3, 4)))
    add("batch_norm", r.normal(size=(3, 2, 4)), None, None, r.normal(size=2), r.normal(size=2), training=True)
    for reduction in REDUCTIONS:
        for smoothing in (0.0, 0.2):
            both = {"reduction": reduction, "label_smoothing": smoothing}
            for ignore in (-100, 2):
                add("cross_entropy", X, CLASSES, WEIGHT, ignore_index=ignore, **both)
                add("cross_entropy", X, CLASSES, ignore_index=ignore, **both)
            add("cross_entropy", r.normal(size=(2, 3, 2, 2)), r.integers(0, 3, size=(2, 2, 2)), **both)
            add("cross_entropy", X[0], np.array(1), **both)
            add("cross_entropy", X, PROBS, WEIGHT, **both)
            add("cross_entropy", X[0], PROBS[0], **both)
        add("nll_loss", X, CLASSES, WEIGHT, reduction=reduction)
        add("nll_loss", X[0], np.array(2), reduction=reduction)
        for name in (
            "mse_loss",
            "l1_loss",
            "smooth_l1_loss",
            "huber_loss",
            "binary_cross_entropy_with_logits",
        ):
            add(name, X, Y, reduction=reduction)
        add("binary_cross_entropy", PROBS, PROBS[::-1].copy(), WEIGHT, reduction=reduction)
    add("binary_cross_entropy_with_logits", X, Y, pos_weight=torch.tensor(WEIGHT))
    return calls


@pytest.mark.parametrize("call", _calls(), ids=lambda c: f"{c[0]}-{sorted(map(str, c[4].values()))}")
def test_values_and_gradients_are_torchs(library: str, call: Call) -> None:
    _, ours, theirs, args, options = call
    mine = [eg.tensor(a, requires_grad=_varies(a)) if is_array(a) else a for a in args]
    other = [torch.tensor(a, requires_grad=_varies(a)) if is_array(a) else a for a in args]
    given = {k: eg.tensor(v.numpy()) if isinstance(v, torch.Tensor) else v for k, v in options.items()}
    out, due = ours(*mine, **given), theirs(*other, **options)
    assert out.shape == tuple(due.shape)
    np.testing.assert_allclose(out.detach().numpy(), due.detach().numpy(), rtol=1e-9, atol=1e-12)
    shape: tuple[int, ...] = tuple(due.shape)
    upstream: np.ndarray[Any, Any] = np.asarray(np.random.default_rng(1).normal(size=shape))
    grads = out.backward(eg.tensor(upstream))
    due.backward(torch.tensor(upstream))
    for x, y in zip(mine, other):
        if isinstance(y, torch.Tensor) and y.grad is not None:
            np.testing.assert_allclose(grads[x].numpy(), y.grad.numpy(), rtol=1e-8, atol=1e-10)


def _varies(a: Array) -> bool:
    """Whether torch can differentiate in it: class weights it takes as constants."""
    return a.dtype.kind == "f" and a is not WEIGHT


def test_norms_are_right_to_order_three(library: str) -> None:
    """f(t) = sum(norm([t, 0]) * [1, 2]) = -t / sqrt(1 + t^2) with eps 1/4."""
    weight = eg.tensor(np.array([1.0, 2.0]))

    def by_layer(t: Any) -> Any:
        return F.layer_norm(eg.functional.stack([t, t * 0]), (2,), weight, None, 0.25).sum()

    def by_batch(t: Any) -> Any:
        x = eg.functional.stack([t, t * 0]).reshape(2, 1)
        return (F.batch_norm(x, None, None, training=True, eps=0.25).reshape(2) * weight).sum()

    for f in (by_layer, by_batch):
        for due in (-0.549820, 0.774914, -0.713248):
            f = eg.grad(f)
            assert f(eg.tensor(np.array(0.7))).item() == pytest.approx(due, abs=1e-6)


def test_norms_of_hard_columns(library: str) -> None:
    near = F.layer_norm(eg.tensor([4096.0, 4097.0, 4098.0, 4099.0]), 4).tolist()
    assert near == pytest.approx([-1.341635, -0.447212, 0.447212, 1.341635], abs=1e-6)
    assert F.layer_norm(eg.tensor([1e30, -1e30]), 2).tolist() == [1.0, -1.0]
    assert F.batch_norm(eg.tensor([[1e10]] * 4), None, None, training=True).tolist() == [[0.0]] * 4
    assert F.layer_norm(eg.zeros(4, dtype=eg.float16), 4, eps=1e-12).tolist() == [0.0] * 4


def test_an_ill_conditioned_row_leaves_the_others_alone(library: str) -> None:
    """Values and gradients of a batch are those of its rows one by one."""
    rows = eg.tensor([[1.0, 2.0, 4.0], [5000.0, 5001.0, 5003.0], [1e30, -1e30, 0.0]], requires_grad=True)
    weight = eg.tensor([1.0, 2.0, -1.0], requires_grad=True)
    together = F.layer_norm(rows, 3, weight)
    grads = (together * together).sum().backward()
    total = eg.zeros(3)
    for i in range(3):
        row = rows.detach()[i : i + 1].requires_grad_()
        out = F.layer_norm(row, 3, weight)
        assert out.tolist()[0] == pytest.approx(together[i].tolist(), rel=1e-5)
        alone = (out * out).sum().backward()
        assert alone[row].tolist()[0] == pytest.approx(grads[rows][i].tolist(), rel=1e-4, abs=1e-30)
        total = total + alone[weight]
    assert total.tolist() == pytest.approx(grads[weight].tolist(), rel=1e-5)


def test_batch_norm_keeps_the_unbiased_variance(library: str) -> None:
    mean, var = eg.nn.Buffer(eg.zeros(1)), eg.nn.Buffer(eg.ones(1))
    out = F.batch_norm(eg.tensor([[1.0], [3.0]]), mean, var, training=True)
    assert out.tolist() == [[pytest.approx(-0.999995)], [pytest.approx(0.999995)]]
    assert mean.tolist() == pytest.approx([0.2])
    assert var.tolist() == pytest.approx([1.1])
    with pytest.raises(eg.ShapeError, match="more than one value per channel"):
        F.batch_norm(eg.ones(1, 2), mean, var, training=True)


def test_known_losses(library: str) -> None:
    logits, target = eg.tensor([[5.0, 5.0], [0.0, 2.0], [1.0, 0.0]]), eg.tensor([-100, 1, 0])
    weighted = F.cross_entropy(logits, target, eg.tensor([1.0, 3.0]), label_smoothing=0.2)
    assert weighted.item() == pytest.approx(0.307828, abs=1e-6)
    smoothed = F.cross_entropy(eg.tensor([[2.0, 0.0, 0.0]]), eg.tensor([0]), label_smoothing=0.3)
    assert smoothed.item() == pytest.approx(0.639545, abs=1e-6)
    x = eg.tensor([[-float("inf"), 0.0, 0.0]], requires_grad=True)
    loss = F.cross_entropy(x, eg.tensor([[0.0, 1.0, 0.0]]))
    assert loss.item() == pytest.approx(0.693147, abs=1e-6)
    assert loss.backward()[x].tolist() == [pytest.approx([0.0, -0.5, 0.5])]


def test_a_bad_target_is_named(library: str) -> None:
    with pytest.raises(IndexError, match=r"cross_entropy.*-4"):
        F.cross_entropy(eg.zeros(2, 3), eg.tensor([-4, 1]), ignore_index=-1, reduction="none")
    with pytest.raises(eg.DTypeError, match="integers"):
        F.nll_loss(eg.zeros(2, 3), eg.tensor([True, False]))


def test_a_masked_residual_gives_no_nan(library: str) -> None:
    x, y = eg.tensor([3.0, 3.0], requires_grad=True), eg.tensor([1.0, float("nan")])
    mask = eg.tensor([True, False])
    residual = eg.where(mask, x - y, 0.0)
    assert (residual * residual).sum().backward()[x].tolist() == [4.0, 0.0]


def test_dropout(library: str) -> None:
    x = eg.tensor([1.0, 1.0, 1.0, 1.0], requires_grad=True)
    out = F.dropout(x, 1.0)
    assert out.tolist() == [0.0] * 4
    assert out.sum().backward()[x].tolist() == [0.0] * 4
    assert F.dropout(x, 0.5, training=False) is x
    eg.manual_seed(3)
    first = F.dropout(eg.ones(1000), 0.5)
    eg.manual_seed(3)
    assert first.tolist() == F.dropout(eg.ones(1000), 0.5).tolist()
    assert set(first.tolist()) == {0.0, 2.0}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: F.mse_loss(eg.ones(3), eg.ones(3, 1)), "shape of input"),
        (lambda: F.cross_entropy(eg.ones(2, 3), eg.tensor([0, 1]), reduction="avg"), "reduction"),  # type: ignore[arg-type]  # on purpose
        (lambda: F.cross_entropy(eg.ones(2, 3), eg.tensor([0, 1]), label_smoothing=2), "label_smoothing"),
        (lambda: F.binary_cross_entropy(eg.tensor([2.0]), eg.ones(1)), "probabilities"),
        (lambda: F.dropout(eg.ones(1), 1.5), "1.5"),
        (lambda: F.batch_norm(eg.ones(2, 3), None, None), "running_mean"),
        (lambda: F.glu(eg.ones(3)), "even"),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
