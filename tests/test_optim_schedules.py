"""Schedules against torch's step by step, by known answers, and across a save."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch

import everygrad as eg
from everygrad import nn, optim
from everygrad.optim import lr_scheduler

pytestmark = pytest.mark.filterwarnings("ignore:Detected call of")


def fading(k: int) -> float:
    return 0.9**k


def falling(k: int) -> float:
    return 1 / (1 + 0.1 * k)


def inverse(x: float) -> float:
    return 1 / x


SCHEDULES: list[tuple[str, dict[str, Any]]] = [
    ("LambdaLR", {"lr_lambda": fading}),
    ("LambdaLR", {"lr_lambda": [fading, falling]}),
    ("MultiplicativeLR", {"lr_lambda": falling}),
    ("StepLR", {"step_size": 3}),
    ("StepLR", {"step_size": 1, "gamma": 0.5}),
    ("MultiStepLR", {"milestones": [2, 5, 5, 9], "gamma": 0.5}),
    ("ConstantLR", {}),
    ("ConstantLR", {"factor": 0.5, "total_iters": 3}),
    ("LinearLR", {}),
    ("LinearLR", {"start_factor": 0.1, "end_factor": 0.9, "total_iters": 7}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("PolynomialLR", {}),
    ("PolynomialLR", {"total_iters": 9, "power": 2.5}),
    ("CosineAnnealingLR", {"T_max": 4}),
    ("CosineAnnealingLR", {"T_max": 7, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 3}),
    ("CosineAnnealingWarmRestarts", {"T_0": 2, "T_mult": 2, "eta_min": 0.01}),
    ("OneCycleLR", {"max_lr": 1.0, "total_steps": 20}),
    ("OneCycleLR", {"max_lr": [1.0, 0.5], "epochs": 4, "steps_per_epoch": 5, "three_phase": True}),
    ("OneCycleLR", {"max_lr": 1.0, "total_steps": 20, "pct_start": 0.5, "anneal_strategy": "linear"}),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 3}),
    (
        "CyclicLR",
        {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 3, "step_size_down": 5, "mode": "triangular2"},
    ),
    ("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 4, "mode": "exp_range", "gamma": 0.9}),
    (
        "CyclicLR",
        {
            "base_lr": 0.1,
            "max_lr": 1.0,
            "step_size_up": 4,
            "scale_fn": inverse,
            "cycle_momentum": False,
        },
    ),
]
IDS = [f"{name}-{'-'.join(options) or 'defaults'}" for name, options in SCHEDULES]


def ours(kind: str = "SGD", rates: tuple[float, ...] = (0.5, 0.25)) -> optim.Optimizer:
    groups = [{"params": [nn.Parameter([1.0])], "lr": rate} for rate in rates]
    kinds: Any = optim
    made: optim.Optimizer = getattr(kinds, kind)(groups, **({"momentum": 0.9} if kind == "SGD" else {}))
    return made


def theirs(kind: str = "SGD", rates: tuple[float, ...] = (0.5, 0.25)) -> torch.optim.Optimizer:
    groups = [{"params": [torch.ones(1, requires_grad=True)], "lr": rate} for rate in rates]
    kinds: Any = torch.optim
    made: torch.optim.Optimizer = getattr(kinds, kind)(groups, **({"momentum": 0.9} if kind == "SGD" else {}))
    return made


def rates(optimizer: Any) -> list[float]:
    return [group["lr"] for group in optimizer.param_groups]


def momenta(optimizer: Any) -> list[float]:
    return [group.get("momentum", group.get("betas", (0,))[0]) for group in optimizer.param_groups]


def follow(schedule: Any, optimizer: Any, steps: int) -> list[list[float]]:
    found = [rates(optimizer)]
    for _ in range(steps):
        schedule.step()
        found.append(rates(optimizer))
    return found


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize(("name", "options"), SCHEDULES, ids=IDS)
def test_equals_torch(kind: str, name: str, options: dict[str, Any]) -> None:
    mine, reference = ours(kind), theirs(kind)
    schedule = getattr(lr_scheduler, name)(mine, **options)
    other = getattr(torch.optim.lr_scheduler, name)(reference, **options)
    for _ in range(19):
        assert rates(mine) == pytest.approx(rates(reference), rel=1e-9, abs=1e-12)
        assert momenta(mine) == pytest.approx(momenta(reference), rel=1e-9)
        assert schedule.get_last_lr() == rates(mine)
        schedule.step()
        reference.step()
        other.step()


@pytest.mark.parametrize(("name", "options"), SCHEDULES, ids=IDS)
@pytest.mark.parametrize("schedule_first", [True, False])
def test_a_resumed_schedule_equals_an_unbroken_one(
    name: str, options: dict[str, Any], schedule_first: bool
) -> None:
    make: Callable[..., Any] = getattr(lr_scheduler, name)
    optimizer = ours()
    unbroken = follow(make(optimizer, **options), optimizer, 12)
    optimizer = ours()
    schedule = make(optimizer, **options)
    follow(schedule, optimizer, 5)
    state = pickle.loads(pickle.dumps((schedule.state_dict(), optimizer.state_dict())))
    optimizer = ours(rates=(7.0, 7.0))
    if schedule_first:
        schedule = make(optimizer, **options)
        schedule.load_state_dict(state[0])
        optimizer.load_state_dict(state[1])
    else:
        optimizer.load_state_dict(state[1])
        schedule = make(optimizer, **options)
        schedule.load_state_dict(state[0])
    assert follow(schedule, optimizer, 7) == unbroken[5:]


@pytest.mark.parametrize(
    ("name", "options"), [item for item in SCHEDULES if item[0] not in {"OneCycleLR", "CyclicLR"}]
)
def test_torch_states_go_on_here(name: str, options: dict[str, Any]) -> None:
    reference = theirs()
    other = getattr(torch.optim.lr_scheduler, name)(reference, **options)
    follow(other, reference, 5)
    mine = ours(rates=(9.0, 9.0))
    schedule = getattr(lr_scheduler, name)(mine, **options)
    schedule.load_state_dict(other.state_dict())
    for here, there in zip(follow(schedule, mine, 6), follow(other, reference, 6), strict=True):
        assert here == pytest.approx(there, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("last_epoch", [0, 3, 6])
def test_starting_at_a_later_step(last_epoch: int) -> None:
    optimizer = ours()
    whole = follow(lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2, 2), optimizer, 12)
    later = lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2, 2, last_epoch=last_epoch)
    assert follow(later, optimizer, 4) == whole[last_epoch + 1 : last_epoch + 6]
    with pytest.raises(ValueError, match="initial_lr"):
        lr_scheduler.StepLR(ours(), 2, last_epoch=3)


class TestFaults:
    def test_b116_the_first_update_runs_at_the_rate_of_step_0(self) -> None:
        p = nn.Parameter([0.0])
        optimizer = optim.SGD([p], lr=1.0)
        schedule = lr_scheduler.LambdaLR(optimizer, float)
        seen: list[float] = []
        for _ in range(4):
            optimizer.step([eg.ones(1)])
            schedule.step()
            seen.append(p.item())
        assert seen == [0.0, -1.0, -3.0, -6.0]

    def test_b118_cosine_restarts(self) -> None:
        optimizer = ours(rates=(1.0,))
        found = follow(lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2, 2), optimizer, 6)
        expected = [1, 0.5, 1, 0.853553, 0.5, 0.146447, 1]
        assert [rate for (rate,) in found] == pytest.approx(expected, abs=1e-6)

    def test_b119_cosine_resumed(self) -> None:
        optimizer = ours(rates=(1.0,))
        schedule = lr_scheduler.CosineAnnealingLR(optimizer, 4)
        follow(schedule, optimizer, 3)
        assert optimizer.lr == pytest.approx(0.146447, abs=1e-6)
        fresh = ours(rates=(1.0,))
        resumed = lr_scheduler.CosineAnnealingLR(fresh, 4)
        resumed.load_state_dict(schedule.state_dict())
        assert fresh.lr == optimizer.lr
        assert follow(resumed, fresh, 3) == follow(schedule, optimizer, 3)


METRICS = [3.0, 2.0, 2.0, 1.9999, 2.5, math.nan, 2.6, 1.0, 1.0, 1.0, 1.0, 1.0, 0.2, 0.3, 0.3, 0.3, 0.3]


@pytest.mark.parametrize(
    "options",
    [
        {"patience": 1},
        {"patience": 0, "factor": 0.5, "cooldown": 2},
        {"patience": 1, "threshold": 0.5, "threshold_mode": "abs", "min_lr": [0.1, 0.001]},
        {"patience": 1, "mode": "max"},
    ],
)
def test_plateau_equals_torch(options: dict[str, Any]) -> None:
    mine, reference = ours(), theirs()
    schedule = lr_scheduler.ReduceLROnPlateau(mine, **options)
    kind: Any = torch.optim.lr_scheduler.ReduceLROnPlateau
    other = kind(reference, **options)
    for i, metric in enumerate(METRICS):
        schedule.step(eg.tensor(metric, eg.float64))
        other.step(metric)
        assert rates(mine) == pytest.approx(rates(reference), rel=1e-12)
        if i == 7:
            state = schedule.state_dict()
            mine = ours()
            schedule = lr_scheduler.ReduceLROnPlateau(mine, **options)
            schedule.load_state_dict(state)


def parts(home: Any, optimizer: Any) -> list[Any]:
    """Schedules whose products agree: past T_max torch's chained cosine drifts off its own formula."""
    return [
        home.ConstantLR(optimizer, factor=0.1, total_iters=4),
        home.ExponentialLR(optimizer, gamma=0.9),
        home.CosineAnnealingLR(optimizer, T_max=20),
    ]


