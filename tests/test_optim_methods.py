"""Optimizers that torch has not, or computes otherwise, against their formulas; LBFGS; who owns which array."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn, optim
from everygrad_ops.multi_tensor import MultiTensor, multi_tensor, portions

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.usefixtures("library")


def draw(seed: int, shape: tuple[int, ...] = (3, 4)) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


def run(optimizer: optim.Optimizer, p: nn.Parameter, steps: int, first: int = 1) -> Array:
    for seed in range(first, first + steps):
        optimizer.step([eg.tensor(draw(seed, tuple(p.shape))).to(p.dtype)])
    return np.array(p.detach().numpy())


def close(x: Any, y: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


def test_lion_is_its_formula() -> None:
    x, m = draw(0), np.zeros((3, 4))
    p = nn.Parameter(x)
    got = run(optim.Lion([p], lr=0.1, betas=(0.8, 0.7), weight_decay=0.5), p, 5)
    for seed in range(1, 6):
        g = draw(seed)
        x = x * (1 - 0.1 * 0.5) - 0.1 * np.sign(0.8 * m + 0.2 * g)
        m = 0.7 * m + 0.3 * g
    close(got, x)


@pytest.mark.parametrize("no_prox", [False, True])
def test_adan_is_its_formula(no_prox: bool) -> None:
    x, before = draw(0), draw(1)
    m, v, n = (np.zeros((3, 4)) for _ in range(3))
    b1, b2, b3 = 0.9, 0.8, 0.7
    p = nn.Parameter(x)
    options: dict[str, Any] = {
        "lr": 0.1,
        "betas": (b1, b2, b3),
        "eps": 0.01,
        "weight_decay": 0.5,
        "no_prox": no_prox,
    }
    got = run(optim.Adan([p], **options), p, 5)
    for t in range(1, 6):
        g = draw(t)
        d, before = g - before, g
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * d
        n = b3 * n + (1 - b3) * (g + b2 * d) ** 2
        rate = 0.1 / (np.sqrt(n / (1 - b3**t)) + 0.01)
        step = rate * (m / (1 - b1**t) + b2 * v / (1 - b2**t))
        x = x * (1 - 0.05) - step if no_prox else (x - step) / (1 + 0.05)
    close(got, x)


@pytest.mark.parametrize("amsgrad", [False, True])
def test_cautious_weight_decay_is_its_formula(amsgrad: bool) -> None:
    x, m, v, largest = draw(0), np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((3, 4))
    x[0, 0] = 0.0
    p, plain = nn.Parameter(x), nn.Parameter(x)
    options: dict[str, Any] = {"lr": 0.1, "weight_decay": 0.5, "betas": (0.8, 0.9), "amsgrad": amsgrad}
    optimizer = optim.AdamW([p], cautious_weight_decay=True, **options)
    got = run(optimizer, p, 5)
    assert not np.allclose(run(optim.AdamW([plain], **options), plain, 5), got)
    for t in range(1, 6):
        g = draw(t)
        m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g * g
        largest = np.maximum(largest, v)
        shrunk = np.array(
            [[xi * 0.95 if xi * mi >= 0 else xi for xi, mi in zip(xs, ms)] for xs, ms in zip(x, m)]
        )
        root = np.sqrt((largest if amsgrad else v) / (1 - 0.9**t))
        x = shrunk - 0.1 * m / (1 - 0.8**t) / (root + 1e-8)
    close(got, x)
    q, state = pickle.loads(pickle.dumps((p, optimizer.state_dict())))
    twin = optim.AdamW([q])
    twin.load_state_dict(state)
    assert twin.param_groups[0]["cautious_weight_decay"] is True
    close(run(twin, q, 2, 6), run(optimizer, p, 2, 6), 0)


def newton_schulz(m: Array) -> Array:
    a, b, c = 3.4445, -4.775, 2.0315
    u, s, v = np.linalg.svd(m, full_matrices=False)
    s = s / math.sqrt((s * s).sum())
    for _ in range(5):
        s = a * s + b * s**3 + c * s**5
    result: Array = (u * s) @ v
    return result


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (1, 3)])
@pytest.mark.parametrize("nesterov", [True, False])
@pytest.mark.parametrize("fit", [None, "match_rms_adamw"])
def test_muon_is_its_formula_and_near_torchs(shape: tuple[int, int], nesterov: bool, fit: str | None) -> None:
    x, v = draw(0, shape), np.zeros(shape)
    p, q = nn.Parameter(x), torch.tensor(x, requires_grad=True)
    options: dict[str, Any] = {"lr": 0.1, "momentum": 0.8, "nesterov": nesterov, "adjust_lr_fn": fit}
    got = run(optim.Muon([p], **options), p, 4)
    reference: Any = torch.optim.Muon([q], **options)
    factor = math.sqrt(max(1, shape[0] / shape[1])) if fit is None else 0.2 * math.sqrt(max(shape))
    for seed in range(1, 5):
        g = draw(seed, shape)
        q.grad = torch.tensor(g)
        reference.step()
        v = 0.8 * v + 0.2 * g
        x = x * (1 - 0.1 * 0.1) - 0.1 * factor * newton_schulz(0.2 * g + 0.8 * v if nesterov else v)
    close(got, x, 1e-9)
    close(got, q.detach().numpy(), 0.03)  # torch iterates in bfloat16


def test_muon_takes_matrices_only() -> None:
    with pytest.raises(eg.ShapeError, match=r"shape \(3,\); give it to eg.optim.AdamW"):
        optim.Muon(nn.Linear(2, 3).parameters())
    empty = nn.Parameter(eg.zeros(0, 3))
    optim.Muon([empty]).step([eg.zeros(0, 3)])
    assert empty.shape == (0, 3)


def rosenbrock(x: Any) -> Any:
    return ((1 - x[:-1]) ** 2).sum() + 100 * ((x[1:] - x[:-1] ** 2) ** 2).sum()


SEARCHES: list[dict[str, Any]] = [
    {"line_search_fn": "strong_wolfe"},
    {"lr": 1e-3},
    {"line_search_fn": "strong_wolfe", "history_size": 2, "max_iter": 7},
]


@pytest.mark.parametrize("options", SEARCHES)
def test_lbfgs_equals_torch(options: dict[str, Any]) -> None:
    start = np.array([-1.2, 1.0, 0.5, 2.0])
    p, q = nn.Parameter(start), torch.tensor(start, requires_grad=True)
    mine = optim.LBFGS([p], **options)
    reference: Any = torch.optim.LBFGS([q], **options)

    def closure() -> Any:
        reference.zero_grad()
        loss: Any = rosenbrock(q)
        loss.backward()
        return loss

    for _ in range(3):
        assert mine.step(lambda: rosenbrock(p)).item() == pytest.approx(reference.step(closure).item())
        close(p.detach().numpy(), q.detach().numpy(), 1e-6)
    resumed = nn.Parameter(q.detach().numpy())
    later = optim.LBFGS([resumed], lr=5.0)
    later.load_state_dict(reference.state_dict())
    later.step(lambda: rosenbrock(resumed))
    reference.step(closure)
    close(resumed.detach().numpy(), q.detach().numpy(), 1e-6)


def test_lbfgs_over_several_parameters_and_maximize() -> None:
    p, q = nn.Parameter(eg.zeros(2, 2, dtype=eg.float64)), nn.Parameter(eg.zeros((), dtype=eg.float64))
    optimizer = optim.LBFGS([p, q], line_search_fn="strong_wolfe", maximize=True)

    def value() -> eg.Tensor:
        return -((p - 3) ** 2).sum() - (q + 1) ** 2

    optimizer.step(value)
    close(p.detach().numpy(), 3.0, 1e-6)
    close(q.item(), -1.0, 1e-6)
    optimizer.step(lambda: (value(), value().backward()))
    with pytest.raises(TypeError, match=r"must return the loss\. Received: NoneType"):
        optimizer.step(lambda: None)
    with pytest.raises(TypeError, match="takes a function"):
        optimizer.step(value().backward())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # what is refused


@pytest.mark.parametrize("options", SEARCHES)
def test_a_resumed_lbfgs_equals_an_unbroken_one(options: dict[str, Any]) -> None:
    p = nn.Parameter(eg.tensor([-1.2, 1.0, 0.5]))
    optimizer = optim.LBFGS([p], **options)
    optimizer.step(lambda: rosenbrock(p))
    q, state = pickle.loads(pickle.dumps((p, optimizer.state_dict())))
    resumed = optim.LBFGS([q], lr=9.0)
    resumed.load_state_dict(state)
    twin, other = pickle.loads(pickle.dumps((p, optimizer)))
    for _ in range(2):
        optimizer.step(lambda: rosenbrock(p))
        resumed.step(lambda: rosenbrock(q))
        other.step(lambda: rosenbrock(twin))
    assert p.tolist() == q.tolist() == twin.tolist()
    with pytest.raises(nn.StateDictError, match="has 1 weights"):
        optim.LBFGS([nn.Parameter([1.0])]).load_state_dict(state)


OURS: list[tuple[str, dict[str, Any]]] = [
    ("Lion", {"lr": 0.1, "maximize": True}),
    ("Adan", {"lr": 0.1, "weight_decay": 0.1}),
    ("Muon", {"lr": 0.1}),
    ("RMSprop", {"momentum": 0.5, "centered": True}),
    ("Rprop", {}),
    ("ASGD", {"t0": 1}),
]


@pytest.mark.parametrize(("name", "options"), OURS)
def test_a_resumed_run_equals_an_unbroken_one(name: str, options: dict[str, Any]) -> None:
    kind: Any = getattr(optim, name)
    p = nn.Parameter(eg.tensor(draw(0)).to(eg.float32))
    optimizer = kind([p], **options)
    run(optimizer, p, 3)
    saved = pickle.dumps((p, optimizer.state_dict()))
    q, state = pickle.loads(saved)
    resumed = kind([q], lr=7.0)
    resumed.load_state_dict(state)
    assert run(optimizer, p, 2, 4).tolist() == run(resumed, q, 2, 4).tolist()


def test_a_whole_run_resumes_in_a_new_process(tmp_path: Path, library: str) -> None:
    program = """
