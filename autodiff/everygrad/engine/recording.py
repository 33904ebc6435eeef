"""Whether ops are recorded: a context variable, so threads and async tasks do not see each other's."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

_recording: ContextVar[bool] = ContextVar("everygrad_recording", default=True)

is_recording: Callable[[], bool] = _recording.get


def is_grad_enabled() -> bool:
    """Whether ops on tracked tensors are being recorded here (a new thread starts with True)."""
    return _recording.get()


@contextmanager
def set_recording(on: bool) -> Generator[None]:
    """Record, or not, inside the block; what held before comes back, by an exception too."""
    token = _recording.set(on)
    try:
        yield
    finally:
        _recording.reset(token)


@contextmanager
def no_grad() -> Generator[None]:
    """Record nothing inside the block (also a decorator).

    >>> import everygrad as eg
    >>> x = eg.tensor(2.0, requires_grad=True)
    >>> with eg.no_grad():
    ...     y = x * x
    >>> y.requires_grad
    False
    """
    with set_recording(False):
        yield


@contextmanager
def enable_grad() -> Generator[None]:
    """Record inside the block, also within `no_grad`."""
    with set_recording(True):
        yield
