"""Reading and writing by index. Negative indices count from the end; out of range raises `IndexError`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.functional.shape import broadcast_to, reshape
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import cast_to, number_for, on_one_backend
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import Backend, DType, DTypeError, ShapeError
from everygrad_ops.checks import common_shape
from everygrad_ops.errors import DimError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "argwhere",
    "gather",
    "index_add",
    "index_select",
    "masked_fill",
    "masked_select",
    "nonzero",
    "one_hot",
    "take",
    "take_along_dim",
]


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """out[.., i, ..] = input[.., index[.., i, ..], ..]: the index has the rank of the input, and may be smaller.

    >>> import everygrad as eg
    >>> eg.gather(eg.tensor([[1, 2], [3, 4]]), 1, eg.tensor([[0], [-1]])).tolist()
    [[1], [4]]
    """
    need_tensor("gather", "input", input)
    d = one_dim("gather", dim, input.ndim)
    x, i = on_one_backend("gather", input, whole_numbers("gather", index))
    b, count = x.backend, i.numel()
    if count == 0 or (
        x.ndim < 2 and i.ndim < 2 and x.ndim + i.ndim < 2
    ):  # a scalar counts as a vector of one element
        line, at = b.reshape(x.array, (x.numel(),)), b.reshape(i.array, (count,))
        return wrap(_gather(b, line, 0, at, i.shape), b, x.known_dtype)
    return wrap(_gather(b, x.array, d, i.array, i.shape), b, x.known_dtype)


def _gather(b: Backend[Any], x: Any, dim: int, index: Any, shape: tuple[int, ...]) -> Any:
    out = signed("gather", b, [index], b.shape(x)[dim : dim + 1], lambda i: b.gather(x, dim, i[0]))
    return out if b.shape(out) == shape else b.reshape(out, shape)


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """As `gather`, where input and indices broadcast on the other dims; without a dim, both flattened.

    >>> import everygrad as eg
    >>> x = eg.tensor([[30, 10, 20]])
    >>> eg.take_along_dim(x, eg.argsort(x, dim=1), dim=1).tolist()
    [[10, 20, 30]]
    """
    need_tensor("take_along_dim", "input", input)
    if dim is None:
        return gather(reshape(input, -1), 0, reshape(indices, -1))
    if input.ndim != indices.ndim:
        raise ShapeError(
            f"take_along_dim: input and indices must have one rank. Received: {input.shape} and {indices.shape}"
        )
    d = one_dim("take_along_dim", dim, input.ndim)
    common = common_shape("take_along_dim", *((*s[:d], 1, *s[d + 1 :]) for s in (input.shape, indices.shape)))
    if not input.ndim:
        return gather(input, d, indices)
    x, i = (broadcast_to(v, (*common[:d], v.shape[d], *common[d + 1 :])) for v in (input, indices))
    return gather(x, d, i)


def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements of the flattened input at an index of any shape.

    >>> import everygrad as eg
    >>> eg.take(eg.tensor([[1, 2], [3, 4]]), eg.tensor([[0, 3]])).tolist()
    [[1, 4]]
    """
    need_tensor("take", "input", input)
    need_tensor("take", "index", index)
    return reshape(index_select(reshape(input, -1), 0, reshape(index, -1)), index.shape)


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices along a dim that a vector of indices names.

    >>> import everygrad as eg
    >>> eg.index_select(eg.tensor([[1, 2], [3, 4]]), 0, eg.tensor([1, 1])).tolist()
    [[3, 4], [3, 4]]
    """
    need_tensor("index_select", "input", input)
    d = one_dim("index_select", dim, input.ndim)
    x, i = on_one_backend("index_select", input, whole_numbers("index_select", index))
    b = x.backend
    at = i.array if i.ndim else b.reshape(i.array, (1,))
    array = x.array if x.ndim else b.reshape(x.array, (1,))  # a scalar counts as a vector of one element
    out = signed("index_select", b, [at], b.shape(array)[d : d + 1], lambda j: b.index_select(array, d, j[0]))
    return wrap(b.reshape(out, ()) if not x.ndim and i.numel() == 1 else out, b, x.known_dtype)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """The input with alpha times the slices of source added at the indices of a vector, along a dim.

    >>> import everygrad as eg
    >>> eg.index_add(eg.zeros(3), 0, eg.tensor([0, 2, 2]), eg.ones(3)).tolist()
    [1.0, 0.0, 2.0]
    """
    need_tensor("index_add", "input", input)
    d = one_dim("index_add", dim, input.ndim)
    x, i, s = on_one_backend("index_add", input, whole_numbers("index_add", index), source)
    b, src = x.backend, same_dtype("index_add", s, x)
    arrays = [x.array, i.array, src.array if alpha == 1 else (src * alpha).array]
    if x.ndim < 2:  # a scalar counts as a vector of one element
        arrays = [v if b.shape(v) else b.reshape(v, (1,)) for v in arrays]
    base, at, values = arrays
    out = signed("index_add", b, [at], b.shape(base)[d : d + 1], lambda j: b.index_add(base, d, j[0], values))
    return wrap(out if x.ndim else b.reshape(out, ()), b, x.known_dtype)


def masked_fill(input: Tensor, mask: Tensor, value: Tensor | float) -> Tensor:
    """`value` where the boolean mask holds, else the input, in the input's dtype; the mask broadcasts.

    >>> import everygrad as eg
    >>> eg.masked_fill(eg.tensor([1.0, 2.0]), eg.tensor([True, False]), 0.0).tolist()
    [0.0, 2.0]
    """
    need_tensor("masked_fill", "input", input)
    need_mask("masked_fill", mask)
    if not is_tensor(value):
        value = number_for("masked_fill", "value", value, input)
        x, m = on_one_backend("masked_fill", input, mask)
        return wrap(x.backend.masked_fill(x.array, m.array, value), x.backend, x.known_dtype)
    if value.ndim:
        raise ShapeError(
            f"masked_fill: value must be a single number. Received: shape {value.shape}; write where(mask, value, input)"
        )
    x, m, v = on_one_backend("masked_fill", input, mask, value)
    return wrap(
        x.backend.masked_fill(x.array, m.array, same_dtype("masked_fill", v, x).array),
        x.backend,
        x.known_dtype,
    )


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where a boolean mask holds, as a vector; both broadcast.

    >>> import everygrad as eg
    >>> x = eg.tensor([1.0, 5.0, 3.0])
    >>> eg.masked_select(x, x > 2).tolist()
    [5.0, 3.0]
    """
    need_tensor("masked_select", "input", input)
    need_mask("masked_select", mask)
    x, m = on_one_backend("masked_select", input, mask)
    b, shape = x.backend, common_shape("masked_select", input.shape, mask.shape)
    arrays = [v.array if v.shape == shape else b.broadcast_to(v.array, shape) for v in (x, m)]
    return wrap(b.masked_select(arrays[0], arrays[1]), b, x.known_dtype)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The positions of the elements that are not 0: a row each, or with `as_tuple` a vector per dim.

    >>> import everygrad as eg
    >>> eg.nonzero(eg.tensor([[0, 1], [2, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    need_tensor("nonzero", "input", input)
    b = input.backend
    found = wrap(b.nonzero(b.detach(input.array)), b, DType.int64)
    if not as_tuple:
        return found
    if not input.ndim:  # a scalar counts as a vector of one element
        return (wrap(b.full((found.shape[0],), 0, DType.int64), b, DType.int64),)
    return tuple(
        index_select(found, 1, wrap(b.full((1,), d, DType.int64), b)).reshape(-1) for d in range(input.ndim)
    )


def argwhere(input: Tensor) -> Tensor:
    """The positions of the elements that are not 0, a row each.

    >>> import everygrad as eg
    >>> eg.argwhere(eg.tensor([[0, 1], [2, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    need_tensor("argwhere", "input", input)
    b = input.backend
    return wrap(b.nonzero(b.detach(input.array)), b, DType.int64)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """1 at each index along a new last dim, else 0; by default as long as the largest index asks for.

    >>> import everygrad as eg
    >>> eg.functional.one_hot(eg.tensor([0, 2])).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    need_tensor("one_hot", "tensor", tensor)
    index = whole_numbers("one_hot", tensor)
    b = index.backend
    if num_classes == -1:
        if not index.numel():
            raise ShapeError("one_hot: of nothing, num_classes must be given. Received: an empty tensor")
        num_classes = int(b.to_numpy(index.array).max()) + 1
    return wrap(b.one_hot(index.array, num_classes), b, DType.int64)


def whole_numbers(op: str, index: Tensor) -> Tensor:
    """An index as int64; booleans and floats raise `DTypeError`."""
    if index.dtype is DType.int64:
        return index
    if index.dtype.category != 1:
        raise DTypeError(f"{op}: an index must hold integers. Received: {index.dtype}; write x.to(eg.int64)")
    return cast_to(index, DType.int64)


def need_mask(op: str, mask: Tensor) -> None:
    """Refuse a mask that is not boolean."""
    if mask.dtype is not DType.bool_:
        raise DTypeError(f"{op}: a mask must be boolean. Received: {mask.dtype}; write mask != 0")


def same_dtype(op: str, values: Tensor, like: Tensor) -> Tensor:
    """Values in the dtype of what they are written into, which they must not exceed."""
    if values.dtype.category > like.dtype.category:
        raise DTypeError(f"{op}: {values.dtype} does not go into {like.dtype}. Write values.to({like.dtype})")
    return cast_to(values, like.dtype)


def signed(
    op: str,
    b: Backend[Any],
    indices: Sequence[Any],
    sizes: Sequence[int],
    call: Callable[[Sequence[Any]], Any],
) -> Any:
    """call(indices); the contract takes 0 <= index < size, so negative ones are resolved when it refuses."""
    try:
        return call(indices)
    except DimError:
        raise
    except IndexError:
        return call([_counted(op, b, index, size) for index, size in zip(indices, sizes)])


def _counted(op: str, b: Backend[Any], index: Any, size: int) -> Any:
    values = b.to_numpy(index)
    if not values.size:
        return index
    low, high = int(values.min()), int(values.max())
    if low < -size or high >= size:
        wrong = low if low < -size else high
        raise IndexError(
            f"{op}: index {wrong} is out of range for size {size}. "
            + (f"Write indices from {-size} to {size - 1}" if size else "There is nothing to index")
        )
    return b.where(b.lt(index, 0), b.add(index, size), index) if low < 0 else index
