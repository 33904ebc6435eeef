"""An override never loses a gradient: a backend that overrides every default there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from everygrad.conformance.command import examine
from everygrad.conformance.runner import Entry, selected
from everygrad.engine import Autodiff, run
from everygrad.rules import RULES
from everygrad_numpy import NumpyBackend
from everygrad_ops import OpSpec, contract, is_overridden


class Overrider(NumpyBackend):
    """NumPy, with a form of its own for each op that has a default: the default, called from outside."""

    called: list[str]

    def __init__(self) -> None:
        super().__init__()
        self.name = "overrider"
        self.called = []


def _override(spec: OpSpec) -> Callable[..., Any]:
    def method(self: Overrider, *args: Any, **keywords: Any) -> Any:
        self.called.append(spec.name)
        return spec.function(self, *args, **keywords)

    return method


DEFAULTS = [
    spec
    for spec in contract().values()
    if not (spec.marks.primitive or spec.marks.optional or spec.marks.query or spec.marks.internal)
    and spec.marks.differentiable
    and spec.arrays
]
for _spec in DEFAULTS:
    if getattr(NumpyBackend, _spec.name) is _spec.function:
        setattr(Overrider, _spec.name, _override(_spec))

BACKEND = Overrider()
RECOMPUTED = {spec.name for spec in DEFAULTS if spec.name not in RULES}
ENTRIES = {entry.id: entry for entry in selected() if entry.op in RECOMPUTED}


def test_all_are_overridden() -> None:
    assert all(is_overridden(BACKEND, spec.name) for spec in DEFAULTS)
    assert len(RECOMPUTED) > 20


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES.keys())
def test_every_override_keeps_its_gradient(entry: Entry) -> None:
    report = examine(BACKEND, [entry], fast=True)
    assert not report.failures, "\n".join(f"[{o.column}] {o.message}" for o in report.failures)


def test_the_override_runs_forwards_and_the_default_backwards() -> None:
    ad = Autodiff(BACKEND)
    values = np.array([0.5, 2.0])
    x = ad.variable(ad.from_numpy(values))
    BACKEND.called.clear()
    out = ad.ndtr(x)
    assert BACKEND.called[0] == "ndtr"
    assert out.node is not None and out.node.record.name == "ndtr"
    assert x.node is not None
    found = run(ad, [(out.node, np.ones(2))])[x.node]
    np.testing.assert_allclose(found, np.exp(-values * values / 2) / np.sqrt(2 * np.pi))
