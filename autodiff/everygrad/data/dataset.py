"""What a dataset is: items by number, or a stream of items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, TypeVar

from everygrad_ops import EverygradError

if TYPE_CHECKING:
    from everygrad.data.combine import ConcatDataset

__all__ = ["Dataset", "ItemError", "IterableDataset"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class ItemError(EverygradError, RuntimeError):
    """An item of a dataset that could not be had; `index` and `dataset` say which, `__cause__` says why."""

    def __init__(self, message: str, index: Any = None, dataset: str = "") -> None:
        super().__init__(message)
        self.index = index
        self.dataset = dataset


class Items(Protocol[T_co]):
    """What may stand where a dataset is asked for."""

    def __getitem__(self, index: int, /) -> T_co: ...
    def __len__(self) -> int: ...


class Dataset(Generic[T_co]):
    """Items by number, from 0 to `len(dataset) - 1`: write `__getitem__` and `__len__`.

    Anything else that has these two, such as a list, may stand where a dataset is asked for.

    >>> import everygrad as eg
    >>> class Squares(eg.data.Dataset[int]):
    ...     def __getitem__(self, index):
    ...         return index**2
    ...     def __len__(self):
    ...         return 3
    >>> list(Squares()), len(Squares() + Squares())
    ([0, 1, 4], 6)
    """

    def __getitem__(self, index: int) -> T_co:
        """The item of number `index`."""
        raise NotImplementedError(
            f"{type(self).__name__} has no __getitem__. Write a method `def __getitem__(self, index): ...` in the class"
        )

    def __len__(self) -> int:
        """How many items there are."""
        raise TypeError(
            f"{type(self).__name__} has no __len__. Write a method `def __len__(self): ...` in the class"
        )

    def __iter__(self) -> Iterator[T_co]:
        """The items in order."""
        return (self[i] for i in range(len(self)))

    def __add__(self, other: Dataset[T]) -> ConcatDataset[Any]:
        """This dataset, then the other."""
        from everygrad.data.combine import ConcatDataset

        return ConcatDataset([self, other])


class IterableDataset(Generic[T_co]):
    """Items one after the other: write `__iter__`.

    With worker processes every worker reads the whole stream and hands over only its share, so that no item is
    lost or repeated and the order stays. Where reading is what takes long, write `shard(worker, workers)` too:
    an iterator over that worker's share alone; batches then come from the workers in turn.

    >>> import everygrad as eg
    >>> class Count(eg.data.IterableDataset[int]):
    ...     def __iter__(self):
    ...         return iter(range(5))
    >>> [batch.tolist() for batch in eg.data.DataLoader(Count(), batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(
            f"{type(self).__name__} has no __iter__. Write a method `def __iter__(self): ...` in the class"
        )

    def __getitem__(self, index: int) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} is a stream: it has no item {index!r}. Write iter(dataset), or derive from Dataset"
        )

    def shard(self, worker: int, workers: int) -> Iterator[T_co] | None:
        """One worker's share of the stream; None where it is not split."""
        return None


def checked_index(dataset: Any, index: Any, size: int) -> int:
    """`index` as a number from 0 to size - 1; negative ones count from the end."""
    position = int(index.__index__())
    if not -size <= position < size:
        raise IndexError(
            f"{type(dataset).__name__}: index must be from {-size} to {size - 1}. Received: {position}"
        )
    return position % size


def checked_indices(name: str, indices: Any, size: int) -> list[int]:
    """A list of numbers of items that exist."""
    found = [int(i.__index__()) for i in indices]
    bad = next((i for i in found if not -size <= i < size), None)
    if bad is not None:
        raise IndexError(f"{name}: indices must be below the {size} items of the dataset. Received: {bad}")
    return [i % size for i in found]


def size_of(dataset: Any) -> int:
    """How many items there are; what has no length is refused."""
    try:
        return len(dataset)
    except TypeError:
        raise TypeError(
            f"a dataset needs __getitem__ and __len__. Received: {type(dataset).__name__}; "
            "write eg.data.InMemoryDataset(list(items)) for a stream that fits in memory"
        ) from None
