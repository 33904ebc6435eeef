"""A backend that implements the primitives and nothing else, on NumPy: every default must do for it."""

from __future__ import annotations

import functools
from typing import Any

from everygrad_numpy import NumpyBackend
from everygrad_ops import Backend, contract

_numpy = NumpyBackend()


class MinimalBackend(Backend[Any]):
    """Each primitive is NumPy's; all else is the contract's default."""

    name = "minimal"


def _forwarding(op: str) -> Any:
    @functools.wraps(getattr(NumpyBackend, op))
    def method(self: MinimalBackend, *args: Any, **kwargs: Any) -> Any:
        return getattr(_numpy, op)(*args, **kwargs)

    return method


PRIMITIVES = [name for name, spec in contract().items() if spec.marks.primitive]

for _name in PRIMITIVES:
    setattr(MinimalBackend, _name, _forwarding(_name))
