"""Python's square brackets, by NumPy's rules.

A key is read once into a `Plan`: a strided part of each dim, a shape in which dims that one mask covers
are joined and new dims stand, and then integer arrays on some dims of that shape. Without integer
arrays that is one `slice` and one `reshape` at most; with them one `index_select` or `index` follows.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from everygrad.functional.indexing import same_dtype, signed, whole_numbers
from everygrad.tensor.operands import as_operand, on_one_backend
from everygrad.tensor.wrap import is_tensor, wrap
from everygrad_ops import DType, DTypeError
from everygrad_ops.checks import check_values, common_shape

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def getitem(input: Tensor, key: Any) -> Tensor:
    """input[key]: integers, slices with any step, None, Ellipsis, integer and boolean tensors, arrays or lists.

    >>> import everygrad as eg
    >>> x = eg.arange(6).reshape(2, 3)
    >>> x[1, ::-1].tolist(), x[:, [0, -1]].tolist(), x[x > 3].tolist()
    ([5, 4, 3], [[0, 2], [3, 5]], [4, 5])
    """
    shape, b = input.shape, input.backend
    if key.__class__ is int and shape:
        return _row(input, key, shape)
    plan = _Plan(input, shape)
    plan.read(key if key.__class__ is tuple else (key,))
    array = b.slice(input.array, tuple(plan.slices)) if plan.cut else input.array
    part = wrap(b.reshape(array, tuple(plan.shape)) if plan.reshaped else array, b, input.known_dtype)
    return _select(part, plan) if plan.indices else part


def _row(input: Tensor, key: int, shape: tuple[int, ...]) -> Tensor:
    """One place of the first dim: the most frequent key."""
    size, rest = shape[0], shape[1:]
    if not -size <= key < size:
        raise _out_of_range(key, 0, size)
    b = input.backend
    part = b.slice(input.array, ((key + size if key < 0 else key, 1, 1), *[(0, s, 1) for s in rest]))
    return wrap(b.reshape(part, rest), b, input.known_dtype)


def setitem(input: Tensor, key: Any, value: Any) -> NoReturn:
    """A tensor is a value: nothing is written into it."""
    raise TypeError(
        "tensors are values: x[i] = v is not possible. Write x = x.index_put(...) or x.slice_assign(...)"
    )


def slice_assign(input: Tensor, key: Any, values: Tensor | float) -> Tensor:
    """The input with `values`, which broadcast, in the place of input[key].

    >>> import everygrad as eg
    >>> eg.zeros(2, 3).slice_assign((slice(None), 1), 5.0).tolist()
    [[0.0, 5.0, 0.0], [0.0, 5.0, 0.0]]
    """
    plan = _Plan(input, input.shape)
    plan.read(key if key.__class__ is tuple else (key,))
    if plan.indices:
        return put(input, key, values)
    x, src = _into("slice_assign", input, values, tuple(plan.shape))
    sizes = tuple(size for _, size, _ in plan.slices)
    b, array = x.backend, src.array
    part = b.reshape(array, sizes) if plan.reshaped else array
    return wrap(b.slice_scatter(x.array, part, tuple(plan.slices)), b, x.known_dtype)


def put(
    input: Tensor, key: Any, values: Tensor | float, mode: str = "assign", include_self: bool = True
) -> Tensor:
    """The input with values written where input[key] reads, by a mode; repeats in row-major order."""
    b, shape = input.backend, input.shape
    number = wrap(b.arange(0, math.prod(shape), 1, DType.int64), b, DType.int64)
    places = getitem(wrap(b.reshape(number.array, shape), b, DType.int64), key)
    x, src = _into("index_put", input, values, places.shape)
    places = on_one_backend("index_put", places, x)[0]
    b, count = x.backend, (places.numel(),)
    arrays = [b.reshape(v, count) for v in (places.array, src.array)]
    out = b.index_put_reduce(
        b.reshape(x.array, (math.prod(shape),)), [arrays[0]], arrays[1], mode, include_self
    )
    return wrap(b.reshape(out, shape), b, x.known_dtype)


def _into(op: str, input: Tensor, values: Any, shape: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """The input, and values of its dtype stretched to the shape of what they replace."""
    values = as_operand(op, values, input)
    if not is_tensor(values):
        made = input.backend.full((), values, input.dtype)
        values = wrap(made, input.backend, input.dtype)
    x, src = on_one_backend(op, input, values)
    src = same_dtype(op, src, x)
    extra = max(0, src.ndim - len(shape))
    given = src.shape[extra:]
    if math.prod(src.shape[:extra]) != 1 or common_shape(op, given, shape) != shape:
        check_values(op, src.shape, shape)
    array = src.array if src.shape == given else src.backend.reshape(src.array, given)
    return x, wrap(src.backend.broadcast_to(array, shape), src.backend, src.known_dtype)


class _Plan:
    """What a key means for a tensor of one shape."""

    __slots__ = (
        "apart",
        "cut",
        "dims",
        "done",
        "front",
        "given",
        "indices",
        "input",
        "reshaped",
        "shape",
        "slices",
    )

    def __init__(self, input: Tensor, given: tuple[int, ...]) -> None:
        self.input = input
        self.given = given
        self.slices: list[tuple[int, int, int]] = []
        self.shape: list[int] = []
        self.cut = self.reshaped = False
        self.indices: list[Any] = []
        self.dims: list[int] = []
        """The dims of `shape` that the indices read."""
        self.front: int | None = None
        """How many dims of the result come before those of the indices."""
        self.apart = False
        """Whether a slice or None stands between indices: then their dims come first."""
        self.done = False
        """Whether a key other than an index came after the first index."""

    def read(self, key: tuple[Any, ...]) -> None:
        """Read all items of a key."""
        items = [k if k.__class__ in (int, slice) else _prepared(k) for k in key]
        used = sum([1 if k.__class__ in (int, slice) else _used(k) for k in items])
        rank = len(self.given)
        if used > rank:
            raise IndexError(
                f"getitem: too many indices. Received: {used} for a tensor of rank {rank}, {self.given}"
            )
        several = any(k.__class__ not in (int, slice) and _is_array(k) for k in items)
        seen = False
        for k in items:
            if k is Ellipsis:
                if seen:
                    raise IndexError("getitem: an index can have one Ellipsis (...) only. Received: several")
                seen = True
                self.whole(rank - used)
                self.between()
            elif k is None:
                self.shape.append(1)
                self.reshaped = True
                self.between()
            elif k.__class__ is int:
                self.integer(k, several)
            elif k.__class__ is slice:
                self.part(k)
                self.between()
            else:
                self.array(k)
        self.whole(rank - len(self.slices))

    def whole(self, count: int) -> None:
        """Dims that no key names."""
        for _ in range(count):
            size = self.given[len(self.slices)]
            self.slices.append((0, size, 1))
            self.shape.append(size)

    def part(self, key: slice) -> None:
        """A slice of the next dim."""
        size = self.given[len(self.slices)]
        try:
            start, stop, step = key.indices(size)
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"getitem: {error}. Received: {key}; write x[start:stop:step] with integers, or nothing"
            ) from None
        count = len(range(start, stop, step))
        self.slices.append((start, count, step) if count else (0, 0, 1))
        self.shape.append(count)
        self.cut = self.cut or count != size or step != 1

    def integer(self, key: int, several: bool) -> None:
        """One place of the next dim, which goes away."""
        dim = len(self.slices)
        size = self.given[dim]
        if not -size <= key < size:
            raise _out_of_range(key, dim, size)
        self.slices.append((key + size if key < 0 else key, 1, 1))
        self.cut = self.cut or size != 1
        self.reshaped = True
        if several:  # it stands among index arrays as one of rank 0
            self.index()

    def array(self, key: Any) -> None:
        """An index array for the next dim, or a mask for as many as it has."""
        mask = _is_mask(key)
        rank = len(key.shape) if mask else 1
        sizes = self.given[len(self.slices) : len(self.slices) + rank]
        if mask and tuple(key.shape) != sizes:
            raise IndexError(
                f"getitem: a mask must have the sizes of the dims it covers, {sizes}. Received: {tuple(key.shape)}"
            )
        self.index()
        self.dims.append(len(self.shape))
        self.indices.append(_positions(self.input, key) if mask else _integers(self.input, key))
        self.slices += [(0, size, 1) for size in sizes]
        self.shape.append(math.prod(sizes))
        self.reshaped = self.reshaped or rank != 1

    def index(self) -> None:
        """Note where index arrays stand."""
        if self.front is None:
            self.front = len(self.shape)
        elif self.done:
            self.apart = True

    def between(self) -> None:
        """Note a key that is no index."""
        self.done = self.front is not None


def _select(x: Tensor, plan: _Plan) -> Tensor:
    """The elements that the plan's indices read of `x`, their dims where NumPy puts them."""
    indices = plan.indices
    if any(i.backend is not x.backend for i in indices):
        x, *indices = on_one_backend("getitem", x, *indices)
    b, shape, arrays = x.backend, x.shape, [i.array for i in indices]
    front = 0 if plan.apart else plan.front or 0
    sizes = [shape[d] for d in plan.dims]
    if len(arrays) == 1:
        dim, at = plan.dims[0], indices[0]
        flat = at.array if at.ndim == 1 else b.reshape(at.array, (at.numel(),))
        out = signed("getitem", b, [flat], sizes, lambda i: b.index_select(x.array, dim, i[0]))
        common, place = at.shape, dim
        if at.ndim != 1:
            out = b.reshape(out, (*shape[:dim], *common, *shape[dim + 1 :]))
    else:
        common, place = common_shape("getitem", *(i.shape for i in indices)), 0
        others = [d for d in range(len(shape)) if d not in plan.dims]
        order = (*plan.dims, *others)
        first = x.array if order == tuple(range(len(shape))) else b.permute(x.array, order)
        out = signed("getitem", b, arrays, sizes, lambda i: b.index(first, i))
    if place != front and common:
        rest = [d for d in range(len(b.shape(out))) if not place <= d < place + len(common)]
        rest[front:front] = range(place, place + len(common))
        out = b.permute(out, tuple(rest))
    return wrap(out, b, x.known_dtype)


