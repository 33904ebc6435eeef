"""Cases of dropout: what is kept is scaled, the share that is kept, both ends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case


def _keeps(x_value: float, p: float) -> Callable[[Array], None]:
    """Every element is 0 or x / (1 - p), and about 1 - p of them are kept."""

    def examine(out: Array) -> None:
        kept: Array = np.not_equal(out, 0)
        if not np.all(out[kept].astype(np.float64) == x_value / (1 - p)):
            raise AssertionError(f"kept elements must be {x_value / (1 - p)}. Received: {out[kept]}")
        if abs(float(np.mean(kept)) - (1 - p)) > 0.1:
            raise AssertionError(f"about {1 - p} of the elements must be kept. Received: {np.mean(kept)}")

    return examine


def _same(x: Array, p: float, seed: int) -> Array:
    return x


CASES = [
    Case("dropout", "half", lambda r: (np.ones((40, 50)), 0.5, 7), lambda *_: None, examine=_keeps(1.0, 0.5)),
    Case(
        "dropout",
        "quarter",
        lambda r: (np.full(3000, 3.0), 0.25, 8),
        lambda *_: None,
        examine=_keeps(3.0, 0.25),
    ),
    Case("dropout", "nothing", lambda r: (r.normal(size=(3, 2)), 0.0, 7), _same, exact=True),
    Case(
        "dropout",
        "everything",
        lambda r: (np.array([1.0, np.inf, np.nan, -2.0]), 1.0, 7),
        lambda *_: np.zeros(4),
        exact=True,
        gradients=lambda *_: [np.zeros(4)],
    ),
    Case("dropout", "size-0", lambda r: (np.zeros((0, 3)), 0.5, 7), _same),
    Case("dropout", "normal", lambda r: (r.normal(size=(3, 4)), 0.5, 7), lambda *_: None, order=3),
]

BAD_CALLS = [
    BadCall("dropout", "negative", lambda r: (np.ones(2), -0.1, 0), ValueError, ["-0.1"]),
    BadCall("dropout", "above-1", lambda r: (np.ones(2), 1.5, 0), ValueError, ["1.5"]),
    BadCall("dropout", "nan", lambda r: (np.ones(2), float("nan"), 0), ValueError, ["nan"]),
]
