"""What dictionaries of modules and of parameters share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from typing_extensions import override

from everygrad.nn.module import Module

V = TypeVar("V")


class Named(Module, Generic[V]):
    """A dictionary whose values `admitted` checks; what it holds comes first, then what a subclass added."""

    def __init__(self, items: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        self._items: dict[str, V] = {}
        self.update(items)

    def admitted(self, value: Any) -> V:
        """The value as it is held, or an error."""
        raise NotImplementedError

    @override
    def entries(self) -> Iterable[tuple[str, Any]]:
        return [*self._items.items(), *others_of(self)]

    def update(self, items: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        """Add or replace several."""
        for name, value in dict(items).items():
            self[name] = value

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._items.keys()

    def values(self) -> Iterable[V]:
        """What is held."""
        return self._items.values()

    def items(self) -> Iterable[tuple[str, V]]:
        """(name, what is held under it)."""
        return self._items.items()

    def pop(self, key: str) -> V:
        """Take one out."""
        return self._items.pop(key)

    def clear(self) -> None:
        """Take all out."""
        self._items.clear()

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._items[key] = self.admitted(value)

    def __delitem__(self, key: str) -> None:
        del self._items[key]


def others_of(module: Module) -> Iterator[tuple[str, Any]]:
    """The attributes that a subclass added."""
    return ((name, value) for name, value in vars(module).items() if name != "_items")
