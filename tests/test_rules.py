"""The table of rules refuses what would lose a gradient: at import, naming the op."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from everygrad.engine.compile import differentiable_params
from everygrad.rules import RULES, check_complete, gradient, registry
from everygrad_ops import contract


@pytest.fixture(autouse=True)
def table() -> Iterator[None]:
    """Whatever a test writes into the table of rules is taken out again."""
    before = {op: list(rules) for op, rules in RULES.items()}
    yield
    RULES.clear()
    RULES.update(before)


def nothing(b: Any, g: Any) -> Any:
    return g


def test_the_table_is_complete() -> None:
    check_complete()


@pytest.mark.parametrize(
    "op", [name for name, spec in contract().items() if spec.marks.primitive and spec.marks.differentiable]
)
def test_a_primitive_without_its_rules_is_refused(op: str) -> None:
    del RULES[op]
    with pytest.raises(LookupError, match=f"'{op}' has no gradient rule.*non_differentiable"):
        check_complete()


def test_a_rule_for_one_of_two_arguments_is_refused() -> None:
    RULES["mul"] = [rule for rule in RULES["mul"] if rule.wrt == ("x",)]
    with pytest.raises(LookupError, match=r"'mul' has no gradient rule for \['y'\]"):
        check_complete()


def test_a_rule_that_names_what_nothing_provides_is_refused() -> None:
    def misspelled(b: Any, g: Any, weigth: Any) -> Any:
        return g

    del RULES["neg"]
    gradient("neg", "x")(misspelled)
    with pytest.raises(LookupError, match="weigth"):
        check_complete()


def test_unknown_ops_arguments_and_second_rules_are_refused() -> None:
    with pytest.raises(LookupError, match="no_such_op"):
        gradient("no_such_op", "x")(nothing)
    with pytest.raises(LookupError, match="no_such_argument"):
        gradient("add", "no_such_argument")(nothing)
    with pytest.raises(LookupError, match="already has a rule"):
        gradient("add", "x")(nothing)


def test_the_import_fails_naming_the_primitive() -> None:
    code = """
import everygrad_ops.unary as unary
from everygrad_ops.errors import missing
from everygrad_ops.marks import primitive

def mystery(self, x: "A") -> "A":
    raise missing(self, "mystery")

unary.UnaryOps.mystery = primitive(mystery)
import everygrad
"""
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert ended.returncode != 0
    assert "the op 'mystery' has no gradient rule for ['x']" in ended.stderr


def test_every_float_argument_of_every_op_has_a_way_for_its_gradient() -> None:
    for spec in contract().values():
        if not spec.marks.differentiable:
            continue
        arrays = {p.name for p in spec.arrays} - set(spec.marks.caches) - registry.INTEGER_ARGUMENTS
        assert arrays <= {p.name for p in differentiable_params(spec)}, spec.name
