"""Seeds: a generator that hands out one integer after another, a function of (seed, counter)."""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator as Iteration
from collections.abc import Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from typing_extensions import override

from everygrad_ops import GradientError

_WORD = 2**64 - 1


class Generator:
    """Hands out seeds for random ops; the same seed hands out the same row again.

    >>> g = Generator(0)
    >>> g.next_seed() == Generator(0).next_seed(), g.next_seed() == Generator(0).next_seed()
    (True, False)
    """

    def __init__(self, seed: int) -> None:
        if not hasattr(seed, "__index__"):
            raise TypeError(
                f"a seed must be an integer. Received: {type(seed).__name__}; write a plain integer, such as 1"
            )
        self.seed = int(seed)
        self._count = itertools.count().__next__

    def next_seed(self) -> int:
        """The next seed, below 2 ** 63."""
        return _mix(_mix(self.seed & _WORD) ^ self._count()) >> 1

    def numpy(self) -> np.random.Generator:
        """A NumPy generator on the next seed: for draws on the host, equal on every backend."""
        return np.random.Generator(np.random.Philox(self.next_seed()))


class _Noting(Generator):
    """Hands on the seeds of another generator and remembers them."""

    def __init__(self, source: Generator) -> None:
        super().__init__(source.seed)
        self.source = source
        self.drawn: list[int] = []

    @override
    def next_seed(self) -> int:
        seed = self.source.next_seed()
        self.drawn.append(seed)
        return seed


class _Again(Generator):
    """Hands out remembered seeds."""

    def __init__(self, seeds: Sequence[int]) -> None:
        super().__init__(0)
        self._rest = iter(seeds)

    @override
    def next_seed(self) -> int:
        seed = next(self._rest, None)
        if seed is None:
            raise GradientError(
                "checkpoint: the function draws more random numbers than when it was first run"
            )
        return seed


def _mix(x: int) -> int:
    """A bijection of 64-bit words in which every bit depends on every bit.

    Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 (SplitMix64).
    """
    x = (x + 0x9E3779B97F4A7C15) & _WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


_process_default = Generator(int.from_bytes(os.urandom(8), "little"))
_current: ContextVar[Generator] = ContextVar("everygrad_generator", default=_process_default)


def manual_seed(seed: int) -> Generator:
    """Start the current context's generator anew: what follows is repeatable. Other threads keep theirs.

    >>> import everygrad as eg
    >>> eg.manual_seed(0) and eg.rand(2).tolist() == (eg.manual_seed(0) and eg.rand(2).tolist())
    True
    """
    generator = Generator(int(seed))
    _current.set(generator)
    return generator


def current_generator() -> Generator:
    """The generator that random functions take their seeds from here."""
    return _current.get()


@contextmanager
def seeded(seed: int) -> Iteration[Generator]:
    """Use a generator of its own inside the block; the one before comes back.

    >>> import everygrad as eg
    >>> with eg.seeded(0):
    ...     a = eg.rand(2)
    >>> with eg.seeded(0):
    ...     a.tolist() == eg.rand(2).tolist()
    True
    """
    with using(Generator(seed)) as generator:
        yield generator


@contextmanager
def using(generator: Generator) -> Iteration[Generator]:
    """Take seeds from `generator` inside the block, where it was left; the one before comes back."""
    token = _current.set(generator)
    try:
        yield generator
    finally:
        _current.reset(token)


@contextmanager
def noting_draws() -> Iteration[list[int]]:
    """The seeds handed out inside the block, by the generator that was current before."""
    generator = _Noting(_current.get())
    token = _current.set(generator)
    try:
        yield generator.drawn
    finally:
        if _current.get() is generator:  # else the block has set a seed of its own
            _current.reset(token)


@contextmanager
def drawn_again(seeds: Sequence[int]) -> Iteration[None]:
    """Inside the block the generator hands out `seeds` again."""
    token = _current.set(_Again(seeds))
    try:
        yield
    finally:
        _current.reset(token)
