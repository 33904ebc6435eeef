"""Python and NumPy numbers next to tensors, booleans in arithmetic, and that a dtype is what it says."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# (lambdas under test take and give whatever tensors they meet)

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
import everygrad.functional as F
from everygrad_ops import DType

pytestmark = pytest.mark.usefixtures("library")


F32 = [1.0, 2.0]


def any_tensor() -> Any:
    """[1, 2], for what the type checkers refuse too."""
    return eg.tensor(F32)


class Level(enum.IntEnum):
    """An integer of a class of its own."""

    two = 2


NUMBERS: dict[str, tuple[Callable[[], Any], Any, DType]] = {
    "float + True": (lambda: eg.tensor(F32) + True, [2.0, 3.0], DType.float32),
    "True - float": (lambda: True - eg.tensor(F32), [0.0, -1.0], DType.float32),
    "int + True": (lambda: eg.tensor([1, 2]) + True, [2, 3], DType.int64),
    "int / True": (lambda: eg.tensor([1, 2]) / True, F32, DType.float32),
    "bool + True": (lambda: eg.tensor([True, False]) + True, [True, True], DType.bool_),
    "bool * False": (lambda: eg.tensor([True, False]) * False, [False, False], DType.bool_),
    "bool == True": (lambda: eg.tensor([True, False]) == True, [True, False], DType.bool_),  # the operator
    "bool & True": (lambda: eg.tensor([True, False]) & True, [True, False], DType.bool_),
    "True ^ bool": (lambda: True ^ eg.tensor([True, False]), [False, True], DType.bool_),
    "bool | ndarray": (lambda: eg.tensor([True, False]) | np.array([False, True]), [True, True], DType.bool_),
    "logical_and 2": (lambda: eg.logical_and(eg.tensor([1, 0]), 2), [True, False], DType.bool_),
    "bool / bool": (lambda: eg.tensor([True, False]) / eg.tensor([True, True]), [1.0, 0.0], DType.float32),
    "numpy bool": (lambda: any_tensor() + np.bool_(True), [2.0, 3.0], DType.float32),
    "numpy float64": (lambda: eg.tensor(F32) * np.float64(2), [2.0, 4.0], DType.float32),
    "numpy longdouble": (lambda: any_tensor() * np.longdouble(2), [2.0, 4.0], DType.float32),
    "clamp by numpy": (
        lambda: eg.tensor(F32).clamp(np.float64(0), np.float64(1.5)),
        [1.0, 1.5],
        DType.float32,
    ),
    "masked_fill by numpy": (
        lambda: eg.tensor(F32).masked_fill(eg.tensor([True, False]), np.float64(5)),
        [5.0, 2.0],
        DType.float32,
    ),
    "int enum": (lambda: eg.tensor(F32) * Level.two, [2.0, 4.0], DType.float32),
    "float * 2**70": (lambda: eg.tensor(F32) * 2**70, [2.0**70, 2.0**71], DType.float32),
    "2**70 * float": (lambda: 2**70 * eg.tensor(F32), [2.0**70, 2.0**71], DType.float32),
    "int8 + 300": (lambda: eg.tensor([1, 2], eg.int8) + 300, [45, 46], DType.int8),
    "300 + int8": (lambda: 300 + eg.tensor([1, 2], eg.int8), [45, 46], DType.int8),
    "-1 - uint8": (lambda: -1 - eg.tensor([1, 2], eg.uint8), [254, 253], DType.uint8),
    "uint8 > -1": (lambda: eg.tensor([1, 2], eg.uint8) > -1, [True, True], DType.bool_),
    "-1 < uint8": (lambda: eg.lt(-1, eg.tensor([1, 2], eg.uint8)), [True, True], DType.bool_),
    "int < 2**70": (lambda: eg.tensor([1, 2]) < 2**70, [True, True], DType.bool_),
    "+x": (lambda: +eg.tensor(F32), F32, DType.float32),
    "square of bool": (lambda: eg.square(eg.tensor([True, False])), [1, 0], DType.int64),
    "clamp of bool": (lambda: eg.tensor([True, False]).clamp(0, 1), [1, 0], DType.int64),
    "sign of bool": (lambda: eg.tensor([True, False]).sign(), [True, False], DType.bool_),
    "abs of bool": (lambda: abs(eg.tensor([True, False])), [True, False], DType.bool_),
    "softmin of bool": (lambda: F.softmin(eg.tensor([True, True])), [0.5, 0.5], DType.float32),
    "empty // 0": (lambda: eg.zeros(0, dtype=eg.int64) // 0, [], DType.int64),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name: str) -> None:
    compute, values, dtype = NUMBERS[name]
    found = compute()
    assert found.tolist() == values
    assert found.dtype is dtype and found.backend.dtype(found.array) is dtype


def test_arrays_of_another_byte_order() -> None:
    assert eg.tensor(np.array([1.0, 2.0], ">f8")).tolist() == F32


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "int + 2**70": (lambda: eg.tensor([1]) + 2**70, eg.DTypeError, "add: the dtype int64 cannot hold"),
    "2**70 + int": (lambda: 2**70 + eg.tensor([1]), eg.DTypeError, "add: the dtype int64 cannot hold"),
    "float * 10**400": (lambda: eg.tensor(F32) * 10**400, eg.DTypeError, "mul: .*an integer of 1329 bits"),
    "float == 10**5000": (lambda: eg.tensor(F32) == 10**5000, eg.DTypeError, "eq: .*an integer of"),
    "clamp 10**400": (lambda: eg.tensor(F32).clamp(10**400), eg.DTypeError, "clamp"),
    "-bool": (lambda: -eg.tensor([True]), eg.DTypeError, "neg: booleans have no neg.*logic"),
    "bool - bool": (lambda: eg.tensor([True]) - eg.tensor([True]), eg.DTypeError, "sub: booleans"),
    "bool - True": (lambda: eg.tensor([True]) - True, eg.DTypeError, "sub: booleans"),
    "bool // bool": (lambda: eg.tensor([True]) // eg.tensor([True]), eg.DTypeError, "floor_divide: booleans"),
    "bool % bool": (lambda: eg.tensor([True]) % eg.tensor([True]), eg.DTypeError, "remainder: booleans"),
    "bool ** bool": (lambda: eg.tensor([True]) ** eg.tensor([True]), eg.DTypeError, "pow: booleans"),
    "relu of bool": (lambda: F.relu(eg.tensor([True])), eg.DTypeError, "relu: booleans"),
    "bool & 0.5": (lambda: eg.tensor([True]) & 0.5, eg.DTypeError, "bitwise_and: takes integers.*float"),  # type: ignore[arg-type]  # the wrong call
    "2**63 as data": (lambda: eg.tensor(2**63), eg.DTypeError, "unknown dtype.*uint64.*write one of"),
    "data with a gradient": (
        lambda: eg.tensor(pytest.importorskip("torch").ones(2, requires_grad=True)),
        eg.GradientError,
        "tensor: .*would lose.*Received: .*Tensor; write data.detach",
    ),
    "complex": (lambda: any_tensor() * 1j, TypeError, "an operand must be a Tensor, a number"),
    "numpy complex": (lambda: any_tensor() * np.complex64(1j), TypeError, "an operand must be"),
    "two numbers": (lambda: eg.add(1, 2), TypeError, "add: one operand must be a Tensor"),
    "two truths": (lambda: eg.logical_or(True, False), TypeError, "logical_or: one operand must be a Tensor"),
    "300 maximum int8": (
        lambda: eg.maximum(300, eg.tensor([1], eg.int8)),
        eg.DTypeError,
        "maximum: the dtype int8 cannot hold",
    ),
    "pad int with 0.5": (
        lambda: F.pad(eg.tensor([1]), (1, 0), value=0.5),
        eg.DTypeError,
        "pad: 0.5 does not go",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    compute, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        compute()


METHODS = [
    "abs",
    "sign",
    "exp",
    "log",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "square",
    "sin",
    "tanh",
    "floor",
    "ceil",
    "round",
    "trunc",
    "sigmoid",
    "softmax",
    "erf",
    "logical_not",
    "isnan",
    "isfinite",
    "sum",
    "mean",
    "prod",
    "amax",
    "amin",
    "max",
    "min",
    "argmax",
    "any",
    "all",
    "logsumexp",
    "flatten",
    "flip",
    "t",
    "unbind",
    "sort",
    "argsort",
]


@pytest.mark.parametrize("dtype", [d.value for d in DType])
def test_a_dtype_is_what_it_says(dtype: str) -> None:
    x = eg.tensor([1.0, 0.0, 3.0]).to(dtype)
    results: list[Any] = [getattr(x, name)() for name in METHODS]
    results += [x + x, x * 2, x * 0.5, x / x, x.maximum(x), x.eq(x), x.cumsum(0), x.cumprod(0), x.clamp(0, 2)]
    results += [getattr(F, name)(x) for name in ("gelu", "silu", "softplus", "elu", "softmin", "hardtanh")]
    for name, found in zip([*METHODS, *map(str, range(99))], results):
        for one in found if isinstance(found, tuple) else (found,):
            assert one.backend.dtype(one.array) is one.dtype, name
