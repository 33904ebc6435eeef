"""Memory does not matter: arguments stretched with strides of 0 give what copies of the same values give."""

from __future__ import annotations

from typing import Any

import numpy as np

from everygrad.conformance.calls import FLOATING, Call, draw, is_array, items, names_of
from everygrad.conformance.case import Array, Case
from everygrad.conformance.checks import Skipped
from everygrad.conformance.compare import check_close, check_like
from everygrad_ops import Backend, DType, LinAlgError, Result, as_dtype, contract


def check_stretched(b: Backend[Any], case: Case, dtype: DType) -> None:
    """Every float argument with its first row repeated along its first dim of several: as a view of stride 0, and as a copy."""
    spec = contract()[case.op]
    if spec.marks.query or spec.marks.internal or not any(p.is_array for p in spec.params):
        raise Skipped("no array to stretch")
    copied = [_stretched(x) for x in draw(case, dtype)]
    call = Call(b, spec, copied)
    try:
        due = call.run()
    except LinAlgError:  # a matrix of equal rows is singular
        raise Skipped("not defined on equal rows") from None
    call.args = call.placed(lambda x, slot: _view(b, x))
    out = call.run()
    for name, value, wanted in zip(names_of(spec, len(out)), out, due):
        if value is None or wanted is None or spec.result is Result.HOST:
            continue
        what = f"{case.id} {name} {dtype.value} (arguments of stride 0)"
        actual, expected = b.to_numpy(value), b.to_numpy(wanted)
        check_like(what, actual, expected.shape, as_dtype(expected.dtype))
        if expected.dtype in FLOATING:
            finite = np.abs(expected[np.isfinite(expected)].astype(np.float64))
            scale = max(case.scale, float(finite.max(initial=0)))
            check_close(what, actual, expected.astype(np.float64), terms=case.terms, scale=scale)
        else:
            check_close(what, actual, expected)


def _stretched(x: Any) -> Any:
    if isinstance(x, list):
        return [_stretched(v) for v in items(x)]
    if not _can_stretch(x):
        return x
    at = _axis(x)
    return np.repeat(x.take([0], at), x.shape[at], at)


def _can_stretch(x: Any) -> bool:
    return is_array(x) and x.dtype in FLOATING and max(x.shape, default=0) > 1


def _axis(x: Array) -> int:
    """The first dim of more than one."""
    return next(axis for axis, size in enumerate(x.shape) if size > 1)


def _view(b: Backend[Any], x: Array) -> Any:
    if not _can_stretch(x):
        return b.from_numpy(x)
    return b.broadcast_to(b.from_numpy(x.take([0], _axis(x))), x.shape)
