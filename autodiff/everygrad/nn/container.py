"""Modules of modules."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, overload

from typing_extensions import override

from everygrad.nn.module import Module
from everygrad.nn.named import Named, others_of

__all__ = ["ModuleDict", "ModuleList", "Sequential"]


class Sequential(Module):
    """Calls each module on what the one before returned.

    Takes the modules one by one, or one dictionary of names and modules.

    >>> import everygrad as eg
    >>> from everygrad import nn
    >>> net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    >>> net
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )  # 9 parameters
    >>> net(eg.ones(4, 2)).shape, len(net[:1])
    ((4, 3), 1)
    """

    def __init__(self, *args: Any) -> None:
        first: Any = args[0] if args else None
        named: Any = first if len(args) == 1 and isinstance(args[0], Mapping) else dict(enumerate(args))
        for name, module in named.items():
            setattr(self, str(name), _module("Sequential", module))

    def forward(self, input: Any) -> Any:
        """The last module's result."""
        for module in self:
            input = module(input)
        return input

    def append(self, module: Module) -> Self:
        """Put a module at the end."""
        return self.insert(len(self), module)

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before position `index`. Numbered modules are numbered again, named ones keep their names.

        >>> from everygrad import nn
        >>> net = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1)).insert(1, nn.ReLU())
        >>> list(net.state_dict())
        ['0.weight', '0.bias', '2.weight', '2.bias']
        """
        items = self._named()
        items.insert(index, (None, _module("Sequential", module)))
        self._hold(items)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Put several modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def pop(self, index: int = -1) -> Module:
        """Take a module out."""
        items = self._named()
        _, module = items.pop(index)
        self._hold(items)
        return module

    def __setitem__(self, index: int, module: Module) -> None:
        """Put another module in the place of one, such as a new last layer."""
        name = self._named()[index][0]
        assert name is not None
        setattr(self, name, _module("Sequential", module))

    def __delitem__(self, index: int | slice) -> None:
        items = self._named()
        del items[index]
        self._hold(items)

    def __add__(self, other: Iterable[Module]) -> Sequential:
        """A new sequence: these modules and then the others'."""
        return Sequential(*self, *other)

    def __mul__(self, times: int) -> Sequential:
        """A new sequence of `times` times the same modules, which stay tied."""
        return Sequential(*[module for _ in range(times) for module in self])

    def __len__(self) -> int:
        return len(self._named())

    def __iter__(self) -> Iterator[Module]:
        return iter([module for _, module in self._named()])

    def _named(self) -> list[tuple[str | None, Module]]:
        """The modules with their names, in order."""
        return [(name, value) for name, value in vars(self).items() if isinstance(value, Module)]

    def _hold(self, items: list[tuple[str | None, Module]]) -> None:
        """Hold these modules: those without a name, or with a number, get numbers in order."""
        kept = {name for name, _ in items if name is not None and not name.isdigit()}
        numbered = not kept
        for name, _ in self._named():
            delattr(self, str(name))
        taken = {name for name, _ in items if name is not None}
        for position, (name, module) in enumerate(items):
            if numbered:
                name = str(position)
            elif name is None:  # the first free number from its place on
                name = next(str(n) for n in itertools.count(position) if str(n) not in taken)
            setattr(self, name, module)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Sequential: ...
    def __getitem__(self, index: int | slice) -> Any:
        """A module, or several as a new container."""
        if isinstance(index, slice):
            named = {name: value for name, value in vars(self).items() if isinstance(value, Module)}
            return Sequential(dict(list(named.items())[index]))
        return list(self)[index]


class ModuleList(Module):
    """A list of modules; to be called one by one.

    >>> from everygrad import nn
    >>> layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
    >>> len(layers.append(nn.ReLU())), list(layers.state_dict())
    (3, ['0.weight', '0.bias', '1.weight', '1.bias'])
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        self._items: list[Module] = []
        self.extend(modules)

    @override
    def entries(self) -> Iterable[tuple[str, Any]]:
        return [*((str(i), module) for i, module in enumerate(self._items)), *others_of(self)]

    def append(self, module: Module) -> Self:
        """Put a module at the end."""
        self._items.append(_module("append", module))
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Put several modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Put a module before position `index`."""
        self._items.insert(index, _module("insert", module))

    def pop(self, key: int = -1) -> Module:
        """Take a module out."""
        return self._items.pop(key)

    def __delitem__(self, index: int | slice) -> None:
        del self._items[index]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        """A new list: these modules and then the others."""
        return ModuleList([*self, *other])

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._items)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> ModuleList: ...
    def __getitem__(self, index: int | slice) -> Any:
        """A module, or several as a new container."""
        return ModuleList(self._items[index]) if isinstance(index, slice) else self._items[index]

    def __setitem__(self, index: int, module: Module) -> None:
        self._items[index] = _module("ModuleList", module)


class ModuleDict(Named[Module]):
    """A dictionary of modules; to be called one by one.

    >>> from everygrad import nn
    >>> heads = nn.ModuleDict({"a": nn.Linear(2, 2)})
    >>> list(heads.state_dict()), "a" in heads
    (['a.weight', 'a.bias'], True)
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] = ()) -> None:
        super().__init__(modules)

    @override
    def admitted(self, value: Any) -> Module:
        return _module("ModuleDict", value)


def _module(where: str, module: Any) -> Module:
    if not isinstance(module, Module):
        raise TypeError(
            f"{where}: takes modules. Received: {type(module).__name__}; write a class with a forward method, "
            "such as nn.ReLU() for nn.functional.relu"
        )
    return module
