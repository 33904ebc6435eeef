"""What a backend must show for a case: values, dtypes, wrapped equals bare, default equals override, errors.

Each check returns when all is well, raises `Failure` with what is wrong, `Skipped` where there is
nothing to check, and lets `MissingOp` through for a primitive that the backend does not have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from everygrad.conformance.calls import (
    FLOAT64,
    Call,
    Failure,
    Unsupported,
    draw,
    for_oracle,
    is_array,
    items,
    names_of,
    results,
)
from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.compare import SLACK, check_close, check_like, check_same
from everygrad.engine import Autodiff, Tracked
from everygrad_ops import Backend, DType, MissingOp, OpSpec, Result, as_dtype, contract, is_overridden


class Skipped(Exception):
    """Nothing to check here, and why."""


_wrappers: dict[int, tuple[Backend[Any], Autodiff[Any]]] = {}


def wrapped(b: Backend[Any]) -> Autodiff[Any]:
    """The Autodiff decorator over `b`, made once: its methods are generated on first use."""
    if id(b) not in _wrappers:
        _wrappers[id(b)] = (b, Autodiff(b))
    return _wrappers[id(b)][1]


def check_forward(b: Backend[Any], case: Case, dtype: DType) -> None:
    """Value, shape and dtype against the oracle, the arguments unchanged; again on strided arguments."""
    due = expected(case, dtype)
    host = draw(case, dtype)
    _compare_all(b, case, Call(b, contract()[case.op], host), host, due, dtype)
    if any(is_array(x) and x.ndim > 1 for x in host):
        try:
            call = Call(b, contract()[case.op], host, strided=True)
        except MissingOp:
            return
        _compare_all(b, case, call, host, due, dtype, " (strided arguments)")


def _compare_all(
    b: Backend[Any],
    case: Case,
    call: Call,
    host: Sequence[Any],
    due: Sequence[Any],
    dtype: DType,
    note: str = "",
) -> None:
    out = call.run()
    if len(out) != len(due):
        raise Failure(f"{case.id}: expected {len(due)} results, got {len(out)}")
    for name, value, wanted in zip(names_of(call.spec, len(out)), out, due):
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


def check_wrapped(b: Backend[Any], case: Case, dtype: DType) -> None:
    """Autodiff(b) gives bit for bit what `b` gives, tracked or not."""
    spec, ad = contract()[case.op], wrapped(b)
    if spec.marks.internal:
        raise Skipped("internal")
    bare = Call(b, spec, draw(case, dtype))
    due = [_read(b, spec, v) for v in bare.run()]
    tracked = {slot for slot, _ in bare.floats(None)}
    modes = {"untracked": set[tuple[int, int]]()}
    if tracked and not spec.marks.query:
        modes["tracked"] = tracked
    for mode, slots in modes.items():

        def place(x: Array, slot: tuple[int, int], slots: set[tuple[int, int]] = slots) -> Any:
            lifted = ad.lift(b.from_numpy(x))
            return ad.variable(lifted) if slot in slots else lifted

        out = results(spec, getattr(ad, case.op)(*bare.placed(place)))
        if len(out) != len(due):
            raise Failure(f"{case.id} {mode}: expected {len(due)} results, got {len(out)}")
        for name, value, wanted in zip(names_of(spec, len(out)), out, due):
            what = f"{case.id} {name} {dtype.value}, {mode} against bare"
            inner: Any = value.value if _is_tracked(value) else value
            check_same(what, _read(b, spec, inner), wanted)


def _is_tracked(value: object) -> TypeGuard[Tracked[Any]]:
    return isinstance(value, Tracked)


def _read(b: Backend[Any], spec: OpSpec, value: Any) -> Any:
    return value if value is None or spec.result is Result.HOST else b.to_numpy(value)


DEFAULT_SLACK = 8 * SLACK
"""A default composition rounds at each of its steps."""


def check_default(b: Backend[Any], case: Case, dtype: DType) -> None:
    """The contract's default composition, run on `b`, agrees with the override that `b` has."""
    spec = contract()[case.op]
    if spec.marks.primitive or spec.marks.optional or spec.marks.query or spec.marks.internal:
        raise Skipped("no default composition")
    if not is_overridden(b, case.op):
        raise Skipped("not overridden")
    due = expected(case, dtype)
    call = Call(b, spec, draw(case, dtype))
    override = call.run()
    default = results(spec, spec.function(b, *call.args))
    call.check_unchanged()
    if len(default) != len(override):
        raise Failure(f"{case.id}: the default has {len(default)} results, the override {len(override)}")
    for name, x, y, wanted in zip(names_of(spec, len(default)), override, default, due):
        if wanted is None:
            continue
        what = f"{case.id} {name} {dtype.value}, override against default"
        if x is None or y is None:
            raise Failure(f"{what}: one of them is None")
        first, second = b.to_numpy(x), b.to_numpy(y)
        check_like(what, first, second.shape, as_dtype(second.dtype))
        if first.dtype.kind in "iub":
            check_close(what, first, second)
        else:
            check_close(
                what,
                first,
                second.astype(np.float64),
                terms=case.terms,
                scale=case.scale,
                exact=case.exact,
                slack=DEFAULT_SLACK,
            )


def check_bad_call(b: Backend[Any], bad: BadCall) -> None:
    """The error is of the right class, names the op and the words, and leaves the arguments alone."""
    try:
        host = draw(bad, None)
    except bad.error as error:  # an option object refused to be built
        _check_words(bad, error, named=False)
        return
    call = Call(b, contract()[bad.op], host)
    try:
        getattr(b, bad.op)(*call.args)
    except bad.error as error:
        _check_words(bad, error, named=True)
        call.check_unchanged()
        return
    except MissingOp:
        raise
    except Exception as error:
        raise Failure(
            f"{bad.id}: expected {bad.error.__name__}, got {type(error).__name__}: {error}"
        ) from error
    raise Failure(f"{bad.id}: expected {bad.error.__name__}, but the call went through")


def _check_words(bad: BadCall, error: Exception, named: bool) -> None:
    message = str(error)
    if isinstance(error, MissingOp) and not issubclass(bad.error, MissingOp):
        raise error
    names = {bad.op, re.sub(r"[123]d", "", bad.op)}  # a thin form may speak as the op of any rank
    if named and not any(re.search(rf"\b{name}\b", message) for name in names):
        raise Failure(f"{bad.id}: the message does not name the op: {message}")
    absent = [word for word in bad.words if word not in message]
    if absent:
        raise Failure(f"{bad.id}: the message does not say {absent}: {message}")


__all__ = [
    "Failure",
    "Skipped",
    "Unsupported",
    "check_bad_call",
    "check_default",
    "check_forward",
    "check_wrapped",
    "expected",
    "wrapped",
]
