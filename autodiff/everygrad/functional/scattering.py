"""Writing by index: each gives a new tensor. Negative indices count from the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.functional.indexing import need_mask, same_dtype, signed, whole_numbers
from everygrad.functional.shape import broadcast_to
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import as_operand, number_for, on_one_backend
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import Backend, ShapeError
from everygrad_ops.checks import check_values, common_shape
from everygrad_ops.scattering import check_mode

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "gather_nd",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "masked_scatter",
    "put",
    "scatter",
    "scatter_add",
    "scatter_nd",
    "scatter_reduce",
]

Write = Callable[[Backend[Any], Any, int, Any, Any], Any]
"""What to call: backend, x, dim, index and values."""

ALSO = {"add": "sum", "multiply": "prod"}
"""Modes under torch's other names."""


def _mode(op: str, reduce: str) -> str:
    mode = ALSO.get(reduce, reduce)
    check_mode(op, mode)
    return mode


def _write(
    op: str, input: Tensor, dim: int, index: Tensor, src: Tensor | float, write: Write, slices: bool = False
) -> Tensor:
    """The input, written to. With `slices`, the index is a vector, and a number stands for whole slices."""
    d, at = one_dim(op, dim, input.ndim), whole_numbers(op, index)
    values = as_operand(op, src, input)
    if not is_tensor(values):
        number = number_for(op, "src", values, input)
        shape = (*input.shape[:d], index.numel(), *input.shape[d + 1 :]) if slices else index.shape
        full = input.backend.broadcast_to(input.backend.full((), number, input.dtype), shape)
        values = wrap(full, input.backend, input.dtype)
    x, i, s = on_one_backend(op, input, at, values)
    b, s = x.backend, same_dtype(op, s, x)
    arrays = [x.array, i.array, s.array]
    if not x.ndim:  # a scalar counts as a vector of one element
        arrays = [b.reshape(v, (1,)) if not b.shape(v) else v for v in arrays]
    elif slices and not i.ndim:
        arrays[1] = b.reshape(i.array, (1,))
        if s.ndim == x.ndim - 1:
            arrays[2] = b.reshape(s.array, (*s.shape[:d], 1, *s.shape[d:]))
    sizes = b.shape(arrays[0])[d : d + 1]
    out = signed(op, b, [arrays[1]], sizes, lambda j: write(b, arrays[0], d, j[0], arrays[2]))
    return wrap(b.reshape(out, ()) if not x.ndim else out, b, x.known_dtype)


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Tensor | float, *, reduce: str | None = None
) -> Tensor:
    """The input with src[p] written at index[p] along a dim; the last of repeats wins and gets the gradient.

    `reduce` names another mode: "add", "multiply", or one of `scatter_reduce`.

    >>> import everygrad as eg
    >>> eg.scatter(eg.zeros(4), 0, eg.tensor([0, 1, 1, 2]), eg.tensor([11.0, 12.0, 13.0, 14.0])).tolist()
    [11.0, 13.0, 14.0, 0.0]
    """
    need_tensor("scatter", "input", input)
    mode = _mode("scatter", reduce or "assign")
    return _write(
        "scatter", input, dim, index, src, lambda b, x, d, i, s: b.scatter_reduce(x, d, i, s, mode, True)
    )


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The input with src[p] added at index[p] along a dim, for each position p of the index; repeats accumulate.

    >>> import everygrad as eg
    >>> eg.scatter_add(eg.zeros(3), 0, eg.tensor([0, 2, 2]), eg.ones(3)).tolist()
    [1.0, 0.0, 2.0]
    """
    need_tensor("scatter_add", "input", input)
    return _write("scatter_add", input, dim, index, src, lambda b, x, d, i, s: b.scatter_add(x, d, i, s))


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """The input with src[p] written at index[p] along a dim; what meets in one place is combined.

    `reduce` is "sum", "prod", "mean", "amax", "amin" or "assign" (the last wins). What was there takes part
    unless `include_self` is False. Ties of extrema share the gradient evenly.

    >>> import everygrad as eg
    >>> index, src = eg.tensor([0, 0, 1]), eg.tensor([2.0, 3.0, 4.0])
    >>> eg.scatter_reduce(eg.ones(3), 0, index, src, "prod").tolist()
    [6.0, 4.0, 1.0]
    >>> eg.scatter_reduce(eg.ones(3), 0, index, src, "mean", include_self=False).tolist()
    [2.5, 4.0, 1.0]
    """
    need_tensor("scatter_reduce", "input", input)
    mode = _mode("scatter_reduce", reduce)
    return _write(
        "scatter_reduce",
        input,
        dim,
        index,
        src,
        lambda b, x, d, i, s: b.scatter_reduce(x, d, i, s, mode, include_self),
    )


def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """The input with the slices of source combined into those that a vector names along a dim: see scatter_reduce.

    >>> import everygrad as eg
    >>> source = eg.tensor([[1.0, 9.0], [3.0, 5.0]])
    >>> eg.index_reduce(eg.zeros(2, 2), 0, eg.tensor([1, 1]), source, "amax").tolist()
    [[0.0, 0.0], [3.0, 9.0]]
    """
    need_tensor("index_reduce", "input", input)
    mode = _mode("index_reduce", reduce)
    return _write(
        "index_reduce",
        input,
        dim,
        index,
        source,
        lambda b, x, d, i, s: b.index_reduce(x, d, i, s, mode, include_self),
        slices=True,
    )


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The input with the slices of source in the places that a vector names along a dim; the last of repeats wins.

    >>> import everygrad as eg
    >>> eg.index_copy(eg.zeros(3), 0, eg.tensor([2, 0]), eg.tensor([5.0, 6.0])).tolist()
    [6.0, 0.0, 5.0]
    """
    need_tensor("index_copy", "input", input)
    return _write(
        "index_copy",
        input,
        dim,
        index,
        source,
        lambda b, x, d, i, s: b.index_reduce(x, d, i, s, "assign", True),
        slices=True,
    )


