"""Wrong calls: the right class of error, in words that name the op, and the arguments left alone."""

from __future__ import annotations

import re
from typing import Any

from everygrad.conformance.calls import Call, Failure, draw
from everygrad.conformance.case import BadCall
from everygrad_ops import Backend, MissingOp, contract


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