import pathlib, pickle, sys, everygrad as eg
from everygrad import nn, optim
def made(p):
    optimizer = optim.AdamW([p], lr=0.1)
    schedule = optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2, 2)
    return optimizer, schedule, optim.EMA([p], 0.9)
def train(p, parts, first, last):
    optimizer, schedule, ema = parts
    for k in range(first, last):
        grads, _ = optim.clip_grad_norm(((p - k) ** 2).sum().backward(), 1.0)
        optimizer.step(grads); schedule.step(); ema.update()
file = pathlib.Path(sys.argv[1])
eg.set_default(sys.argv[2])
if file.exists():
    p, states = pickle.loads(file.read_bytes())
    parts = made(p)
    for part, state in zip(parts, states): part.load_state_dict(state)
    train(p, parts, 3, 6)
else:
    p = nn.Parameter(eg.linspace(-1, 1, 7))
    parts = made(p)
    train(p, parts, 0, 3)
    file.write_bytes(pickle.dumps((p, [part.state_dict() for part in parts])))
    train(p, parts, 3, 6)
print(p.tolist(), parts[2].averages()[0].tolist(), parts[0].lr)
"""
    command = [sys.executable, "-c", program, str(tmp_path / "state"), library]
    outputs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert outputs[0] == outputs[1] != ""


def address(p: nn.Parameter) -> Any:
    value = p.array.value
    return value.data_ptr() if isinstance(value, torch.Tensor) else value.ctypes.data


@pytest.mark.parametrize("kind", [optim.Adam, optim.RMSprop])
def test_values_are_written_in_place_only_while_nobody_else_holds_them(kind: Any) -> None:
    p = nn.Parameter(eg.ones(3, 4))
    optimizer = kind([p], lr=0.1)

    def step() -> None:
        optimizer.step((p * p).sum().backward())

    step()
    step()
    before = address(p)
    step()
    assert address(p) == before
    holders: list[Any] = [
        p.detach,
        lambda: p.detach().reshape(12)[1:],
        lambda: np.asarray(p.detach()),
        lambda: p * 1.0 + p,
        lambda: nn.Parameter(p),
        lambda: pickle.loads(pickle.dumps(p)),
    ]
    for hold in holders:
        held: Any = hold()
        values = held.tolist()
        step()
        step()
        assert held.tolist() == values
    library: Any = torch
    held = library.from_dlpack(p.detach())
    values = held.tolist()
    step()
    assert held.tolist() == values
    del held
    step()
    old = p * p
    step()
    assert old.sum().backward()[p].tolist() != (2 * p.detach()).tolist()


def test_states_given_away_are_not_written() -> None:
    p = nn.Parameter(eg.ones(3))
    optimizer = optim.Adam([p], lr=0.1)
    gradient = eg.ones(3)
    optimizer.step([gradient])
    for _ in range(3):
        held = optimizer.state[p]["exp_avg"]
        values = held.tolist()
        optimizer.step([gradient])
        assert held.tolist() == values
        assert gradient.tolist() == [1.0] * 3
    ema = optim.EMA([p], 0.5)
    ema.update()
    held, values = ema.averages()[0], ema.averages()[0].tolist()
    p.assign(p + 1)
    ema.update()
    assert held.tolist() == values != ema.averages()[0].tolist()


@pytest.mark.parametrize(
    ("name", "options"), [*OURS, ("Adam", {}), ("SGD", {"momentum": 0.9}), ("Adamax", {})]
)
def test_portions_change_nothing(name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """In one piece, in small portions, and by the composition any backend has."""
    kind: Any = getattr(optim, name)
    results: list[Array] = []
    home: Any = type(multi_tensor(eg.ones(1).backend.inner))  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]  # a decorator
    for limit in (1 << 16, 5, None):
        monkeypatch.setattr(sys.modules[home.__module__], "PORTION", limit or 9)
        if limit is None:
            monkeypatch.setattr("everygrad.optim.step.multi_tensor", MultiTensor)
        p, q = nn.Parameter(draw(0)), nn.Parameter(draw(9, (2, 2)))
        optimizer = kind([p, q], **options)
        for seed in range(1, 5):
            optimizer.step([eg.tensor(draw(seed)), eg.tensor(draw(-seed % 7, (2, 2)))])
        results.append(np.concatenate([p.detach().numpy().ravel(), q.detach().numpy().ravel()]))
    close(results[1], results[0], 1e-13)
    close(results[2], results[0], 1e-10)


def test_portions_cover_everything_once() -> None:
    for sizes in ([], [0], [3], [10, 1, 2, 0, 25], [4, 4, 4, 4]):
        seen = [0] * sum(sizes)
        starts = [sum(sizes[:i]) for i in range(len(sizes))]
        for positions, cut in portions(sizes, 8):
            for i in positions:
                low, high = cut or (0, sizes[i])
                for k in range(starts[i] + low, starts[i] + high):
                    seen[k] += 1
        assert seen == [1] * sum(sizes)


def test_options_switched_on_in_the_middle() -> None:
    p = nn.Parameter(draw(0))
    for optimizer, change in (
        (optim.SGD([p], lr=0.1), {"momentum": 0.9}),
        (optim.Adam([p]), {"amsgrad": True}),
        (optim.RMSprop([p]), {"momentum": 0.9, "centered": True}),
        (optim.RMSprop([p], momentum=0.5, centered=True), {"momentum": 0, "centered": False}),
    ):
        run(optimizer, p, 2)
        optimizer.param_groups[0].update(change)
        assert np.isfinite(run(optimizer, p, 3)).all()
