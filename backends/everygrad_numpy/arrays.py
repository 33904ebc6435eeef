"""What all NumPy ops share: the array type, and the dtypes both ways."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from everygrad_ops import DType, DTypeError

Array = NDArray[Any]
T = TypeVar("T")


class _ToNumpy(dict[DType, np.dtype[Any]]):
    """NumPy's dtypes; the one that NumPy lacks is loaded when it is first asked for."""

    def __missing__(self, dtype: DType) -> np.dtype[Any]:
        return _bfloat16()


class _FromNumpy(dict[np.dtype[Any], DType]):
    """The way back; arrays of bfloat16 may come from elsewhere before any was made here."""

    def __missing__(self, dtype: np.dtype[Any]) -> DType:
        if dtype.name == "bfloat16" and dtype == _bfloat16():
            return DType.bfloat16
        raise KeyError(dtype)


TO_NUMPY: dict[DType, np.dtype[Any]] = _ToNumpy(
    {d: np.dtype(d.value) for d in DType if d is not DType.bfloat16}
)
FROM_NUMPY: dict[np.dtype[Any], DType] = _FromNumpy({n: d for d, n in TO_NUMPY.items()})
FLOAT16 = TO_NUMPY[DType.float16]
LOW = {FLOAT16}
"""Dtypes that accumulate in float32: bfloat16, too, once there is an array of it."""


def _bfloat16() -> np.dtype[Any]:
    import ml_dtypes  # importing it takes most of a second

    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    TO_NUMPY[DType.bfloat16] = dtype
    FROM_NUMPY[dtype] = DType.bfloat16
    LOW.add(dtype)
    return dtype


def is_bfloat16(x: Array) -> bool:
    """Whether an array is of the dtype that NumPy itself does not know."""
    return x.dtype in LOW and x.dtype != FLOAT16


def as_array(x: Any) -> Array:
    """NumPy gives a scalar where an op on 0-d arrays ends: back to an array."""
    return x if type(x) is np.ndarray else np.asarray(x)


COMPLAINTS = (RuntimeWarning, FloatingPointError)
"""How NumPy tells of an infinity or a NaN that it made, where the user turned warnings into errors."""


def ignore_warnings() -> None:
    """Drop the warnings of infinities and NaN that NumPy gives in this package; elsewhere the user's settings stay.

    `numpy.errstate` around each call would cost more than a small addition.
    """
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"everygrad_numpy\.")


def quiet(function: Callable[..., Any], *xs: Any) -> Array:
    """The result of a function whose infinities and NaN the contract defines: NumPy need not warn of them."""
    with np.errstate(all="ignore"):
        return as_array(function(*xs))


def hushed(family: type[T]) -> type[T]:
    """A family of ops during which NumPy gives no warnings of infinities and NaN, which the contract defines.

    `numpy.errstate` takes most of a microsecond: too much for an addition, little beside a convolution.
    """
    for name, method in list(vars(family).items()):
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(family, name, np.errstate(all="ignore")(method))
    return family


def weak(y: Any) -> Any:
    """A number next to an array leaves the array's dtype: `numpy.float64` is a float, but NumPy widens to it."""
    return y.item() if isinstance(y, np.generic) else y  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # any scalar


def dtype_of(x: Array, op: str = "dtype") -> DType:
    """The contract's name of an array's dtype."""
    try:
        return FROM_NUMPY[x.dtype]
    except KeyError:
        raise DTypeError(
            f"{op}: the NumPy backend has no dtype {x.dtype}. Received: an array of it; "
            "write array.astype(...) with one of " + ", ".join(d.value for d in DType)
        ) from None
