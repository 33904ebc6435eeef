"""Known gaps: failures that are declared, with a reason. One that no longer fails is an error."""

from __future__ import annotations

import fnmatch
import functools
import tomllib
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from importlib.resources import files

from everygrad.conformance.runner import COLUMNS, Outcome


@dataclass(frozen=True)
class Gap:
    """A failure that is known on the backends whose name matches."""

    backend: str
    id: str
    column: str
    reason: str

    def covers(self, backend: str, outcome: Outcome) -> bool:
        """Whether this is about that outcome on that backend."""
        return (
            fnmatch.fnmatch(backend, self.backend)
            and fnmatch.fnmatch(outcome.id, self.id)
            and self.column == outcome.column
        )


@functools.cache
def known_gaps() -> tuple[Gap, ...]:
    """The entries of gaps.toml."""
    text = files("everygrad.conformance").joinpath("gaps.toml").read_text(encoding="utf-8")
    return read_gaps(text)


def read_gaps(text: str) -> tuple[Gap, ...]:
    """Entries as they stand in gaps.toml, each with all four fields."""
    gaps = tuple(Gap(**entry) for entry in tomllib.loads(text).get("gap", []))
    for gap in gaps:
        if gap.column not in COLUMNS or not gap.reason.strip():
            raise ValueError(f"a known gap needs a reason and a column among {COLUMNS}. Received: {gap}")
    return gaps


def apply_gaps(backend: str, outcomes: Sequence[Outcome], gaps: Sequence[Gap]) -> list[Outcome]:
    """Failures that are declared become "gap"; where all that an entry covers passes, that is a failure."""
    stale = {
        gap
        for gap in gaps
        if not any(gap.covers(backend, o) and o.status in ("fail", "missing") for o in outcomes)
    }
    return [_apply(backend, o, gaps, stale) for o in outcomes]


def _apply(backend: str, outcome: Outcome, gaps: Sequence[Gap], stale: AbstractSet[Gap]) -> Outcome:
    gap = next((g for g in gaps if g.covers(backend, outcome)), None)
    if gap is not None and outcome.status in ("fail", "missing"):
        return replace(outcome, status="gap", message=gap.reason)
    if gap is not None and gap in stale and outcome.status == "pass":
        message = f"{outcome.id}: declared in gaps.toml ({gap.reason}), but it passes: remove the entry"
        return replace(outcome, status="fail", message=message)
    return outcome
