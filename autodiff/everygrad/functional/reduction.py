"""Reductions and order. `dim` is an integer, several, or None for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from everygrad.functional.comparison import truth
from everygrad.tensor.dims import Dims, many_dims, one_dim
from everygrad.tensor.operands import cast_to
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


class ValuesIndices(NamedTuple):
    """Values and where they were found."""

    values: Tensor
    indices: Tensor


def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Sum; integers and booleans give int64, float16 and bfloat16 accumulate in float32.

    >>> import everygrad as eg
    >>> eg.sum(eg.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).tolist()
    [4.0, 6.0]
    """
    x = input if dtype is None else cast_to(input, dtype)
    return wrap(x.backend.sum(x.array, many_dims("sum", dim, x.ndim), keepdim), x.backend)


def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Mean; integers give the default float; over nothing it is NaN with a zero gradient.

    >>> import everygrad as eg
    >>> eg.mean(eg.tensor([1, 2])).item()
    1.5
    """
    if dtype is not None:
        input = cast_to(input, dtype)
    elif not input.dtype.is_floating:  # in float64: a sum of integers beyond 2**24 must not lose its end
        wide = cast_to(input, DType.float64)
        return cast_to(mean(wide, dim, keepdim), DType.float32)
    return wrap(input.backend.mean(input.array, many_dims("mean", dim, input.ndim), keepdim), input.backend)


def prod(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Product; its gradient is right at zeros.

    >>> import everygrad as eg
    >>> eg.prod(eg.tensor([2.0, 3.0])).item()
    6.0
    """
    return wrap(input.backend.prod(input.array, many_dims("prod", dim, input.ndim), keepdim), input.backend)


def amax(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Largest value; NaN wins; ties share the gradient evenly.

    >>> import everygrad as eg
    >>> eg.amax(eg.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).tolist()
    [5.0, 4.0]
    """
    return wrap(input.backend.amax(input.array, many_dims("amax", dim, input.ndim), keepdim), input.backend)


def amin(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Smallest value; NaN wins; ties share the gradient evenly.

    >>> import everygrad as eg
    >>> eg.amin(eg.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).tolist()
    [1.0, 3.0]
    """
    return wrap(input.backend.amin(input.array, many_dims("amin", dim, input.ndim), keepdim), input.backend)


def max(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False) -> Tensor | ValuesIndices:
    """Largest value of all; with a dim, (values, indices); with a tensor, the larger of the two.

    With indices, ties take the lowest index, which gets the gradient.

    >>> import everygrad as eg
    >>> eg.max(eg.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).indices.tolist()
    [1, 0]
    """
    return _extreme("max", input, dim, keepdim)


def min(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False) -> Tensor | ValuesIndices:
    """Smallest value of all; with a dim, (values, indices); with a tensor, the smaller of the two.

    >>> import everygrad as eg
    >>> eg.min(eg.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).values.tolist()
    [1.0, 3.0]
    """
    return _extreme("min", input, dim, keepdim)


def _extreme(op: str, x: Tensor, dim: int | Tensor | None, keepdim: bool) -> Tensor | ValuesIndices:
    from everygrad.functional.elementwise import maximum, minimum

    if dim is None:
        return (amax if op == "max" else amin)(x)
    if not isinstance(dim, int):
        return (maximum if op == "max" else minimum)(x, dim)
    b, d = x.backend, one_dim(op, dim, x.ndim)
    if x.ndim == 0:
        return ValuesIndices(x, wrap(b.full((), 0, DType.int64), b, DType.int64))
    index = (b.argmax if op == "max" else b.argmin)(b.detach(x.array), d, True)
    values = b.gather(x.array, d, index)
    if not keepdim:
        shape = x.shape[:d] + x.shape[d + 1 :]
        values, index = b.reshape(values, shape), b.reshape(index, shape)
    return ValuesIndices(wrap(values, b, x.dtype), wrap(index, b, DType.int64))


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Index of the largest value, the lowest of equals; without a dim, in the flattened tensor.

    >>> import everygrad as eg
    >>> eg.argmax(eg.tensor([1.0, 5.0, 5.0])).item()
    1
    """
    return _arg("argmax", input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Index of the smallest value, the lowest of equals; without a dim, in the flattened tensor.

    >>> import everygrad as eg
    >>> eg.argmin(eg.tensor([4.0, 1.0, 5.0])).item()
    1
    """
    return _arg("argmin", input, dim, keepdim)


def _arg(op: str, x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    b = x.backend
    array = b.detach(x.array)
    if dim is None or x.ndim == 0:
        flat = b.reshape(array, (x.numel(),))
        index = (b.argmax if op == "argmax" else b.argmin)(flat, 0, False)
        return wrap(b.reshape(index, (1,) * x.ndim) if keepdim else index, b, DType.int64)
    d = one_dim(op, dim, x.ndim)
    return wrap((b.argmax if op == "argmax" else b.argmin)(array, d, keepdim), b, DType.int64)


def sort(input: Tensor, dim: int = -1, descending: bool = False) -> ValuesIndices:
    """(values, indices) in order, stable; NaN is the largest.

    >>> import everygrad as eg
    >>> eg.sort(eg.tensor([3.0, 1.0, 2.0])).indices.tolist()
    [1, 2, 0]
    """
    b, d = input.backend, one_dim("sort", dim, input.ndim)
    if input.ndim == 0:
        return ValuesIndices(input, wrap(b.full((), 0, DType.int64), b, DType.int64))
    values, indices = b.sort(input.array, d, descending)
    return ValuesIndices(wrap(values, b, input.dtype), wrap(indices, b, DType.int64))


def argsort(input: Tensor, dim: int = -1, descending: bool = False) -> Tensor:
    """The indices that sort, stable.

    >>> import everygrad as eg
    >>> eg.argsort(eg.tensor([3.0, 1.0, 2.0]), descending=True).tolist()
    [0, 2, 1]
    """
    return sort(input.detach(), dim, descending).indices


def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether some value is true.

    >>> import everygrad as eg
    >>> eg.any(eg.tensor([False, True])).item()
    True
    """
    x = truth(input)
    count = sum(x, dim, keepdim)
    return truth(count)


def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether every value is true.

    >>> import everygrad as eg
    >>> eg.all(eg.tensor([False, True])).item()
    False
    """
    from everygrad.functional.comparison import logical_not

    return logical_not(any(logical_not(truth(input)), dim, keepdim))
