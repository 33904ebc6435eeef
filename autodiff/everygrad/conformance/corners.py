"""The corners of each case: NaN and infinities in each float operand, an empty batch, numbers of rank 0.

They are derived, so that an op gets them with its first case. What is due comes from the case's own oracle;
what cannot be asked of it stands in corners.toml, with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from everygrad.conformance.calls import FLOAT64, Call, Failure, depends_on_dtype, draw, is_array, items
from everygrad.conformance.case import Case
from everygrad.conformance.checks import Skipped, compare_results, expected
from everygrad.conformance.compare import Blur
from everygrad.conformance.corner_rules import Rule, batch_of, is_elementwise, rule_for
from everygrad_ops import Backend, DType, Kind, LinAlgError, OpSpec, contract

POURED = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
LARGEST = 4096
"""Cases of more elements are about rounding and counting; their corners are those of small ones."""


@dataclass(frozen=True)
class Corner:
    """A derived case, what it shows ("nan", "inf", "size-0", "rank-0"), and the rule it is judged by."""

    case: Case
    feature: str
    rule: Rule | None = None
    near: tuple[Case, ...] = ()
    """The same with two finite values in place of the poured one: what they do not change is independent of it."""


_made: dict[int, tuple[Case, tuple[Corner, ...]]] = {}


def corners(case: Case) -> tuple[Corner, ...]:
    """All corners of one case, derived once and shared by all backends."""
    if id(case) not in _made:
        _made[id(case)] = (case, tuple(_derive(case)))
    return _made[id(case)][1]


def _derive(case: Case) -> Iterator[Corner]:
    spec = contract()[case.op]
    if (
        spec.marks.query
        or spec.marks.internal
        or DType.float64 not in case.dtypes
        or not depends_on_dtype(case)
    ):
        return
    host = draw(case, None)
    if sum(x.size for arg in host for x in items(arg) if is_array(x)) > LARGEST or _is_constant(case):
        return
    yield from _poured(case, spec, host)
    yield from _emptied(case, spec, host)
    yield from _numbers(case, spec, host)


def check_corner(b: Backend[Any], corner: Corner, dtype: DType) -> None:
    """The result against the oracle; or the refusal that the rule tells of."""
    case, rule = corner.case, corner.rule
    call = Call(b, contract()[case.op], draw(case, dtype))
    if rule is not None and rule.judge == "refused":
        try:
            call.run()
        except (LinAlgError, ValueError):
            return
        raise Failure(f"{case.id}: expected an error, as {rule.reason}; but the call went through")
    due = expected(case, dtype)
    free: list[Any] = [None] * len(due)
    if rule is not None:
        free = [_independent(x, y) for x, y in zip(*(expected(near, dtype) for near in corner.near))]
    blurred = None if rule is None else Blur(free, rule.judge == "spreads")
    compare_results(b, case, call, call.host, due, dtype, blurred=blurred)


def check_corners(b: Backend[Any], case: Case, dtype: DType) -> None:
    """Every corner of a case."""
    found = corners(case)
    if not found:
        raise Skipped("no corner to derive")
    for corner in found:
        check_corner(b, corner, dtype)


def _independent(x: Any, y: Any) -> Any:
    """What is due where two finite values make no difference; NaN elsewhere."""
    if x is None or y is None:
        return None
    return np.where(np.isclose(x, y, 1e-9, 1e-9), x, np.nan)


def _is_constant(case: Case) -> bool:
    """Whether the oracle returns what it was written with, whatever it is given."""

    def moved(x: Any) -> Any:
        if isinstance(x, list):
            return [moved(v) for v in items(x)]
        return 3 * x + 0.375 if is_array(x) and x.dtype == FLOAT64 else x

    host = draw(case, DType.float64)
    try:
        with np.errstate(all="ignore"):
            first, second = case.oracle(*host), case.oracle(*[moved(x) for x in host])
    except Exception:  # noqa: BLE001  # outside of its domain: it reads its arguments
        return False
    return all(_same(x, y) for x, y in zip(items(first), items(second), strict=True))


def _same(x: Any, y: Any) -> bool:
    return np.array_equal(np.asarray(x), np.asarray(y), equal_nan=is_array(x) and x.dtype == FLOAT64)


def _derived(case: Case, name: str, host: Sequence[Any]) -> Case:
    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return tuple(host)

    name = f"{case.name}~{name}"
    return replace(case, name=name, sample=sample, order=0, gradients=None, examine=None)


def _without_caches(spec: OpSpec, host: Sequence[Any]) -> list[Any]:
    """The arguments with caches left out: they would tell of other values."""
    return [None if p.name in spec.marks.caches else x for p, x in zip(spec.params, host)]


def _poured(case: Case, spec: OpSpec, host: Sequence[Any]) -> Iterator[Corner]:
    """One element of one operand NaN, inf or -inf, everything else as it was."""
    arrays = [x for arg in host for x in items(arg) if is_array(x) and x.dtype == FLOAT64]
    if not all(np.isfinite(x).all() for x in arrays):
        return
    for at, (p, arg) in enumerate(zip(spec.params, host)):
        if not p.is_array or p.name in spec.marks.caches:
            continue
        for i, x in enumerate(items(arg)):
            if not is_array(x) or x.dtype != FLOAT64 or not x.size:
                continue
            place = (7 * len(case.name) + 3 * at + i) % x.size

            def case_of(name: str, value: float, at: int = at, i: int = i, place: int = place) -> Case:
                label = f"{name}-{spec.params[at].name}" + f"[{i}]" * (spec.params[at].kind is Kind.SEQUENCE)
                return _derived(case, label, _with(_without_caches(spec, host), at, i, place, value))

            near = (case_of("near", 0.25), case_of("near", 0.75))
            for name, value in POURED.items():
                rule = rule_for(case, p.name, name)
                if rule is None or rule.judge != "not asked":
                    yield Corner(case_of(name, value), name.lstrip("-"), rule, near)


def _with(host: list[Any], at: int, item: int, place: int, value: float) -> list[Any]:
    arg = host[at]
    x = np.array(items(arg)[item], copy=True)
    x.reshape(-1)[place] = value
    host[at] = [*arg[:item], x, *arg[item + 1 :]] if isinstance(arg, list) else x
    return host


def _emptied(case: Case, spec: OpSpec, host: Sequence[Any]) -> Iterator[Corner]:
    """Nothing in the batch: the leading dim of each operand that has it."""
    names = batch_of(case, spec)
    if not names:
        return
    lengths = {len(x) for p, x in zip(spec.params, host) if p.name in names and is_array(x) and x.ndim}
    if len(lengths) != 1 or lengths == {0}:
        return  # nothing that they share, or broadcasting along it

    def emptied(name: str, x: Any) -> Any:
        if name == "x_shape" and x is not None:
            return (0, *x[1:])
        return x[:0] if name in names and is_array(x) and x.ndim else x

    args = [emptied(p.name, x) for p, x in zip(spec.params, _without_caches(spec, host))]
    yield Corner(_derived(case, "empty", args), "size-0")


def _numbers(case: Case, spec: OpSpec, host: Sequence[Any]) -> Iterator[Corner]:
    """Arrays of rank 0 for an op that works element by element."""
    if not is_elementwise(spec):
        return

    def number(x: Any) -> Any:
        return np.array(x.reshape(-1)[0]) if is_array(x) and x.size else x

    if all(not is_array(x) or x.size for x in host):
        yield Corner(_derived(case, "rank-0", [number(x) for x in _without_caches(spec, host)]), "rank-0")