@pytest.mark.parametrize("kind", ["SequentialLR", "ChainedScheduler"])
def test_composites_equal_torch_and_resume(kind: str) -> None:
    def made(home: Any, optimizer: Any) -> Any:
        own = parts(home, optimizer)
        if kind == "ChainedScheduler":
            return home.ChainedScheduler(own, optimizer)
        return home.SequentialLR(optimizer, own, [3, 7])

    mine, reference = ours(), theirs()
    schedule, other = made(lr_scheduler, mine), made(torch.optim.lr_scheduler, reference)
    found = follow(schedule, mine, 14)
    for here, there in zip(found, follow(other, reference, 14), strict=True):
        assert here == pytest.approx(there, rel=1e-9, abs=1e-12)
    first = ours()
    schedule = made(lr_scheduler, first)
    follow(schedule, first, 5)
    second = ours(rates=(3.0, 3.0))
    resumed = made(lr_scheduler, second)
    resumed.load_state_dict(pickle.loads(pickle.dumps(schedule.state_dict())))
    assert follow(resumed, second, 9) == found[5:]


def test_a_warm_up_then_a_schedule_and_means_of_schedules() -> None:
    optimizer = ours(rates=(1.0,))
    after = lr_scheduler.StepLR(optimizer, 2, 0.5)
    found = follow(lr_scheduler.WarmupLR(optimizer, 2, 0.5, after), optimizer, 6)
    assert [rate for (rate,) in found] == [0.5, 0.75, 1.0, 1.0, 0.5, 0.5, 0.25]
    for reduction, expected in (("sum", 0.75), ("avg", 0.375), ("prod", 0.125)):
        optimizer = ours(rates=(1.0,))
        pair = [lr_scheduler.ExponentialLR(optimizer, gamma) for gamma in (0.5, 0.25)]
        lr_scheduler.ComposedLR(pair, reduction).step()
        assert optimizer.lr == expected


