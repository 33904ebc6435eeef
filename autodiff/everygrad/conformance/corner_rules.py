"""corners.toml: how corners are judged where a case's oracle cannot, each with its reason."""

from __future__ import annotations

import fnmatch
import functools
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from everygrad.conformance.case import Case
from everygrad_ops import OpSpec

JUDGES = ("blurred", "spreads", "refused", "not asked")


def matches(patterns: tuple[str, ...], name: str) -> bool:
    """Whether a shell pattern matches."""
    return _matcher(patterns).match(name) is not None


@functools.cache
def _matcher(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or r"(?!)")


@dataclass(frozen=True)
class Rule:
    """What is known of NaN, inf and -inf in some operands of some ops."""

    ops: tuple[str, ...]
    judge: str
    """"blurred": NaN and infinities are one, and may leave alone what does not depend on the value;
    "spreads": these, and they may also stand where the oracle has numbers; "refused": the call raises; "not asked": nothing is due."""
    reason: str
    operands: tuple[str, ...] = ("*",)
    values: tuple[str, ...] = ("nan", "inf", "-inf")

    def covers(self, case: Case, operand: str, value: str) -> bool:
        """Whether it is about this value in this operand."""
        named = matches(self.ops, case.op) or matches(self.ops, case.id)
        return named and value in self.values and matches(self.operands, operand)


@dataclass(frozen=True)
class Absence:
    """A feature that the cases of some ops need not show, and why."""

    features: tuple[str, ...]
    ops: tuple[str, ...]
    reason: str

    def covers(self, op: str, feature: str) -> bool:
        """Whether it is about this feature of this op."""
        return feature in self.features and matches(self.ops, op)


@dataclass(frozen=True)
class Batch:
    """The operands that share a leading dim which may be empty."""

    ops: tuple[str, ...]
    operands: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """All entries."""

    rules: tuple[Rule, ...]
    absences: tuple[Absence, ...]
    batches: tuple[Batch, ...]
    elementwise: tuple[str, ...]


@functools.cache
def table() -> Table:
    """The entries of corners.toml."""
    text = files("everygrad.conformance").joinpath("corners.toml").read_text(encoding="utf-8")
    return read_table(text)


def read_table(text: str) -> Table:
    """Entries as they stand in corners.toml; a rule or an absence needs its reason."""
    found = tomllib.loads(text)
    rules = tuple(Rule(**_tuples(entry)) for entry in found.get("rule", []))
    absences = tuple(Absence(**_tuples(entry)) for entry in found.get("absent", []))
    for rule in rules:
        if rule.judge not in JUDGES:
            raise ValueError(f"a rule is judged by one of {JUDGES}. Received: {rule.judge!r}")
    if not all(reason.strip() for reason in [*(r.reason for r in rules), *(a.reason for a in absences)]):
        raise ValueError(f"an entry of corners.toml needs a reason. Received: {(*rules, *absences)}")
    batches = tuple(Batch(**_tuples(entry)) for entry in found.get("batch", []))
    return Table(rules, absences, batches, tuple(found.get("elementwise", [])))


def _tuples(entry: dict[str, Any]) -> dict[str, Any]:
    return {k: v if isinstance(v, str) else tuple(v) for k, v in entry.items()}


def rule_for(case: Case, operand: str, value: str, rules: Sequence[Rule] | None = None) -> Rule | None:
    """The first rule about this value in this operand, if any."""
    return next(
        (r for r in (table().rules if rules is None else rules) if r.covers(case, operand, value)), None
    )


def batch_of(case: Case, spec: OpSpec) -> tuple[str, ...]:
    """The operands of an op that share a leading dim which may be empty."""
    for entry in table().batches:
        if matches(entry.ops, case.op) or matches(entry.ops, case.id):
            return entry.operands
    elementwise = spec.marks.pointwise or spec.marks.broadcasting
    return tuple(p.name for p in spec.arrays) if elementwise else ()


def is_elementwise(spec: OpSpec) -> bool:
    """Whether an op takes arrays of rank 0 for arrays of any other."""
    named = matches(table().elementwise, spec.name)
    marked = spec.marks.pointwise or spec.marks.broadcasting
    return named or (marked and not any(p.name == "dim" for p in spec.params))
