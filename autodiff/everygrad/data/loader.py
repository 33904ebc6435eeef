"""The loader: batches of a dataset, in this process or from workers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from everygrad.data.checks import check_kinds, check_order, check_workers, listed
from everygrad.data.collate import default_collate, to_tensors
from everygrad.data.dataset import IterableDataset, size_of
from everygrad.data.fetch import Collate, Reader, Stream
from everygrad.data.pool import Pool, WorkerError
from everygrad.data.samplers import BatchSampler, RandomSampler, SequentialSampler
from everygrad.data.seeds import chosen_seed
from everygrad.data.worker import Settings
from everygrad.registry import current, list_backends
from everygrad.tensor.operands import library
from everygrad.tree import replace

__all__ = ["DataLoader", "WorkerError"]


class DataLoader:
    """Batches of a dataset, an epoch each time it is iterated over, as tensors on the current backend.

    The order, and all draws of Python's, NumPy's and everygrad's generators while items are read, are a function of
    (seed, epoch, batch): the same with any number of workers, distinct in every batch and epoch. Without a `seed` the
    current generator gives one, so `eg.manual_seed` makes a run repeatable. `epoch` says which epoch comes next.

    Arguments:
        dataset: anything with `__getitem__` and `__len__`, or an IterableDataset.
        batch_size: items in a batch; None gives the items themselves.
        shuffle: a new random order in every epoch.
        sampler, batch_sampler: indices, or lists of them, in an order of your own.
        num_workers: processes that read ahead; 0 reads in this one.
        collate_fn: makes a batch of a list of items.
        drop_last: leave out a last batch that is not full.
        timeout: seconds to wait for a batch of a worker; 0 waits for ever.
        worker_init_fn: called with its number when a worker starts, its generators already seeded.
        prefetch_factor: batches that each worker is ahead (2).
        persistent_workers: keep the workers from epoch to epoch.
        multiprocessing_context: "fork" (usual on Linux), "spawn" (usual elsewhere) or "forkserver".

    Raises `ItemError` where an item cannot be had, with its index, the dataset and the cause; `WorkerError`
    where a worker ends or does not answer in time.

    >>> import everygrad as eg
    >>> data = eg.data.TensorDataset(eg.arange(5.0), eg.arange(5))
    >>> for x, y in eg.data.DataLoader(data, batch_size=2):
    ...     print(x.tolist(), y.tolist())
    [0.0, 1.0] [0, 1]
    [2.0, 3.0] [2, 3]
    [4.0] [4]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Collate | None = None,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: str | None = None,
        *,
        seed: int | None = None,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
    ) -> None:
        if not (hasattr(dataset, "__getitem__") or hasattr(dataset, "__iter__")):
            raise TypeError(
                f"DataLoader: the dataset must have __getitem__ and __len__, or __iter__. Received: {type(dataset).__name__}"
            )
        self.streamed = _is_stream(dataset)
        check_kinds(
            shuffle, drop_last, persistent_workers, collate_fn, worker_init_fn, multiprocessing_context
        )
        check_order(self.streamed, batch_size, shuffle, sampler, batch_sampler, drop_last)
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        if not self.streamed:
            size_of(dataset)
        self.dataset, self.batch_size, self.num_workers, self.drop_last = (
            dataset,
            batch_size,
            num_workers,
            drop_last,
        )
        self.timeout, self.worker_init_fn, self.context = timeout, worker_init_fn, multiprocessing_context
        self.prefetch_factor = 2 if prefetch_factor is None else prefetch_factor
        self.persistent_workers = persistent_workers
        self.seed = chosen_seed(seed)
        self.epoch = 0
        self.batched = batch_size is not None or batch_sampler is not None
        self.collate_fn: Collate | None = collate_fn or (default_collate if self.batched else None)
        if sampler is None and not self.streamed:
            sampler = RandomSampler(dataset, seed=self.seed) if shuffle else SequentialSampler(dataset)
        self.sampler = sampler
        if batch_sampler is None and batch_size is not None and sampler is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_sampler = batch_sampler
        self._pool: Pool | None = None
        self._kept_since = 0  # how often workers were ended: those that were away then are not kept either

    def __len__(self) -> int:
        """How many batches an epoch has."""
        if not self.streamed:
            count: int = len(self._order())  # type: ignore[arg-type]  # not every sampler knows
            return count
        items: int = len(self.dataset)
        size = self.batch_size or 1
        return items // size if self.drop_last else -(-items // size)

    def _order(self) -> Iterable[Any]:
        order = self.batch_sampler if self.batched else self.sampler
        assert order is not None
        return order

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch comes next: the way to go on where another run ended."""
        self.epoch = epoch

    def state_dict(self) -> dict[str, int]:
        """What decides the order: the seed and the epoch that comes next."""
        return {"seed": self.seed, "epoch": self.epoch}

    def load_state_dict(self, state_dict: Mapping[str, int]) -> None:
        """Go on with the order of another loader, from its next epoch."""
        self.close()
        self.seed, self.epoch = int(state_dict["seed"]), int(state_dict["epoch"])
        if isinstance(self.sampler, RandomSampler):
            self.sampler.seed = self.seed

    def __iter__(self) -> Iterator[Any]:
        """The batches of the next epoch."""
        epoch = self.epoch
        self.epoch = epoch + 1
        indices: Iterator[Any] = itertools.repeat(None)
        if not self.streamed:
            order: Any = self._order()
            parts: list[Any] = [order, self.sampler]
            for part in parts:
                if hasattr(part, "set_epoch"):
                    part.set_epoch(epoch)
            indices = map(listed, order) if self.batched else iter(order)
        source = self._from_workers(epoch, indices) if self.num_workers else self._here(epoch, indices)
        return _arriving(source)

    def _here(self, epoch: int, indices: Iterator[Any]) -> Iterator[Any]:
        reader = Reader(self.dataset, self.collate_fn, on_host=False)
        if not self.streamed:
            for number, wanted in enumerate(indices):
                yield reader.batch(self.seed, epoch, number, wanted)
            return
        stream = Stream(reader, self.batch_size, self.drop_last, self.seed, epoch, 0, 1)
        while (found := stream.next())[0]:
            yield found[1]

    def _from_workers(self, epoch: int, indices: Iterator[Any]) -> Iterator[Any]:
        pool = self._pool if self._pool is not None and self._pool.alive else self._start()
        self._pool = None  # workers serve one epoch at a time: another one meanwhile starts its own
        since, done = self._kept_since, False
        try:
            yield from pool.run(epoch, indices, self.prefetch_factor, self.timeout)
            done = True
        except GeneratorExit:
            done = True  # the epoch was left; workers that stay finish what they were asked
            raise
        finally:
            if done and self.persistent_workers and self._pool is None and since == self._kept_since:
                self._pool = pool
            else:
                pool.stop()

    def _start(self) -> Pool:
        name = library(current())
        known = name.partition(":")[0]
        settings = Settings(
            dataset=self.dataset,
            collate=self.collate_fn,
            init=self.worker_init_fn,
            backend=known
            if known in list_backends()
            else name,  # never a device: that belongs to this process
            streamed=self.streamed,
            size=self.batch_size,
            drop_last=self.drop_last,
            seed=self.seed,
            worker=0,
            workers=self.num_workers,
        )
        return Pool(settings, self.context)

    def close(self) -> None:
        """End workers that were kept."""
        self._kept_since += 1
        if self._pool is not None:
            self._pool.stop()
            self._pool = None


def _is_stream(dataset: Any) -> bool:
    return isinstance(dataset, IterableDataset) or not hasattr(dataset, "__getitem__")


def _arriving(batches: Iterator[Any]) -> Iterator[Any]:
    """The batches with all they hold on the current backend."""
    try:
        for batch in batches:
            b = current()
            yield replace(to_tensors(batch), lambda x: x if x.backend is b else x.to(b))  # noqa: B023  # called at once
    finally:
        batches.close()  # type: ignore[attr-defined]  # a generator
