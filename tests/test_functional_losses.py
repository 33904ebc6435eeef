"""Every loss against torch's own, in value and gradient; the answers it does not give; wrong calls."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import everygrad as eg
from everygrad import functional as F
from everygrad.conformance.calls import is_array
from tests.fault_tools import INF, NAN, same, slopes, variable

T: Any = torch.nn.functional
Array = NDArray[Any]
r = np.random.default_rng(11)
X, Y, Z = (r.normal(size=(4, 3)) for _ in range(3))
SIGNS = np.where(r.normal(size=(4, 3)) > 0, 1.0, -1.0)
ONES = np.array([1, -1, 1, -1])
LABELS = (SIGNS + 1) / 2
COUNTS = r.integers(0, 5, size=(4, 3)).astype(float)
PROBS = np.exp(Y) / np.exp(Y).sum(1, keepdims=True)
CLASSES, WEIGHT = np.array([0, 2, 1, 0]), np.abs(r.normal(size=3)) + 0.1
LISTS = np.array([[0, 2, -1], [1, -1, 0], [-1, 1, 2], [2, 1, 0]])
EACH = np.abs(r.normal(size=(4, 3))) + 0.1
FRAMES = np.log(r.dirichlet(np.ones(4), size=(6, 3)))
CONSTANT_TARGETS = (
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "poisson_nll_loss",
    "soft_margin_loss",
)
"""Where torch has no gradient in the target, or NaN."""
Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def _calls() -> list[Call]:
    calls: list[Call] = []

    def add(name: str, *args: Any, **options: Any) -> None:
        calls.extend((name, args, {"reduction": how, **options}) for how in ("none", "mean", "sum"))

    add("kl_div", X, PROBS)
    add("kl_div", X, np.log(PROBS), log_target=True)
    calls.append(("kl_div", (X, PROBS), {"reduction": "batchmean"}))
    add("poisson_nll_loss", X, COUNTS)
    add("poisson_nll_loss", X, COUNTS, full=True)
    add("poisson_nll_loss", EACH, COUNTS, log_input=False, full=True)
    add("gaussian_nll_loss", X, Y, EACH)
    add("gaussian_nll_loss", X, Y, EACH[:, :1], full=True)
    add("gaussian_nll_loss", X, Y, EACH[:, 0])
    add("gaussian_nll_loss", X, Y, 0.5)
    add("gaussian_nll_loss", X, Y, EACH * (LABELS > 0))
    add("hinge_embedding_loss", X, SIGNS, margin=0.7)
    add("cosine_embedding_loss", X, Y, ONES, margin=0.1)
    add("cosine_embedding_loss", X[0], Y[0], np.array(1))
    add("margin_ranking_loss", X, Y, SIGNS, margin=0.3)
    for p in (1, 2):
        add("multi_margin_loss", X, CLASSES, p=p, margin=0.9)
        add("multi_margin_loss", X, CLASSES, p=p, weight=WEIGHT)
    add("multi_margin_loss", X[0], np.array(1))
    add("multilabel_margin_loss", X, LISTS)
    add("multilabel_margin_loss", X[0], LISTS[0])
    add("multilabel_soft_margin_loss", X, LABELS)
    add("multilabel_soft_margin_loss", X, LABELS, weight=WEIGHT)
    add("soft_margin_loss", X, SIGNS)
    add("triplet_margin_loss", X, Y, Z)
    add("triplet_margin_loss", X, Y, Z, margin=2.0, p=1, swap=True)
    add("triplet_margin_with_distance_loss", X, Y, Z, margin=3.0, swap=True)
    for name in ("mse_loss", "l1_loss", "huber_loss"):
        add(name, X, Y, weight=EACH)
    add("binary_cross_entropy_with_logits", X, LABELS, weight=WEIGHT, pos_weight=WEIGHT)
    add("binary_cross_entropy", PROBS, LABELS, weight=WEIGHT)
    for targets in (np.array([[1, 2, 3], [2, 2, 0], [3, 1, 1]]), np.array([1, 2, 3, 2, 2, 3])):
        add("ctc_loss", FRAMES, targets, np.array([6, 5, 3]), np.array([3, 2, 1]))
    add(
        "ctc_loss",
        FRAMES,
        np.array([[1, 2, 1], [2, 2, 2], [3, 1, 1]]),
        (6, 3, 3),
        (2, 3, 0),
        zero_infinity=True,
    )
    add("ctc_loss", FRAMES[:, 0], np.array([1, 1]), np.array(5), np.array(2), blank=3)
    return calls


def _log_softmax(x: Any) -> Any:
    return x.log_softmax(-1)


def _place(value: Any, make: Callable[..., Any], constant: bool) -> Any:
    return make(value, requires_grad=value.dtype.kind == "f" and not constant) if is_array(value) else value


@pytest.mark.parametrize("call", _calls(), ids=lambda c: f"{c[0]}-{'-'.join(map(str, c[2]))}")
def test_values_and_gradients_are_torchs(library: str, call: Call) -> None:
    name, args, options = call
    fixed = (1,) if name in CONSTANT_TARGETS else ()
    probabilities = name == "ctc_loss"  # torch's gradient takes log_softmax for granted

    def run(home: Any, make: Callable[..., Any]) -> tuple[Any, list[Any]]:
        given = [_place(a, make, i in fixed) for i, a in enumerate(args)]
        named = {k: _place(v, make, True) for k, v in options.items()}
        used = [_log_softmax(given[0]), *given[1:]] if probabilities else given
        return getattr(home, name)(*used, **named), given

    out, mine = run(F, eg.tensor)
    due, other = run(T, torch.tensor)
    np.testing.assert_allclose(out.detach().numpy(), due.detach().numpy(), rtol=1e-7, atol=1e-9)
    upstream = np.asarray(np.random.default_rng(1).normal(size=tuple(due.shape)))
    grads = out.backward(eg.tensor(upstream))
    due.backward(torch.tensor(upstream))
    for x, y in zip(mine, other):
        if isinstance(y, torch.Tensor) and y.grad is not None:
            np.testing.assert_allclose(grads[x].numpy(), y.grad.numpy(), rtol=1e-6, atol=1e-8)


class TestCtc:
    """The row of faults about CTC, and its neighbours."""

    def _loss(self, labels: list[int], frames: int = 2, **options: Any) -> tuple[float, Any]:
        x = variable(np.zeros((2, 1, 2)))
        targets = eg.tensor(np.array([labels], np.int64).reshape(1, -1))
        loss = F.ctc_loss(F.log_softmax(x, 2), targets, [frames], [len(labels)], reduction="sum", **options)
        return loss.item(), np.array(slopes(loss, x)).reshape(2, 2)

    def test_b080_empty_and_impossible(self, library: str) -> None:
        assert self._loss([])[0] == pytest.approx(1.386294, abs=1e-6)
        value, slope = self._loss([1])
        assert value == pytest.approx(0.287682, abs=1e-6)
        same(slope, [[1 / 6, -1 / 6], [1 / 6, -1 / 6]])
        assert self._loss([1, 1])[0] == INF
        value, slope = self._loss([1, 1], zero_infinity=True)
        assert value == 0
        same(slope, np.zeros((2, 2)))
        assert self._loss([], frames=0)[0] == 0
        assert self._loss([1], frames=0)[0] == INF

    def test_the_mean_divides_by_target_lengths(self, library: str) -> None:
        x = F.log_softmax(eg.zeros(2, 2, 2, dtype=eg.float64), 2)
        each = F.ctc_loss(x, eg.tensor([[1], [0]]), [2, 2], [1, 0], reduction="none")
        mean = F.ctc_loss(x, eg.tensor([[1], [0]]), [2, 2], [1, 0])
        assert mean.item() == pytest.approx(sum(each.tolist()) / 2)

    def test_the_second_derivative(self, library: str) -> None:
        """One frame and one label: loss = log(1 + exp(-t)), a function of one number."""

        def f(t: Any) -> Any:
            logits = F.stack([t * 0, t]).reshape(1, 1, 2)
            return F.ctc_loss(F.log_softmax(logits, 2), eg.tensor([[1]]), [1], [1])

        t, s = 0.4, 1 / (1 + math.exp(-0.4))
        for due in (s - 1, s * (1 - s), s * (1 - s) * (1 - 2 * s)):
            f = eg.grad(f)
            assert f(eg.tensor(np.array(t))).item() == pytest.approx(due, abs=1e-9)


def test_a_transducer_of_one_frame_is_a_chain(library: str) -> None:
    logits = variable(r.normal(size=(1, 1, 3, 4)))
    loss = F.rnnt_loss(logits, eg.tensor([[2, 1]]), [1], [2])
    log_probs = F.log_softmax(logits, -1)
    chain = -(log_probs[0, 0, 0, 2] + log_probs[0, 0, 1, 1] + log_probs[0, 0, 2, 0])
    same(loss.item(), chain.item())
    same(slopes(loss, logits), slopes(chain, logits))


def test_nothing_times_infinity(library: str) -> None:
    """Where a probability, a count or a label is 0, it does not matter what it is multiplied with."""
    low = variable([[-INF, 0.0]])
    loss = F.kl_div(low, eg.tensor(np.array([[0.0, 1.0]])), reduction="sum")
    assert loss.item() == 0 and slopes(loss, low) == [[0, -1]]
    log_target = F.kl_div(low, eg.tensor(np.array([[-INF, 0.0]])), reduction="sum", log_target=True)
    assert log_target.item() == 0 and slopes(log_target, low) == [[0, -1]]
    assert (
        F.mse_loss(low[0], eg.zeros(2, dtype=eg.float64), "sum", eg.tensor(np.array([0.0, 1.0]))).item() == 0
    )
    assert F.poisson_nll_loss(eg.tensor([-INF]), eg.tensor([0.0])).item() == 0
    ends = variable([INF, -INF])
    sure = F.binary_cross_entropy_with_logits(ends, eg.tensor(np.array([1.0, 0.0])))
    assert sure.item() == 0 and slopes(sure, ends) == [0, 0]
    assert F.sigmoid_focal_loss(ends, eg.tensor(np.array([1.0, 0.0])), reduction="sum").item() == 0


def test_double_backward_of_margins(library: str) -> None:
    """torch's kernels have none: with p = 2 the loss is (1 - t)^2 / 2, and its second derivative 1."""

    def f(t: Any) -> Any:
        return F.multi_margin_loss(F.stack([t, t * 0]).reshape(1, 2), eg.tensor([0]), p=2)

    def g(t: Any) -> Any:
        return (F.multilabel_margin_loss(F.stack([t, t * 0]).reshape(1, 2), eg.tensor([[0, -1]])) ** 2).sum()

    at = eg.tensor(np.array(0.25))
    assert eg.grad(eg.grad(f))(at).item() == 1
    assert eg.grad(eg.grad(g))(at).item() == 0.5


