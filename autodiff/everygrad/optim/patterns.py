"""Parameter groups by name pattern."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from everygrad.nn.lookup import Pattern, matches
from everygrad.nn.module import Module

__all__ = ["ParameterGroups", "groups"]


class ParameterGroups(list[dict[str, Any]]):
    """Parameter groups for an optimizer; printing them shows which parameters each pattern took."""

    def __init__(self, items: list[dict[str, Any]], names: dict[str, list[str]]) -> None:
        super().__init__(items)
        self.names = names

    def __repr__(self) -> str:
        return "\n".join(f"{pattern}: {', '.join(taken)}" for pattern, taken in self.names.items())


def groups(model: Module, patterns: Mapping[Pattern, Mapping[str, Any] | None]) -> ParameterGroups:
    """Groups of a model's parameters, by patterns of their names: each parameter is in one group.

    A pattern is one of `Module.freeze`: a string as for file names such as "*.bias", which also takes all that lies
    below what it names, a compiled regular expression, or a function of (name, parameter). The first that
    matches takes the parameter. Its options go to the group; None leaves its parameters out.
    What no pattern takes forms a last group with the optimizer's own options. Raises `ValueError` for a pattern
    that takes nothing.

    >>> import everygrad as eg
    >>> model = eg.nn.Sequential(eg.nn.Linear(2, 3), eg.nn.Linear(3, 1))
    >>> made = eg.optim.groups(model, {"*.bias": {"weight_decay": 0.0}, "0.*": {"lr": 0.01}})
    >>> made
    *.bias: 0.bias, 1.bias
    0.*: 0.weight
    (rest): 1.weight
    >>> [group["lr"] for group in eg.optim.AdamW(made, lr=0.1).param_groups]
    [0.1, 0.01, 0.1]
    """
    left = dict(model.named_parameters())
    known = ", ".join(left)
    made: list[dict[str, Any]] = []
    names: dict[str, list[str]] = {}
    for pattern, options in patterns.items():
        taken = [name for name, p in left.items() if matches(pattern, name, p)]
        text = pattern.pattern if isinstance(pattern, re.Pattern) else str(pattern)
        if not taken:
            raise ValueError(
                f"groups: no parameter that an earlier pattern left matches. Received: {text!r}; the names are {known}"
            )
        params = [left.pop(name) for name in taken]
        names[text] = taken
        if options is not None:
            made.append({"params": params, **options})
    if left:
        made.append({"params": [*left.values()]})
        names["(rest)"] = [*left]
    return ParameterGroups(made, names)
