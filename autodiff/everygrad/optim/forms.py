"""Gradients in each form that `step` takes, as one list of tensors and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from everygrad.gradients import Gradients
from everygrad.nn.parameter import Cell
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import is_tensor

Rebuild = Callable[[list[Tensor]], Any]


def as_list(op: str, grads: Any) -> tuple[list[Tensor], Rebuild]:
    """(the gradients that are there, what makes the same form of others in their place)."""
    if isinstance(grads, Gradients):
        by_node = grads.tensors()
        return [*by_node.values()], lambda new: grads.like(dict(zip(by_node, new)))
    if isinstance(grads, Mapping):
        keys: list[Any] = [key for key, g in grads.items() if g is not None]  # pyright: ignore[reportUnknownVariableType]  # of anything
        given_by_key: dict[Any, Any] = dict(grads)  # pyright: ignore[reportUnknownArgumentType]  # of anything
        return _checked(op, [given_by_key[key] for key in keys]), lambda new: {
            **given_by_key,
            **dict(zip(keys, new)),
        }  # pyright: ignore[reportUnknownVariableType]  # the same
    if is_tensor(grads) or grads is None:
        raise TypeError(
            f"{op}: takes all gradients at once. Received: {type(grads).__name__}; write {op}(loss.backward(), ...), "
            f"or {op}([gradient], ...)"
        )
    if not isinstance(grads, Iterable):
        raise TypeError(
            f"{op}: takes gradients. Received: {type(grads).__name__}; write {op}(loss.backward(), ...)"
        )
    given: list[Any] = list(grads)  # pyright: ignore[reportUnknownArgumentType]  # checked below
    places = [i for i, g in enumerate(given) if g is not None]

    def rebuild(new: list[Tensor]) -> list[Tensor | None]:
        made = dict(zip(places, new))
        return [made.get(i) for i in range(len(given))]

    return _checked(op, [given[i] for i in places]), rebuild


def _checked(op: str, grads: list[Any]) -> list[Tensor]:
    for g in grads:
        if not is_tensor(g):
            raise TypeError(
                f"{op}: a gradient must be a Tensor or None. Received: {type(g).__name__}; "
                f"write {op}(loss.backward(), ...)"
            )
        if isinstance(g, Cell):  # cutting the weights themselves is never meant, and would go unnoticed
            raise TypeError(
                f"{op}: takes gradients, not parameters. Received: a {type(g).__name__} of shape {g.shape}; write "
                f"{op}(loss.backward(), ...)"
            )
    return grads
