"""A failure inside a public function, in the words of its caller: what is wrong, what was received, what to write."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from opcode import opmap
from types import FrameType, TracebackType
from typing import Any

from everygrad.edge.hints import MISFIT, WORD, hints_of, read, takes_tensor
from everygrad.edge.words import advice, expected, shown
from everygrad_ops import DTypeError, EverygradError, ShapeError

OURS = frozenset(("everygrad", "everygrad_ops", "everygrad_numpy", "everygrad_torch"))
LIBRARIES = OURS | {"numpy", "scipy", "torch", "ml_dtypes"} | sys.stdlib_module_names
"""Whose frames may lie below a call: any other is the user's own function, whose errors are the user's."""

FAULTS = (AttributeError, NameError, AssertionError, KeyError, ImportError, FloatingPointError)
"""What good arguments never lead to: then it is the library's fault, and must not be dressed up. (The last comes where
the user has NumPy raise.)
"""

MEMORY = re.compile(r"memory|array is too big|Storage size|larger than the maximum", re.IGNORECASE)
NUMBER = re.compile(
    r"overflow|too large|too big to convert|dimension exceeded|out of bounds for", re.IGNORECASE
)
UNSUPPORTED = re.compile(r"not implemented for|not supported for the input types|ufunc '", re.IGNORECASE)


def wrong_type(op: str, name: str, value: Any, hint: Any) -> TypeError:
    """The error for an argument of another type than is declared."""
    if type(value) is int and not -WORD <= value < WORD:
        return DTypeError(
            f"{op}: {name} must be {expected(hint)}, of at most 64 bits. Received: an integer of {value.bit_length()} bits; "
            "write a float, or a number in its range"
        )
    return TypeError(
        f"{op}: {name} must be {expected(hint)}. Received: {name}={shown(value)}; "
        f"write {advice(name, value, hint)}"
    )


def explain(
    op: str, function: Callable[..., Any], given: Mapping[str, Any], error: Exception
) -> Exception | None:
    """A better error than `error`, or None where that is as it should be; `given` are the arguments by name."""
    frames = list(_frames(error.__traceback__))
    if isinstance(error, EverygradError) or not _is_raw(frames):
        return None
    arguments = list(_each(function, given))
    for tensors in (True, False):
        for name, value, hint in arguments:
            if takes_tensor(hint) is tensors and read(value, hint) is MISFIT:
                return wrong_type(op, name, value, hint)
    return None if isinstance(error, FAULTS) else _unfit(op, arguments, error)


def _frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while trace is not None:
        yield trace.tb_frame, trace.tb_lasti
        trace = trace.tb_next


def _is_raw(frames: Sequence[tuple[FrameType, int]]) -> bool:
    """Whether no one of us has raised it on purpose, and no function of the user's lies in between."""
    homes = [_home(frame) for frame, _ in frames]
    if any(home not in LIBRARIES for home in homes):
        return False
    frame, at = frames[-1]
    raised = frame.f_code.co_code[at] == opmap["RAISE_VARARGS"]
    return not (raised and homes[-1] in OURS)


def _home(frame: FrameType) -> str:
    """The package that a frame belongs to; methods that the engine writes have a file of no module."""
    if frame.f_code.co_filename.startswith("<everygrad "):
        return "everygrad"
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def _each(function: Callable[..., Any], bound: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """(name, value, annotation) of each argument, of several behind a star one by one."""
    hints, parameters = hints_of(function), inspect.signature(function).parameters
    for name, value in bound.items():
        hint = hints.get(name, Any)
        if parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            yield from ((name, item, hint) for item in value)
        elif parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            yield from ((key, item, hint) for key, item in value.items())
        else:
            yield name, value, hint


def _unfit(op: str, given: Sequence[tuple[str, Any, Any]], error: Exception) -> Exception:
    """Arguments of the right types that do not go together."""
    reason = str(error).partition("\n")[0].strip() or type(error).__name__
    received = ", ".join(f"{name}={shown(value)}" for name, value, _ in given)
    kind: type[Exception]
    if isinstance(error, MemoryError) or MEMORY.search(reason):
        kind, what, write = MemoryError, "what it makes does not fit into memory", "smaller sizes"
    elif isinstance(error, OverflowError) or NUMBER.search(reason):
        kind, what, write = ShapeError, "a number is too large", "a smaller one"
    elif isinstance(error, NotImplementedError) or UNSUPPORTED.search(reason):
        kind, what, write = DTypeError, "the dtype is not supported", "x.to(eg.float32), or another dtype"
    elif isinstance(error, IndexError):
        kind, what, write = IndexError, "an index is out of range", "indices inside the sizes"
    else:
        kind, what, write = ShapeError, "the arguments do not go together", "arguments that fit the sizes"
    return kind(f"{op}: {what} ({reason}). Received: {received}; write {write}")