def test_equal_triplets_and_zero_vectors(library: str) -> None:
    x = variable(np.ones((1, 2)))
    loss = F.triplet_margin_loss(x, x, x, eps=0.0)
    assert loss.item() == 1 and slopes(loss, x) == [[0, 0]]
    zero = variable(np.zeros((1, 2)))
    for dtype in (eg.float64, eg.float16):
        out = F.cosine_embedding_loss(zero.to(dtype), x.detach().to(dtype), eg.tensor([1]))
        assert out.item() == 1
    assert np.isfinite(slopes(F.cosine_embedding_loss(zero, x, eg.tensor([1])), zero)).all()


def test_lp_and_focal(library: str) -> None:
    x, y = variable([1.0, 3.0, 1.0]), eg.tensor(np.array([1.0, 1.0, 0.0]))
    same(F.lp_loss(x, y, 3, "none").tolist(), [0, 8, 1])
    same(slopes(F.lp_loss(x, y, 0.5), x), [0, math.sqrt(2) / 12 * 1.0, 1 / 6])
    p = 1 / (1 + math.exp(-0.3))
    focal = F.sigmoid_focal_loss(eg.tensor(np.array([0.3, 0.3])), eg.tensor(np.array([1.0, 0.0])))
    same(focal.tolist(), [-0.25 * (1 - p) ** 2 * math.log(p), -0.75 * p**2 * math.log(1 - p)])


