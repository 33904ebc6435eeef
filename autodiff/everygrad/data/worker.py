"""A worker: a process that makes batches when it is asked to."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from everygrad.data.collate import to_host
from everygrad.data.dataset import ItemError
from everygrad.data.fetch import Collate, Reader, Stream
from everygrad.data.seeds import derive_seed, seed_everywhere
from everygrad.data.transport import pack
from everygrad.registry import set_default, use

__all__ = ["WorkerInfo", "get_worker_info"]


@dataclass(frozen=True)
class WorkerInfo:
    """Which worker a process is: `id` of `num_workers`; `seed` is its own, for this epoch."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """In a worker of a DataLoader, which one it is; elsewhere None.

    >>> import everygrad as eg
    >>> eg.data.get_worker_info() is None
    True
    """
    return _info


@dataclass(frozen=True)
class Settings:
    """What a worker is started with."""

    dataset: Any
    collate: Collate | None
    init: Callable[[int], Any] | None
    backend: str
    streamed: bool
    size: int | None
    drop_last: bool
    seed: int
    worker: int
    workers: int


@dataclass(frozen=True)
class Task:
    """A batch asked for: its numbers, and the name of the shared memory it may use."""

    run: int
    epoch: int
    number: int
    indices: Any
    segment: str


def work(settings: Settings, tasks: Connection, results: Connection, unused: list[Connection]) -> None:
    """The life of a worker: it ends when it is told to, and when the main process ends.

    `unused` are the main process's ends of the pipes: a forked copy of them would keep the pipes open.
    """
    for end in unused:
        end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process, which stops the workers
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # in a forked process its pool of threads does not exist
    todo: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(tasks, todo), daemon=True).start()
    set_default(settings.backend)
    with use(settings.backend):
        _serve(settings, todo, results)


def _listen(tasks: Connection, todo: queue.SimpleQueue[Task]) -> None:
    """Take tasks off the pipe at once, so that the main process never waits to send one; end with it."""
    try:
        while (task := tasks.recv()) is not None:
            todo.put(task)
    except (EOFError, OSError):
        pass
    finally:
        try:
            sys.stdout.flush()
        finally:
            os._exit(0)  # also amid an item that takes long


def _serve(settings: Settings, todo: queue.SimpleQueue[Task], results: Connection) -> None:
    reader = Reader(settings.dataset, settings.collate, on_host=True)
    stream: Stream | None = None
    begun: tuple[int, int] | None = None
    broken: Exception | None = None
    started = False
    while True:
        task = todo.get()
        try:
            if broken is not None:
                raise broken
            if begun != (task.run, task.epoch):
                begun, stream = (task.run, task.epoch), None
                _start_epoch(settings, task.epoch)
                if not started and settings.init is not None:
                    started = True
                    settings.init(settings.worker)
            if not settings.streamed:
                found = True, reader.batch(settings.seed, task.epoch, task.number, task.indices)
            else:
                if stream is None:
                    stream = _stream(reader, settings, task.epoch)
                found = stream.next()
            message = pack((task.run, found[0], to_host(found[1])), task.segment)
        except Exception as error:  # noqa: BLE001  # whatever it is, the main process raises it
            broken = error if settings.streamed else None  # a stream that failed has no next item
            message = pickle.dumps((pickle.dumps((task.run, None, _report(error))), None, []))
        results.send_bytes(message)


def _stream(reader: Reader, settings: Settings, epoch: int) -> Stream:
    part, parts = settings.worker, settings.workers
    return Stream(reader, settings.size, settings.drop_last, settings.seed, epoch, part, parts)


def _start_epoch(settings: Settings, epoch: int) -> None:
    global _info
    seed = derive_seed(settings.seed, epoch, settings.worker, settings.workers)
    seed_everywhere(seed)
    _info = WorkerInfo(settings.worker, settings.workers, seed, settings.dataset)


def _report(error: Exception) -> tuple[str, Any, str, bytes | None, str]:
    """What is said of a failure: (message, index, dataset, the cause if it can be sent, traceback)."""
    if isinstance(error, ItemError):
        message, index, dataset = str(error), error.index, error.dataset
    else:
        message, index, dataset = (
            f"a batch could not be made or sent: {type(error).__name__}: {error}",
            None,
            "",
        )
    cause = error.__cause__ or error
    try:
        sent = pickle.dumps(cause)
        pickle.loads(sent)
    except Exception:  # noqa: BLE001  # an error may hold anything
        sent = None
    return message, index, dataset, sent, "".join(traceback.format_exception(cause))
