"""The suite as tests: one per case and per wrong call."""

from __future__ import annotations

import pytest

from everygrad.conformance.command import examine
from everygrad.conformance.runner import Entry, selected
from everygrad.registry import backend

ENTRIES = selected()


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.id for entry in ENTRIES])
def test_conformance(entry: Entry, request: pytest.FixtureRequest) -> None:
    """Every check of one case on the backend that --backend names."""
    b = backend(str(request.config.getoption("--backend", default="numpy")))
    report = examine(b, [entry], fast=bool(request.config.getoption("--fast", default=False)))
    assert not report.failures, "\n".join(f"[{o.column}] {o.message}" for o in report.failures)
