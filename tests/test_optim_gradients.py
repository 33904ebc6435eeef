"""Clipping, accumulation, averages of weights and groups by pattern."""

from __future__ import annotations

import copy
import math
import pickle
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn, optim

pytestmark = pytest.mark.usefixtures("library")


def draws(seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in ((3, 4), (), (5,), (1, 2))]


@pytest.mark.parametrize("norm_type", [2.0, 1.0, 3.5, math.inf])
@pytest.mark.parametrize("max_norm", [0.5, 100.0])
def test_clip_grad_norm_equals_torch(norm_type: float, max_norm: float) -> None:
    theirs = [torch.zeros(g.shape, dtype=torch.float64, requires_grad=True) for g in draws()]
    for p, g in zip(theirs, draws()):
        p.grad = torch.tensor(g)
    expected = torch.nn.utils.clip_grad_norm_(theirs, max_norm, norm_type)
    grads, norm = optim.clip_grad_norm([eg.tensor(g) for g in draws()], max_norm, norm_type)
    assert norm.item() == pytest.approx(expected.item(), rel=1e-12)
    for g, p in zip(grads, theirs):
        assert p.grad is not None and g is not None
        np.testing.assert_allclose(g.numpy(), p.grad.numpy(), rtol=1e-5)
    if max_norm == 0.5:
        assert optim.clip_grad_norm(grads, max_norm, norm_type)[1].item() == pytest.approx(0.5, rel=1e-12)


def test_every_form_comes_back_in_its_form() -> None:
    p, q, unused = nn.Parameter([3.0]), nn.Parameter([4.0]), nn.Parameter([1.0])
    loss = (p * p + q * q).sum() / 2
    grads, norm = optim.clip_grad_norm(loss.backward(retain_graph=True), 1.0)
    assert norm.item() == 5.0
    assert [round(grads[x].item(), 6) for x in (p, q)] == [0.6, 0.8]
    raw = loss.backward()
    mapping: dict[Any, Any] = {p: raw[p], q: raw[q], unused: None}
    gaps: list[Any] = [raw[p], None, raw[q]]
    by_key, _ = optim.clip_grad_norm(mapping, 1.0)
    in_order, _ = optim.clip_grad_norm(gaps, 1.0)
    assert by_key[unused] is None and in_order[1] is None
    assert round(by_key[q].item(), 6) == round(in_order[2].item(), 6) == 0.8
    for form in (grads, by_key):
        optim.SGD([p, q, unused], lr=0.0).step(form)


@pytest.mark.parametrize(
    ("dtype", "size"), [(eg.float32, 3e38), (eg.float32, 1e-38), (eg.float16, 6e4), (eg.bfloat16, 3e38)]
)
def test_norms_neither_overflow_nor_vanish(dtype: eg.DType, size: float) -> None:
    grads, norm = optim.clip_grad_norm([eg.full((2,), size, dtype=dtype)] * 2, size / 4)
    assert math.isinf(norm.item()) == (
        size > 1e38
    )  # the norm itself, twice the size, has no place in float32
    if not math.isinf(norm.item()):
        assert norm.item() == pytest.approx(2 * size, rel=0.01)
        assert grads[0].dtype is dtype
        assert grads[0].tolist() == pytest.approx([size / 8] * 2, rel=0.01)
    moderate, norm = optim.clip_grad_norm([eg.full((2,), 1e30)] * 2, 1.0)
    assert norm.item() == pytest.approx(2e30) and moderate[0].tolist() == pytest.approx([0.5, 0.5])


def test_b073_clipping_at_zero_is_the_identity() -> None:
    x = eg.tensor([0.0] * 3, requires_grad=True)
    (clipped,), norm = optim.clip_grad_norm([x * 1], 1.0)
    assert (clipped.tolist(), norm.item()) == ([0.0] * 3, 0.0)
    assert clipped.sum().backward()[x].tolist() == [1.0] * 3
    assert optim.clip_grad_norm([eg.zeros(3)], 0.0)[0][0].tolist() == [0.0] * 3
    inside = [eg.tensor([0.3, 0.1])]
    assert optim.clip_grad_norm(inside, 1.0)[0][0].tolist() == inside[0].tolist()


