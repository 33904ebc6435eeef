"""What the tests of the suite share: honest cases, and the verdict on a backend column by column."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# (samplers and oracles are short lambdas)

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.runner import check
from everygrad.engine import compile_pull
from everygrad.rules import RULES
from everygrad_ops import Backend, ShapeError


def loops(function: Callable[..., float]) -> Callable[..., Array]:
    """A scalar function of Python floats at every position."""

    def apply(*arrays: Array) -> Array:
        out = [function(*map(float, row)) for row in zip(*(a.flat for a in np.broadcast_arrays(*arrays)))]
        return np.array(out, np.float64).reshape(np.broadcast_shapes(*(a.shape for a in arrays)))

    return apply


def sorted_by(x: Array) -> list[int]:
    """The positions in ascending order, NaN last."""
    return sorted(range(x.size), key=lambda i: (math.isnan(x[i]), float(x[i])))


def rows(x: Array) -> list[Array]:
    """The rows of a matrix."""
    return list(x)


MUL = Case("mul", "m", lambda r: (r.normal(size=(2, 3)), r.normal(size=3)), loops(lambda x, y: x * y))
NEG = Case("neg", "m", lambda r: (r.normal(size=(2, 3)),), lambda x: -x, exact=True)
TANH = Case("tanh", "m", lambda r: (r.normal(size=(2, 3)),), loops(math.tanh), order=3)
SQUARE = Case("square", "m", lambda r: (r.normal(size=(2, 3)),), loops(lambda x: x * x))
ABS = Case(
    "abs",
    "kink",
    lambda r: (np.array([-1.0, 0.0, 2.0]),),
    loops(math.fabs),
    gradients=lambda x: [np.array([-1.0, 0.0, 1.0])],
)
SORT = Case(
    "sort",
    "m",
    lambda r: (r.normal(size=5), 0),
    lambda x, dim: (x[sorted_by(x)], np.array(sorted_by(x))),
)
NORM = Case(
    "layer_norm",
    "m",
    lambda r: (r.normal(size=(2, 4)), (4,), None, None, 1e-5),
    lambda x, *_: np.stack([(row - np.mean(row)) / math.sqrt(np.var(row) + 1e-5) for row in rows(x)]),
    terms=16,
    scale=4.0,
)
MATMUL = BadCall("matmul", "m", lambda r: (np.ones((2, 3)), np.ones((4, 2))), ShapeError, words=("(4, 2)",))


def verdict(b: Backend[Any], entry: Case | BadCall) -> dict[str, str]:
    """What failed or is missing: column and message."""
    return {o.column: o.message for o in check(b, entry) if o.status in ("fail", "missing")}


@contextmanager
def rule(op: str, wrt: str, function: Callable[..., Any]) -> Generator[None]:
    """Another rule for one argument; only for decorators made inside the block."""
    kept = RULES[op]
    RULES[op] = [
        replace(
            r,
            function=function,
            names=tuple(function.__code__.co_varnames[1 : function.__code__.co_argcount]),
        )
        if r.wrt == (wrt,)
        else r
        for r in kept
    ]
    compile_pull.record_of.cache_clear()
    try:
        yield
    finally:
        RULES[op] = kept
        compile_pull.record_of.cache_clear()
