"""Every option of a schedule that makes no sense is refused before a rate is set, and named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import everygrad as eg
from everygrad import nn, optim
from everygrad.optim import lr_scheduler as given
from everygrad.train import GradientAccumulator

L: Any = given  # wrong on purpose
NUMBERS: list[tuple[str, dict[str, Any], str]] = [
    ("StepLR", {"step_size": 2}, "gamma"),
    ("MultiStepLR", {"milestones": [2]}, "gamma"),
    ("ExponentialLR", {}, "gamma"),
    ("PolynomialLR", {}, "power"),
    ("CosineAnnealingLR", {"T_max": 3}, "eta_min"),
    ("CosineAnnealingWarmRestarts", {"T_0": 3}, "eta_min"),
    *(("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0}, name) for name in ("gamma", "max_lr", "base_momentum", "max_momentum")),
    *(("OneCycleLR", {"max_lr": 1.0, "total_steps": 9}, name)
      for name in ("max_lr", "pct_start", "div_factor", "final_div_factor", "base_momentum", "max_momentum")),
    *(("ReduceLROnPlateau", {}, name) for name in ("factor", "threshold", "eps", "min_lr")),
    ("WarmupLR", {"warmup_steps": 2}, "start_factor"),
    ("ConstantLR", {}, "factor"),
    ("LinearLR", {}, "end_factor"),
]  # fmt: skip


def ours() -> optim.Optimizer:
    return optim.SGD([nn.Parameter([1.0])], lr=0.1, momentum=0.9)


@pytest.mark.parametrize(("name", "options", "wrong"), NUMBERS)
def test_what_is_no_number(name: str, options: dict[str, Any], wrong: str) -> None:
    for value in ("x", None, 1j, float("nan"), eg.tensor(0.5)):
        optimizer = ours()
        with pytest.raises((TypeError, ValueError), match=rf"{wrong}: must be .*Received: "):
            getattr(L, name)(optimizer, **{**options, wrong: value})
        assert optimizer.lr == 0.1


def returns(value: Any) -> Callable[[int], Any]:
    return lambda step: value


WRONG: list[tuple[Callable[[Any], Any], str]] = [
    (lambda o: L.LambdaLR(o, 0.5), r"lr_lambda: must be a function. Received: 0.5; write lr_lambda=lambda step"),
    (lambda o: L.MultiplicativeLR(o, "x"), "lr_lambda: must be a function. Received: 'x'"),
    (lambda o: L.LambdaLR(o, returns(None)), "unsupported operand|finite number"),
    (lambda o: L.LambdaLR(o, returns(float("inf"))), r"LambdaLR: the rate of a step must be a finite number. Received: inf at step 0"),
    (lambda o: L.LambdaLR(o, returns(eg.tensor(0.5))), r"the rate of a step must be a finite number. Received: tensor"),
    (lambda o: L.MultiStepLR(o, [1.5]), r"milestones: must be a whole number. Received: 1.5"),
    (lambda o: L.MultiStepLR(o, 3.5), r"milestones: must be a whole number. Received: 3.5"),
    (lambda o: L.CyclicLR(o, 0.1, 1.0, scale_fn=3), "scale_fn: must be a function. Received: 3"),
    (lambda o: L.CyclicLR(o, 0.1, 1.0, cycle_momentum="no"), "cycle_momentum: must be True or False. Received: 'no'"),
    (lambda o: L.OneCycleLR(o, 1.0, 9, three_phase="no"), "three_phase: must be True or False. Received: 'no'"),
    (lambda o: L.OneCycleLR(o, 1.0, 9, div_factor=0), r"div_factor: must be above 0. Received: 0; write div_factor=25.0"),
    (lambda o: L.SequentialLR(o, 3, [1]), r"SequentialLR: takes schedules whose rate.*Received: int"),
    (lambda o: L.SequentialLR(o, [L.StepLR(o, 1), L.StepLR(o, 1)], ["a"]), "milestones: must be a whole number. Received: 'a'"),
    (lambda o: L.ChainedScheduler(["x"]), r"ChainedScheduler: takes schedules.*Received: str, which cannot be part of another; write \[Step"),
    (lambda o: L.ComposedLR(None), "ComposedLR: takes schedules.*Received: NoneType"),
    (lambda o: L.WarmupLR(o, 2, after=0.5), "WarmupLR: takes schedules.*Received: float"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "words"), WRONG)
def test_wrong_calls(wrong: Callable[[Any], Any], words: str) -> None:
    optimizer = ours()
    with pytest.raises((TypeError, ValueError), match=words):
        wrong(optimizer)


def test_gathered_gradients_are_gradients() -> None:
    p = nn.Parameter([1.0])
    grads = (p * 2).sum().backward()
    wrong: Any
    for wrong in (None, 3.0, "x", [None], [3], ["x"]):
        with pytest.raises(
            (TypeError, eg.GradientError), match=r"accumulate: .*Received: |Received: NoneType"
        ):
            optim.accumulate(wrong)
    for wrong in (None, 3, [1], "x", []):
        with pytest.raises(
            TypeError, match=r"GradientAccumulator: takes parameters. Received: .*; write Gradient"
        ):
            GradientAccumulator(wrong)
    gathered = GradientAccumulator([p])
    for wrong in (None, 3.0, [1]):
        with pytest.raises(
            TypeError, match=r"add: takes what backward\(\) returned.*Received: .*; write add\(loss"
        ):
            gathered.add(wrong)
    for wrong in ("x", None, -1, float("nan")):
        with pytest.raises((TypeError, ValueError), match="size: must be"):
            gathered.add(grads, wrong)
    assert gathered.batches == 0, "nothing was taken in"
    gathered.add(grads, 2)
    assert gathered.take()[p].item() == 2
