"""Lists and dictionaries of parameters, as modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, overload

from typing_extensions import override

from everygrad.nn.module import Module
from everygrad.nn.named import Named, others_of
from everygrad.nn.parameter import Cell, Parameter
from everygrad.tensor.wrap import is_tensor

__all__ = ["ParameterDict", "ParameterList"]


def _held(value: Any) -> Any:
    """Plain tensors become parameters; parameters, buffers and whatever else is no tensor stay what they are."""
    return Parameter(value) if is_tensor(value) and not isinstance(value, Cell) else value


def _described(items: Iterable[tuple[Any, Any]]) -> str:
    return "\n".join(
        f"({name}): {type(value).__name__}"
        + (f" of {value.dtype.value} {list(value.shape)}" if is_tensor(value) else "")
        for name, value in items
    )


class ParameterList(Module):
    """A list of parameters. A plain list in an attribute is found as well; this one makes parameters of tensors.

    >>> import everygrad as eg
    >>> weights = eg.nn.ParameterList([eg.ones(2), eg.zeros(3)])
    >>> len(weights.append(eg.ones(1))), list(weights.state_dict()), weights[0].requires_grad
    (3, ['0', '1', '2'], True)
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        self._items: list[Any] = []
        self.extend(() if values is None else values)

    @override
    def entries(self) -> Iterable[tuple[str, Any]]:
        return [*((str(i), value) for i, value in enumerate(self._items)), *others_of(self)]

    def append(self, value: Any) -> Self:
        """Put a parameter at the end."""
        self._items.append(_held(value))
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Put several parameters at the end."""
        self._items.extend(map(_held, values))
        return self

    def pop(self, idx: int = -1) -> Any:
        """Take a parameter out."""
        return self._items.pop(idx)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    @overload
    def __getitem__(self, idx: int) -> Any: ...
    @overload
    def __getitem__(self, idx: slice) -> ParameterList: ...
    def __getitem__(self, idx: int | slice) -> Any:
        return ParameterList(self._items[idx]) if isinstance(idx, slice) else self._items[idx]

    def __setitem__(self, idx: int, param: Any) -> None:
        self._items[idx] = _held(param)

    @override
    def extra_repr(self) -> str:
        return _described(enumerate(self._items))


class ParameterDict(Named[Any]):
    """A dictionary of parameters. A plain one in an attribute is found as well; this one makes parameters of tensors.

    >>> import everygrad as eg
    >>> scales = eg.nn.ParameterDict({"a": eg.ones(2)})
    >>> scales["b"] = eg.zeros(3)
    >>> list(scales.state_dict()), "b" in scales
    (['a', 'b'], True)
    """

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None) -> None:
        super().__init__(() if parameters is None else parameters)

    @override
    def admitted(self, value: Any) -> Any:
        return _held(value)

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of a name, or `default`."""
        return self._items.get(key, default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of a name; `default` is put there if there is none."""
        return self._items.setdefault(key, _held(default))

    def popitem(self) -> tuple[str, Any]:
        """Take the last one out, as (name, parameter)."""
        return self._items.popitem()

    @classmethod
    def fromkeys(cls, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A dictionary with `default` under each name."""
        return cls(dict.fromkeys(keys, default))

    def copy(self) -> ParameterDict:
        """Another dictionary of the same parameters."""
        return ParameterDict(self._items)

    def __or__(self, other: ParameterDict) -> ParameterDict:
        return ParameterDict({**self._items, **dict(other.items())})

    @override
    def extra_repr(self) -> str:
        return _described(self._items.items())
