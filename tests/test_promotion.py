"""Dtypes of mixed operands, of any rank, beside torch's."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false
# (torch is looked up by name, and is untyped)

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch

import everygrad as eg

KINDS = [d for d in eg.DType]
SHAPES = [((), ()), ((), (2,)), ((2,), ()), ((2,), (2,)), ((1,), ())]


def theirs(kind: eg.DType) -> Any:
    return getattr(torch, kind.value)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_two_tensors_meet_where_torchs_do(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    for a, b in itertools.product(KINDS, KINDS):
        x, y = eg.ones(*shapes[0], dtype=a), eg.ones(*shapes[1], dtype=b)
        tx, ty = torch.ones(shapes[0], dtype=theirs(a)), torch.ones(shapes[1], dtype=theirs(b))
        due = str(torch.result_type(tx, ty)).removeprefix("torch.")
        assert eg.result_type(x, y).value == due, (a, b)
        assert (x * y).dtype.value == due, (a, b)
        assert eg.where(eg.tensor(True), x, y).dtype.value == due, (a, b)


@pytest.mark.usefixtures("library")
def test_three_tensors() -> None:
    x = eg.ones(2, dtype=eg.float16)
    scale, shift = eg.tensor(2.0, dtype=eg.float64), eg.tensor(1, dtype=eg.int64)
    out = eg.addcmul(x, scale, shift)
    assert out.dtype is eg.float16 and out.tolist() == [3.0, 3.0]
    assert eg.lerp(x, scale, eg.tensor(0.5)).dtype is eg.float16


@pytest.mark.usefixtures("library")
def test_a_learned_scale_gets_its_gradient_in_its_own_dtype() -> None:
    x = eg.tensor([1.0, 2.0], dtype=eg.float16, requires_grad=True)
    scale = eg.tensor(3.0, requires_grad=True)
    y = x * scale
    assert y.dtype is eg.float16
    grads = y.sum().backward()
    assert grads[scale].dtype is eg.float32 and grads[scale].item() == 3.0
    assert grads[x].dtype is eg.float16 and grads[x].tolist() == [3.0, 3.0]
