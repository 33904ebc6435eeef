"""Batches between processes: large arrays through shared memory, the rest through a pipe."""

from __future__ import annotations

import contextlib
import os
import pickle
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

__all__: list[str] = []

SMALL = 1 << 15
"""Bytes that go through a pipe, which takes them without waiting for the other side."""
ALIGNMENT = 64


def pack(value: Any, name: str) -> bytes:
    """The value as a message, its large arrays in the segment of shared memory called `name`."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    sizes = [view.nbytes for view in views]
    starts, total = _places(sizes)
    segment = _segment(name, total) if total > SMALL else None
    if segment is None:
        return pickle.dumps((body, None, [bytes(view) for view in views]), protocol=5)
    memory: Any = segment.buf
    for view, start, size in zip(views, starts, sizes):
        memory[start : start + size] = view
    del memory
    segment.close()
    return pickle.dumps((body, name, sizes), protocol=5)


def unpack(message: bytes) -> Any:
    """The value of a message; its segment is removed."""
    body, name, parts = pickle.loads(message)
    if name is None:
        return pickle.loads(body, buffers=[bytearray(part) for part in parts])
    segment = SharedMemory(name)
    try:
        starts, total = _places(parts)
        memory: Any = segment.buf
        whole = memoryview(bytearray(memory[:total]))
        del memory
    finally:
        segment.close()
        segment.unlink()
    return pickle.loads(body, buffers=[whole[start : start + size] for start, size in zip(starts, parts)])


def discard(name: str) -> None:
    """Remove a segment that nobody will read, if it is there: its worker, or the reading of it, may have ended anywhere."""
    with contextlib.suppress(FileNotFoundError, ValueError):  # an empty one cannot be opened
        segment = SharedMemory(name)
        segment.close()
        segment.unlink()
    if os.name == "posix":
        with contextlib.suppress(FileNotFoundError):
            Path("/dev/shm", name).unlink()
        resource_tracker.register(
            f"/{name}", "shared_memory"
        )  # else it may not be known, which is an error below
        resource_tracker.unregister(f"/{name}", "shared_memory")


def _places(sizes: list[int]) -> tuple[list[int], int]:
    """Where each part starts, and the size of all."""
    starts: list[int] = []
    end = 0
    for size in sizes:
        starts.append(end)
        end += -(-size // ALIGNMENT) * ALIGNMENT
    return starts, end


def _segment(name: str, size: int) -> SharedMemory | None:
    """A new segment; None where there is no room: writing beyond it would end the process without a word."""
    with contextlib.suppress(
        OSError, AttributeError
    ):  # other systems have no such folder and check for themselves
        room = os.statvfs("/dev/shm")
        if room.f_bavail * room.f_frsize < 2 * size:
            return None
    try:
        return SharedMemory(name, create=True, size=size)
    except OSError:
        return None
