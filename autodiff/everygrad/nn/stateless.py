"""A module as a function of its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.engine.replay import standing_in
from everygrad.nn import walk
from everygrad.nn.parameter import Cell
from everygrad.nn.state import StateDictError
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import is_tensor

if TYPE_CHECKING:
    from everygrad.nn.module import Module

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]],
    args: Any = None,
    kwargs: Mapping[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """`module(*args, **kwargs)` with other values for its parameters and buffers, by dotted name, for this call.

    The values may be tracked: gradients flow to them, so that `eg.grad` and `eg.hessian` work in parameters.
    Names that are not given keep the module's own value (an error with `strict`); a tied parameter takes one value for
    all its names (without `tie_weights`, which torch offers, ties cannot be cut: it raises). What the module
    itself assigns to a given buffer is dropped after the call. Raises `StateDictError` for unknown names or other shapes.

    >>> import everygrad as eg
    >>> from everygrad import nn
    >>> net = nn.Linear(2, 1)
    >>> def loss(params, x):
    ...     return nn.functional_call(net, params, (x,)).sum()
    >>> params = {"weight": eg.ones(1, 2), "bias": eg.zeros(1)}
    >>> eg.grad(loss)(params, eg.tensor([[3.0, 4.0]]))["weight"].tolist()
    [[3.0, 4.0]]
    """
    given: dict[str, Any] = {}
    dictionaries = (
        [parameter_and_buffer_dicts]
        if isinstance(parameter_and_buffer_dicts, Mapping)
        else parameter_and_buffer_dicts
    )
    for part in dictionaries:
        if set(part) & set(given):
            raise StateDictError(
                f"functional_call: a name is in several dictionaries. Received: {', '.join(set(part) & set(given))}"
            )
        given.update(part)
    chosen = _chosen(module, given, tie_weights, strict)
    arguments: tuple[Any, ...] = args if isinstance(args, tuple) else () if args is None else (args,)  # pyright: ignore[reportUnknownVariableType]  # of anything
    with standing_in(chosen):
        return module(*arguments, **(kwargs or {}))


def _chosen(module: Module, given: Mapping[str, Any], tied: bool, strict: bool) -> list[tuple[Cell, Tensor]]:
    """The cells and what stands in their place."""
    cells = dict(walk.cells(module, Cell, "", True, False))
    unknown = [name for name in given if name not in cells]
    missing = [name for name in cells if name not in given] if strict else []
    problems = [f"unknown: {', '.join(unknown)}"] if unknown else []
    ids = {id(cells[name]) for name in given if name in cells}
    missing = [name for name in missing if not (tied and id(cells[name]) in ids)]
    if missing:
        problems.append(f"missing: {', '.join(missing)}")
    if not tied and len({id(c) for c in cells.values()}) < len(cells):
        problems.append(
            "tie_weights=False, but a tied parameter is one object here: make two parameters first"
        )
    found: dict[int, tuple[Cell, Any]] = {}
    for name in set(cells) & set(given):
        cell, value = cells[name], given[name]
        if not is_tensor(value) or value.shape != cell.shape:
            kind = f"shape {value.shape}" if is_tensor(value) else type(value).__name__
            problems.append(f"{name} must be a Tensor of shape {cell.shape}. Received: {kind}")
        other = found.setdefault(id(cell), (cell, value))[1]
        if other is not value:
            problems.append(f"{name} is tied to another name, which was given another value")
    if problems:
        raise StateDictError(
            f"functional_call: the values do not fit this {type(module).__name__}.\n  "
            + "\n  ".join(problems)
        )
    return list(found.values())
