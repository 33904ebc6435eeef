"""Putting a function around every op of every backend, and taking it off again."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Protocol

from everygrad.engine.watch import decorators, wrappers
from everygrad_ops import OpSpec, Result, contract, inner_of


class Watching(Protocol):
    """Runs the ops of a context."""

    def op(
        self,
        spec: OpSpec,
        b: Any,
        method: Callable[..., Any],
        args: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> Any:
        """What `method(*args, **keywords)` returns."""
        ...


watching: ContextVar[Watching | None] = ContextVar("everygrad_watching", default=None)
"""Who runs the ops here; in other threads and tasks they run as they are."""

_before: list[tuple[Any, dict[str, Any]]] = []
"""(backend, the methods that it had in itself)."""


def install() -> None:
    """Put the function around."""
    wrappers.append(_around)
    libraries: set[Any] = set()
    for decorator in list(decorators):
        own = _own(decorator)
        had = {name: own[name] for name in contract() if name in own}
        _before.append((decorator, had))
        own.update({name: _around(contract()[name], decorator, method) for name, method in had.items()})
        level: Any = decorator
        while (inner := inner_of(level)) is not None:
            level = inner
        libraries.add(level)
    for library in libraries:
        own = _own(library)
        _before.append((library, {name: own[name] for name in contract() if name in own}))
        for name, spec in contract().items():
            own[name] = _around(spec, library, getattr(library, name))


def uninstall() -> None:
    """Take it off, also of what was generated meanwhile."""
    wrappers.remove(_around)
    before = {id(b): (b, had) for b, had in _before}
    _before.clear()
    for decorator in list(decorators):
        before.setdefault(id(decorator), (decorator, {}))
    for b, had in before.values():
        own = _own(b)
        for name in contract():
            own.pop(name, None)
        own.update(had)


def _own(b: Any) -> dict[str, Any]:
    """What a backend has in itself, and not from its class."""
    own: dict[str, Any] = b.__dict__
    return own


def _around(spec: OpSpec, b: Any, method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, run by whoever watches here."""
    if spec.result is Result.HOST:
        return method

    def watched(*args: Any, **keywords: Any) -> Any:
        who = watching.get()
        return method(*args, **keywords) if who is None else who.op(spec, b, method, args, keywords)

    return watched
