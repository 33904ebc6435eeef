"""What stands in for an object whose class is not known."""

from __future__ import annotations

from typing import Any

__all__ = ["Opaque"]


class Opaque:
    """An object of a file that was not made: the name of its class, the arguments, the attributes it would have.

    >>> Opaque("mylib.Config", (3,))
    Opaque('mylib.Config', args=(3,))
    """

    def __init__(self, name: str, args: tuple[Any, ...] = ()) -> None:
        self.name, self.args = name, args
        self.attributes: dict[Any, Any] = {}
        self.items: list[Any] = []

    def __setitem__(self, key: Any, value: Any) -> None:
        self.attributes[key] = value

    def append(self, item: Any) -> None:
        """Keep an item of an object that is a list."""
        self.items.append(item)

    def extend(self, items: list[Any]) -> None:
        """Keep items of an object that is a list."""
        self.items.extend(items)

    update = extend

    def __repr__(self) -> str:
        state = f", attributes={list(self.attributes)}" if self.attributes else ""
        return f"Opaque({self.name!r}, args={self.args!r}{state})"
