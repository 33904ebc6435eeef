"""Rules that are one expression are written into the code of the walk; all others are called."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import pytest

from everygrad.engine.compile_pull import record_of
from everygrad.engine.inline import expression_of

LIMIT = 3


def one(b: Any, g: Any, x: Any) -> Any:
    """A docstring makes two statements: it is called."""
    return b.mul(g, x)


def bare(b: Any, g: Any, x: Any) -> Any:
    return b.mul(g, x)


def of_the_module(b: Any, g: Any) -> Any:
    return b.mul(g, LIMIT)


def otherwise_named(backend: Any, g: Any) -> Any:
    return backend.neg(g)


def two(b: Any, g: Any) -> Any:
    h = b.neg(g)
    return b.neg(h)


# fmt: off
def closed_on_a_later_line(b: Any, g: Any, x: Any) -> Any:
    return b.mul(
        g,
        x
    )
# fmt: on


def test_a_single_expression() -> None:
    assert expression_of(bare) == "b.mul(g, x)"


@pytest.mark.parametrize("rule", [one, of_the_module, otherwise_named, two, functools.partial(bare)])
def test_what_is_called(rule: Any) -> None:
    assert expression_of(rule) is None


def test_an_expression_on_several_lines_is_whole_or_called() -> None:
    assert expression_of(closed_on_a_later_line) in (None, "b.mul(g, x)")


def test_without_its_source_a_rule_is_called() -> None:
    space: dict[str, Any] = {}
    exec("def rule(b, g):\n    return g\n", space)  # noqa: S102  # our own text
    assert expression_of(space["rule"]) is None


def test_the_code_of_the_walk() -> None:
    text = inspect.getsource(record_of("mul", False).pull)
    assert "d_x = b.mul(g, y)" in text and "rule0" not in text
    assert "d_x = rule0(b, g, y)" in inspect.getsource(record_of("div", False).pull)
