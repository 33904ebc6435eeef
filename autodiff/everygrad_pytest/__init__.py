"""The options of `pytest --pyargs everygrad.conformance --backend NAME`.

A package of its own, since pytest imports it in every run of every project: it costs nothing, imports
nothing of everygrad, and adds its options only where the suite is what pytest was asked to run, so that a
project's own --backend is left alone. (pytest reads no conftest.py of a --pyargs package before the options.)
"""

from __future__ import annotations

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> None:
    """Add the options if the suite is among the arguments."""
    asked = (arg.replace("/", ".").replace("\\", ".") for arg in args if not arg.startswith("-"))
    if not any("everygrad.conformance" in arg for arg in asked):
        return
    group = parser.getgroup("everygrad")
    group.addoption(
        "--backend", default="numpy", help="backend to check, such as torch, autodiff(numpy) or module:Class"
    )
    group.addoption("--fast", action="store_true", help="leave out the lesser dtypes and order 3")
