"""Items put together into a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from everygrad.functional.creation import tensor
from everygrad.tensor.convert import values
from everygrad.tensor.wrap import is_tensor
from everygrad.tree import replace
from everygrad_ops import ShapeError

__all__ = ["default_collate"]


class HostArray:
    """An array on the host that becomes a tensor of the current backend: what workers send."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __reduce__(self) -> tuple[Any, ...]:
        return HostArray, (self.array,)


def default_collate(batch: Sequence[Any]) -> Any:
    """Items as one batch: arrays, tensors and numbers stacked into tensors along a new first dim.

    Dictionaries, tuples, named tuples and lists are gone through item by item, strings, bytes and a None that all items
    have are kept in a list.
    Tensors are made on the current backend: of Python's floats in float32, of integers in int64, of arrays in their
    own dtype.

    Raises `ShapeError` for arrays of unequal shapes and `TypeError` for what it does not know and for kinds that differ,
    None too, naming the place and the item.

    >>> import everygrad as eg
    >>> batch = eg.data.default_collate([{"x": 1.0, "name": "a"}, {"x": 2.0, "name": "b"}])
    >>> batch["x"].tolist(), batch["name"]
    ([1.0, 2.0], ['a', 'b'])
    """
    return to_tensors(collate_on_host(batch))


def collate_on_host(batch: Sequence[Any]) -> Any:
    """The same with arrays on the host in the place of tensors."""
    if not len(batch):
        raise ValueError("default_collate: needs at least one item. Received: none")
    return _collate(list(batch), _WHOLE)


def to_tensors(batch: Any) -> Any:
    """The batch with its host arrays as tensors of the current backend."""
    return replace(batch, lambda host: tensor(host.array, copy=False), lambda x: isinstance(x, HostArray))


def to_host(batch: Any) -> Any:
    """The batch with its tensors as arrays on the host."""
    return replace(batch, lambda x: HostArray(values(x)))


_WHOLE = "item"
"""The place of the items themselves: there None is what a __getitem__ without a return gives."""


def _collate(items: list[Any], place: str) -> Any:
    first = items[0]
    kind: Any = type(first)  # pyright: ignore[reportUnknownVariableType]  # of anything
    if any(type(x) is not kind for x in items) or (first is None and place == _WHOLE):
        _need_alike(items, place)
    if is_tensor(first):
        return _stack([values(x) for x in items], place)
    if isinstance(first, (np.ndarray, np.generic)) or (kind in (int, float) and any(map(np.ndim, items))):
        return _stack([np.asarray(x) for x in items], place)  # pyright: ignore[reportUnknownArgumentType]  # of any dtype
    if isinstance(first, (int, float)):
        if all(isinstance(x, bool) for x in items):
            return HostArray(np.array(items, np.bool_))
        whole = all(isinstance(x, int) for x in items)
        return HostArray(np.array(items, np.int64 if whole else np.float32))
    if first is None or isinstance(first, (str, bytes)):
        return items
    return _collate_nest(items, place)


def _collate_nest(items: list[Any], place: str) -> Any:
    first = items[0]
    if isinstance(first, Mapping):
        keys: list[Any] = list(first)  # pyright: ignore[reportUnknownArgumentType]  # of anything
        for i, item in enumerate(items):
            if set(item) != set(keys):
                raise ValueError(
                    f"default_collate: all items must have the keys {keys} in {place}. Received: {list(item)} in item {i} of the batch"
                )
        return {key: _collate([item[key] for item in items], f"{place}[{key!r}]") for key in keys}
    if isinstance(first, (tuple, list)):
        count = len(first)  # pyright: ignore[reportUnknownArgumentType]  # of anything
        for i, item in enumerate(items):
            if len(item) != count:
                raise ValueError(
                    f"default_collate: all items must have {count} entries in {place}. "
                    f"Received: {len(item)} in item {i} of the batch; write collate_fn=... that pads them"
                )
        columns = [_collate([item[j] for item in items], f"{place}[{j}]") for j in range(count)]
        return _of_kind(type(first), columns)  # pyright: ignore[reportUnknownArgumentType]  # of anything
    raise TypeError(
        f"default_collate: takes tensors, arrays, numbers, strings, and dictionaries, tuples or lists of them. "
        f"Received: {type(first).__name__} as {place}; write numpy.asarray(...) around it, or collate_fn=..."
    )


def _of_kind(kind: Any, columns: list[Any]) -> Any:
    return kind(*columns) if hasattr(kind, "_fields") else kind(columns)


def _need_alike(items: list[Any], place: str) -> None:
    """Refuse None, and what cannot be one batch: a number beside None would be NaN, beside a text a list of both."""
    kinds = [_kind(x) for x in items]
    for i, x in enumerate(items):
        if x is None:
            raise TypeError(
                f"default_collate: {place} must not be None, or be None in all items. Received: None in item {i} of the batch; "
                "leave such items out of the dataset, or write collate_fn=... that knows what to do with them"
            )
        if kinds[i] is not kinds[0]:
            raise TypeError(
                f"default_collate: {place} must be of one kind in all items. Received: {type(items[0]).__name__} in the first and "
                f"{type(x).__name__} in item {i} of the batch; write the same in all, such as eg.tensor(...)"
            )


_KINDS: tuple[Any, ...] = ((np.ndarray, np.generic, float, int), str, bytes, Mapping, tuple, list)


def _kind(x: Any) -> Any:
    """What it is put together as."""
    if is_tensor(x):
        return HostArray
    own: Any = type(x)  # pyright: ignore[reportUnknownVariableType]  # of anything
    return next((kind for kind in _KINDS if isinstance(x, kind)), own)


def _stack(arrays: list[np.ndarray[Any, Any]], place: str) -> HostArray:
    shape = arrays[0].shape
    for i, array in enumerate(arrays):
        if array.shape != shape:
            raise ShapeError(
                f"default_collate: {place} must have one shape in all items. Received: {shape} in the first and "
                f"{array.shape} in item {i} of the batch; write collate_fn=... that pads them"
            )
    return HostArray(np.stack(arrays))
