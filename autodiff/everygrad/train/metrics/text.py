"""Metrics of text by edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad.train.metrics.base import Quotient

__all__ = ["CharErrorRate", "WordErrorRate", "edit_distance"]


def edit_distance(first: Sequence[Any], second: Sequence[Any]) -> int:
    """The fewest insertions, deletions and replacements that make one sequence of the other.

    Source: Wagner, Fischer, "The string-to-string correction problem", 1974; a row of the table at a time, the insertions
    in it as a running minimum.

    >>> from everygrad.train.metrics.text import edit_distance
    >>> edit_distance("kitten", "sitting")
    3
    """
    numbers: dict[Any, int] = {}
    x, y = (
        np.array([numbers.setdefault(s, len(numbers)) for s in part], np.int64) for part in (first, second)
    )
    places = np.arange(len(y) + 1)
    row = places.copy()
    for symbol in x:
        after = np.append(row[0] + 1, np.minimum(row[1:] + 1, row[:-1] + (y != symbol)))
        row = np.minimum.accumulate(after - places) + places
    return int(row[-1])


class _ErrorRate(Quotient):
    """Edits from prediction to target, over the length of the target, summed over all pairs of texts."""

    higher_is_better = False

    def symbols(self, text: Any) -> Sequence[Any]:
        """What is counted of a text."""
        raise NotImplementedError

    @override
    def update(self, prediction: Any, target: Any) -> None:
        said, right = _texts(prediction), _texts(target)
        if len(said) != len(right):
            raise ValueError(
                f"{type(self).__name__}: needs as many predictions as targets. Received: {len(said)} and {len(right)}"
            )
        for x, y in zip(said, right):
            wanted = self.symbols(y)
            self.total += edit_distance(self.symbols(x), wanted)
            self.count += len(wanted)


def _texts(given: Any) -> list[Any]:
    return [given] if isinstance(given, str) else list(given)


class CharErrorRate(_ErrorRate):
    """Edits of characters over the characters of the targets (CER); takes texts or lists of symbols.

    >>> import everygrad as eg
    >>> metric = eg.train.CharErrorRate()
    >>> metric.update(["abcd"], ["abed"])
    >>> metric.compute()
    0.25
    """

    @override
    def symbols(self, text: Any) -> Sequence[Any]:
        return list(text)


class WordErrorRate(_ErrorRate):
    """Edits of words over the words of the targets (WER).

    >>> import everygrad as eg
    >>> metric = eg.train.WordErrorRate()
    >>> metric.update(["the cat sat"], ["the cat is here"])
    >>> metric.compute()
    0.5
    """

    @override
    def symbols(self, text: Any) -> Sequence[Any]:
        return text.split() if isinstance(text, str) else list(text)
