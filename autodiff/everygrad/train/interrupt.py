"""Ctrl-C while training: once to stop after the step, twice to stop at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self

__all__: list[str] = []


class Interrupt:
    """Inside the block the first SIGINT only sets `asked`; the second raises KeyboardInterrupt as usual.

    Outside of the main thread, where no handler can be set, nothing changes.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, *args: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
