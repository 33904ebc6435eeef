"""Rules that are one expression, written into the generated code: a call per gradient is a tenth of a small op."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from typing import Any


def expression_of(function: Callable[..., Any]) -> str | None:
    """The expression of a function that only returns one made of its own parameters; None for any other.

    >>> from everygrad.rules.elementwise import div_x, div_y, mul_x
    >>> expression_of(mul_x), expression_of(div_y), expression_of(div_x)
    ('b.mul(g, y)', 'b.neg(b.div0(b.mul0(g, out), y))', None)
    """
    definition = _definition(function)
    if definition is None or len(definition.body) != 1:
        return None
    (only,) = definition.body
    if not isinstance(only, ast.Return) or only.value is None:
        return None
    known = [argument.arg for argument in definition.args.args]
    used = {node.id for node in ast.walk(only.value) if isinstance(node, ast.Name)}
    # The walk's own code calls the backend b; what a rule calls otherwise, or takes from elsewhere, is not there.
    return ast.unparse(only.value) if known[:1] == ["b"] and used <= set(known) else None


def _definition(function: Callable[..., Any]) -> ast.FunctionDef | None:
    code = getattr(function, "__code__", None)
    if code is None:  # another kind of callable, such as a partial
        return None
    last = max(line for _, _, line in code.co_lines() if line)
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 : last]
    try:  # by its lines alone: inspect.getsource takes ten times as long
        (found,) = ast.parse("".join(lines)).body
    except (SyntaxError, ValueError):  # without its source, nested, or closed on a later line: it is called
        return None
    return found if isinstance(found, ast.FunctionDef) else None
