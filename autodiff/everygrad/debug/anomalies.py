"""Stop at the first op whose result or gradient is NaN or infinite."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from everygrad.debug.install import install, uninstall, watching
from everygrad.debug.watcher import Anomalies, AnomalyError
from everygrad.engine.watch import watcher

__all__ = ["AnomalyError", "anomaly"]

_lock = threading.Lock()
_inside = [0]


@contextmanager
def anomaly(*, inf: bool = True) -> Generator[None]:
    """Inside the block (of this thread or task), stop at the first op that makes a NaN or an infinity.

    The `AnomalyError` names the op, the line of the program that called it, with its text, and the ranges of the
    operands; if it is a gradient that is NaN or infinite, also in a second backward pass, the op and the line of its
    forward pass. An infinity that comes from an operand (a mask of -inf) is none of the op's making and passes;
    with `inf=False` only NaN counts. Enter it before the forward pass, so that lines are known in backward.

    Every op's result is read, so a program runs slower inside. Outside nothing is paid.

    >>> import everygrad as eg
    >>> x = eg.tensor([1.0, 0.0], requires_grad=True)
    >>> with eg.debug.anomaly():
    ...     y = x.sqrt().sum()
    ...     try:
    ...         y.backward()
    ...     except eg.debug.AnomalyError as error:
    ...         print(error.op, error.argument, error.operands["result"])
    sqrt x float32[2], from 0 to 1
    """
    with _lock:
        _inside[0] += 1
        if _inside[0] == 1:
            install()
    looking = Anomalies(inf)
    tokens = watching.set(looking), watcher.set(looking)
    try:
        yield
    finally:
        watching.reset(tokens[0])
        watcher.reset(tokens[1])
        with _lock:
            _inside[0] -= 1
            if not _inside[0]:
                uninstall()
