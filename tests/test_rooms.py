"""An op is found under one file name in each room: contract, backends, rules and cases."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

from everygrad.conformance import cases
from everygrad.rules import RULES
from everygrad_ops import Backend, contract

PARTS = {
    "adaptive_named": "adaptive",
    "avg_pool_named": "pool",
    "conv_named": "conv",
    "conv_transpose_named": "conv_transpose",
    "index_put": "indexing",
    "max_pool_named": "pool",
    "pool_named": "pool",
    "recurrent_scan": "recurrent",
}
"""Files that a family was split into, where one grew too long."""
SHARED = {("piecewise", "activation")}
"""Families of the contract whose older ops have their cases with their neighbours'."""


def family(module: str) -> str:
    """The family of a module of any room."""
    name = module.rpartition(".")[2]
    return PARTS.get(name, name)


def of_contract(op: str) -> str:
    return family(inspect.unwrap(getattr(Backend, op)).__module__)


def misplaced(op: str, module: str) -> bool:
    return family(module) != of_contract(op) and (of_contract(op), family(module)) not in SHARED


def overrides(name: str, backend: type) -> Iterator[tuple[str, str]]:
    """(op, module) of every op that a backend's package implements."""
    for op in contract():
        owner = next((kind for kind in backend.__mro__ if op in vars(kind)), None)
        if owner is not None and owner.__module__.startswith(name):
            yield op, owner.__module__


@pytest.mark.parametrize(
    ("name", "kind"), [("everygrad_numpy", "NumpyBackend"), ("everygrad_torch", "TorchBackend")]
)
def test_backends(name: str, kind: str) -> None:
    package = pytest.importorskip(name, reason="the array library is not installed")
    found = dict(overrides(name, getattr(package, kind)))
    assert len(found) > 75
    assert {op: module for op, module in found.items() if misplaced(op, module)} == {}


def test_rules() -> None:
    found = [(op, rule.function.__module__) for op, rules in RULES.items() for rule in rules]
    assert [pair for pair in found if misplaced(*pair)] == []


def test_cases() -> None:
    found: set[tuple[str, str]] = set()
    for entry in pkgutil.iter_modules(cases.__path__):
        module = importlib.import_module(f"{cases.__name__}.{entry.name}")
        listed = [*getattr(module, "CASES", ()), *getattr(module, "BAD_CALLS", ())]
        found |= {(case.op, module.__name__) for case in listed}
    assert len(found) > 350
    assert {pair for pair in found if pair[0] in contract() and misplaced(*pair)} == set()


def test_the_check_fails() -> None:
    assert misplaced("erf", "everygrad.rules.gamma")
    assert not misplaced("erf", "everygrad.rules.special")
    assert not misplaced("avg_pool2d", "everygrad.rules.pool_named")
