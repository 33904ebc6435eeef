"""The public names of a module that gathers its families with `import *`."""

from __future__ import annotations

import inspect
from types import ModuleType


def public(home: ModuleType) -> list[str]:
    """The functions and classes of `home`, sorted."""
    return [
        name
        for name, value in sorted(vars(home).items())
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__.startswith("everygrad.")
    ]