def index_fill(input: Tensor, dim: int, index: Tensor, value: Tensor | float) -> Tensor:
    """The input with one value in all slices that a vector names along a dim.

    >>> import everygrad as eg
    >>> eg.index_fill(eg.zeros(2, 3), 1, eg.tensor([0, 2]), 7.0).tolist()
    [[7.0, 0.0, 7.0], [7.0, 0.0, 7.0]]
    """
    need_tensor("index_fill", "input", input)
    if is_tensor(value):
        if value.ndim:
            raise ShapeError(f"index_fill: value must be a single number. Received: shape {value.shape}")
        d = one_dim("index_fill", dim, input.ndim)
        value = broadcast_to(value, (*input.shape[:d], index.numel(), *input.shape[d + 1 :]))
    return _write(
        "index_fill",
        input,
        dim,
        index,
        value,
        lambda b, x, d, i, s: b.index_reduce(x, d, i, s, "assign", True),
        slices=True,
    )


def index_put(
    input: Tensor,
    indices: Sequence[Tensor],
    values: Tensor | float,
    accumulate: bool = False,
    *,
    mode: str | None = None,
    include_self: bool = True,
) -> Tensor:
    """The input with values at the places that input[indices] reads; values broadcast to them.

    Repeats: the last in row-major order wins, and it alone gets gradient; with `accumulate` they add up;
    `mode` names another way, as in `scatter_reduce`.

    >>> import everygrad as eg
    >>> x = eg.zeros(3)
    >>> x.index_put((eg.tensor([0, 2]),), 5.0).tolist(), x.tolist()
    ([5.0, 0.0, 5.0], [0.0, 0.0, 0.0])
    >>> x.index_put((eg.tensor([1, 1]),), eg.tensor([2.0, 4.0]), mode="amax").tolist()
    [0.0, 4.0, 0.0]
    """
    need_tensor("index_put", "input", input)
    from everygrad.tensor.indexing import put

    how = _mode("index_put", mode or ("sum" if accumulate else "assign"))
    return put(input, tuple(indices), values, how, include_self)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """The input with source at an index into its flattened elements; the last of repeats wins, or they add up.

    >>> import everygrad as eg
    >>> eg.put(eg.zeros(2, 2), eg.tensor([1, 3]), eg.tensor([5.0, 6.0])).tolist()
    [[0.0, 5.0], [0.0, 6.0]]
    """
    need_tensor("put", "input", input)
    x, i, s = on_one_backend("put", input, whole_numbers("put", index), source)
    b, count, total = x.backend, (i.numel(),), x.numel()
    check_values("put", (s.numel(),), count, "source")
    values = b.reshape(same_dtype("put", s, x).array, count)
    flat, at = b.reshape(x.array, (total,)), b.reshape(i.array, count)
    out = signed("put", b, [at], (total,), lambda j: b.index_put(flat, [j[0]], values, accumulate))
    return wrap(b.reshape(out, x.shape), b, x.known_dtype)


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The input with the elements of source, one after the other, where a boolean mask holds; both broadcast.

    >>> import everygrad as eg
    >>> mask = eg.tensor([True, False, True])
    >>> eg.masked_scatter(eg.zeros(3), mask, eg.tensor([5.0, 6.0, 7.0])).tolist()
    [5.0, 0.0, 6.0]
    """
    need_tensor("masked_scatter", "input", input)
    need_mask("masked_scatter", mask)
    shape = common_shape("masked_scatter", input.shape, mask.shape)
    x, m, s = on_one_backend("masked_scatter", *(broadcast_to(v, shape) for v in (input, mask)), source)
    b, total = x.backend, x.numel()
    found = b.nonzero(b.reshape(m.array, (total,)))
    count = b.shape(found)[0]
    if count > s.numel():
        raise ShapeError(
            f"masked_scatter: source must have an element for each of {count} places. Received: {s.numel()}"
        )
    values = b.slice(b.reshape(same_dtype("masked_scatter", s, x).array, (s.numel(),)), ((0, count, 1),))
    out = b.index_put(b.reshape(x.array, (total,)), [b.reshape(found, (count,))], values)
    return wrap(b.reshape(out, x.shape), b, x.known_dtype)


def gather_nd(input: Tensor, indices: Tensor) -> Tensor:
    """The last dim of indices holds positions in the first dims: out[p] = input[indices[p, 0], indices[p, 1], ...].

    >>> import everygrad as eg
    >>> x = eg.tensor([[1, 2], [3, 4]])
    >>> eg.gather_nd(x, eg.tensor([[0, 1], [1, 0]])).tolist(), eg.gather_nd(x, eg.tensor([[1]])).tolist()
    ([2, 3], [[3, 4]])
    """
    x, i = on_one_backend("gather_nd", input, whole_numbers("gather_nd", indices))
    b = x.backend
    return wrap(_each_signed("gather_nd", x, i, lambda at: b.gather_nd(x.array, at)), b, x.known_dtype)


def scatter_nd(
    input: Tensor, indices: Tensor, values: Tensor, reduce: str = "assign", *, include_self: bool = True
) -> Tensor:
    """The input with values at positions, as `gather_nd` reads them; `reduce` as in `scatter_reduce`.

    >>> import everygrad as eg
    >>> at = eg.tensor([[0, 1], [1, 0], [0, 1]])
    >>> eg.scatter_nd(eg.ones(2, 2), at, eg.tensor([2.0, 5.0, 3.0]), "prod").tolist()
    [[1.0, 6.0], [5.0, 1.0]]
    """
    mode = _mode("scatter_nd", reduce)
    x, i, v = on_one_backend("scatter_nd", input, whole_numbers("scatter_nd", indices), values)
    b, src = x.backend, same_dtype("scatter_nd", v, x).array
    out = _each_signed("scatter_nd", x, i, lambda at: b.scatter_nd(x.array, at, src, mode, include_self))
    return wrap(out, b, x.known_dtype)


def _each_signed(op: str, x: Tensor, indices: Tensor, call: Callable[[Any], Any]) -> Any:
    """call(indices), where negative positions are resolved, column by column, when it refuses."""
    shape = indices.shape
    if not shape or not 1 <= shape[-1] <= x.ndim:
        return call(indices.array)  # says what is wrong
    b, rows = x.backend, math.prod(shape[:-1])
    flat = b.reshape(indices.array, (rows, shape[-1]))
    columns = [b.slice(flat, ((0, rows, 1), (k, 1, 1))) for k in range(shape[-1])]
    first = indices.array

    def again(given: Sequence[Any]) -> Any:
        same = all(a is c for a, c in zip(given, columns))
        return call(first if same else b.reshape(b.cat(list(given), 1), shape))

    return signed(op, b, columns, x.shape[: shape[-1]], again)
