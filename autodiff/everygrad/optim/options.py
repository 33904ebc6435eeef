"""Checks of the options of optimizers and schedules."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any


def need(name: str, value: Any, low: float, below: float = float("inf")) -> None:
    """Refuse an option that is no number, or outside low <= value < below."""
    if not isinstance(value, Real):
        raise TypeError(
            f"{name}: must be a number. Received: {type(value).__name__}; write a Python float, such as x.item()"
        )
    number: Any = value
    if low == -math.inf and not math.isfinite(number):
        raise ValueError(f"{name}: must be finite. Received: {value!r}")
    if not low <= number < below:
        limit = "" if below == float("inf") else f" and below {below}"
        raise ValueError(f"{name}: must be at least {low}{limit}. Received: {value!r}")


def need_betas(betas: Any, example: tuple[float, ...]) -> None:
    """Refuse what is not as many decay rates as in the example, each in [0, 1)."""
    for beta in several("betas", betas, example):
        need("betas", beta, 0, 1)


def several(name: str, value: Any, example: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of an option that has as many as the example; anything else is refused."""
    if not isinstance(value, (tuple, list)) or len(value) != len(example):  # pyright: ignore[reportUnknownArgumentType]  # of anything
        count = {2: "two", 3: "three"}[len(example)]
        raise ValueError(f"{name}: must be {count} numbers. Received: {value!r}; write {name}={example}")
    return tuple(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # of anything


SWITCHES = (
    "maximize",
    "amsgrad",
    "nesterov",
    "centered",
    "decoupled_weight_decay",
    "cautious_weight_decay",
    "no_prox",
)


def need_switches(options: Mapping[str, Any]) -> None:
    """Refuse a switch that is neither on nor off: any other value would switch it on, "False" too."""
    for name in SWITCHES:
        need_switch(name, options.get(name, False))


def need_switch(name: str, value: Any) -> None:
    """Refuse what is neither on nor off."""
    if not isinstance(value, (bool, int)) or value not in (0, 1):
        raise TypeError(
            f"{name}: must be True or False. Received: {value!r}; write {name}=True, or leave it out"
        )


def need_finite(**options: Any) -> None:
    """Refuse options that are no numbers, or inf or NaN."""
    for name, value in options.items():
        need(name, value, -math.inf)


def need_function(name: str, value: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise TypeError(
            f"{name}: must be a function. Received: {value!r}; write {name}=lambda step: 0.9**step"
        )


def need_count(name: str, value: Any, low: int = 1) -> None:
    """Refuse what is not a whole number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: must be a whole number. Received: {value!r}; write {name}={max(low, 10)}")
    if value < low:
        raise ValueError(f"{name}: must be at least {low}. Received: {value!r}")


def need_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Refuse what is none of the choices."""
    if not isinstance(value, (str, type(None))) or value not in choices:
        known = ", ".join(map(repr, choices))
        raise ValueError(f"{name}: must be one of {known}. Received: {value!r}")
