"""The order in which items are read: a function of the seed and the epoch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from typing_extensions import override

from everygrad.data.dataset import size_of
from everygrad.data.seeds import chosen_seed, generator

__all__ = ["BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "WeightedRandomSampler"]

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """Numbers of items in the order in which they are read: write `__iter__`, and `__len__` where it is known.

    A loader sets `epoch` before it asks for an order.
    """

    epoch: int = 0

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} has no __iter__. Write one that gives indices")

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch the next order is for."""
        self.epoch = epoch


class SequentialSampler(Sampler[int]):
    """0, 1, 2 and so on.

    >>> import everygrad as eg
    >>> list(eg.data.SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    @override
    def __iter__(self) -> Iterator[int]:
        return iter(range(size_of(self.data_source)))

    def __len__(self) -> int:
        return size_of(self.data_source)


class RandomSampler(Sampler[int]):
    """Every item once, in an order that changes with the epoch; or `num_samples` draws, with replacement or without.

    >>> import everygrad as eg
    >>> sampler = eg.data.RandomSampler("abc", seed=0)
    >>> sorted(sampler), list(sampler) == list(sampler)
    ([0, 1, 2], True)
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        *,
        seed: int | None = None,
    ) -> None:
        self.size = size_of(data_source)
        self.replacement = replacement
        self.num_samples = self.size if num_samples is None else num_samples
        if self.num_samples < 0 or (self.num_samples and not self.size):
            raise ValueError(
                f"RandomSampler: num_samples must be at least 0, and 0 of no items. Received: {num_samples} of {self.size} items"
            )
        self.seed = chosen_seed(seed)

    @override
    def __iter__(self) -> Iterator[int]:
        draw, left = generator(self.seed, self.epoch), self.num_samples
        if self.replacement:
            yield from draw.integers(0, max(self.size, 1), left).tolist()
            return
        while left > 0:
            part = draw.permutation(self.size).tolist()[:left]
            yield from part
            left -= len(part)

    def __len__(self) -> int:
        return self.num_samples


class WeightedRandomSampler(Sampler[int]):
    """`num_samples` numbers, each drawn with a chance that is proportional to its weight.

    Without replacement no number is drawn twice.

    >>> import everygrad as eg
    >>> set(eg.data.WeightedRandomSampler([0.0, 1.0, 3.0], 50, seed=0))
    {1, 2}
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        *,
        seed: int | None = None,
    ) -> None:
        self.weights = np.asarray(weights, np.float64)
        total = self.weights.sum()
        if self.weights.ndim != 1 or not np.all(self.weights >= 0) or not 0 < total < np.inf:
            raise ValueError(
                "WeightedRandomSampler: weights must be finite, not negative, and not all 0. "
                f"Received: shape {self.weights.shape}, sum {total}"
            )
        if not replacement and num_samples > np.count_nonzero(self.weights):
            raise ValueError(
                "WeightedRandomSampler: without replacement there are only "
                f"{np.count_nonzero(self.weights)} numbers to draw. Received: num_samples={num_samples}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.seed = chosen_seed(seed)

    @override
    def __iter__(self) -> Iterator[int]:
        draw = generator(self.seed, self.epoch)
        chances = self.weights / self.weights.sum()
        return iter(draw.choice(len(chances), self.num_samples, replace=self.replacement, p=chances).tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """The numbers of a sampler in lists of `batch_size`; with `drop_last` a shorter last one is left out.

    >>> import everygrad as eg
    >>> list(eg.data.BatchSampler(range(5), 2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or batch_size < 1:  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
            raise ValueError(f"batch_size: must be a whole number from 1 up. Received: {batch_size!r}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    @override
    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(epoch)
        inner: Any = self.sampler
        if hasattr(inner, "set_epoch"):
            inner.set_epoch(epoch)

    @override
    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count: int = len(self.sampler)  # type: ignore[arg-type]  # not every sampler knows
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
