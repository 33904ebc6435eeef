"""Wrong parameters, options, gradients and states: each raises, names what is wrong, and changes nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn, optim


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        (lambda: [eg.ones(1)], TypeError, "Parameter"),
        (lambda: eg.ones(1), TypeError, "model.parameters"),
        (lambda: nn.Linear(1, 1), TypeError, "model.parameters"),
        (lambda: [nn.Buffer(eg.ones(1))], TypeError, "Buffer"),
        (list, ValueError, "none"),
        (lambda: [p := nn.Parameter([1.0]), p], ValueError, "twice"),
        (lambda: [{"params": [nn.Parameter([1.0])], "lrate": 1}], ValueError, "lrate"),
    ],
)
def test_wrong_parameters(params: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        optim.SGD(params(), lr=0.1)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("SGD", {"lr": -1.0}, "lr"),
        ("SGD", {"momentum": -1.0}, "momentum"),
        ("SGD", {"nesterov": True}, "nesterov"),
        ("Adam", {"betas": (1.0, 0.9)}, "betas"),
        ("Adam", {"eps": -1.0}, "eps"),
        ("AdamW", {"weight_decay": -1.0}, "weight_decay"),
        ("Adam", {"lr": float("nan")}, "lr"),
        ("SGD", {"lr": "0.1"}, "lr: must be a number. Received: str"),
        ("SGD", {"lr": None}, "lr: must be a number. Received: NoneType"),
        ("SGD", {"lr": eg.tensor(0.1)}, "lr: must be a number. Received: Tensor"),
        ("Adam", {"betas": 0.9}, "betas: must be two numbers. Received: 0.9"),
        ("Adam", {"betas": (0.9, 0.9, 0.9)}, "betas: must be two numbers"),
        ("Adam", {"betas": (0.9, None)}, "betas: must be a number"),
        ("Adam", {"amsgrad": "no"}, "amsgrad: must be True or False. Received: 'no'; write amsgrad=True"),
        ("RMSprop", {"centered": [0]}, "centered: must be True or False"),
        ("Lion", {"maximize": None}, "maximize: must be True or False. Received: None"),
        ("SGD", {"dampening": "x"}, "dampening: must be a number. Received: str"),
        ("ASGD", {"t0": None}, "t0: must be a number. Received: NoneType"),
        ("ASGD", {"alpha": 1j}, "alpha: must be a number. Received: complex"),
        ("ASGD", {"lambd": float("inf")}, "lambd: must be finite. Received: inf"),
        ("Rprop", {"etas": 0.5}, r"etas: must be two numbers. Received: 0.5; write etas=\(0.5, 1.2\)"),
        ("Rprop", {"step_sizes": (1.0,)}, "step_sizes: must be two numbers"),
        ("LBFGS", {"max_iter": "x"}, "max_iter: must be a whole number. Received: 'x'"),
    ],
)
def test_wrong_options(name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        getattr(optim, name)([nn.Parameter([1.0])], **options)


@pytest.mark.parametrize("wrong", [None, 1.0, (1.0, 2.0), (1.0, 2.0, "x"), (1.0, 2.0, float("nan"))])
def test_wrong_coefficients_of_muon(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"ns_coefficients: must be .*Received"):
        optim.Muon([nn.Parameter(eg.ones(2, 2))], ns_coefficients=wrong)


def test_a_wrong_rate_set_later_changes_nothing() -> None:
    optimizer = optim.SGD([nn.Parameter([1.0])], lr=0.1)
    for wrong in (-1.0, float("nan"), "0.2"):
        with pytest.raises((TypeError, ValueError), match="lr: must be"):
            optimizer.lr = wrong  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]  # what is refused
    with pytest.raises(TypeError, match="lr: must be"):
        optimizer.add_param_group({"params": [nn.Parameter([1.0])], "lr": None})
    assert (optimizer.lr, len(optimizer.param_groups)) == (0.1, 1)


@pytest.mark.parametrize(
    ("gradient", "error", "words"),
    [
        (lambda: eg.ones(2), eg.ShapeError, r"\(1,\)"),
        (lambda: eg.ones(1, dtype=eg.float64), eg.DTypeError, "float64"),
        (lambda: eg.ones(1).to("torch"), eg.BackendError, "torch"),
        (lambda: np.ones(1, np.float32), TypeError, "ndarray"),
    ],
)
def test_a_wrong_gradient_changes_nothing(
    gradient: Callable[[], Any], error: type[Exception], words: str
) -> None:
    p, q = nn.Parameter([1.0]), nn.Parameter([1.0])
    optimizer = optim.Adam([p, q])
    with pytest.raises(error, match=words):
        optimizer.step([eg.ones(1), gradient()])
    assert (p.tolist(), q.tolist(), optimizer.state) == ([1.0], [1.0], {})


def test_wrong_calls_of_step() -> None:
    p, stranger = nn.Parameter([1.0]), nn.Parameter([1.0])
    optimizer = optim.SGD([p], lr=0.1)
    with pytest.raises(eg.GradientError, match=r"1 parameters\. Received: 2"):
        optimizer.step([eg.ones(1), eg.ones(1)])
    with pytest.raises(TypeError, match=r"Received: None; write step\(loss.backward\(\)\)"):
        optimizer.step()  # as in torch's loop
    with pytest.raises(eg.GradientError, match="not a parameter"):
        optimizer.step({stranger: eg.ones(1)})
    with pytest.raises(eg.GradientError, match="connected"):
        optimizer.step((stranger * 2).sum().backward())
    with pytest.raises(TypeError, match="one Tensor"):
        optimizer.step(eg.ones(1))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    with pytest.raises(eg.GradientError, match="values"):
        optimizer.zero_grad()


def remove(*path: Any) -> Callable[[Any], Any]:
    def damage(state: Any) -> None:
        for key in path[:-1]:
            state = state[key]
        del state[path[-1]]

    return damage


def put(value: Any, *path: Any) -> Callable[[Any], Any]:
    def damage(state: Any) -> None:
        for key in path[:-1]:
            state = state[key]
        state[path[-1]] = value

    return damage


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (remove("state"), "needs 'state'"),
        (put([0, 1], "param_groups", 0, "params"), r"expected \[1\], got \[2\]"),
        (remove("param_groups", 0, "eps"), "'eps' is missing"),
        (put(np.ones(3), "state", 0, "exp_avg"), r"'exp_avg'.*\(2,\).*\(3,\)"),
        (remove("state", 0, "exp_avg_sq"), "exp_avg_sq is missing"),
        (put(np.ones(2), "state", 0, "momentum_buffer"), "momentum_buffer"),
        (put({}, "state", 7), "unknown parameters"),
    ],
)
def test_a_wrong_state_changes_nothing(damage: Callable[[Any], Any], words: str) -> None:
    p = nn.Parameter([1.0, 2.0])
    optimizer = optim.Adam([p], lr=0.1)
    optimizer.step([eg.ones(2)])
    state = copy.deepcopy(optimizer.state_dict())
    state["param_groups"][0]["lr"] = 9.0
    damage(state)
    with pytest.raises(nn.StateDictError, match=words):
        optimizer.load_state_dict(state)
    assert optimizer.lr == 0.1
    assert optimizer.state[p]["step"] == 1


def test_what_is_no_gradient_and_no_state_is_named() -> None:
    p = nn.Parameter([1.0])
    optimizer: Any = optim.SGD([p], lr=0.1)
    with pytest.raises(TypeError, match=r"Received: function; write step\(loss.backward\(\)\) \(only LBFGS"):
        optimizer.step(lambda: (p * p).sum())
    with pytest.raises(TypeError, match="Received: int; write step"):
        optimizer.step(3)
    with pytest.raises(TypeError, match=r"Received: NoneType; write optimizer\.load_state_dict"):
        optimizer.load_state_dict(None)
    with pytest.raises(TypeError, match=r"Received: tuple; write model.parameters\(\)"):
        optim.SGD(nn.Linear(1, 1).named_parameters(), lr=0.1)
