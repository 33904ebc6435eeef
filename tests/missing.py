"""Comparing what we have with what torch has, name by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def unexplained(theirs: Iterable[str], ours: Any, reasons: Mapping[str, str]) -> list[str]:
    """What is missing without a reason, there in spite of one, or excused for nothing."""
    names = list(theirs)
    wrong = [
        f"{n}: missing, and without a reason" for n in names if not hasattr(ours, n) and n not in reasons
    ]
    wrong += [f"{n}: is there, and has a reason why not" for n in names if hasattr(ours, n) and n in reasons]
    wrong += [f"{n}: has a reason, and torch has no such name" for n in reasons if n not in names]
    return wrong