def test_nan_stays(library: str) -> None:
    x, y = eg.tensor([NAN, 1.0]), eg.ones(2)
    for name in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "kl_div", "poisson_nll_loss", "soft_margin_loss", "hinge_embedding_loss", "binary_cross_entropy_with_logits"):  # fmt: skip
        assert math.isnan(getattr(F, name)(x, y).item()), name


TWO, LINE = eg.ones(2, 3), eg.ones(3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: F.kl_div(LINE, TWO), "shape of input"),
        (lambda: F.kl_div(LINE, LINE, reduction="batch"), "reduction"),  # type: ignore[arg-type]  # on purpose
        (lambda: F.poisson_nll_loss(LINE, TWO), "shape of input"),
        (lambda: F.gaussian_nll_loss(TWO, TWO, LINE), "var"),
        (lambda: F.gaussian_nll_loss(TWO, TWO, -TWO), "negative"),
        (lambda: F.margin_ranking_loss(LINE, LINE, TWO), "target must have the shape of input1"),
        (lambda: F.cosine_embedding_loss(TWO, TWO, LINE), r"\(N,\)"),
        (lambda: F.triplet_margin_loss(TWO, TWO, LINE), "one shape"),
        (lambda: F.multi_margin_loss(TWO, eg.tensor([0, 1]), p=3), "p must be 1 or 2"),
        (lambda: F.multi_margin_loss(TWO, eg.tensor([0])), r"\(N, C\)"),
        (lambda: F.multi_margin_loss(TWO, eg.tensor([0, 1]), weight=eg.ones(2)), "weight"),
        (lambda: F.multilabel_margin_loss(TWO, eg.tensor([0, 1])), "shape of input"),
        (lambda: F.mse_loss(LINE, LINE, weight=TWO), "weight must have the shape"),
        (lambda: F.binary_cross_entropy_with_logits(LINE, LINE, weight=TWO), "weight must broadcast"),
        (lambda: F.lp_loss(LINE, LINE, 0), "p must be positive"),
        (lambda: F.ctc_loss(eg.ones(2, 1, 2), eg.tensor([1, 1]), [2], [1]), "one vector"),
        (lambda: F.ctc_loss(eg.ones(2, 1, 2), eg.tensor([[1]]), [3], [1]), "input_lengths"),
        (lambda: F.rnnt_loss(eg.ones(1, 2, 2, 2), eg.tensor([[1, 1]]), [2], [1]), "rnnt_loss"),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    "name", ["mse_loss", "l1_loss", "kl_div", "poisson_nll_loss", "soft_margin_loss", "hinge_embedding_loss"]
)
def test_integers_and_reductions_are_refused(library: str, name: str) -> None:
    whole = eg.tensor([1, 2])
    with pytest.raises(eg.DTypeError, match=name):
        getattr(F, name)(whole, whole)
    with pytest.raises(ValueError, match="reduction"):
        getattr(F, name)(eg.ones(2), eg.ones(2), reduction="avg")


