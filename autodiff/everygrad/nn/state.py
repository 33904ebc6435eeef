"""The state of a module: saved whole, and loaded only after everything was checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from everygrad.nn import walk
from everygrad.nn.parameter import Buffer, Cell, Parameter
from everygrad_ops import DTypeError, ShapeError

if TYPE_CHECKING:
    from everygrad.nn.module import Module
    from everygrad.tensor import Tensor

__all__ = ["StateDictError"]


class StateDictError(ShapeError, RuntimeError):
    """A state that does not fit the module or the optimizer; nothing was changed."""


class LoadResult(NamedTuple):
    """What a load that is not strict left out."""

    missing_keys: list[str]
    unexpected_keys: list[str]


def saved_cells(module: Module) -> dict[str, Cell]:
    """All that is saved, under every name, module by module: parameters first, then buffers."""
    found: dict[str, Cell] = {}
    for path, part in walk.modules(module, "", distinct=False):
        for kind in (Parameter, Buffer):
            for name, value in part.members():
                if isinstance(value, kind) and not (isinstance(value, Buffer) and not value.persistent):
                    found[walk.joined(path, name)] = value
    return found


def load(module: Module, state: Mapping[str, Any], strict: bool) -> LoadResult:
    """See `Module.load_state_dict`."""
    if not isinstance(state, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise TypeError(
            f"load_state_dict: state must be a dictionary of names and values. Received: {type(state).__name__}"
        )
    own = saved_cells(module)
    missing = [name for name in own if name not in state]
    unexpected = [name for name in state if name not in own]
    values: dict[str, Tensor] = {}
    problems: list[str] = []
    for name, cell in own.items():
        if name in state:
            try:
                values[name] = cell.fitting(state[name])
            except (ShapeError, DTypeError, TypeError) as error:
                problems.append(f"{name} of shape {cell.shape} does not take its value: {error}")
    if strict and unexpected:
        problems.insert(0, f"unexpected: {', '.join(map(str, unexpected))}")
    if strict and missing:
        problems.insert(0, f"missing: {', '.join(missing)}")
    if problems:
        advice = "write strict=False to load what fits by name" if strict and (missing or unexpected) else ""
        raise StateDictError(
            f"load_state_dict: the state does not fit this {type(module).__name__}; nothing was changed.\n  "
            + "\n  ".join(filter(None, [*problems, advice]))
        )
    for name, value in values.items():
        own[name].put_array(value.array)
    return LoadResult(missing, unexpected)
