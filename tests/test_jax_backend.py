"""The backend of docs/examples/jax_backend.py: every primitive, and defaults and gradients over them.

JAX compiles for every new shape, so this is one case for each; `python -m everygrad conformance
docs.examples.jax_backend:JaxBackend` runs all of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everygrad.conformance.case import BadCall, Case
from everygrad.conformance.cases import all_bad_calls, all_cases
from everygrad.conformance.checks import check_forward
from everygrad.conformance.gradients import check_gradient
from everygrad.conformance.refusals import check_bad_call
from everygrad.registry import backend
from everygrad_ops import Backend, DType, contract, is_overridden

pytest.importorskip("jax", reason="JAX is not installed")

FILE = Path(__file__).parents[1] / "docs" / "examples" / "jax_backend.py"
PRIMITIVES = [name for name, spec in contract().items() if spec.marks.primitive]
FIRST: dict[str, Case] = {}
for _case in all_cases():
    FIRST.setdefault(_case.op, _case)
BAD = [bad for bad in all_bad_calls() if bad.op in PRIMITIVES]
LOW = ("sum", "prod", "matmul", "scatter_add", "index_add", "fold")
COMPOSED = ("softmax", "layer_norm", "conv2d", "max_pool2d", "cross_entropy", "attention")


@pytest.fixture(scope="module")
def b() -> Backend[Any]:
    """By the name that a user would write."""
    return backend("docs.examples.jax_backend:JaxBackend")


def test_it_is_small_and_has_the_core_primitives_only(b: Backend[Any]) -> None:
    assert len(FILE.read_text(encoding="utf-8").splitlines()) < 400
    assert [op for op in contract() if is_overridden(b, op)] == PRIMITIVES


@pytest.mark.parametrize("op", [op for op in PRIMITIVES if op in FIRST])
def test_values(b: Backend[Any], op: str) -> None:
    check_forward(b, FIRST[op], FIRST[op].dtypes[0])


@pytest.mark.parametrize("dtype", [DType.float16, DType.bfloat16])
@pytest.mark.parametrize("op", LOW)
def test_low_precision(b: Backend[Any], op: str, dtype: DType) -> None:
    check_forward(b, FIRST[op], dtype)


@pytest.mark.parametrize("op", COMPOSED)
def test_defaults_and_their_gradients(b: Backend[Any], op: str) -> None:
    check_forward(b, FIRST[op], DType.float32)
    check_gradient(b, FIRST[op], 1)


@pytest.mark.parametrize("bad", BAD, ids=[bad.id for bad in BAD])
def test_errors(b: Backend[Any], bad: BadCall) -> None:
    check_bad_call(b, bad)
