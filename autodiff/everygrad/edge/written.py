"""The text of a layer: a function of the same signature, which tests its options and calls the one inside."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from everygrad.edge.hints import EXACT, WORD, choices, takes_tensor

EMPTY = inspect.Parameter.empty
QUICK = ("int", "bool", "str", "float", "DType", "Tensor")
"""Declared types whose values need no further look."""


def text(op: str, parameters: Mapping[str, inspect.Parameter], hints: Mapping[str, Any]) -> str:
    """The source; `hints` are the declared types of the options."""
    places = [
        p.replace(annotation=EMPTY, default=EMPTY if p.default is EMPTY else 0) for p in parameters.values()
    ]
    lines = [f"def {op}{inspect.Signature(places)}:", "    try:"]
    if hints:
        several = ", ".join([*hints, ""])
        test = " or ".join(_test(name, hint, parameters[name]) for name, hint in hints.items())
        lines += [f"        if {test}:", f"            {several}= options({several})"]
    lines += [
        f"        return inner({', '.join(map(_passed, parameters.values()))})",
        "    except Exception as error_:",
        f"        better_ = failed(error_, {', '.join(f'{name}={name}' for name in parameters)})",
        "        if better_ is None:",
        "            raise",
        "        raise better_ from None",
    ]
    return "\n".join(lines)


def _passed(p: inspect.Parameter) -> str:
    """How a parameter is handed on."""
    if p.kind is p.KEYWORD_ONLY:
        return f"{p.name}={p.name}"
    return ("*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else "") + p.name


def _test(name: str, hint: Any, parameter: inspect.Parameter) -> str:
    """The test that an option needs to be read: quick, and true too often rather than too rarely."""
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"not whole({name})" if hint == tuple[int, ...] else name
    kinds = ["None" if kind is type(None) else getattr(kind, "__name__", "") for kind in choices(hint)]
    tests = [f"{name} is not None"] if "None" in kinds else []
    tests += [f"{name}.__class__ is not {kind}" for kind in kinds if kind in QUICK and kind != "int"]
    most = WORD if takes_tensor(hint) or "int" in kinds else EXACT
    if "int" in kinds or "float" in kinds:
        tests.append(f"not ({name}.__class__ is int and -{most} <= {name} < {most})")
    if "Literal" in str(hint) and "str" not in kinds:
        tests.append(f"{name}.__class__ is not str")
    if "Sequence[int]" in str(hint):
        tests.append(f"not ({name}.__class__ is tuple and whole({name}))")
    return f"({' and '.join(tests) or True})"


def whole(values: tuple[Any, ...]) -> bool:
    """Whether all are integers of Python."""
    for value in values:  # noqa: SIM110  # a generator would cost more than the loop
        if value.__class__ is not int or not -WORD <= value < WORD:
            return False
    return True
