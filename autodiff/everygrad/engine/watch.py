"""Where someone may look at every op and every gradient: nobody does, until they are asked to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Protocol
from weakref import WeakSet

from everygrad.engine.node import Node
from everygrad_ops import OpSpec


class Watcher(Protocol):
    """Sees the gradients of a backward pass."""

    def pull(self, b: Any, g: Any, node: Node, parents: Sequence[Node | None], graph: bool) -> Sequence[Any]:
        """What the node's record gives for the upstream gradient `g`."""
        ...

    def leaf(self, b: Any, g: Any) -> None:
        """The gradient of a variable is complete, for now."""
        ...


watcher: ContextVar[Watcher | None] = ContextVar("everygrad_watcher", default=None)
"""Who looks at the backward passes that start here."""

Wrapper = Callable[[OpSpec, Any, Callable[..., Any]], Callable[..., Any]]

wrappers: list[Wrapper] = []
"""What is put around a decorator's methods as they are generated: (op, decorator, method) to method."""

decorators: WeakSet[Any] = WeakSet()
"""Every decorator alive."""
