"""Whether the derivatives of a function are right, in the user's own program."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from everygrad.debug.inputs import Checked, Values
from everygrad.debug.slopes import Slope, is_kink, sides_at_zero, slope_at_zero
from everygrad_ops import GradientError

__all__ = ["DerivativeError", "DerivativeReport", "Finding", "check", "gradcheck", "gradgradcheck"]

LARGEST = 256
"""Inputs of up to so many elements are searched for the wrong element."""
ORDINALS = ("", "first", "second", "third", "fourth")


class DerivativeError(GradientError, AssertionError):
    """A derivative that differences of the function contradict."""

    def __init__(self, message: str, report: DerivativeReport) -> None:
        super().__init__(message)
        self.report = report


@dataclass(frozen=True)
class Finding:
    """One derivative in one input that is wrong, or that does not exist there."""

    order: int
    input: str
    index: tuple[int, ...] | None
    """The worst element; None where it is a direction through all of them."""
    given: float
    """What the library computed."""
    expected: float
    """What differences say."""
    hint: str

    def __str__(self) -> str:
        place = f" at {list(self.index)}" if self.index is not None else " along a random direction"
        order = ORDINALS[self.order] if self.order < len(ORDINALS) else f"{self.order}th"
        return (
            f"the {order} derivative in {self.input}{place} is {self.given:.8g}, "
            f"and differences say {self.expected:.8g}: {self.hint}"
        )


@dataclass(frozen=True)
class DerivativeReport:
    """What a check found; true if nothing is wrong."""

    wrong: tuple[Finding, ...]
    kinks: tuple[Finding, ...]
    """Where there is no derivative to compare with: the function has a kink or a jump."""
    inputs: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.wrong

    def __str__(self) -> str:
        if not self.wrong and not self.kinks:
            return f"right in {', '.join(self.inputs)}"
        return "\n".join(map(str, (*self.wrong, *self.kinks)))


def check(
    fn: Callable[..., Any],
    *args: Any,
    order: int = 2,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    directions: int = 2,
    seed: int = 0,
    raise_exception: bool = True,
) -> DerivativeReport:
    """Compare the derivatives of `fn(*args)`, up to an order, with differences of the function itself, in float64.

    Each floating-point tensor among the arguments (also inside lists, tuples and dictionaries) is checked by itself,
    along random directions; if `fn` is a module, each of its trained parameters too. Arguments are cast to float64,
    a module is copied. The function may draw random numbers (they are drawn the same each time) and may return several
    tensors. At a kink (relu at 0) any slope between the two sides is accepted, and it is noted in the report.

    Raises `DerivativeError` that names the input, the element and both numbers; without `raise_exception` the
    report says so.

    >>> import everygrad as eg
    >>> print(eg.debug.check(lambda x, y: (x * y).sin(), eg.tensor([0.5, 1.0]), eg.tensor(2.0)))
    right in x, y
    >>> report = eg.debug.check(lambda x: x * x.detach(), eg.tensor([3.0]), order=1, raise_exception=False)
    >>> bool(report), report.wrong[0].input
    (False, 'x')
    """
    checked = Checked(fn, args, seed)
    value = checked.number(checked.start, [])
    if math.isfinite(value) and checked.number(checked.start, []) != value:
        raise GradientError(
            "check: the function gives another result each time. Received: two unequal results for equal arguments; "
            "draw random numbers with this library, which check repeats, or pass them as arguments"
        )
    if not math.isfinite(value):
        raise GradientError(
            f"check: the function is not finite here. Received: {value}; write `with eg.debug.anomaly():` around it"
        )
    draws = np.random.default_rng(seed + 1)
    wrong: list[Finding] = []
    kinks: list[Finding] = []
    along: list[Values] = []
    for n in range(1, order + 1):
        given = checked.gradient(along)
        for position in range(len(checked.names)):
            one = _Input(checked, n, position, along, given[position], rtol, atol)
            for _ in range(directions if given[position].size else 0):
                finding = one.along(_direction(draws, given[position].shape))
                if finding is not None:
                    (kinks if finding.hint.startswith("a kink") else wrong).append(finding)
                    break
        if wrong:
            break  # what comes after is derived from what is wrong
        along.append([_direction(draws, v.shape) for v in checked.start])
    report = DerivativeReport(tuple(wrong), tuple(kinks), tuple(checked.names))
    if wrong and raise_exception:
        raise DerivativeError("check: " + "\n  ".join(map(str, wrong)), report)
    return report


def _direction(draws: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.asarray(draws.uniform(0.5, 1.0, shape) * draws.choice([-1.0, 1.0], shape))


class _Input:
    """One input of the function at one order."""

    def __init__(
        self,
        checked: Checked,
        order: int,
        position: int,
        directions: Sequence[Values],
        given: np.ndarray[Any, Any],
        rtol: float,
        atol: float,
    ) -> None:
        self.checked, self.order, self.position = checked, order, position
        self.directions = list(directions)
        self.given = given
        self.rtol, self.atol = rtol, atol
        largest = float(np.abs(checked.start[position]).max(initial=0.0))
        self.scale = largest if largest > 0 else 1.0

    def along(self, w: np.ndarray[Any, Any]) -> Finding | None:
        """What is wrong along a direction."""
        given = float((self.given * w).sum())
        slope = self._slope(w)
        if self._fits(given, slope):
            return None
        left, right = sides_at_zero(self._line(w), 1e-6 * self.scale)
        slack = self._slack(left, right)
        if (
            is_kink(left, right, self.atol)
            and abs(given - (left + right) / 2) <= abs(left - right) / 2 + slack
        ):
            hint = f"a kink, {left:.4g} from the left, {right:.4g} from the right"
            return self._finding(None, given, (left + right) / 2, hint)
        return self._worst(given, slope)

    def _line(self, w: np.ndarray[Any, Any]) -> Callable[[float], float]:
        def f(t: float) -> float:
            values = list(self.checked.start)
            values[self.position] = values[self.position] + t * w
            return self.checked.number(values, self.directions)

        return f

    def _slope(self, w: np.ndarray[Any, Any]) -> Slope:
        return slope_at_zero(self._line(w), 1e-2 * self.scale)

    def _slack(self, *values: float) -> float:
        return self.atol + self.rtol * max(map(abs, values))

    def _fits(self, given: float, slope: Slope) -> bool:
        if not math.isfinite(given) or not math.isfinite(slope.value):
            return False
        slack = self._slack(given, slope.value)
        return abs(given - slope.value) <= slack + min(10 * slope.error, 100 * slack)

    def _worst(self, given: float, slope: Slope) -> Finding:
        """The element that is most wrong, where there are few enough to look."""
        worst: tuple[float, tuple[int, ...], float, float] | None = None
        for index in np.ndindex(self.given.shape) if self.given.size <= LARGEST else ():
            one = np.zeros(self.given.shape)
            one[index] = 1.0
            here, there = float(self.given[index]), self._slope(one)
            off = abs(here - there.value) if math.isfinite(here) else math.inf
            if not self._fits(here, there) and (worst is None or off > worst[0]):
                worst = (off, index, here, there.value)
        if worst is None:
            return self._finding(None, given, slope.value, _hint(given, slope.value))
        _, place, here, expected = worst
        return self._finding(place, here, expected, _hint(here, expected))

    def _finding(self, index: tuple[int, ...] | None, given: float, expected: float, hint: str) -> Finding:
        return Finding(self.order, self.checked.names[self.position], index, given, expected, hint)


def _hint(given: float, expected: float) -> str:
    if not math.isfinite(given):
        return "write `with eg.debug.anomaly():` around the function to see where it comes from"
    if given == 0:
        return "it is lost on the way: look for detach(), item(), numpy(), a cast to integers or no_grad"
    if abs(expected) < 1e-8 * abs(given):
        return "the function does not change with it"
    factor = given / expected
    if abs(factor - round(factor)) < 1e-4 and round(factor) not in (0, 1):
        return f"it is {round(factor)} times what it should be"
    return f"it is off by {given - expected:.4g}; look at the gradients written by hand (custom_vjp, hooks)"


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Whether the first derivatives of `func(*inputs)` are right: torch's name for `check` with order 1.

    >>> import everygrad as eg
    >>> eg.debug.gradcheck(lambda x: x.exp(), eg.tensor([0.5, 1.0]))
    True
    """
    args = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # of anything
    return bool(check(func, *args, order=1, atol=atol, rtol=rtol, raise_exception=raise_exception))


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Whether the first and second derivatives of `func(*inputs)` are right: torch's name for `check` with order 2.

    >>> import everygrad as eg
    >>> eg.debug.gradgradcheck(lambda x, y: x.exp() * y, (eg.tensor([0.5, 1.0]), eg.tensor(3.0)))
    True
    """
    args = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # of anything
    return bool(check(func, *args, order=2, atol=atol, rtol=rtol, raise_exception=raise_exception))
