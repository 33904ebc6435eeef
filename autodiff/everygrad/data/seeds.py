"""Seeds that depend on where one is: (seed, epoch, batch), and all generators set from one of them."""

from __future__ import annotations

import operator
import random
from collections.abc import Generator as Iteration
from contextlib import contextmanager
from typing import Any

import numpy as np

from everygrad.generator import Generator, current_generator, manual_seed, using

__all__ = ["derive_seed", "seeded_everywhere"]


def derive_seed(seed: int, *place: int) -> int:
    """A seed below 2 ** 63 for a place such as (epoch, worker): other places get unrelated seeds.

    Source: NumPy's SeedSequence, which mixes the words.

    >>> import everygrad as eg
    >>> eg.data.derive_seed(0, 1, 2) == eg.data.derive_seed(0, 1, 2), eg.data.derive_seed(0, 2, 1) == eg.data.derive_seed(0, 1, 2)
    (True, False)
    """
    words = np.random.SeedSequence([abs(int(seed)), int(seed < 0), *place]).generate_state(1, np.uint64)
    return int(words[0]) >> 1


def seed_everywhere(seed: int) -> None:
    """Start Python's, NumPy's and everygrad's generators from one seed, for good: in a process of its own."""
    random.seed(seed)
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32])
    manual_seed(seed)


@contextmanager
def seeded_everywhere(seed: int) -> Iteration[None]:
    """Inside the block Python's, NumPy's and everygrad's generators start from `seed`; those before come back.

    >>> import random
    >>> import everygrad as eg
    >>> with eg.data.seeded_everywhere(0):
    ...     a = random.random(), np.random.rand(), eg.rand(1).item()
    >>> with eg.data.seeded_everywhere(0):
    ...     a == (random.random(), np.random.rand(), eg.rand(1).item())
    True
    """
    with Generators(seed).active():
        yield


class Generators:
    """Python's, NumPy's and everygrad's generators of one's own, which go on where they were left."""

    def __init__(self, seed: int) -> None:
        self._python = random.Random(seed).getstate()
        self._numpy: Any = np.random.RandomState([seed & 0xFFFFFFFF, seed >> 32]).get_state()
        self._own = Generator(seed)

    @contextmanager
    def active(self) -> Iteration[None]:
        """Inside the block these are the current ones; those before come back."""
        python, numpy = random.getstate(), np.random.get_state()
        try:
            random.setstate(self._python)
            np.random.set_state(self._numpy)
            with using(self._own):
                yield
        finally:
            self._python, self._numpy = random.getstate(), np.random.get_state()
            random.setstate(python)
            np.random.set_state(numpy)


def chosen_seed(seed: int | None) -> int:
    """`seed`, or one from the current generator: then `eg.manual_seed` makes the order repeatable."""
    if seed is None:
        return current_generator().next_seed()
    if not hasattr(seed, "__index__"):
        raise TypeError(f"seed: must be a whole number. Received: {seed!r}; write seed=0, or leave it out")
    return operator.index(seed)


def generator(seed: int, *place: int) -> np.random.Generator:
    """A NumPy generator for a place."""
    return np.random.Generator(np.random.Philox(derive_seed(seed, *place)))
