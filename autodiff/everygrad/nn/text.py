"""How modules are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.nn.parameter import Cell, is_waiting

if TYPE_CHECKING:
    from everygrad.nn.module import Module


def describe(module: Module, path: frozenset[int] = frozenset()) -> str:
    """The module and, indented, those in it."""
    title = type(module).__name__
    if id(module) in path:
        return f"{title}(...)"
    path |= {id(module)}
    extra = module.extra_repr()
    lines = extra.split("\n") if extra else []
    inside = [
        f"({name}): " + describe(value, path).replace("\n", "\n  ")
        for name, value in module.members()
        if not isinstance(value, Cell)
    ]
    if len(lines) <= 1 and not inside:
        return f"{title}({extra})"
    return f"{title}(\n  " + "\n  ".join(lines + inside) + "\n)"


def shown(module: Module) -> str:
    """The module as its repr shows it: if it holds others, with the count of parameters behind it."""
    text = describe(module)
    if "\n" not in text:
        return text
    parameters = [p for p in module.parameters() if not is_waiting(p)]
    frozen = sum(p.numel() for p in parameters if not p.flag)
    counts = f"{sum(p.numel() for p in parameters):,} parameters" + (f", {frozen:,} frozen" if frozen else "")
    return f"{text}  # {counts}"


def own_cells(module: Module) -> str:
    """The parameters and buffers that a module holds itself, with their shapes."""
    return ", ".join(
        f"{name}={list(value.shape)}" for name, value in module.members() if isinstance(value, Cell)
    )
