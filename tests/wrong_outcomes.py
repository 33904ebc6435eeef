"""A call on one library, and what is wrong with how it came out."""

from __future__ import annotations

import contextlib
import contextvars
import re
import signal
import traceback
import warnings
from collections.abc import Callable
from collections.abc import Generator as Iteration
from dataclasses import dataclass
from typing import Any

import numpy as np

import everygrad as eg
from everygrad.generator import Generator, current_generator
from everygrad.registry import current

PATIENCE = 30
"""Seconds after which a call hangs: none of them takes one."""

SEED = 7

KINDS = (TypeError, ValueError, IndexError, ZeroDivisionError, MemoryError, NotImplementedError)
"""The classes of Python that the library raises on purpose, besides its own."""

PARTS = re.compile(
    r"[Rr]eceived|[Ww]rite\b|known are|gives an output of size|nothing to (index|select)|does not implement"
)
"""A message says what came, or what to write."""

PYTHONS = re.compile(
    r"unexpected keyword|missing \d+ required|takes .*positional argument|multiple values for"
)
"""Python's own words where arguments do not go with a signature, which name the function and the argument."""


class Hang(BaseException):
    """A call that does not come back."""


@dataclass
class Outcome:
    """The value of a call, or its error; and what is wrong with it."""

    value: Any = None
    error: BaseException | None = None
    fault: str = ""


def outcome(function: Callable[..., Any], args: list[Any], keywords: dict[str, Any], library: str) -> Outcome:
    """Call on a library, in a context of its own."""
    return contextvars.copy_context().run(_outcome, function, args, keywords, library)


def _outcome(
    function: Callable[..., Any], args: list[Any], keywords: dict[str, Any], library: str
) -> Outcome:
    with eg.use(library), eg.seeded(SEED), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = (eg.is_grad_enabled(), current())
        try:
            with _at_most(PATIENCE):
                value = function(*args, **keywords)
                if isinstance(value, contextlib.AbstractContextManager):
                    with value:
                        pass
            return Outcome(value)
        except (Exception, Hang) as error:  # noqa: BLE001  # each is looked at
            fault = fault_of(error)
            changed = (eg.is_grad_enabled(), current()) != before
            if not isinstance(error, (MemoryError, Hang)):  # whether something fits shows where it is drawn
                changed = changed or current_generator().next_seed() != Generator(SEED).next_seed()
            return Outcome(
                None, error, fault or ("refused, and yet something was changed" if changed else "")
            )


@contextlib.contextmanager
def _at_most(seconds: float) -> Iteration[None]:
    def stop(*_: Any) -> None:
        raise Hang(f"no answer after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def fault_of(error: BaseException) -> str:
    """What is wrong with an error that a wrong argument led to."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if any(frame.f_code.co_filename.startswith("<doctest") for frame in frames):
        return ""  # of the example's own function, which the user sees as it is
    if isinstance(error, Hang):
        return "hangs"
    text = str(error)
    if isinstance(error, TypeError) and PYTHONS.search(text) and len(frames) <= 3:
        return ""
    if not isinstance(error, (eg.EverygradError, *KINDS)):
        return f"a bare {type(error).__name__}"
    return "" if PARTS.search(text) else f"a {type(error).__name__} that does not say what came"


def flat(value: Any, bare: bool) -> Any:
    """A result made comparable; with `bare`, without its values."""
    if isinstance(value, eg.Tensor):
        host = value.detach().numpy()
        assert value.backend.dtype(value.array) is value.dtype, f"a dtype that is none: {value.dtype!r}"
        return (value.dtype.value, value.shape) if bare else (value.dtype.value, host)
    if isinstance(value, (tuple, list)):
        return [flat(item, bare) for item in value]  # pyright: ignore[reportUnknownVariableType]  # of anything
    if isinstance(value, (int, float, str, bool, np.ndarray, type(None))):
        return type(value).__name__ if bare else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # any array
    return "an object"


def same(one: Any, other: Any) -> bool:
    """Whether two results are equal, to the rounding of half precision."""
    if isinstance(one, (list, tuple)):
        alike = type(one) is type(other) and len(one) == len(other)  # pyright: ignore[reportUnknownArgumentType]  # of anything
        return alike and all(map(same, one, other))  # pyright: ignore[reportUnknownArgumentType]  # the same
    if isinstance(one, (float, np.ndarray)):
        a, b = np.asarray(one), np.asarray(other)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # any array
        if a.dtype.kind in "fV":
            a, b = a.astype(np.float64), b.astype(np.float64)
        return a.shape == b.shape and bool(np.isclose(a, b, rtol=3e-3, atol=1e-4, equal_nan=True).all())
    return bool(one == other)
