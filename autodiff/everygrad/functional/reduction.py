"""Reductions. `dim` is an integer, several, or None for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.comparison import truth
from everygrad.tensor.dims import Dims, many_dims
from everygrad.tensor.operands import cast_to, floating, need_floating, rank_of
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType, DTypeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["all", "amax", "amin", "any", "logsumexp", "mean", "prod", "std", "sum", "var"]


def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Sum; integers and booleans give int64, float16 and bfloat16 accumulate in float32.

    >>> import everygrad as eg
    >>> eg.sum(eg.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).tolist()
    [4.0, 6.0]
    """
    dims = many_dims("sum", dim, rank_of("sum", input))
    if dtype is None:
        return wrap(input.backend.sum(input.array, dims, keepdim), input.backend)
    x = cast_to(input, dtype)
    return cast_to(wrap(x.backend.sum(x.array, dims, keepdim), x.backend), dtype)


def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Mean; integers give the default float; over nothing it is NaN with a zero gradient.

    >>> import everygrad as eg
    >>> eg.mean(eg.tensor([1, 2])).item()
    1.5
    """
    dims = many_dims("mean", dim, rank_of("mean", input))
    if dtype is not None:
        if not dtype.is_floating:
            raise DTypeError(f"mean: the dtype of a mean must be floating. Received: dtype={dtype}")
        input = cast_to(input, dtype)
    elif not input.dtype.is_floating:  # in float64: a sum of integers beyond 2**24 must not lose its end
        wide = cast_to(input, DType.float64)
        return cast_to(mean(wide, dim, keepdim), DType.float32)
    return wrap(input.backend.mean(input.array, dims, keepdim), input.backend)


def prod(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Product; its gradient is right at zeros.

    >>> import everygrad as eg
    >>> eg.prod(eg.tensor([2.0, 3.0])).item()
    6.0
    """
    dims = many_dims("prod", dim, rank_of("prod", input))
    x = input if dtype is None else cast_to(input, dtype)
    out = wrap(x.backend.prod(x.array, dims, keepdim), x.backend)
    return out if dtype is None else cast_to(out, dtype)


def amax(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Largest value; NaN wins; ties share the gradient evenly.

    >>> import everygrad as eg
    >>> eg.amax(eg.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).tolist()
    [5.0, 4.0]
    """
    dims = many_dims("amax", dim, rank_of("amax", input))
    return wrap(input.backend.amax(input.array, dims, keepdim), input.backend)


def amin(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Smallest value; NaN wins; ties share the gradient evenly.

    >>> import everygrad as eg
    >>> eg.amin(eg.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).tolist()
    [1.0, 3.0]
    """
    dims = many_dims("amin", dim, rank_of("amin", input))
    return wrap(input.backend.amin(input.array, dims, keepdim), input.backend)


def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether some value is true (not 0).

    >>> import everygrad as eg
    >>> eg.any(eg.tensor([False, True])).item()
    True
    """
    x = truth(input)
    dims = many_dims("any", dim, rank_of("any", input))
    return wrap(x.backend.any(x.array, dims, keepdim), x.backend, DType.bool_)


def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether every value is true (not 0).

    >>> import everygrad as eg
    >>> eg.all(eg.tensor([False, True])).item()
    False
    """
    x = truth(input)
    dims = many_dims("all", dim, rank_of("all", input))
    return wrap(x.backend.all(x.array, dims, keepdim), x.backend, DType.bool_)


def var(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """Variance: the squared distances from the mean, summed and divided by (count - correction).

    The correction is 1, or 0 with `unbiased=False`, which may stand alone: `var(x, False)`. NaN where the divisor is
    not positive.

    >>> import everygrad as eg
    >>> eg.var(eg.tensor([1.0, 2.0, 3.0])).item(), eg.var(eg.tensor([1.0, 3.0]), correction=0).item()
    (1.0, 1.0)
    """
    need_floating("var", input)
    given, less = corrected("var", dim, unbiased, correction)
    dims = many_dims("var", given, input.ndim)
    return wrap(input.backend.var(input.array, dims, less, keepdim), input.backend, input.dtype)


def std(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """Standard deviation, the root of `var`; its gradient at equal values is 0.

    >>> import everygrad as eg
    >>> eg.std(eg.tensor([1.0, 2.0, 3.0])).item()
    1.0
    """
    need_floating("std", input)
    given, less = corrected("std", dim, unbiased, correction)
    dims = many_dims("std", given, input.ndim)
    return wrap(input.backend.std(input.array, dims, less, keepdim), input.backend, input.dtype)


def corrected(
    op: str, dim: Dims | bool, unbiased: bool | None, correction: float | None
) -> tuple[Dims, float]:
    """(dim, correction) of what is written in any of torch's forms; a boolean in the place of dim is `unbiased`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is None:
        return dim, 1 if correction is None else correction
    if correction is not None:
        raise ValueError(
            f"{op}: needs unbiased or correction, not both. Received: unbiased={unbiased}, correction={correction}"
        )
    return dim, 1 if unbiased else 0


def logsumexp(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """log(sum(exp(input))), without overflow; of -inf alone it is -inf with a zero gradient.

    >>> import everygrad as eg
    >>> round(eg.logsumexp(eg.tensor([1000.0, 1000.0])).item(), 3)
    1000.693
    """
    x = floating(input)
    dims = many_dims("logsumexp", dim, x.ndim)
    return wrap(x.backend.logsumexp(x.array, dims, keepdim), x.backend, x.dtype)
