"""The value, shape and dtype of a case's results against its oracle.

Each check of the suite returns when all is well, raises `Failure` with what is wrong, `Skipped` where there
is nothing to check, and lets `MissingOp` through for a primitive that the backend does not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from everygrad.conformance.calls import FLOAT64, Call, Failure, draw, for_oracle, is_array, items, names_of
from everygrad.conformance.case import Array, Case
from everygrad.conformance.compare import Blur, check_close, check_like, check_same
from everygrad_ops import Backend, DType, MissingOp, Result, as_dtype, contract


class Skipped(Exception):
    """Nothing to check here, and why."""


def check_forward(b: Backend[Any], case: Case, dtype: DType) -> None:
    """Value, shape and dtype against the oracle, the arguments unchanged; again on strided arguments."""
    due = expected(case, dtype)
    host = draw(case, dtype)
    compare_results(b, case, Call(b, contract()[case.op], host), host, due, dtype)
    if any(is_array(x) and x.ndim > 1 for x in host):
        try:
            call = Call(b, contract()[case.op], host, strided=True)
        except MissingOp:
            return
        compare_results(b, case, call, host, due, dtype, " (strided arguments)")


def compare_results(
    b: Backend[Any],
    case: Case,
    call: Call,
    host: Sequence[Any],
    due: Sequence[Any],
    dtype: DType,
    note: str = "",
    *,
    blurred: Blur | None = None,
) -> None:
    """Run the call and compare each result with what is due."""
    out = call.run()
    if len(out) != len(due):
        raise Failure(f"{case.id}: expected {len(due)} results, got {len(out)}")
    for at, (name, value, wanted) in enumerate(zip(names_of(call.spec, len(out)), out, due)):
        what = f"{case.id} {name} {dtype.value}{note}"
        if wanted is None:
            continue
        if call.spec.result is Result.HOST and not is_array(value):
            check_same(what, value, wanted)
            continue
        if value is None:
            raise Failure(f"{what}: expected an array, got None")
        actual = value if call.spec.result is Result.HOST else b.to_numpy(value)
        array = np.asarray(wanted)
        check_like(what, actual, array.shape, _result_dtype(array, host, dtype))
        if blurred is not None:
            actual, array = blurred.applied(actual, array, at)
        check_close(what, actual, array, terms=case.terms, scale=case.scale, exact=case.exact)
    if case.examine is not None:
        case.examine(*(None if v is None else b.to_numpy(v) for v in out))


def _result_dtype(due: Array, host: Sequence[Any], dtype: DType) -> DType:
    """What the oracle's array says: float64 is the op's own dtype, or the one it was asked for."""
    if due.dtype != FLOAT64:
        return as_dtype(due.dtype)
    return next((option for option in host if isinstance(option, DType)), dtype)


_due: dict[tuple[int, DType], tuple[Case, tuple[Any, ...]]] = {}


def expected(case: Case, dtype: DType) -> tuple[Any, ...]:
    """The oracle's results, computed once per dtype and shared by all backends."""
    key = (id(case), dtype)
    if key not in _due:
        with np.errstate(all="ignore"):
            out = case.oracle(*for_oracle(case, dtype))
        spec = contract()[case.op]
        several = spec.result in (Result.TUPLE, Result.LIST)
        if several and not isinstance(out, tuple | list):
            raise TypeError(f"{case.id}: the oracle of a multi-output op must return a tuple")
        _due[key] = (case, tuple(items(out)) if several else (out,))
    return _due[key][1]
