"""One batch had from a dataset; a failure names the item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from everygrad.data.collate import collate_on_host, default_collate, to_tensors
from everygrad.data.dataset import ItemError
from everygrad.data.seeds import Generators, derive_seed, seeded_everywhere

__all__: list[str] = []

Collate = Callable[[list[Any]], Any]

_END = object()


class Reader:
    """Makes batches from a dataset: in this process, or for another one, where arrays on the host stand for tensors."""

    def __init__(self, dataset: Any, collate: Collate | None, on_host: bool) -> None:
        self.dataset, self.collate, self.on_host = dataset, collate, on_host
        self.name = type(dataset).__name__

    def batch(self, seed: int, epoch: int, number: int, indices: Any) -> Any:
        """The batch of the items at `indices`, all draws seeded by (seed, epoch, number of the batch).

        So they are the same whichever worker makes the batch. Without `collate`, the one item itself.
        """
        with seeded_everywhere(derive_seed(seed, epoch, number)):
            if self.collate is None:
                return self._item(indices)
            whole = getattr(self.dataset, "batch", None)
            if whole is not None and self.collate is default_collate:
                with suppress(
                    Exception
                ):  # below the items are had one by one, and the one that fails is named
                    return whole(indices)
            return self.together(indices, [self._item(i) for i in indices])

    def together(self, indices: Sequence[Any], items: list[Any]) -> Any:
        """Items as a batch."""
        assert self.collate is not None
        try:
            if self.collate is default_collate:
                batch = collate_on_host(items)
                return batch if self.on_host else to_tensors(batch)
            return self.collate(items)
        except Exception as error:
            what = getattr(self.collate, "__name__", type(self.collate).__name__)
            raise self.failure(f"{what} on the items {_short(indices)}", list(indices), error) from error

    def _item(self, index: Any) -> Any:
        try:
            return self.dataset[index]
        except Exception as error:
            raise self.failure(f"item {index}", index, error) from error

    def failure(self, what: str, index: Any, error: Exception) -> ItemError:
        """The error that names the item and the dataset."""
        return ItemError(f"{what} of {self.name} failed: {type(error).__name__}: {error}", index, self.name)


def _short(indices: Sequence[Any]) -> str:
    shown = ", ".join(map(str, indices[:8]))
    return f"[{shown}, ... {len(indices)} in all]" if len(indices) > 8 else f"[{shown}]"


class Stream:
    """The batches of a stream, for one reader of several in one epoch.

    Every reader reads all and keeps the batches number `part`, `part + parts` ...; where the dataset gives shards,
    a reader reads its own and keeps all of it.
    """

    def __init__(
        self, reader: Reader, size: int | None, drop_last: bool, seed: int, epoch: int, part: int, parts: int
    ) -> None:
        shard = getattr(reader.dataset, "shard", None)
        own: Iterator[Any] | None = shard(part, parts) if shard is not None and parts > 1 else None
        split = own is not None
        self.reader, self.size, self.drop_last = reader, size, drop_last
        self.place = (seed, epoch, part) if split else (seed, epoch)
        self.draws = Generators(derive_seed(*self.place))
        with self.draws.active():
            self.items: Iterator[Any] = iter(reader.dataset) if own is None else own
        self.skip, self.step = (0, 0) if split else (part, parts - 1)
        self.position = self.batches = 0

    def next(self) -> tuple[bool, Any]:
        """(True, the next batch of this reader), or (False, None) at the end."""
        with self.draws.active():
            for _ in range(self.skip):
                if not self._take():
                    return False, None
            self.skip = self.step
            first = self.position
            items = self._take()
        if not items or (self.drop_last and len(items) < (self.size or 1)):
            return False, None
        if self.size is None or self.reader.collate is None:
            return True, items[0]
        with seeded_everywhere(derive_seed(*self.place, self.batches)):
            return True, self.reader.together(range(first, self.position), items)

    def _take(self) -> list[Any]:
        """The items of the next batch; none at the end."""
        items: list[Any] = []
        while len(items) < (self.size or 1):
            try:
                item = next(self.items, _END)
            except Exception as error:
                raise self.reader.failure(f"item {self.position}", self.position, error) from error
            if item is _END:
                break
            self.position += 1
            items.append(item)
        self.batches += 1
        return items
