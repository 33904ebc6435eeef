"""Marks: what the contract states about an op beyond its signature.

A mark is a decorator on a method of the contract; `everygrad_ops.spec` reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Marks:
    """All that decorators can say about one op."""

    primitive: bool = False
    optional: bool = False
    differentiable: bool = True
    query: bool = False
    broadcasting: bool = False
    outputs: tuple[str, ...] = ()
    integer_outputs: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    internal: bool = False
    pointwise: bool = False
    cheap: bool = False


def marks_of(op: Callable[..., Any]) -> Marks:
    """The marks of a contract method (all off when it carries none)."""
    marks = getattr(op, "__marks__", None)
    return marks if isinstance(marks, Marks) else Marks()


def _mark(op: F, **changes: Any) -> F:
    op.__marks__ = replace(marks_of(op), **changes)  # type: ignore[attr-defined]  # functions take attributes
    return op


def primitive(op: F) -> F:
    """Every backend must implement this op; its body raises `MissingOp`."""
    return _mark(op, primitive=True)


def optional(op: F) -> F:
    """A primitive of the optional group: its default goes through the host, so it needs a rule of its own."""
    return _mark(op, optional=True)


def non_differentiable(op: F) -> F:
    """The result carries no gradient (comparisons, argmax, creation, random numbers)."""
    return _mark(op, differentiable=False)


def query(op: F) -> F:
    """The result is a host value, not an array; nothing is recorded."""
    return _mark(op, query=True, differentiable=False)


def broadcasting(op: F) -> F:
    """Array operands broadcast; the engine sums each gradient back to its operand's shape; such ops are cheap."""
    return _mark(op, broadcasting=True, cheap=True)


def pointwise(op: F) -> F:
    """The result has the shape and dtype of the one array operand; such ops are cheap."""
    return _mark(op, pointwise=True, cheap=True)


def cheap(op: F) -> F:
    """Little more than reading and writing memory: under checkpointing, computed again rather than kept."""
    return _mark(op, cheap=True)


def internal(op: F) -> F:
    """For the engine alone: no rule, no case in the suite, never called through a decorator."""
    return _mark(op, internal=True, differentiable=False)


def outputs(*names: str, integer: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Name the results of a multi-output op; `integer` lists those that are never differentiable."""

    def mark(op: F) -> F:
        return _mark(op, outputs=names, integer_outputs=integer)

    return mark


def caches(*names: str) -> Callable[[F], F]:
    """Arguments that only repeat what the others determine: never differentiated, dropped when recomputing."""

    def mark(op: F) -> F:
        return _mark(op, caches=names)

    return mark
