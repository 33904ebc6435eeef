"""Gradients of several batches as those of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from everygrad.engine import no_grad
from everygrad.gradients import Gradients
from everygrad.optim.forms import as_list
from everygrad.optim.options import need_choice
from everygrad_ops import GradientError

__all__ = ["accumulate"]

G = TypeVar("G")


def accumulate(grads: Sequence[G], reduction: str = "sum") -> G:
    """The sum or mean of several gradients of the same parameters, in the form they have.

    Where a parameter has no gradient in one of them, that one counts as zero. A running sum is
    `total = accumulate([total, grads])`.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([1.0, 2.0])
    >>> parts = [(p * x).sum().backward() for x in (1.0, 3.0)]
    >>> eg.optim.accumulate(parts, "mean")[p].tolist()
    [2.0, 2.0]
    """
    need_choice("reduction", reduction, ("sum", "mean"))
    if not isinstance(grads, (list, tuple)):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise TypeError(
            f"accumulate: takes a list of gradients. Received: {type(grads).__name__}; write accumulate([loss.backward(), ...])"
        )
    given: list[Any] = list(grads)
    for one in given:
        if not isinstance(one, Gradients):
            as_list("accumulate", one)
    if not given:
        raise GradientError(
            "accumulate: needs gradients. Received: none; write accumulate([loss.backward(), ...])"
        )
    if any(isinstance(one, Gradients) != isinstance(given[0], Gradients) for one in given):
        raise TypeError(
            f"accumulate: gradients in one form. Received: {', '.join(type(one).__name__ for one in given)}"
        )
    with no_grad():
        return cast("G", _total(given, 1 / len(given) if reduction == "mean" else 1.0))


def _total(given: list[Any], scale: float) -> Any:
    first = given[0]
    if isinstance(first, Gradients):
        if any(one.backend is not first.backend or one.tracked for one in given):
            raise GradientError(
                "accumulate: takes gradients that are values, of one backend. Received: some of another "
                "backend, or made with create_graph=True; add those by hand"
            )
        return first.like(_sums([one.tensors() for one in given], scale))
    if isinstance(first, Mapping):
        return _sums(given, scale)
    lists: list[list[Any]] = [list(one) for one in given]
    if len({len(one) for one in lists}) > 1:
        raise GradientError(
            f"accumulate: lists of one length. Received: {', '.join(str(len(one)) for one in lists)} gradients"
        )
    sums = _sums([dict(enumerate(one)) for one in lists], scale)
    return [sums.get(i) for i in range(len(lists[0]))]


def _sums(parts: list[dict[Any, Any]], scale: float) -> dict[Any, Any]:
    total: dict[Any, Any] = {}
    for part in parts:
        for key, g in part.items():
            before = total.get(key)
            total[key] = before if g is None else g if before is None else before + g
    return {key: g if g is None or scale == 1 else g * scale for key, g in total.items()}
