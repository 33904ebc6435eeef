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


def own(home: Any) -> list[str]:
    """The public names of a part of torch, without what other packages hang there.

    transformers adds methods of its own to torch.nn.Module where it is imported, for one.
    """
    names = (name for name in dir(home) if not name.startswith("_"))
    return [name for name in names if _root(getattr(home, name)) in (None, "builtins", "torch")]


def _root(what: Any) -> str | None:
    module = getattr(what, "__module__", None)
    return module.split(".")[0] if isinstance(module, str) else None
