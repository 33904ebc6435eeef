"""The table of the suite: a file per op family, each with a list CASES and a list BAD_CALLS."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from types import ModuleType

from everygrad.conformance.case import BadCall, Case


@functools.cache
def all_cases() -> tuple[Case, ...]:
    """Every case of every family."""
    return tuple(case for family in _families() for case in family.CASES)


@functools.cache
def all_bad_calls() -> tuple[BadCall, ...]:
    """Every wrong call of every family."""
    return tuple(call for family in _families() for call in family.BAD_CALLS)


def _families() -> list[ModuleType]:
    return [importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)]
