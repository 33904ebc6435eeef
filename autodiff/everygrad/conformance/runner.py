"""All checks of all cases on one backend, as outcomes that a report or a test can judge."""

from __future__ import annotations

import fnmatch
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from everygrad.conformance.calls import Failure, Unsupported, depends_on_dtype, dtypes_of
from everygrad.conformance.case import BadCall, Case
from everygrad.conformance.cases import all_bad_calls, all_cases
from everygrad.conformance.checks import Skipped, check_forward
from everygrad.conformance.corners import check_corners
from everygrad.conformance.forms import check_default, check_wrapped
from everygrad.conformance.gradients import check_gradient, check_gradient_dtype
from everygrad.conformance.layouts import check_stretched
from everygrad.conformance.refusals import check_bad_call
from everygrad_ops import Backend, DType, MissingOp

COLUMNS = (
    "forward",
    "dtypes",
    "order 1",
    "order 2",
    "corners",
    "wrapped = bare",
    "default = override",
    "errors",
)
"""What the scorecard says of each op; "order 2" holds order 3 too where a case asks for it, "corners" NaN,
infinities, empty batches and rank 0."""

CORNER_DTYPES = (DType.float64, DType.float32)
"""A library has other kernels for each."""

Entry = Case | BadCall
Check = Callable[[], None]


@dataclass(frozen=True)
class Outcome:
    """What one check of one case came to: "pass", "fail", "missing" or "skip"."""

    id: str
    op: str
    column: str
    status: str
    message: str = ""


def selected(pattern: str = "*") -> list[Entry]:
    """The cases and wrong calls whose op or id matches a shell pattern."""
    entries: list[Entry] = [*all_cases(), *all_bad_calls()]
    return [e for e in entries if fnmatch.fnmatch(e.op, pattern) or fnmatch.fnmatch(e.id, pattern)]


def check(b: Backend[Any], entry: Entry, *, fast: bool = False) -> list[Outcome]:
    """Every check of one case or wrong call. `fast` leaves out the lesser dtypes, the corners and order 3."""
    try:
        plan = list(_plan(b, entry, fast))
    except Exception as error:  # noqa: BLE001  # a broken case must not hide the others
        return [Outcome(entry.id, entry.op, "forward", "fail", f"{entry.id}: broken case: {_where(error)}")]
    return [_judge(entry, column, checks) for column, checks in plan]


def run(
    b: Backend[Any],
    entries: Iterable[Entry],
    *,
    fast: bool = False,
    progress: Callable[[Entry], None] = lambda entry: None,
) -> list[Outcome]:
    """Every check of all entries; `progress` is told of each before it starts."""
    outcomes: list[Outcome] = []
    for entry in entries:
        progress(entry)
        outcomes += check(b, entry, fast=fast)
    return outcomes


def _plan(b: Backend[Any], entry: Entry, fast: bool) -> Iterator[tuple[str, Sequence[Check]]]:
    if isinstance(entry, BadCall):
        yield "errors", [partial(check_bad_call, b, entry)]
        return
    case = entry
    first, *rest = dtypes_of(case)
    if fast:
        rest = rest[:1]
    both = [first, *(d for d in rest if d in (DType.float64, DType.float32) or d.category < 2)]
    floats = [d for d in rest if d.is_floating] if depends_on_dtype(case) else []
    yield "forward", [partial(check_forward, b, case, first), partial(check_stretched, b, case, first)]
    lesser: list[Check] = [partial(check_forward, b, case, d) for d in rest]
    yield "dtypes", [*lesser, *(partial(check_gradient_dtype, b, case, d) for d in floats)]
    if DType.float64 in case.dtypes:
        if not fast:
            yield "corners", [partial(check_corners, b, case, d) for d in case.dtypes if d in CORNER_DTYPES]
        orders = range(2, max(case.order, 2) + 1 - (fast and case.order > 2))
        yield "order 1", [partial(check_gradient, b, case, 1)]
        yield "order 2", [partial(check_gradient, b, case, order) for order in orders]
    yield "wrapped = bare", [partial(check_wrapped, b, case, d) for d in (both[:1] if fast else both)]
    yield "default = override", [partial(check_default, b, case, d) for d in both]


def _judge(entry: Entry, column: str, checks: Sequence[Check]) -> Outcome:
    """Run the checks of one column; the first that fails decides."""
    passed = False
    missing = ""
    why = "nothing to check"
    for one in checks:
        try:
            one()
            passed = True
        except (Skipped, Unsupported) as error:
            why = str(error)
        except MissingOp as error:
            missing = str(error)
        except Failure as error:
            return Outcome(entry.id, entry.op, column, "fail", str(error))
        except Exception as error:  # noqa: BLE001  # a crash of the backend is an outcome
            return Outcome(entry.id, entry.op, column, "fail", f"{entry.id}: {_where(error)}")
    if missing:
        return Outcome(entry.id, entry.op, column, "missing", missing)
    return Outcome(entry.id, entry.op, column, "pass" if passed else "skip", "" if passed else why)


def _where(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({frame.filename.rsplit('/', 1)[-1]}:{frame.lineno})"
