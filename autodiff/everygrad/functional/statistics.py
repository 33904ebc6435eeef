"""Statistics made of sums: moments in pairs, NaN left out, covariance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from everygrad.functional.comparison import truth
from everygrad.functional.elementwise import div, maximum
from everygrad.functional.reduction import amax, amin, corrected, mean, std, sum, var
from everygrad.tensor.dims import Dims
from everygrad.tensor.operands import cast_to, floating, on_one_backend
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType, DTypeError, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["aminmax", "corrcoef", "count_nonzero", "cov", "nanmean", "nansum", "std_mean", "var_mean"]


class MinMax(NamedTuple):
    """The smallest and the largest value."""

    min: Tensor
    max: Tensor


def std_mean(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """(standard deviation, mean).

    >>> import everygrad as eg
    >>> [v.item() for v in eg.std_mean(eg.tensor([1.0, 2.0, 3.0]))]
    [1.0, 2.0]
    """
    dims, less = corrected("std_mean", dim, unbiased, correction)
    return std(input, dims, correction=less, keepdim=keepdim), mean(input, dims, keepdim)


def var_mean(
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """(variance, mean).

    >>> import everygrad as eg
    >>> [v.item() for v in eg.var_mean(eg.tensor([1.0, 3.0]), correction=0)]
    [1.0, 2.0]
    """
    dims, less = corrected("var_mean", dim, unbiased, correction)
    return var(input, dims, correction=less, keepdim=keepdim), mean(input, dims, keepdim)


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> MinMax:
    """(smallest, largest) value; NaN wins both; ties share the gradient evenly.

    >>> import everygrad as eg
    >>> low, high = eg.aminmax(eg.tensor([3.0, 1.0, 2.0]))
    >>> low.item(), high.item()
    (1.0, 3.0)
    """
    return MinMax(amin(input, dim, keepdim), amax(input, dim, keepdim))


def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements are not 0; NaN is not 0.

    >>> import everygrad as eg
    >>> eg.count_nonzero(eg.tensor([0.0, 1.0, 2.0])).item()
    2
    """
    return sum(truth(input), dim)


def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Sum of what is not NaN; the NaN get gradient 0.

    >>> import everygrad as eg
    >>> eg.nansum(eg.tensor([1.0, float("nan")])).item()
    1.0
    """
    need_tensor("nansum", "input", input)
    b = input.backend
    known = wrap(b.where(b.isnan(input.array), 0, input.array), b, input.dtype)
    return sum(known, dim, keepdim, dtype=dtype)


def nanmean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Mean of what is not NaN; of nothing it is NaN. The NaN get gradient 0.

    >>> import everygrad as eg
    >>> eg.nanmean(eg.tensor([1.0, float("nan"), 3.0])).item()
    2.0
    """
    x = floating(input) if dtype is None else cast_to(input, dtype)
    b, low = x.backend, x.dtype in (DType.float16, DType.bfloat16)
    work = cast_to(x, DType.float32) if low else x
    counts = sum(wrap(b.logical_not(b.isnan(x.array)), b, DType.bool_), dim, keepdim)
    total = nansum(work, dim, keepdim)
    none = b.eq(counts.array, 0)
    quotient = b.div(total.array, b.cast(b.where(none, 1, counts.array), work.dtype))
    return cast_to(wrap(b.where(none, math.nan, quotient), b, work.dtype), x.dtype)


def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """Covariances of the variables in the rows, by the observations in the columns; a vector is one variable,
    and that of one variable is a scalar.

    `fweights` says how often an observation was made, `aweights` how much it weighs.

    >>> import everygrad as eg
    >>> eg.cov(eg.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    need_tensor("cov", "input", input)
    if input.ndim > 2:
        raise ShapeError(f"cov: needs a matrix of variables by observations. Received: shape {input.shape}")
    x = floating(input)
    rows = x if x.ndim == 2 else x.reshape(1, x.numel())
    count = rows.shape[1]
    weights = _weights(x, count, fweights, aweights)
    if weights is None:
        rest = rows - mean(rows, 1, True)
        result = div(rest @ rest.permute(1, 0), float(max(count - correction, 0)))
    else:
        total = sum(weights)
        rest = rows - sum(rows * weights, 1, True) / total
        divisor = total - correction
        if aweights is not None:
            each = cast_to(on_one_backend("cov", aweights, x)[0], x.dtype)
            divisor = total - correction * sum(weights * each) / total
        result = div((rest * weights) @ rest.permute(1, 0), maximum(divisor, 0.0))
    return result if rows.shape[0] != 1 else result.reshape(())


def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the variables in the rows: covariances over standard deviations, within [-1, 1].

    >>> import everygrad as eg
    >>> [[round(v, 4) for v in row] for row in eg.corrcoef(eg.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()]
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    need_tensor("corrcoef", "input", input)
    covariances = cov(input)
    if covariances.ndim == 0:
        return covariances / covariances
    size = covariances.shape[0]
    b = covariances.backend
    step = b.mul(b.arange(0, size, 1, DType.int64), size + 1)
    diagonal = wrap(b.index_select(b.reshape(covariances.array, (size * size,)), 0, step), b)
    deviations = diagonal.sqrt()
    return (covariances / deviations.reshape(size, 1) / deviations.reshape(1, size)).clamp(-1, 1)


def _weights(x: Tensor, count: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor | None:
    """The weight of each observation, in the dtype of x; None where all weigh 1."""
    found: Tensor | None = None
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        if weights.shape != (count,):
            raise ShapeError(f"cov: {name} must have shape ({count},). Received: {weights.shape}")
        if name == "fweights" and weights.dtype.is_floating:
            raise DTypeError(f"cov: fweights must be integers. Received: {weights.dtype}")
        if bool((weights.detach() < 0).any()):
            raise ValueError(f"cov: {name} must not be negative. Received: {weights.tolist()}")
        each = cast_to(on_one_backend("cov", weights, x)[0], x.dtype)
        found = each if found is None else found * each
    return found
