"""The scorecard: one row per op, one column per kind of check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from everygrad.conformance.runner import COLUMNS, Outcome

_WORST = ("fail", "missing", "gap", "pass", "skip")
_SIGNS = {"fail": "FAIL", "missing": "missing", "gap": "gap", "pass": "ok", "skip": "-"}
RANKS = {_SIGNS[status]: (rank, status) for rank, status in enumerate(_WORST)}
"""What the first word of a cell stands for, the worst first."""


@dataclass(frozen=True)
class Report:
    """All outcomes on one backend."""

    backend: str
    outcomes: Sequence[Outcome]

    @property
    def passed(self) -> bool:
        """Whether something was checked, and nothing failed or is missing."""
        ran = any(o.status == "pass" for o in self.outcomes)
        return ran and not any(o.status in ("fail", "missing") for o in self.outcomes)

    @property
    def failures(self) -> list[Outcome]:
        """What failed or is missing."""
        return [o for o in self.outcomes if o.status in ("fail", "missing")]

    @property
    def gaps(self) -> list[Outcome]:
        """Failures that are declared, with the reason as their message."""
        return [o for o in self.outcomes if o.status == "gap"]

    def cell(self, op: str, column: str) -> str:
        """The worst outcome of an op's cases in one column, with how many passed of how many."""
        found = Counter(o.status for o in self.outcomes if o.op == op and o.column == column)
        worst = next((status for status in _WORST if found[status]), "skip")
        ran = sum(found.values()) - found["skip"]
        return f"{_SIGNS[worst]} {found['pass']}/{ran}" if worst == "fail" else _SIGNS[worst]

    def rows(self) -> list[tuple[str, ...]]:
        """One row per op: its name and its cells."""
        ops = list(dict.fromkeys(o.op for o in self.outcomes))
        return [(op, *(self.cell(op, column) for column in COLUMNS)) for op in ops]

    def summary(self) -> str:
        """One line: counts by status, and the verdict."""
        found = Counter(o.status for o in self.outcomes)
        counts = ", ".join(f"{found[s]} {s}" for s in ("pass", "fail", "missing", "gap", "skip") if found[s])
        ops = len({o.op for o in self.outcomes})
        verdict = "conforms" if self.passed else "does not conform"
        return f"{self.backend}: {ops} ops, checks: {counts or 'none'}: {verdict}"

    def text(self) -> str:
        """The scorecard in plain text, what failed below it, and the summary."""
        rows = [("op", *COLUMNS), *self.rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
        lines.insert(1, "  ".join("-" * w for w in widths))
        for o in self.failures:
            lines.append(f"\n{o.status}: {o.id} [{o.column}]\n    {o.message}")
        return "\n".join([*lines, "", self.summary()])
