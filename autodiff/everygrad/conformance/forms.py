"""The forms of an op agree: wrapped equals bare to the last bit, the default composition equals the override."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from everygrad.conformance.calls import Call, Failure, draw, names_of, results
from everygrad.conformance.case import Array, Case
from everygrad.conformance.checks import Skipped, expected
from everygrad.conformance.compare import SLACK, check_close, check_like, check_same
from everygrad.engine import Autodiff, Tracked
from everygrad_ops import Backend, DType, OpSpec, Result, as_dtype, contract, is_overridden

_wrappers: dict[int, tuple[Backend[Any], Autodiff[Any]]] = {}


def wrapped(b: Backend[Any]) -> Autodiff[Any]:
    """The Autodiff decorator over `b`, made once: its methods are generated on first use."""
    if id(b) not in _wrappers:
        _wrappers[id(b)] = (b, Autodiff(b))
    return _wrappers[id(b)][1]


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
