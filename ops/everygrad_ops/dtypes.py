"""Dtypes and their promotion: one table for every backend."""

from __future__ import annotations

import builtins
import enum


class DType(enum.Enum):
    """An element type of the contract.

    >>> DType.bfloat16.is_floating, DType.int16.itemsize
    (True, 2)
    """

    float64 = "float64"
    float32 = "float32"
    float16 = "float16"
    bfloat16 = "bfloat16"
    int64 = "int64"
    int32 = "int32"
    int16 = "int16"
    int8 = "int8"
    uint8 = "uint8"
    bool_ = "bool"

    # Set once: ops ask for these at every call.
    is_floating: builtins.bool
    """Whether values are floating point (and may carry a gradient)."""
    category: int
    """0 for bool, 1 for integers, 2 for floats: the order of promotion."""
    itemsize: int
    """Bytes per element."""

    def __init__(self, name: str) -> None:
        self.is_floating = "float" in name
        self.category = 2 if self.is_floating else 0 if name == "bool" else 1
        self.itemsize = max(1, int("".join(filter(str.isdigit, name)) or 8) // 8)

    __hash__ = object.__hash__  # members are single objects; the hash of an Enum is a call into Python

    def __repr__(self) -> str:
        return f"everygrad.{self.value}"

    __str__ = __repr__


FLOATS = frozenset({DType.float64, DType.float32, DType.float16, DType.bfloat16})
INTEGERS = frozenset({DType.int64, DType.int32, DType.int16, DType.int8, DType.uint8})
LOW_PRECISION = frozenset({DType.float16, DType.bfloat16})


def promote(x: DType, y: DType) -> DType:
    """The dtype that two arrays meet in (torch's table, on every backend).

    A float beats an integer whatever their sizes; among floats the wider wins, and float16 with
    bfloat16 gives float32; uint8 with int8 gives int16.

    >>> promote(DType.int64, DType.float16)
    everygrad.float16
    """
    if x is y:
        return x
    if x.category != y.category:
        return x if x.category > y.category else y
    pair = {x, y}
    if pair == set(LOW_PRECISION):
        return DType.float32
    if pair == {DType.uint8, DType.int8}:
        return DType.int16
    if x.itemsize == y.itemsize:  # pragma: no cover  (no other pair of one category shares a size)
        raise AssertionError(pair)
    return x if x.itemsize > y.itemsize else y


def follow(shaped: DType | None, single: DType | None) -> DType:
    """The dtype that arrays with dims, of dtype `shaped`, and arrays of rank 0, of dtype `single`, meet in.

    As in torch (`torch.result_type`) a single number decides only by a higher category: bool, int, float.

    >>> follow(DType.float16, DType.float64), follow(DType.int8, DType.float64)
    (everygrad.float16, everygrad.float64)
    """
    if shaped is None or single is None:
        found = shaped or single
        assert found is not None, "of no arrays"
        return found
    return shaped if shaped.category >= single.category else single


def promote_scalar(x: DType, scalar: object, default_float: DType = DType.float32) -> DType:
    """The dtype of an array with a Python scalar: the array's, unless the scalar's category is higher.

    >>> promote_scalar(DType.float16, 3.5), promote_scalar(DType.int8, 300), promote_scalar(DType.int8, 0.5)
    (everygrad.float16, everygrad.int8, everygrad.float32)
    """
    if isinstance(scalar, bool):
        return x
    if isinstance(scalar, int):
        return DType.int64 if x is DType.bool_ else x
    return x if x in FLOATS else default_float


def as_dtype(name: object) -> DType:
    """The DType called `name`: a DType, a string, a Python type, or a dtype of NumPy or torch."""
    if isinstance(name, DType):
        return name
    if name is float:
        return DType.float32
    if name is int:
        return DType.int64
    if name is bool:
        return DType.bool_
    text = getattr(name, "name", None) or getattr(name, "__name__", None) or str(name)
    text = str(text).removeprefix("torch.").removeprefix("everygrad.").rstrip("_")
    try:
        return DType(text)
    except ValueError:
        from everygrad_ops.errors import DTypeError

        known = ", ".join(d.value for d in DType)
        raise DTypeError(f"unknown dtype {name!r}: write one of {known}") from None
