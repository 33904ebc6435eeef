"""Datasets that show the items of another in another order, in another number, or several at a time."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeVar

from typing_extensions import override

from everygrad.data.combine import Subset
from everygrad.data.dataset import Dataset, Items, checked_index, size_of
from everygrad.data.seeds import chosen_seed, generator

__all__ = ["PartialDataset", "SamplerDataset", "ShuffledDataset", "WindowsDataset"]

T = TypeVar("T")
U = TypeVar("U")


class ShuffledDataset(Subset[T]):
    """The items in one random order, the same in every epoch; a loader's `shuffle=True` draws a new one each time.

    >>> import everygrad as eg
    >>> sorted(eg.data.ShuffledDataset([3, 1, 2], seed=0))
    [1, 2, 3]
    """

    def __init__(self, dataset: Items[T], seed: int | None = None) -> None:
        order = generator(chosen_seed(seed)).permutation(size_of(dataset))
        super().__init__(dataset, order.tolist())


class SamplerDataset(Subset[T]):
    """`size` items drawn at random, with or without replacement; a float `size` is a share of the dataset.

    Without replacement, and for more items than there are, each is there equally often, give or take one.

    >>> import everygrad as eg
    >>> sorted(eg.data.SamplerDataset([5, 7], 4, replacement=False, seed=0))
    [5, 5, 7, 7]
    """

    def __init__(
        self, dataset: Items[T], size: float, replacement: bool = True, seed: int | None = None
    ) -> None:
        count = size_of(dataset)
        wanted = round(count * size) if isinstance(size, float) else int(size)
        if wanted < 0 or (wanted and not count):
            raise ValueError(
                f"SamplerDataset: size must be at least 0, and 0 of an empty dataset. Received: size={size!r} of {count} items"
            )
        draw = generator(chosen_seed(seed))
        if replacement:
            indices = draw.integers(0, max(count, 1), wanted).tolist()
        else:
            rounds = -(-wanted // count) if count else 0
            indices = [i for _ in range(rounds) for i in draw.permutation(count).tolist()][:wanted]
        super().__init__(dataset, indices)


class PartialDataset(Subset[T]):
    """The items from `start` to `end`, without `end`.

    >>> import everygrad as eg
    >>> list(eg.data.PartialDataset("abcd", 1, 3))
    ['b', 'c']
    """

    def __init__(self, dataset: Items[T], start: int, end: int | None = None) -> None:
        super().__init__(dataset, range(*slice(start, end).indices(size_of(dataset))))

    @staticmethod
    def split(dataset: Items[U], count: int) -> list[PartialDataset[U]]:
        """The dataset in `count` pieces, in order, as equal as can be.

        >>> import everygrad as eg
        >>> [list(p) for p in eg.data.PartialDataset.split("abcde", 2)]
        [['a', 'b'], ['c', 'd', 'e']]
        """
        if count < 1:
            raise ValueError(f"split: count must be at least 1. Received: {count}")
        size = size_of(dataset)
        ends = [size * i // count for i in range(count + 1)]
        return [PartialDataset(dataset, a, b) for a, b in pairwise(ends)]


class WindowsDataset(Dataset[list[T]]):
    """Lists of `size` neighbouring items, a new one starting every `step` items.

    >>> import everygrad as eg
    >>> list(eg.data.WindowsDataset("abcde", 3, step=2))
    [['a', 'b', 'c'], ['c', 'd', 'e']]
    """

    def __init__(self, dataset: Items[T], size: int, step: int = 1) -> None:
        if size < 1 or step < 1:
            raise ValueError(
                f"WindowsDataset: size and step must be at least 1. Received: size={size}, step={step}"
            )
        self.dataset = dataset
        self.size = size
        self.step = step

    @override
    def __getitem__(self, index: int) -> list[T]:
        start = checked_index(self, index, len(self)) * self.step
        return [self.dataset[i] for i in range(start, start + self.size)]

    @override
    def __len__(self) -> int:
        return max(0, (size_of(self.dataset) - self.size) // self.step + 1)
