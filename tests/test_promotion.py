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

KINDS = list(eg.DType)
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


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("op", ["add", "sub"])
@pytest.mark.parametrize("alpha", [0.1, 2])
def test_a_factor_leaves_the_dtype_and_is_not_rounded_in_between(op: str, alpha: float) -> None:
    for a, b in itertools.product(KINDS, KINDS):
        if a is b is eg.bool or (op == "sub" and eg.bool in (a, b)):
            continue
        if alpha == 0.1 and not (a.is_floating or b.is_floating):
            continue
        x, y = torch.tensor([1, 0]).to(theirs(a)), torch.tensor([1, 3]).to(theirs(b))
        due = getattr(torch, op)(x, y, alpha=alpha)
        mine = eg.tensor([1, 0]).to(a), eg.tensor([1, 3]).to(b)
        found = getattr(eg, op)(*mine, alpha=alpha)
        assert found.dtype.value == str(due.dtype).removeprefix("torch."), (a, b)
        if found.dtype is eg.float64 and b not in (eg.float32, eg.float16, eg.bfloat16):
            assert found.tolist() == due.tolist(), (a, b)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("kind", [eg.float64, eg.float16])
def test_products_of_integers_beside_floats(kind: eg.DType) -> None:
    x, y, z = eg.ones(2, dtype=kind), eg.tensor([1, 5]), eg.tensor([3, 7])
    tx, ty, tz = torch.ones(2, dtype=theirs(kind)), torch.tensor([1, 5]), torch.tensor([3, 7])
    found, due = eg.addcmul(x, y, z, value=0.1), torch.addcmul(tx, ty, tz, value=0.1)
    assert found.dtype is kind
    assert found.tolist() == pytest.approx(due.tolist(), rel=1e-15 if kind is eg.float64 else 1e-3)
    found, due = (
        eg.addcdiv(x, y, z, value=0.1),
        torch.addcdiv(tx, ty.to(tx.dtype), tz.to(tx.dtype), value=0.1),
    )
    assert found.dtype is kind
    assert found.tolist() == pytest.approx(due.tolist(), rel=1e-15 if kind is eg.float64 else 1e-3)