def test_clipping_is_differentiable_where_gradients_are() -> None:
    x = eg.tensor([3.0, 4.0], eg.float64, requires_grad=True)
    (clipped,), _ = optim.clip_grad_norm([x * 1], 1.0)
    slope = clipped[0].backward()[x].tolist()
    assert slope == pytest.approx([16 / 125, -12 / 125])


def test_norms_that_are_not_finite() -> None:
    grads = [eg.tensor([1.0, math.nan])]
    assert math.isnan(optim.clip_grad_norm(grads, 1.0)[1].item())
    with pytest.raises(eg.GradientError, match="norm of the gradients is nan"):
        optim.clip_grad_norm(grads, 1.0, error_if_nonfinite=True)


def test_clip_per_tensor_and_by_value() -> None:
    grads = [eg.tensor([0.0, 4.0]), eg.tensor([0.3, 0.4])]
    each = optim.clip_grad_norm_each(grads, 1.0)
    assert each[0].tolist() == [0.0, 1.0] and each[1].tolist() == grads[1].tolist()
    assert optim.clip_grad_value(grads, 0.35)[1].tolist() == pytest.approx([0.3, 0.35])
    p = nn.Parameter([3.0])
    assert optim.clip_grad_value((p * p).sum().backward(), 1.0)[p].tolist() == [1.0]


several: Any = optim  # wrong on purpose


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda: optim.clip_grad_norm([eg.ones(1)], -1.0), ValueError, "max_norm"),
        (lambda: optim.clip_grad_norm(eg.ones(1), 1.0), TypeError, "all gradients at once"),
        (lambda: optim.clip_grad_norm([1.0], 1.0), TypeError, "Received: float"),
        (partial(several.accumulate, []), eg.GradientError, "Received: none"),
        (lambda: optim.accumulate([[eg.ones(1)], [None, None]]), eg.GradientError, "Received: 1, 2"),
        (lambda: optim.accumulate([[eg.ones(1)]], "max"), ValueError, "one of 'sum', 'mean'"),
        (partial(several.EMA, [1.0]), TypeError, "Received: float"),
        (lambda: optim.EMA(nn.Linear(1, 1), 1.5), ValueError, "at most 1"),
        (
            lambda: optim.groups(nn.Linear(1, 1), {"wieght": {}}),
            ValueError,
            "'wieght'; the names are weight, bias",
        ),
    ],
)
def test_wrong_calls(wrong: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        wrong()


def test_accumulated_batches_are_one_batch() -> None:
    model, x = nn.Linear(3, 2), eg.tensor(np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32))
    whole = (model(x) ** 2).mean().backward()
    parts = [(model(x[i : i + 2]) ** 2).mean().backward() for i in (0, 2, 4)]
    mean = optim.accumulate(parts, "mean")
    running = parts[0]
    for part in parts[1:]:
        running = optim.accumulate([running, part])
    for p in model.parameters():
        np.testing.assert_allclose(mean[p].numpy(), whole[p].numpy(), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(running[p].numpy(), 3 * whole[p].numpy(), rtol=1e-5, atol=1e-6)
    optim.SGD(model.parameters(), lr=0.1).step(mean)
    p, q = nn.Parameter([1.0]), nn.Parameter([1.0])
    one_sided = optim.accumulate([(p * 2).sum().backward(), (q * 3).sum().backward()])
    assert (one_sided[p].item(), one_sided[q].item()) == (2.0, 3.0)
    assert [g and g.tolist() for g in optim.accumulate([[eg.ones(1), None], [eg.ones(1), None]])] == [
        [2.0],
        None,
    ]


@pytest.mark.parametrize("warmup", [False, True])
def test_ema_is_its_formula_and_resumes(warmup: bool) -> None:
    state: dict[str, Any] = {}
    p = nn.Parameter(eg.zeros(3, dtype=eg.float64))
    ema, expected = optim.EMA([p], 0.75, warmup=warmup), np.zeros(3)
    for n in range(1, 7):
        p.assign(eg.full((3,), float(n * n), dtype=eg.float64))
        ema.update()
        decay = min(0.75, (1 + n) / (10 + n)) if warmup else 0.75
        expected = decay * expected + (1 - decay) * n * n
        if n == 3:
            state = ema.state_dict()
            ema = optim.EMA([p], 0.1)
            ema.load_state_dict(state)
    np.testing.assert_allclose(ema.averages()[0].numpy(), expected, rtol=1e-14)
    with ema.swapped():
        np.testing.assert_allclose(p.detach().numpy(), expected, rtol=1e-14)
        assert (p * p).sum().backward()[p] is not None
    assert p.tolist() == [36.0] * 3
    with pytest.raises(nn.StateDictError, match="2 weights"):
        ema.load_state_dict({**state, "averages": state["averages"] * 2})


def test_a_plain_mean_equals_torchs_averaged_model() -> None:
    model = nn.Linear(2, 1)
    other = torch.nn.Linear(2, 1)
    mean = optim.EMA(model, None)
    reference: Any = torch.optim.swa_utils.AveragedModel(other)
    for n in range(1, 5):
        model.weight.assign(np.full((1, 2), n * n, np.float32))
        other.weight.data.fill_(n * n)
        mean.update()
        reference.update_parameters(other)
    np.testing.assert_allclose(
        mean.averages()[0].numpy(), reference.module.weight.detach().numpy(), rtol=1e-6
    )


def test_ema_of_low_precision_buffers_and_moved_models(library: str) -> None:
    p = nn.Parameter(eg.ones(2, dtype=eg.bfloat16))
    ema = optim.EMA([p], 0.999)
    for _ in range(3):
        p.assign(eg.full((2,), 2.0, dtype=eg.bfloat16))
        ema.update()
    assert ema.averages()[0].dtype is eg.float32
    assert ema.averages()[0].tolist() == pytest.approx([2 - 0.999**3] * 2, rel=1e-6)
    norm: Any = nn.BatchNorm1d(2)
    averaged = optim.EMA(norm, 0.5, use_buffers=True)
    norm(eg.tensor([[1.0, 2.0], [3.0, 5.0]]))
    averaged.update()
    own = norm.running_mean.tolist()
    with averaged.swapped():
        assert norm.running_mean.tolist() == pytest.approx([x / 2 for x in own])
    assert norm.running_mean.tolist() == own
    norm.to("numpy" if library == "torch" else "torch")
    averaged.update()
    averaged.copy_to()


def test_groups_take_each_parameter_once() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3), nn.Linear(3, 1))
    made = optim.groups(model, {"*.bias": {"weight_decay": 0.0}, re.compile("^1"): {"lr": 0.5}, "2": None})
    assert made.names == {
        "*.bias": ["0.bias", "1.bias", "2.bias"],
        "^1": ["1.weight"],
        "2": ["2.weight"],
        "(rest)": ["0.weight"],
    }
    optimizer = optim.AdamW(made, lr=0.1)
    assert [(g["lr"], g["weight_decay"], len(g["params"])) for g in optimizer.param_groups] == [
        (0.1, 0.0, 3),
        (0.5, 0.01, 1),
        (0.1, 0.01, 1),
    ]
    with pytest.raises(ValueError, match="earlier pattern left"):
        optim.groups(model, {"*": {}, "*.bias": {"lr": 1.0}})


