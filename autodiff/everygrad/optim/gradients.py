"""Each parameter and its gradient, whatever form the gradients come in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from everygrad.gradients import Gradients
from everygrad.nn.parameter import Parameter
from everygrad.optim.slots import bare
from everygrad.tensor import Tensor
from everygrad.tensor.operands import lift_to
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import DTypeError, GradientError, ShapeError

Pairs = list[tuple[Parameter, Any, Mapping[str, Any]]]
"""(parameter, gradient as an array under the outermost decorator, options) of those that have a gradient."""


def paired(groups: Sequence[Mapping[str, Any]], grads: Any) -> Pairs:
    """The parameters that have a gradient, with it; a gradient that does not fit raises."""
    params: list[tuple[Parameter, Mapping[str, Any]]] = [
        (p, group) for group in groups for p in group["params"]
    ]
    if isinstance(grads, Gradients):
        found = [grads.at(p) for p, _ in params]
        if all(g is None for g in found):
            raise _unconnected()
        return [(p, g, group) for (p, group), g in zip(params, found) if g is not None]
    given = _in_order([p for p, _ in params], grads)
    return [
        (p, bare(_fit(p, g, i))[1], group)
        for i, ((p, group), g) in enumerate(zip(params, given))
        if g is not None
    ]


def _unconnected() -> GradientError:
    return GradientError(
        "step: none of the optimizer's parameters is connected to these gradients. They come from another "
        "model, or from before a move: call model.to(...) first, then compute the loss"
    )


def _in_order(params: list[Parameter], grads: Any) -> list[Tensor | None]:
    if isinstance(grads, Mapping):
        by_id: dict[int, Any] = {id(p): g for p, g in grads.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # checked next
        foreign = set(by_id) - {id(p) for p in params}
        if foreign:
            raise GradientError(
                f"step: a gradient is for something that is not a parameter of this optimizer. Received: {len(foreign)} "
                "such keys; write {parameter: gradient}"
            )
        return [by_id.get(id(p)) for p in params]
    if is_tensor(grads):
        raise TypeError("step: takes all gradients at once. Received: one Tensor; write step([gradient])")
    if grads is None:
        raise TypeError("step: needs the gradients. Received: None; write step(loss.backward())")
    if not isinstance(grads, Iterable):
        raise TypeError(
            f"step: takes gradients. Received: {type(grads).__name__}; write step(loss.backward())"
            + (" (only LBFGS takes a function)" if callable(grads) else "")
        )
    given: list[Any] = list(grads)  # pyright: ignore[reportUnknownArgumentType]  # each is checked by _fit
    if len(given) != len(params):
        raise GradientError(
            f"step: one gradient, or None, for each of {len(params)} parameters. Received: {len(given)}"
        )
    return given


def _fit(p: Parameter, g: Any, position: int) -> Tensor:
    if not is_tensor(g):
        raise TypeError(
            f"step: the gradient of parameter {position} must be a Tensor or None. Received: {type(g).__name__}; "
            "write step(loss.backward()), or eg.tensor(gradient)"
        )
    if g.shape != p.shape:
        raise ShapeError(
            f"step: the gradient of parameter {position} must have its shape {p.shape}. Received: {g.shape}"
        )
    if g.dtype is not p.dtype:
        raise DTypeError(
            f"step: the gradient of parameter {position} must have its dtype {p.dtype}. Received: {g.dtype}"
        )
    return lift_to("step", g, p.backend)