def _prepared(k: Any) -> Any:
    """An item of a key as None, Ellipsis, int, slice, a Tensor or a NumPy array."""
    if k is None or k is Ellipsis or k.__class__ is int or k.__class__ is slice or is_tensor(k):
        return k
    if isinstance(k, (bool, np.bool_)):
        return np.asarray(k)
    if isinstance(k, (list, range, np.ndarray)):
        array = np.asarray(k)
        if not array.size and not isinstance(k, np.ndarray):
            array = array.astype(np.int64)  # an empty list names nothing; NumPy reads it as floats
        if array.dtype.kind not in "iub":
            raise DTypeError(
                f"getitem: an index array must hold integers or booleans. Received: {array.dtype}"
            )
        return array if array.dtype.kind == "b" else array.astype(np.int64)
    try:
        return operator.index(k)
    except TypeError:
        raise TypeError(
            "getitem: an index is made of integers, slices, None, ..., and integer or boolean tensors, arrays "
            f"or lists. Received: {type(k).__name__}"
        ) from None


def _is_array(k: Any) -> bool:
    return isinstance(k, np.ndarray) or is_tensor(k)


def _is_mask(k: Any) -> bool:
    return k.dtype is DType.bool_ or getattr(k.dtype, "kind", "") == "b"


def _used(k: Any) -> int:
    """How many dims an item of a key reads."""
    if k is None or k is Ellipsis:
        return 0
    return len(k.shape) if _is_array(k) and _is_mask(k) else 1


def _positions(like: Tensor, mask: Any) -> Tensor:
    """The places of a mask in the dims it covers, joined into one: a vector."""
    if not is_tensor(mask):
        return wrap(like.backend.from_numpy(np.flatnonzero(mask).astype(np.int64)), like.backend, DType.int64)
    b = mask.backend
    found = b.nonzero(b.reshape(mask.array, (mask.numel(),)))
    return wrap(b.reshape(found, b.shape(found)[:1]), b, DType.int64)


def _integers(like: Tensor, index: Any) -> Tensor:
    if is_tensor(index):
        return whole_numbers("getitem", index)
    return wrap(like.backend.from_numpy(index), like.backend, DType.int64)


def _out_of_range(key: int, dim: int, size: int) -> IndexError:
    return IndexError(
        f"getitem: index {key} is out of range for dim {dim} of size {size}. "
        + (f"Write indices from {-size} to {size - 1}" if size else "There is nothing to index")
    )
