"""The map of burn's methods: none is missing, and every counterpart it names is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import everygrad as eg
from everygrad_ops import Backend

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "burn-map.md"
TEXT = PAGE.read_text(encoding="utf-8")
METHODS = {
    "Backend": 15,
    "FloatTensorOps": 128,
    "IntTensorOps": 108,
    "BoolTensorOps": 39,
    "ModuleOps": 60,
    "ActivationOps": 14,
    "QTensorOps": 80,
    "TransactionOps": 1,
    "DistributedOps": 9,
}
"""How many methods burn's source has, by trait."""
ABSENT = ("later: quantized", "later: distributed", "later: capture of graphs of kernels")
OWN = "the array library's own: "
ROOTS: dict[str, Any] = {"eg": eg, "Tensor": eg.Tensor, "Backend": Backend}


def tables() -> dict[str, dict[str, str]]:
    """Counterpart by method, by trait."""
    found: dict[str, dict[str, str]] = {}
    for part in TEXT.split("\n## ")[1:]:
        head = re.match(r".*: (\w+), (\d+) methods\n", part)
        if head:
            rows = re.findall(r"^\| (\w+) \| .* \| (.*) \|$", part, re.MULTILINE)[1:]
            assert len(rows) == int(head[2]), head[0]
            found[head[1]] = dict(rows)
            assert len(found[head[1]]) == len(rows), f"a method of {head[1]} is listed twice"
    return found


TABLES = tables()
ROWS = [(trait, *row) for trait, rows in TABLES.items() for row in rows.items()]


def names(text: str) -> list[str]:
    """What of ours a cell names."""
    return re.findall(r"`((?:eg|Tensor|Backend)\.[\w.]+)`", text)


def exists(name: str) -> bool:
    """Whether a dotted name leads somewhere; an op of the contract, or what a backend declares."""
    root, *path = name.split(".")
    if root == "Backend" and path[0] in Backend.__annotations__:
        return True
    value = ROOTS[root]
    for step in path:
        if not hasattr(value, step):
            return False
        value = getattr(value, step)
    return True


def test_no_method_is_missing() -> None:
    counts = {trait: len(rows) for trait, rows in TABLES.items() if trait != "AutodiffBackend"}
    assert counts == METHODS
    assert sum(counts.values()) == 454


@pytest.mark.parametrize(("trait", "method", "ours"), ROWS, ids=[f"{t}-{m}" for t, m, _ in ROWS])
def test_counterpart(trait: str, method: str, ours: str) -> None:
    if ours in ABSENT:
        due = {"QTensorOps": ABSENT[0], "DistributedOps": ABSENT[1]}.get(trait)
        assert due == ours or trait in ("Backend", "AutodiffBackend")
    elif ours.startswith(OWN):
        assert trait == "Backend"
    else:
        assert names(ours), f"{method} has no counterpart: {ours}"
        assert [name for name in names(ours) if not exists(name)] == []


def test_what_burn_does_not_have_is_there() -> None:
    part = TEXT.partition("## What burn does not have")[2]
    assert len(names(part)) > 50
    assert [name for name in names(part) if not exists(name)] == []


def test_a_name_that_is_not_there_is_seen() -> None:
    assert not exists("Backend.no_such_op")
    assert not exists("eg.functional.no_such_function")
