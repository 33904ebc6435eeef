"""Metrics of text by what it shares with its references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from typing_extensions import override

from everygrad.train.metrics.base import Metric, Quotient

__all__ = ["BLEU", "RougeL"]


def _words(text: Any) -> list[Any]:
    return text.split() if isinstance(text, str) else list(text)


def _references(text: Any, target: Any) -> list[list[Any]]:
    """The references of a text: one of its kind (a string, or a list of symbols), or a list of several."""
    if isinstance(target, str):
        return [_words(target)]
    given = list(target)
    several = isinstance(text, str) or any(isinstance(part, (list, tuple)) for part in given)
    return [_words(reference) for reference in given] if several else [given]


class BLEU(Metric):
    """BLEU of all texts together: the geometric mean of the clipped precision of 1- to `max_n`-grams, times a penalty for
    texts that are shorter than their references.

    `update` takes a list of texts and a list of references, or of lists of several references each; strings are split
    at spaces. `smoothing` says what stands for a count of 0: "none" makes the whole 0, "epsilon" counts `epsilon`, "exp"
    1/2, 1/4 ... in turn.

    Source: Papineni et al., "BLEU: a method for automatic evaluation of machine translation", 2002; Chen, Cherry, "A
    systematic comparison of smoothing techniques for sentence-level BLEU", 2014 (methods 1 and 3).

    >>> import everygrad as eg
    >>> bleu = eg.train.BLEU()
    >>> bleu.update(["the cat sat on the mat"], ["the cat sat on the mat"])
    >>> bleu.compute()
    1.0
    """

    def __init__(
        self,
        max_n: int = 4,
        smoothing: Literal["none", "epsilon", "exp"] = "none",
        epsilon: float = 0.1,
    ) -> None:
        if smoothing not in ("none", "epsilon", "exp"):
            raise ValueError(f"BLEU: smoothing must be 'none', 'epsilon' or 'exp'. Received: {smoothing!r}")
        self.max_n, self.smoothing, self.epsilon = max_n, smoothing, epsilon
        super().__init__()

    @override
    def reset(self) -> None:
        self.matches, self.totals = [0] * self.max_n, [0] * self.max_n
        self.length = self.wanted = 0

    @override
    def update(self, prediction: Any, target: Any) -> None:
        said, right = list(prediction), list(target)
        if isinstance(prediction, str) or len(said) != len(right):
            raise ValueError(
                f"BLEU: needs a list of texts and references for each. Received: {len(said)} and {len(right)}"
            )
        for text, given in zip(said, right):
            words, references = _words(text), _references(text, given)
            self.length += len(words)
            self.wanted += min((len(r) for r in references), key=lambda n: (abs(n - len(words)), n))
            for n in range(1, self.max_n + 1):
                grams = _grams(words, n)
                best: Counter[Any] = Counter()
                for reference in references:
                    best |= _grams(reference, n)
                self.matches[n - 1] += sum((grams & best).values())
                self.totals[n - 1] += sum(grams.values())

    @override
    def compute(self) -> float:
        if not self.length:
            return float("nan")
        logs, halvings = 0.0, 0
        for match, total in zip(self.matches, self.totals):
            part: float = match
            if not match and self.smoothing == "exp" and total:
                halvings += 1
                part = 0.5**halvings
            elif not match and self.smoothing == "epsilon":
                part = self.epsilon
            if not part or not total:
                return 0.0
            logs += math.log(part / total) / self.max_n
        return math.exp(logs + min(0.0, 1 - self.wanted / self.length))


def _grams(words: Sequence[Any], n: int) -> Counter[Any]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


class RougeL(Quotient):
    """The mean over texts of the F score of their longest common subsequence with the reference.

    Source: Lin, "ROUGE: a package for automatic evaluation of summaries", 2004; `beta` = 1 weighs precision and recall alike.

    >>> import everygrad as eg
    >>> rouge = eg.train.RougeL()
    >>> rouge.update(["police kill the gunman"], ["police killed the gunman"])
    >>> rouge.compute()
    0.75
    """

    def __init__(self, beta: float = 1.0) -> None:
        self.beta = beta
        super().__init__()

    @override
    def update(self, prediction: Any, target: Any) -> None:
        for text, references in zip(list(prediction), list(target), strict=True):
            words = _words(text)
            self.total += max(self._score(words, reference) for reference in _references(text, references))
            self.count += 1

    def _score(self, words: list[Any], reference: list[Any]) -> float:
        shared = common_length(words, reference)
        if not shared:
            return 0.0
        precision, recall, square = shared / len(words), shared / len(reference), self.beta**2
        return (1 + square) * precision * recall / (recall + square * precision)


def common_length(first: Sequence[Any], second: Sequence[Any]) -> int:
    """The length of the longest sequence that both hold in order, with gaps."""
    row = np.zeros(len(second) + 1, np.int64)
    for symbol in first:
        same = np.array([symbol == other for other in second], np.bool_)
        row[1:] = np.maximum.accumulate(np.maximum(row[1:], np.where(same, row[:-1] + 1, 0)))
    return int(row[-1])