def test_an_ema_is_copied_and_pickled_with_its_model() -> None:
    model = nn.Linear(2, 1)
    ema = optim.EMA(model, decay=0.5)
    model.weight.assign(model.weight + 1)
    ema.update()
    expected = [x.tolist() for x in ema.averages()]
    for other, twin in (copy.deepcopy((model, ema)), pickle.loads(pickle.dumps((model, ema)))):
        assert [id(cell) for cell in twin.cells] == [id(p) for p in other.parameters()]
        assert [x.tolist() for x in twin.averages()] == expected
        other.weight.assign(other.weight + 1)
        twin.update()
    assert [x.tolist() for x in ema.averages()] == expected
    with pytest.raises(TypeError, match="Received: SGD"):
        optim.EMA(optim.SGD([nn.Parameter([1.0])], lr=0.1))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose


def test_an_infinite_bound_only_measures() -> None:
    grads, norm = optim.clip_grad_norm([eg.tensor([3.0, 4.0])], math.inf)
    assert (grads[0].tolist(), norm.item()) == ([3.0, 4.0], 5.0)


def test_parameters_are_not_taken_for_their_gradients() -> None:
    model = nn.Linear(2, 1)
    for clip in (optim.clip_grad_norm, optim.clip_grad_norm_each, optim.clip_grad_value):
        with pytest.raises(TypeError, match=r"not parameters\. Received: a Parameter .*; write clip_grad"):
            clip(model.parameters(), 1.0)
