"""Datasets made of others: joined, mapped, split."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, Generic, TypeVar

from typing_extensions import override

from everygrad.data.dataset import Dataset, Items, IterableDataset, checked_index, checked_indices, size_of
from everygrad.data.seeds import chosen_seed, generator

__all__ = ["ConcatDataset", "MappedDataset", "Subset", "random_split"]

T = TypeVar("T")
U = TypeVar("U")


class ConcatDataset(Dataset[T]):
    """The items of several datasets, one dataset after the other.

    >>> import everygrad as eg
    >>> joined = eg.data.ConcatDataset([[1, 2], [3]])
    >>> joined[2], joined[-3], len(joined)
    (3, 1, 3)
    """

    def __init__(self, datasets: Iterable[Items[T]]) -> None:
        self.datasets: list[Items[T]] = list(datasets)
        for dataset in self.datasets:
            if isinstance(dataset, IterableDataset):
                raise TypeError(
                    "ConcatDataset: needs datasets with a length. Received: an IterableDataset; write itertools.chain"
                )
        self.ends = list(accumulate(size_of(dataset) for dataset in self.datasets))

    @override
    def __getitem__(self, index: int) -> T:
        position = checked_index(self, index, len(self))
        which = bisect_right(self.ends, position)
        return self.datasets[which][position - (self.ends[which - 1] if which else 0)]

    @override
    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0


class MappedDataset(Dataset[U], Generic[T, U]):
    """`function` applied to each item when it is read.

    >>> import everygrad as eg
    >>> eg.data.MappedDataset([1, 2], lambda x: x * 10)[1]
    20
    """

    def __init__(self, dataset: Items[T], function: Callable[[T], U]) -> None:
        self.dataset = dataset
        self.function = function

    @override
    def __getitem__(self, index: int) -> U:
        return self.function(self.dataset[checked_index(self, index, len(self))])

    @override
    def __len__(self) -> int:
        return size_of(self.dataset)


class Subset(Dataset[T]):
    """The items of `dataset` at `indices`, in that order.

    >>> import everygrad as eg
    >>> list(eg.data.Subset("abc", [2, 0]))
    ['c', 'a']
    """

    def __init__(self, dataset: Items[T], indices: Iterable[int]) -> None:
        self.dataset = dataset
        self.indices = checked_indices(type(self).__name__, indices, size_of(dataset))
        inner: Any = getattr(dataset, "batch", None)
        self._whole = inner
        if inner is not None:  # whole batches at once, where the dataset has them
            self.batch: Callable[[Sequence[int]], Any] = self._batch

    @override
    def __getitem__(self, index: int) -> T:
        return self.dataset[self.indices[checked_index(self, index, len(self.indices))]]

    @override
    def __len__(self) -> int:
        return len(self.indices)

    def _batch(self, indices: Sequence[int]) -> Any:
        """The items of several numbers as one batch."""
        return self._whole([self.indices[checked_index(self, i, len(self.indices))] for i in indices])


def random_split(dataset: Items[T], lengths: Sequence[float], seed: int | None = None) -> list[Subset[T]]:
    """Parts of the given lengths that share no item, drawn at random: numbers of items, or fractions that sum to 1.

    What fractions leave over by rounding goes to the first parts, an item each. Without a seed the current generator
    gives one.

    >>> import everygrad as eg
    >>> parts = eg.data.random_split(range(10), [0.75, 0.25], seed=0)
    >>> [len(p) for p in parts], sorted([*parts[0], *parts[1]]) == list(range(10))
    ([8, 2], True)
    """
    size = size_of(dataset)
    counts = _counts(size, list(lengths))
    order = generator(chosen_seed(seed)).permutation(size).tolist()
    ends = [0, *accumulate(counts)]
    return [Subset(dataset, order[a:b]) for a, b in pairwise(ends)]


def _counts(size: int, lengths: list[float]) -> list[int]:
    if any(length < 0 for length in lengths):
        raise ValueError(f"random_split: lengths must not be negative. Received: {lengths}")
    if all(isinstance(length, int) for length in lengths) and sum(lengths) == size:
        return [int(length) for length in lengths]
    if not math.isclose(sum(lengths), 1):
        raise ValueError(
            f"random_split: lengths must sum to the {size} items, or to 1 as fractions. "
            f"Received: {lengths}, which sum to {sum(lengths)}"
        )
    counts = [math.floor(size * length + 1e-9) for length in lengths]
    for i in range(size - sum(counts)):
        counts[i % len(counts)] += 1
    return counts
