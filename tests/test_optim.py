"""Optimizers against torch's, by known answers, and across saving, moving and wrong calls."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn, optim


@pytest.fixture(autouse=True)
def torch_counts_exactly() -> Iterator[None]:
    """torch keeps some counts of NAdam and ASGD in its default dtype; ours are Python's floats."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


SHAPES = [(3, 4), (4,), (), (0, 2)]

# One name on both sides, and the options that select each branch.
OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ("Adam", {}),
    ("Adam", {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-3, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.1, "amsgrad": True}),
    ("AdamW", {}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True}),
    ("AdamW", {"lr": 0.1, "maximize": True}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "maximize": True}),
    ("Adagrad", {}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5}),
    ("RMSprop", {}),
    ("RMSprop", {"lr": 0.01, "weight_decay": 0.1, "momentum": 0.9, "centered": True, "eps": 0.1}),
    ("RMSprop", {"momentum": 0.9, "maximize": True}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.8, "eps": 1e-3, "weight_decay": 0.1}),
    ("Adamax", {}),
    ("Adamax", {"lr": 0.1, "betas": (0.8, 0.95), "weight_decay": 0.1, "maximize": True}),
    ("NAdam", {}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "momentum_decay": 0.1}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {}),
    ("RAdam", {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("ASGD", {}),
    ("ASGD", {"lr": 0.1, "lambd": 0.1, "t0": 2, "weight_decay": 0.1}),
    ("Rprop", {}),
    ("Rprop", {"lr": 0.1, "etas": (0.25, 1.5), "step_sizes": (1e-2, 0.2), "maximize": True}),
]
IDS = [f"{name}-{'-'.join(options) or 'defaults'}" for name, options in OPTIMIZERS]


def made(name: str, params: Any, options: dict[str, Any]) -> optim.Optimizer:
    kind: Callable[..., optim.Optimizer] = getattr(optim, name)
    return kind(params, **options)


def draws(seed: int, dtype: Any = np.float64) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.normal(size=shape), dtype) for shape in SHAPES]


def parameters(seed: int = 0, dtype: Any = np.float64) -> list[nn.Parameter]:
    return [nn.Parameter(a) for a in draws(seed, dtype)]


def run(optimizer: optim.Optimizer, first: int, last: int, dtype: Any = np.float64) -> None:
    for seed in range(first, last):
        optimizer.step([eg.tensor(g) for g in draws(seed, dtype)])


def close(x: Any, y: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(x.detach().numpy(), y, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=IDS)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 2e-6)])
def test_equals_torch(library: str, name: str, options: dict[str, Any], dtype: Any, tolerance: float) -> None:
    ours, theirs = parameters(dtype=dtype), [torch.tensor(a, requires_grad=True) for a in draws(0, dtype)]
    optimizer, reference = made(name, ours, options), getattr(torch.optim, name)(theirs, **options)
    for seed in range(1, 8):
        if seed == 4:
            optimizer.lr = reference.param_groups[0]["lr"] = 0.01
        optimizer.step([eg.tensor(g) for g in draws(seed, dtype)])
        for p, g in zip(theirs, draws(seed, dtype)):
            p.grad = torch.tensor(g)
        reference.step()
        for ours_now, theirs_now in zip(ours, theirs):
            close(ours_now, theirs_now.detach().numpy(), tolerance)


@pytest.mark.parametrize(
    ("name", "options", "gradient", "expected"),
    [
        ("AdamW", {"lr": 0.1, "weight_decay": 0.1}, 0.5, (0.89, 0.7811)),
        ("Adam", {"lr": 0.1, "weight_decay": 0.1}, 0.5, (0.9, 0.8000473)),
        ("Adam", {"lr": 0.1, "eps": 1e-3}, 1e-3, (0.95, 0.9)),
        ("SGD", {"lr": 0.1, "momentum": 0.5}, 0.5, (0.95, 0.875)),
        ("SGD", {"lr": 0.1, "momentum": 0.5, "nesterov": True}, 0.5, (0.925, 0.8375)),
        ("SGD", {"lr": 0.1, "weight_decay": 0.1}, 0.5, (0.94, 0.8806)),
    ],
)
def test_known_answers(
    library: str, name: str, options: dict[str, Any], gradient: float, expected: tuple[float, float]
) -> None:
    p = nn.Parameter(eg.tensor(1.0, eg.float64))
    optimizer = made(name, [p], options)
    for value in expected:
        optimizer.step([eg.tensor(gradient, eg.float64)])
        assert p.item() == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=IDS)
