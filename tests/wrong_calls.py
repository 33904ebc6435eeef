"""A right call of each public function and method, taken from the examples in the docstrings, which run."""

from __future__ import annotations

import contextlib
import contextvars
import doctest
import importlib
import inspect
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import everygrad as eg
from tests.markdown import OPTIONS

HOMES = {
    "eg": "everygrad",
    "functional": "everygrad.functional",
    "linalg": "everygrad.linalg",
    "special": "everygrad.special",
    "fft": "everygrad.fft",
    "windows": "everygrad.signal.windows",
}


@dataclass
class Call:
    """A function with arguments that it takes."""

    name: str
    function: Callable[..., Any]
    args: list[Any]
    keywords: dict[str, Any] = field(default_factory=dict[str, Any])


def _two() -> Any:
    return eg.tensor([[1.0, 2.0], [3.0, 4.0]])


def _whole() -> Any:
    return eg.tensor([1, 2])


GIVEN: dict[str, Callable[[], list[Any]]] = {
    "eg.autocast": lambda: [eg.bfloat16],
    "eg.seeded": lambda: [1],
    "Tensor.__setitem__": lambda: [_two(), 0, 1.0],
    "Tensor.__rlshift__": lambda: [_whole(), 2],
    "Tensor.__rrshift__": lambda: [_whole(), 2],
    "Tensor.__rmatmul__": lambda: [_two(), _two()],
    "Tensor.__index__": lambda: [eg.tensor(2)],
    "Tensor.polygamma": lambda: [_two(), 1],
    "Tensor.size": lambda: [_two(), 0],
    "Tensor.sum_to_size": lambda: [_two(), 1, 2],
    "Tensor.type": lambda: [_two(), eg.float64],
    "Tensor.where": lambda: [_two(), eg.tensor([True, False]), 0.0],
    **{
        f"Tensor.{name}": lambda: [_two(), _two()]
        for name in ("expand_as", "is_same_size", "reshape_as", "type_as")
    },
    **{
        f"Tensor.{name}": lambda: [_two(), 2.0]
        for name in ("__rfloordiv__", "__rmod__", "__rpow__", "__rtruediv__")
    },
}
"""Calls of what has no example of its own."""


def public() -> dict[str, Callable[..., Any]]:
    """Each public function once, by the first name it has."""
    found: dict[Callable[..., Any], str] = {}
    for short, module in HOMES.items():
        home = importlib.import_module(module)
        for name in sorted(getattr(home, "__all__", vars(home))):
            value = getattr(home, name)
            if inspect.isfunction(value) and not name.startswith("_") and _is_ours(value):
                found.setdefault(value, f"{short}.{name}")
    for name, value in inspect.getmembers(eg.Tensor, inspect.isfunction):
        if _is_ours(value):
            found.setdefault(value, f"Tensor.{name}")
    return {name: function for function, name in found.items()}


def _is_ours(function: Callable[..., Any]) -> bool:
    return function.__module__.startswith("everygrad")


def recorded() -> dict[str, list[Call]]:
    """The calls that the examples of the docstrings make themselves, by name; none for what has no example."""
    names = public()
    codes: dict[Any, list[str]] = {}
    for name, function in names.items():
        codes.setdefault(_code(function), []).append(name)  # an operator and a function may be one
    found: dict[str, list[Call]] = {name: [] for name in names}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code in codes and _from_example(frame.f_back):
            for name in codes[frame.f_code]:
                found[name].append(_call(name, names[name], frame.f_locals))

    for name, function in names.items():
        if ">>>" in (function.__doc__ or ""):
            contextvars.copy_context().run(_run, name, function, note)
    for name, make in GIVEN.items():
        found[name] = found[name] or [Call(name, names[name], make())]
    return found


def _run(name: str, function: Callable[..., Any], note: Callable[..., None]) -> None:
    plain: Any = inspect.unwrap(function)
    test = doctest.DocTestParser().get_doctest(plain.__doc__, dict(plain.__globals__), name, None, 0)
    with contextlib.redirect_stdout(io.StringIO()):
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=lambda text: None, clear_globs=False)
        finally:
            sys.setprofile(before)


def _code(function: Any) -> Any:
    plain: Any = inspect.unwrap(function)
    return plain.__code__


def _from_example(frame: FrameType | None) -> bool:
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("everygrad.edge"):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith("<doctest")


def _call(name: str, function: Callable[..., Any], values: dict[str, Any]) -> Call:
    """The call as it was written, as far as the values tell."""
    call = Call(name, function, [])
    for i, p in enumerate(inspect.signature(function).parameters.values()):
        value = values[p.name]
        if p.kind is p.VAR_POSITIONAL:
            call.args.extend(value)
        elif p.kind is p.VAR_KEYWORD:
            call.keywords.update(value)
        elif value is not p.default and p.kind is not p.KEYWORD_ONLY and len(call.args) == i:
            call.args.append(value)
        elif value is not p.default:
            call.keywords[p.name] = value
    return call
