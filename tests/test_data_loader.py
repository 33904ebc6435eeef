"""The loader: nothing lost or repeated, one order with any number of workers, seeds, failures, clean ends."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import everygrad as eg
from everygrad.data import DataLoader, ItemError, WorkerError

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and /dev/shm")


class Draws(eg.data.Dataset[Any]):
    """Item i: its number, and a draw of each generator."""

    def __init__(self, size: int = 23) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Any:
        return index, np.random.rand(), random.random(), eg.rand(1).item()


class Big(eg.data.Dataset[Any]):
    """Items too large for a pipe."""

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Any:
        return {"image": np.full((200, 100), index, np.float32), "name": f"n{index}"}


class Fails(eg.data.Dataset[int]):
    """One item cannot be had."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> int:
        if index == 17:
            raise KeyError("broken")
        return index


class Dies(eg.data.Dataset[int]):
    """A worker is killed at one item, as by the system when memory runs out."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        if index == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return index


class Sleeps(eg.data.Dataset[int]):
    """An item that takes for ever."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        time.sleep(60 if index == 2 else 0)
        return index


class Count(eg.data.IterableDataset[Any]):
    """A stream with draws."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __iter__(self) -> Iterator[Any]:
        return ((i, np.random.rand()) for i in range(self.size))


class Sharded(Count):
    """A stream that each worker reads its share of."""

    def shard(self, worker: int, workers: int) -> Iterator[Any]:
        return ((i, np.random.rand()) for i in range(worker, self.size, workers))


def flat(loader: DataLoader) -> list[list[Any]]:
    """All of one epoch, item by item."""
    return [list(row) for batch in loader for row in zip(*[t.tolist() for t in batch])]


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """No worker and no shared memory outlives a test."""
    shared = Path("/dev/shm")
    yield
    assert not active_children()
    if shared.is_dir():
        assert not list(shared.glob(f"eg-{os.getpid()}-*"))


@pytest.mark.parametrize("shuffle", [False, True])
def test_the_same_items_and_draws_with_any_number_of_workers(library: str, shuffle: bool) -> None:
    def epochs(workers: int) -> list[Any]:
        loader = DataLoader(Draws(), 4, shuffle, num_workers=workers, seed=3)
        return [flat(loader), flat(loader)]

    alone = epochs(0)
    assert epochs(2) == alone == epochs(0)
    assert epochs(5) == alone, "B125: the numbers depend on how many workers there are"
    for epoch in alone:
        assert sorted(row[0] for row in epoch) == list(range(23))
    for column in (1, 2, 3):
        drawn = [row[column] for epoch in alone for row in epoch]
        assert len(set(drawn)) == 2 * 23, "B125: batches or epochs draw the same numbers"
    assert ([row[0] for row in alone[0]] != [row[0] for row in alone[1]]) is shuffle


def test_b125_one_seed_repeats_the_whole_run() -> None:
    def run(seed: int) -> list[Any]:
        with eg.seeded(seed):
            loader = DataLoader(Draws(), 4, True, num_workers=4)
        return [flat(loader), flat(loader)]

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_reading_leaves_the_generators_of_this_process_alone() -> None:
    np.random.seed(5)
    expected = np.random.rand(2).tolist()
    np.random.seed(5)
    first = np.random.rand()
    flat(DataLoader(Draws(), 4, seed=0))
    flat(DataLoader(Count(5), 2, seed=0))
    assert [first, np.random.rand()] == expected


def test_large_arrays_arrive_whole_and_on_the_current_backend(library: str) -> None:
    batches = list(DataLoader(Big(), 4, num_workers=2))
    assert [batch["name"] for batch in batches] == [["n0", "n1", "n2", "n3"], ["n4", "n5"]]
    images = eg.cat([batch["image"] for batch in batches])
    assert images.backend.name == f"autodiff({library})"
    assert images.shape == (6, 200, 100)
    assert images.mean((1, 2)).tolist() == [0, 1, 2, 3, 4, 5]
    assert (images - images[:, :1, :1]).abs().sum().item() == 0


def test_large_arrays_go_through_the_pipe_where_shared_memory_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from everygrad.data import transport

    def full(name: str, size: int) -> None:
        return None

    monkeypatch.setattr(transport, "_segment", full)
    batches = list(DataLoader(Big(), 1, num_workers=2, prefetch_factor=3))
    assert [batch["image"].mean().item() for batch in batches] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_failing_item_is_named(workers: int) -> None:
    loader = DataLoader(Fails(), 4, num_workers=workers)
    seen: list[int] = []
    with pytest.raises(ItemError, match=r"item 17 of Fails failed: KeyError: 'broken'") as caught:
        for batch in loader:
            seen += batch.tolist()
    assert seen == list(range(16))
    assert (caught.value.index, caught.value.dataset) == (17, "Fails")
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_batch_that_does_not_fit_together_names_its_items() -> None:
    ragged = [np.ones(i % 3) for i in range(4)]
    with pytest.raises(ItemError, match=r"default_collate on the items \[0, 1\] of list failed: ShapeError"):
        list(DataLoader(ragged, 2, num_workers=1))


@POSIX
def test_a_killed_worker_is_reported() -> None:
    with pytest.raises(WorkerError, match=r"worker 1 \(process \d+\) was killed by SIGKILL"):
        list(DataLoader(Dies(), 1, num_workers=2))


def test_a_worker_that_does_not_answer_is_reported() -> None:
    begin = time.perf_counter()
    with pytest.raises(WorkerError, match=r"worker 0 .* did not deliver a batch within timeout=0.3 seconds"):
        list(DataLoader(Sleeps(), 1, num_workers=2, timeout=0.3))
    assert time.perf_counter() - begin < 10


def test_an_epoch_that_is_left_ends_its_workers() -> None:
    for batch in DataLoader(Big(), 1, num_workers=2):
        assert batch["name"] == ["n0"]
        break


def test_persistent_workers_stay_and_forget_an_epoch_that_was_left() -> None:
    pids: set[int] = set()
    loader = DataLoader(Draws(), 4, True, num_workers=2, persistent_workers=True, seed=3)
    fresh = DataLoader(Draws(), 4, True, num_workers=0, seed=3)
    for _ in loader:
        pids |= {child.pid or 0 for child in active_children()}
        break
    fresh.set_epoch(1)
    assert flat(loader) == flat(fresh)
    assert {child.pid for child in active_children()} == pids and len(pids) == 2
    loader.close()


@pytest.mark.parametrize("workers", [0, 1, 3])
@pytest.mark.parametrize("size", [0, 1, 6, 7, 13])
def test_a_stream_is_read_once(workers: int, size: int) -> None:
    loader = DataLoader(Count(size), 3, num_workers=workers, seed=1)
    assert flat(loader) == flat(DataLoader(Count(size), 3, seed=1))
    loader.set_epoch(0)
    assert [row[0] for row in flat(loader)] == list(range(size))
    dropped = DataLoader(Count(size), 3, num_workers=workers, drop_last=True)
    assert [row[0] for row in flat(dropped)] == list(range(size // 3 * 3))


def test_a_sharded_stream_is_read_once_and_draws_apart() -> None:
    rows = flat(DataLoader(Sharded(13), 3, num_workers=3, seed=1))
    assert sorted(row[0] for row in rows) == list(range(13))
    assert len({row[1] for row in rows}) == 13


def test_a_failing_stream_is_named() -> None:
    def numbers() -> Iterator[int]:
        yield from range(5)
        raise ValueError("torn")

    class Torn(eg.data.IterableDataset[int]):
        def __iter__(self) -> Iterator[int]:
            return numbers()

    for workers in (0, 2):
        with pytest.raises(ItemError, match="item 5 of Torn failed: ValueError: torn"):
            list(DataLoader(Torn(), 2, num_workers=workers))


class Pair(NamedTuple):
    x: Any
    y: Any


def test_collate() -> None:
    items = [Pair({"a": [1, 2.0]}, (True, "s", None)), Pair({"a": [3, 4.5]}, (False, "t", None))]
    batch = eg.data.default_collate(items)
    assert isinstance(batch, Pair)
    assert [t.tolist() for t in batch.x["a"]] == [[1, 3], [2.0, 4.5]]
    assert [t.dtype for t in batch.x["a"]] == [eg.int64, eg.float32]
    assert batch.y[0].dtype is eg.bool and batch.y[1:] == (["s", "t"], [None, None])
    assert eg.data.default_collate([np.float64(1), np.float64(2)]).dtype is eg.float64
    assert eg.data.default_collate([eg.ones(2).bfloat16()] * 3).dtype is eg.bfloat16
    with pytest.raises(TypeError, match=r"Received: object as item\[1\]"):
        eg.data.default_collate([(1, object())])


def test_a_worker_knows_itself_and_runs_what_it_is_given() -> None:
    def start(worker: int) -> None:
        os.environ["EG_TEST_WORKER"] = str(worker)

    class Knows(Fails):
        def __getitem__(self, index: int) -> Any:
            info = eg.data.get_worker_info()
            assert info is not None
            return info.id, info.num_workers, int(os.environ["EG_TEST_WORKER"])

    rows = flat(DataLoader(Knows(), 10, num_workers=2, worker_init_fn=start))
    assert {tuple(row) for row in rows} == {(0, 2, 0), (1, 2, 1)}


def test_custom_collate_and_no_batches() -> None:
    def total(items: list[int]) -> Any:
        return eg.tensor([sum(items)]), len(items)

    got = [(t.tolist(), n) for t, n in DataLoader(range(5), 2, num_workers=2, collate_fn=total)]
    assert got == [([1], 2), ([5], 2), ([4], 1)]
    assert list(DataLoader("abc", None, num_workers=2)) == ["a", "b", "c"]
    assert [b.tolist() for b in DataLoader(range(4), batch_sampler=[[3, 0], [1]])] == [[3, 0], [1]]
    assert len(DataLoader(range(5), 2)) == 3 and len(DataLoader(range(5), 2, drop_last=True)) == 2


def test_spawned_workers_say_what_cannot_be_sent() -> None:
    with pytest.raises(WorkerError, match="multiprocessing_context='fork', or num_workers=0"):
        list(
            DataLoader(
                eg.data.MappedDataset([1], lambda x: x), num_workers=1, multiprocessing_context="spawn"
            )
        )
    got = list(DataLoader(range(4), 2, num_workers=1, multiprocessing_context="spawn"))
    assert [b.tolist() for b in got] == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 0}, {"num_workers": -1}, {"timeout": -1}, {"persistent_workers": True}, {"prefetch_factor": 2},
        {"shuffle": True, "sampler": [0]}, {"batch_sampler": [[0]], "batch_size": 2},
        {"batch_size": None, "drop_last": True}, {"num_workers": 1, "prefetch_factor": 0},
    ],
)  # fmt: skip
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Received"):
        DataLoader(range(3), **options)
    with pytest.raises(ValueError, match="a stream has an order of its own"):
        DataLoader(Count(3), shuffle=True)


def test_two_epochs_of_persistent_workers_at_once_have_all_items_each() -> None:
    loader = DataLoader(range(8), 2, num_workers=1, persistent_workers=True, timeout=20)
    rows = [(a.tolist(), b.tolist()) for a, b in zip(loader, loader)]
    assert rows == [([i, i + 1],) * 2 for i in range(0, 8, 2)]
    epoch = iter(loader)
    next(epoch)
    loader.close()
    assert len([*epoch]) == 3
    assert not active_children()


def test_arguments_that_would_fail_later_are_refused_at_once() -> None:
    wrong: list[dict[str, Any]] = [
        {"sampler": 3}, {"sampler": iter([0, 1])}, {"batch_sampler": ([i] for i in range(2))},
        {"num_workers": 1, "timeout": "5"}, {"num_workers": 1, "timeout": float("nan")},
    ]  # fmt: skip
    for options in wrong:
        with pytest.raises(TypeError, match="Received"):
            DataLoader(range(3), **options)
    with pytest.raises(ValueError, match=r"Received: 1\.5"):
        DataLoader(range(3), num_workers=1, prefetch_factor=1.5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    with pytest.raises(TypeError, match="Received: int"):
        DataLoader(3)
