"""The default of optional ops: the values to the host, a function of NumPy arrays, the results back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from everygrad_ops.dtypes import LOW_PRECISION, DType
from everygrad_ops.errors import misfit

if TYPE_CHECKING:
    from collections.abc import Callable

    from everygrad_ops.backend import Backend

A = TypeVar("A")


def on_host(b: Backend[A], function: Callable[..., Any], *xs: A) -> A:
    """`function` of the values of `xs`, as an array of `b`; low precision goes through float32."""
    (result,) = all_on_host(b, lambda *values: (function(*values),), *xs)
    return result


def scipy_special() -> Any:
    """SciPy's special functions, imported when one is first used. They are untyped."""
    import scipy.special

    return scipy.special  # pyright: ignore[reportUnknownVariableType]  # an untyped module


def pair_on_host(b: Backend[A], op: str, function: Any, x: A, y: A) -> A:
    """The same for a function of two arrays that broadcast."""
    try:
        return on_host(b, function, x, y)
    except ValueError as error:
        raise misfit(op, error, x=x, y=y) from None


def all_on_host(b: Backend[A], function: Callable[..., tuple[Any, ...]], *xs: A) -> tuple[A, ...]:
    """The same for a function with several results. Floats come back in the dtype of the first of `xs`."""
    import numpy as np

    dtype = b.dtype(xs[0])
    if dtype in LOW_PRECISION:
        wide = all_on_host(b, function, *(b.cast(x, DType.float32) for x in xs))
        return tuple(b.cast(y, dtype) if b.dtype(y).is_floating else y for y in wide)
    kind = b.to_numpy(xs[0]).dtype
    with np.errstate(all="ignore"):  # infinities and NaN are the contract's answers
        results = [np.asarray(y) for y in function(*(b.to_numpy(x) for x in xs))]
        results = [y.astype(kind, copy=False) if y.dtype.kind == "f" else y for y in results]
    return tuple(b.from_numpy(y, copy=False) for y in results)