def test_a_resumed_run_equals_an_unbroken_one(library: str, name: str, options: dict[str, Any]) -> None:
    unbroken = parameters(dtype=np.float32)
    run(made(name, unbroken, options), 1, 6, np.float32)
    before = parameters(dtype=np.float32)
    optimizer = made(name, before, options)
    run(optimizer, 1, 4, np.float32)
    saved, state = pickle.loads(pickle.dumps((before, optimizer.state_dict())))
    after = [nn.Parameter(p) for p in saved]
    resumed = made(name, after, {"lr": 123.0})
    resumed.load_state_dict(state)
    run(resumed, 4, 6, np.float32)
    assert [p.tolist() for p in after] == [p.tolist() for p in unbroken]


def test_a_new_process_resumes(tmp_path: Path) -> None:
    p = nn.Parameter(eg.tensor([1.0, -2.0]))
    optimizer = optim.Adam([p], lr=0.1)
    for k in range(3):
        optimizer.step([eg.tensor([0.5, 0.25]) * k])
    (tmp_path / "state").write_bytes(pickle.dumps((p, optimizer.state_dict())))
    code = (
        "import pickle, sys, pathlib, everygrad as eg\n"
        "from everygrad import optim\n"
        "p, state = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "optimizer = optim.Adam([p]); optimizer.load_state_dict(state)\n"
        "for k in (3, 4): optimizer.step([eg.tensor([0.5, 0.25]) * k])\n"
        "print(p.tolist())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "state")], capture_output=True, text=True, check=True
    ).stdout
    for k in (3, 4):
        optimizer.step([eg.tensor([0.5, 0.25]) * k])
    assert printed.strip() == str(p.tolist())


def test_state_dict_is_not_changed_by_later_steps(library: str) -> None:
    p = nn.Parameter(eg.ones(2))
    optimizer = optim.Adam([p], lr=0.1)
    optimizer.step([eg.ones(2)])
    state, values = optimizer.state_dict(), p.detach()
    kept = (state["state"][0]["exp_avg"].tolist(), values.tolist())
    optimizer.step([eg.ones(2)])
    optimizer.lr = 7.0
    assert (state["state"][0]["exp_avg"].tolist(), values.tolist()) == kept
    assert state["state"][0]["step"] == 1
    assert state["param_groups"][0]["lr"] == 0.1


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=IDS)
def test_torch_states_go_on_here(library: str, name: str, options: dict[str, Any]) -> None:
    theirs = [torch.tensor(a, requires_grad=True) for a in draws(0)]
    reference = getattr(torch.optim, name)(theirs, **options)

    def step(seed: int) -> None:
        for p, g in zip(theirs, draws(seed)):
            p.grad = torch.tensor(g)
        reference.step()

    for seed in (1, 2):
        step(seed)
    ours = [nn.Parameter(p.detach().numpy()) for p in theirs]
    optimizer = made(name, ours, {"lr": 55.0})
    optimizer.load_state_dict(reference.state_dict())
    for seed in (3, 4):
        step(seed)
        optimizer.step([eg.tensor(g) for g in draws(seed)])
    for p, q in zip(ours, theirs):
        close(p, q.detach().numpy())


def test_gradients_of_every_form(library: str) -> None:
    results: list[Any] = []
    for form in ("Gradients", "sequence", "dictionary"):
        p, q, unused = nn.Parameter([1.0]), nn.Parameter([2.0]), nn.Parameter([3.0])
        optimizer = optim.SGD([p, q, unused], lr=0.1)
        grads = (p * q).sum().backward()
        forms: dict[str, Any] = {
            "Gradients": grads,
            "sequence": [grads[p], grads[q], None],
            "dictionary": {q: grads[q], p: grads[p]},
        }
        optimizer.step(forms[form])
        results.append((p.tolist(), q.tolist(), unused.tolist()))
        assert unused not in optimizer.state
    assert results[0] == results[1] == results[2]
    assert results[0][0] == pytest.approx([0.8])


def test_gradients_are_found_after_a_step_and_old_graphs_keep_their_values(library: str) -> None:
    p = nn.Parameter([3.0])
    optimizer = optim.SGD([p], lr=1.0)
    old = p * p
    optimizer.step([eg.ones(1)])
    assert p.tolist() == [2.0]
    assert old.sum().backward()[p].tolist() == [6.0]
    assert (p * p).sum().backward()[p].tolist() == [4.0]


