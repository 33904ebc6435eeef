"""What a module holds: found by looking at its attributes, also into lists, tuples and dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from everygrad.nn.parameter import Cell

if TYPE_CHECKING:
    from everygrad.nn.module import Module


def joined(prefix: str, name: str) -> str:
    """A dotted name."""
    return f"{prefix}.{name}" if prefix else name


def held(kind: type[Any], entries: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """(name, cell or module) for each cell and each `kind` among the entries, lists and dictionaries included."""
    return _held((kind, Cell), entries, "", set())


def _held(
    kinds: tuple[type[Any], ...], entries: Iterable[tuple[str, Any]], prefix: str, path: set[int]
) -> Iterator[tuple[str, Any]]:
    for key, value in entries:
        name = joined(prefix, key)
        if isinstance(value, kinds):
            yield name, value
            continue
        inside = items_of(value)
        if inside and id(value) not in path:  # a list may hold itself
            path.add(id(value))
            yield from _held(kinds, inside, name, path)
            path.discard(id(value))


def items_of(value: Any) -> list[tuple[str, Any]]:
    """What a list, tuple or dictionary holds, by name."""
    inside: Any = value  # of anything
    if isinstance(value, (list, tuple)):
        return [(str(i), item) for i, item in enumerate(inside)]
    if isinstance(value, Mapping):
        return [(str(key), item) for key, item in inside.items()]
    return []


def modules(root: Module, prefix: str, distinct: bool) -> Iterator[tuple[str, Module]]:
    """(dotted name, module) for the root and all below it; a cycle ends where it closes.

    Each module once if `distinct`, else under each of its names.
    """
    return _modules(root, prefix, distinct, set())


def _modules(root: Module, prefix: str, distinct: bool, seen: set[int]) -> Iterator[tuple[str, Module]]:
    if id(root) in seen:
        return
    seen.add(id(root))
    yield prefix, root
    for name, child in root.members():
        if not isinstance(child, Cell):
            yield from _modules(child, joined(prefix, name), distinct, seen)
    if not distinct:
        seen.discard(id(root))  # only the path stays


def bottom_up(root: Module) -> list[Module]:
    """The root and all below it, each once, and after those it holds."""
    order: list[Module] = []
    seen: set[int] = set()

    def visit(module: Module) -> None:
        if id(module) not in seen:
            seen.add(id(module))
            for _, child in module.members():
                if not isinstance(child, Cell):
                    visit(child)
            order.append(module)

    visit(root)
    return order


def cells(
    root: Module, kind: type[Any], prefix: str, recurse: bool, distinct: bool
) -> Iterator[tuple[str, Any]]:
    """(dotted name, cell) for each cell of a kind; a shared one once, under its first name, if `distinct`."""
    seen: set[int] = set()
    for path, module in modules(root, prefix, distinct) if recurse else ((prefix, root),):
        for name, value in module.members():
            if isinstance(value, kind) and id(value) not in seen:
                if distinct:
                    seen.add(id(value))
                yield joined(path, name), value