def test_noam_peaks_at_the_end_of_its_warm_up() -> None:
    optimizer = ours(rates=(2.0,))
    found = follow(lr_scheduler.NoamLR(optimizer, 16, 4), optimizer, 9)
    expected = [2 * 16**-0.5 * min(t**-0.5, t * 4**-1.5) for t in range(1, 11)]
    assert [rate for (rate,) in found] == pytest.approx(expected)
    assert max(found) == found[3]


several: Any = lr_scheduler  # wrong on purpose
WRONG: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda o: several.StepLR(o, 0), ValueError, "step_size: must be at least 1. Received: 0"),
    (lambda o: several.StepLR([1], 2), TypeError, "optimizer must be an Optimizer. Received: list"),
    (lambda o: several.CosineAnnealingLR(o, 2.5), TypeError, "T_max"),
    (lambda o: several.LambdaLR(o, [float]), ValueError, "one for each of 2. Received: 1"),
    (lambda o: several.OneCycleLR(o, 1.0), ValueError, "needs its length"),
    (lambda o: several.CyclicLR(o, 0.1, 1.0, mode="saw"), ValueError, "mode: must be one of"),
    (
        lambda o: several.CyclicLR(optim.Adagrad([nn.Parameter([1.0])]), 0.1, 1.0),
        ValueError,
        "momentum",
    ),
    (lambda o: several.ReduceLROnPlateau(o).step(), TypeError, "needs the metric"),
    (lambda o: several.SequentialLR(o, [several.StepLR(o, 1)], [3]), ValueError, "milestones"),
    (lambda o: several.ChainedScheduler([]), ValueError, "none"),
    (
        lambda o: several.ChainedScheduler([several.StepLR(o, 1), several.StepLR(ours(), 1)]),
        ValueError,
        "of one optimizer",
    ),
    (lambda o: several.StepLR(o, 1).load_state_dict({}), nn.StateDictError, "step_size"),
    (
        lambda o: several.ChainedScheduler([several.ReduceLROnPlateau(o)]),
        TypeError,
        "cannot be part of another",
    ),
]


@pytest.mark.parametrize(("wrong", "error", "words"), WRONG)
def test_wrong_calls(wrong: Callable[[Any], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        wrong(ours())


def test_a_cycle_that_is_over() -> None:
    optimizer = ours()
    schedule = lr_scheduler.OneCycleLR(optimizer, 1.0, 3)
    seen = follow(schedule, optimizer, 3)  # a step after each of three batches
    assert seen[3] == seen[2]
    with pytest.raises(ValueError, match="over after 3 steps"):
        schedule.step()
