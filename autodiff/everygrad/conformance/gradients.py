"""Gradients against random-direction differences, order by order, and against known gradients.

The gradient of phi_(n-1) (see `problem`) in all of its variables must agree with central differences of
phi_(n-1) along a random direction; phi_(n-1) itself was checked at the order before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from everygrad.conformance.calls import Failure, for_oracle
from everygrad.conformance.case import Array, Case
from everygrad.conformance.checks import Skipped
from everygrad.conformance.compare import SLACK, check_close, check_like
from everygrad.conformance.problem import Point, Problem
from everygrad_ops import Backend, DType

STEPS = (1e-3, 1e-4, 1e-5, 1e-6)
"""Step sizes, tried in turn: the first is the most exact for smooth functions; near a kink a smaller one."""
RELATIVE = 1e-6
"""How far differences and gradient may be apart, relative to the terms that were added up."""
KNOWN_SLACK = 8 * SLACK
"""A gradient is a composition: more rounded steps than the op itself."""
FLOAT32_SLACK = 1e-2
"""A float32 gradient may lose digits to cancellation; this finds the one that is garbage."""


def check_gradient(b: Backend[Any], case: Case, order: int) -> None:
    """Every float argument gets a gradient, of its shape and dtype, and it is right at this order."""
    if case.gradients is not None:
        if order > 1:
            raise Skipped("known gradients are of order 1")
        _check_known(Problem(b, case, DType.float64))
        return
    if order > case.order:
        raise Skipped(f"the case asks for order {case.order}")
    _check_order(Problem(b, case, DType.float64), order)


def check_gradient_dtype(b: Backend[Any], case: Case, dtype: DType) -> None:
    """Gradients of `dtype` have it, and are near those of float64 (or equal the known ones)."""
    if case.order < 1 and case.gradients is None:
        raise Skipped("no gradient to check")
    problem = Problem(b, case, dtype)
    if case.gradients is not None:
        _check_known(problem)
        return
    found = problem.gradients(problem.start, 1)
    if dtype is not DType.float32:
        return
    exact = Problem(b, case, DType.float64)
    exact.start = Point(
        [x.astype(np.float64) for x in problem.start.xs], [w.astype(np.float64) for w in problem.start.ws]
    )
    for name, low, high in zip(problem.names, found, exact.gradients(exact.start, 1)):
        if low is None or high is None or not low.size:
            continue
        bound = FLOAT32_SLACK * max(float(np.max(np.abs(high))), case.scale)
        if not np.all(_distance(low, high) <= bound):
            raise Failure(f"{case.id}: the float32 gradient in {name} is far from that of float64")


def _distance(x: Array, y: Array) -> Array:
    with np.errstate(invalid="ignore"):
        distance: Array = np.asarray(np.abs(x.astype(np.float64) - y))  # rank 0 gives a scalar
    distance[np.isnan(x) & np.isnan(y)] = 0
    return distance


def _check_order(problem: Problem, order: int) -> None:
    """The gradient of phi_(order-1) against differences of phi_(order-1)."""
    xs, ws = problem.start.xs, problem.start.ws
    while len(problem.directions) < order:
        problem.directions.append(problem.direction(xs + ws if problem.directions else xs))
    found = problem.gradients(problem.start, order)
    if not any(x.size for x in xs):
        return  # nothing to move: that each gradient is there, in its shape, is all there is
    along = problem.direction(xs + ws)
    if order == 1:
        along[len(xs) :] = [np.zeros_like(w) for w in ws]
        found += [None] * len(ws)
    terms = [g * u for g, u in zip(found, along) if g is not None]
    slope = sum(float(np.sum(t)) for t in terms)
    size = sum(float(np.sum(np.abs(t))) for t in terms)
    if not np.isfinite([problem.magnitude, slope]).all():
        raise Failure(
            f"{problem.case.id}: order {order}: the result or the gradient is not finite. Where that is right, "
            "give the case known gradients, or order=0"
        )
    tried: list[float] = []
    for h in STEPS:
        with np.errstate(all="ignore"):
            f = [problem.directional(problem.start.moved(k * h, along), order - 1) for k in (-2, -1, 1, 2)]
        difference = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)
        noise = 64 * 2.3e-16 * (problem.magnitude + max(map(abs, f))) / h
        if abs(difference - slope) <= RELATIVE * (size + abs(difference)) + noise:
            return
        tried.append(difference)
    raise Failure(
        f"{problem.case.id}: order {order}: the gradient gives {slope:.9g} along a random direction, "
        f"differences with steps {STEPS} give {', '.join(f'{t:.9g}' for t in tried)}"
    )


def _check_known(problem: Problem) -> None:
    """The known gradients of sum(out), from the plain walk and from the one that records itself."""
    case, dtype = problem.case, problem.dtype
    assert case.gradients is not None
    with np.errstate(all="ignore"):
        due: Sequence[Any] = list(case.gradients(*for_oracle(case, dtype)))
    if len(due) != len(problem.names):
        raise TypeError(f"{case.id}: {len(due)} known gradients for the arguments {problem.names}")
    at = Point(problem.start.xs, [np.ones_like(w) for w in problem.start.ws])
    for graph in (False, True):
        for name, g, wanted in zip(problem.names, problem.gradients(at, 1, graph), due):
            if wanted is None:
                continue
            assert g is not None  # a lost one was refused before
            what = f"{case.id}: the gradient in {name} {dtype.value}{' (create_graph)' * graph}"
            known = np.asarray(wanted, dtype=np.float64)
            check_like(what, g, known.shape, dtype)
            check_close(what, g, known, terms=case.terms, scale=case.scale, slack=KNOWN_SLACK)