def test_a_tracked_gradient_is_taken_as_a_value() -> None:
    p = nn.Parameter([3.0])
    (g,) = eg.gradients((p * p).sum(), [p], create_graph=True)
    optim.Adam([p], lr=1.0).step([g])
    assert p.is_leaf and p.tolist() == pytest.approx([2.0])


def test_groups_have_their_own_options(library: str) -> None:
    p, q = nn.Parameter([1.0]), nn.Parameter([1.0])
    optimizer = optim.SGD([{"params": p, "lr": 0.5}, {"params": [q]}], lr=0.25)
    optimizer.step([eg.ones(1), eg.ones(1)])
    assert (p.tolist(), q.tolist()) == ([0.5], [0.75])
    with pytest.raises(ValueError, match="groups differ"):
        _ = optimizer.lr
    optimizer.lr = 0.0
    assert optimizer.lr == 0.0
    optimizer.param_groups[1]["lr"] = 0.25
    optimizer.step([eg.ones(1), eg.ones(1)])
    assert (p.tolist(), q.tolist()) == ([0.5], [0.5])


def test_a_moved_model_goes_on(library: str) -> None:
    other = "torch" if library == "numpy" else "numpy"
    stay, go = nn.Linear(2, 3), nn.Linear(2, 3)
    go.load_state_dict(stay.state_dict())
    optimizers = [optim.Adam(stay.parameters(), lr=0.1), optim.Adam(go.parameters(), lr=0.1)]
    for step in range(4):
        if step == 2:
            go.to(other)
        for model, optimizer in zip((stay, go), optimizers):
            grads = [eg.full(p.shape, 0.5 + step).to(p) for p in model.parameters()]
            optimizer.step(grads)
    close(go.weight.detach().to(library), stay.weight.detach().numpy(), 1e-6)
    go.double()
    optimizers[1].step([eg.ones_like(p) for p in go.parameters()])
    assert go.weight.dtype is eg.float64


@pytest.mark.parametrize("dtype", [eg.float16, eg.bfloat16])
def test_low_precision_is_updated_in_float32(library: str, dtype: eg.DType) -> None:
    p, unused = (nn.Parameter(eg.ones(2, dtype=dtype)) for _ in range(2))
    wide = nn.Parameter(eg.ones(2))
    optimizer, reference = optim.Adam([p, unused], lr=0.125), optim.Adam([wide], lr=0.125)
    for k in range(3):
        g = eg.full((2,), 1e-4 * (k + 1), dtype=dtype)
        optimizer.step([g, eg.zeros_like(unused)])
        reference.step([g.to(eg.float32)])
        assert unused.tolist() == [1.0, 1.0]  # 0 / (0 + eps), where eps is 0 in float16
        wide.assign(wide.detach().to(dtype))
        assert p.dtype is dtype and p.tolist() == wide.tolist()
    saved = optimizer.state_dict()["state"][0]["exp_avg_sq"]
    assert saved.dtype is eg.float32
    optimizer.load_state_dict(optimizer.state_dict())
    assert optimizer.state[p]["exp_avg_sq"].tolist() == saved.tolist()


def test_no_array_that_someone_holds_is_written() -> None:
    held = eg.tensor([1.0, 2.0])
    p = nn.Parameter(held)
    optimizer = optim.SGD([p], lr=0.1, momentum=0.9)
    gradient = eg.tensor([1.0, 1.0])
    for _ in range(3):
        optimizer.step([gradient])
    assert (held.tolist(), gradient.tolist()) == ([1.0, 2.0], [1.0, 1.0])


def test_copies_of_model_and_optimizer_stay_together() -> None:
    p = nn.Parameter([1.0])
    optimizer = optim.Adam([p], lr=0.1)
    optimizer.step([eg.ones(1)])
    for q, twin in (copy.deepcopy((p, optimizer)), pickle.loads(pickle.dumps((p, optimizer)))):
        twin.step([eg.ones(1)])
        assert q.tolist() != p.tolist()
        assert twin.state[q]["step"] == 2
    assert optimizer.state[p]["step"] == 1


def test_a_plain_backend_takes_given_gradients() -> None:
    p = nn.Parameter(eg.ones(2, backend=eg.backend("numpy")))
    optim.SGD([p], lr=0.5).step([eg.ones(2, backend=eg.backend("numpy"))])
    assert p.tolist() == [0.5, 0.5]


def test_frozen_parameters_are_skipped() -> None:
    p, q = nn.Parameter([1.0]), nn.Parameter([1.0], requires_grad=False)
    optim.SGD([p, q], lr=0.5).step((p * q).sum().backward())
    assert (p.tolist(), q.tolist()) == ([0.5], [1.0])
