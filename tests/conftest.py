from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import everygrad as eg
from everygrad.registry import current  # threads are set first


@pytest.fixture(params=["numpy", "torch"])
def library(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each array library in turn, as the current one."""
    pytest.importorskip(request.param, reason="the array library is not installed")
    with eg.use(request.param):
        yield request.param


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    """A test must leave the recording switch and the default backend as they were."""
    before = (eg.is_grad_enabled(), current())
    yield
    assert (eg.is_grad_enabled(), current()) == before