def test_a_class_outside_raises(library: str) -> None:
    for target in (5, -2):
        with pytest.raises(IndexError):
            F.multi_margin_loss(TWO.to(library), eg.tensor([0, target]))
        with pytest.raises(IndexError):
            F.multilabel_margin_loss(eg.ones(1, 3), eg.tensor([[target, 0, -1]]))
    with pytest.raises(IndexError, match="ctc_loss"):
        F.ctc_loss(eg.ones(2, 1, 2), eg.tensor([[2]]), [2], [1])


LAYERS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("KLDivLoss", (X, PROBS), {"reduction": "batchmean"}),
    ("PoissonNLLLoss", (X, COUNTS), {"full": True}),
    ("GaussianNLLLoss", (X, Y, EACH), {"full": True}),
    ("HingeEmbeddingLoss", (X, SIGNS), {"margin": 0.5}),
    ("CosineEmbeddingLoss", (X, Y, ONES), {"margin": 0.1}),
    ("MarginRankingLoss", (X, Y, SIGNS), {"margin": 0.2}),
    ("MultiMarginLoss", (X, CLASSES), {"p": 2, "weight": WEIGHT}),
    ("MultiLabelMarginLoss", (X, LISTS), {"reduction": "sum"}),
    ("MultiLabelSoftMarginLoss", (X, LABELS), {"weight": WEIGHT}),
    ("SoftMarginLoss", (X, SIGNS), {"reduction": "none"}),
    ("TripletMarginLoss", (X, Y, Z), {"p": 1, "swap": True}),
    ("TripletMarginWithDistanceLoss", (X, Y, Z), {"margin": 2.0}),
    ("CTCLoss", (FRAMES, LISTS[:3, :2] * 0 + 1, (6, 5, 4), (1, 2, 2)), {"zero_infinity": True}),
]


@pytest.mark.parametrize(("name", "args", "options"), LAYERS, ids=[c[0] for c in LAYERS])
def test_layers_are_torchs(library: str, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    def run(home: Any, make: Callable[..., Any]) -> Array:
        named = {k: _place(v, make, True) for k, v in options.items()}
        out = getattr(home, name)(**named)(*(_place(a, make, True) for a in args))
        return np.asarray(out.numpy())

    np.testing.assert_allclose(run(eg.nn, eg.tensor), run(torch.nn, torch.tensor), rtol=1e-8)
