"""The worker processes of a loader, from the main process's side."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import pickle
import secrets
import signal
import warnings
import weakref
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from everygrad.data.dataset import ItemError
from everygrad.data.transport import discard, unpack
from everygrad.data.worker import Settings, Task, work
from everygrad_ops import EverygradError

__all__ = ["WorkerError"]


class WorkerError(EverygradError, RuntimeError):
    """A worker process that ended, or that did not answer in time."""


@dataclass
class Member:
    """A worker and the pipes to it."""

    number: int
    process: Any
    tasks: Connection
    results: Connection
    segments: list[str]
    """The shared memory of the batches it was asked for and has not delivered."""


class Pool:
    """Workers that answer in the order in which they were asked."""

    def __init__(self, settings: Settings, context: str | None) -> None:
        self.members: list[Member] = []
        self._run = itertools.count()
        self._label = f"eg-{os.getpid()}-{secrets.token_hex(4)}"
        self._stop = weakref.finalize(self, _stop, self.members, os.getpid())
        method = context or ("fork" if _can_fork() else "spawn")
        if os.name == "posix":
            resource_tracker.ensure_running()  # one for all, else a worker's would remove its batches when it ends
        try:
            start = multiprocessing.get_context(method)
            for worker in range(settings.workers):
                self.members.append(_start(replace(settings, worker=worker), start, self.members))
        except BaseException:
            self.stop()
            raise

    @property
    def alive(self) -> bool:
        """Whether it has not been stopped."""
        return self._stop.alive

    def stop(self) -> None:
        """End the workers and remove what they have not delivered."""
        self._stop()

    def run(self, epoch: int, batches: Iterator[Any], prefetch: int, timeout: float) -> Iterator[Any]:
        """The batches of one epoch in order; for a stream `batches` is endless and the workers say when it ends."""
        run, numbers = next(self._run), itertools.count()
        waiting: deque[Member] = deque()

        def ask(member: Member) -> None:
            for indices in itertools.islice(batches, 1):
                number = next(numbers)
                segment = f"{self._label}-{run}-{number}"
                member.segments.append(segment)
                _send(member, Task(run, epoch, number, indices, segment))
                waiting.append(member)

        for _ in range(prefetch):
            for member in self.members:
                ask(member)
        while waiting:
            member = waiting.popleft()
            more, batch = _answer(member, run, timeout)
            if more:
                ask(member)
                yield batch


def _can_fork() -> bool:
    return "fork" in multiprocessing.get_all_start_methods() and os.uname().sysname == "Linux"


def _start(settings: Settings, context: Any, others: list[Member]) -> Member:
    task_end, tasks = context.Pipe(duplex=False)
    results, result_end = context.Pipe(duplex=False)
    unused = [tasks, results, *(end for m in others for end in (m.tasks, m.results))]
    forked = context.get_start_method() == "fork"
    args = (settings, task_end, result_end, unused if forked else [])
    process = context.Process(target=work, args=args, daemon=True, name=f"data worker {settings.worker}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # a worker starts no thread that others may wait for
            process.start()
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise WorkerError(
            f"the dataset, collate_fn or worker_init_fn cannot be sent to a worker process: {error}. "
            "Write them at the top of a module, or multiprocessing_context='fork', or num_workers=0"
        ) from error
    finally:
        task_end.close()
        result_end.close()
    return Member(settings.worker, process, tasks, results, [])


def _send(member: Member, task: Task | None) -> None:
    with contextlib.suppress(
        BrokenPipeError, OSError
    ):  # it has ended: that is said when its answer is waited for
        member.tasks.send(task)


def _answer(member: Member, run: int, timeout: float) -> tuple[bool, Any]:
    """(whether it is a batch, and not the end of a stream; the batch)."""
    while True:
        if not wait([member.results, member.process.sentinel], timeout or None):
            raise WorkerError(
                f"worker {member.number} (process {member.process.pid}) did not deliver a batch within "
                f"timeout={timeout} seconds. Write a longer timeout, or num_workers=0 to see where it waits"
            )
        try:
            if not member.results.poll():
                raise EOFError
            answered, more, batch = unpack(member.results.recv_bytes())
        except (EOFError, OSError):
            raise _ended(member) from None
        member.segments.pop(0)
        if answered == run:  # else it was asked for in an epoch that was left
            break
    if more is None:
        message, index, dataset, cause, trace = batch
        reason = None if cause is None else pickle.loads(cause)
        raise ItemError(f"{message}\n\nIn worker {member.number}:\n{trace}", index, dataset) from reason
    return more, batch


def _ended(member: Member) -> WorkerError:
    member.process.join(1)
    code = member.process.exitcode
    how = f"ended with exit code {code}"
    advice = "num_workers=0 shows its error here; a script that starts processes needs `if __name__ == '__main__':`"
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            how = f"was killed by {signal.Signals(-code).name}"
        advice = "Memory that ran out is the usual cause: write fewer workers, or a smaller batch_size"
    return WorkerError(
        f"worker {member.number} (process {member.process.pid}) {how} before it delivered its batch. {advice}"
    )


def _stop(members: list[Member], owner: int) -> None:
    if os.getpid() != owner:
        return  # a copy of the pool in a forked process
    for member in members:
        _send(member, None)
        member.tasks.close()
    for member in members:
        member.process.join(2)
        if member.process.is_alive():
            member.process.kill()
            member.process.join()
        member.results.close()
        for segment in member.segments:
            discard(segment)
    members.clear()
