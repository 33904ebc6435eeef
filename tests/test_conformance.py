"""The fast part of the suite on six configurations; `python -m everygrad conformance NAME` runs all of it."""

from __future__ import annotations

import pytest

from everygrad.conformance.command import examine
from everygrad.conformance.runner import Entry, selected
from everygrad.registry import backend
from everygrad_ops import contract, is_overridden
from tests.minimal import PRIMITIVES, MinimalBackend

BACKENDS = {
    "numpy": backend("numpy"),
    "torch": backend("torch"),
    "autodiff(numpy)": backend("autodiff(numpy)"),
    "autodiff(torch)": backend("autodiff(torch)"),
    "autodiff(autodiff(numpy))": backend("autodiff(autodiff(numpy))"),
    "minimal": MinimalBackend(),
}
ENTRIES = {entry.id: entry for entry in selected()}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES.keys())
@pytest.mark.parametrize("name", BACKENDS)
def test_conformance(name: str, entry: Entry) -> None:
    report = examine(BACKENDS[name], [entry], fast=True)
    assert not report.failures, "\n".join(f"[{o.column}] {o.message}" for o in report.failures)


def test_ids_are_unique() -> None:
    ids = [entry.id for entry in selected()]
    assert sorted({i for i in ids if ids.count(i) > 1}) == []


def test_the_minimal_backend_overrides_nothing_but_primitives() -> None:
    assert [op for op in contract() if is_overridden(BACKENDS["minimal"], op)] == [
        op for op in contract() if op in PRIMITIVES
    ]
