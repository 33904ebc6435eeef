"""JAX as a backend: the core primitives and nothing else. All other ops, and every gradient, come from everygrad.

    python -m everygrad conformance docs.examples.jax_backend:JaxBackend

JAX compiles each function once per shape and dtype, so small arrays of ever new shapes are slow here, and big
ones of a few shapes are fast. Its 64-bit dtypes are switched on where a backend is made.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (the signatures of JAX are typed in part)

from __future__ import annotations

import builtins
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar, cast

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import Array, lax
from numpy.typing import NDArray

from everygrad_ops import Backend, DType, DTypeError, Window, checks
from everygrad_ops.bitwise import no_bits
from everygrad_ops.checks import Slices
from everygrad_ops.creation import arange_count
from everygrad_ops.errors import bad_index, by_zero, misfit, mixed_dtypes, no_extremum, unfit
from everygrad_ops.geometry import Pairs
from everygrad_ops.linalg import check_ranks, no_booleans

F = TypeVar("F", bound=Callable[..., Any])
TO_NUMPY: dict[DType, np.dtype[Any]] = {
    d: np.dtype(ml_dtypes.bfloat16 if d is DType.bfloat16 else d.value) for d in DType
}
FROM_NUMPY = {n: d for d, n in TO_NUMPY.items()}
LOW = {TO_NUMPY[DType.float16], TO_NUMPY[DType.bfloat16]}
FLOATS = {n for d, n in TO_NUMPY.items() if d.is_floating}
INTEGERS = {n for d, n in TO_NUMPY.items() if d.category == 1}
BOOL = TO_NUMPY[DType.bool_]
BITS = INTEGERS | {BOOL}


def _number(op: str, value: Any, dtype: np.dtype[Any], wraps: bool = False) -> NDArray[Any]:
    """A Python number in the dtype of the array next to it; JAX would widen a NumPy number or wrap a Python one."""
    value = value.item() if isinstance(value, np.generic) else value
    if wraps and dtype in INTEGERS and isinstance(value, int) and -(2**63) <= value < 2**63:
        return np.asarray(value, np.int64).astype(dtype)  # sums and products are modular anyway
    try:
        with np.errstate(over="ignore"):
            return np.asarray(value, dtype)
    except (OverflowError, ValueError):
        raise unfit(op, value, dtype.name) from None


@contextmanager
def _explained(op: str, **operands: Any) -> Generator[None]:
    """JAX's own complaint about shapes, in the contract's words."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise misfit(op, error, **operands) from None


def _unary(function: Callable[[Array], Array]) -> Any:
    def method(self: JaxBackend, x: Array) -> Array:
        return function(x)

    return method


def _binary(
    op: str,
    function: Callable[[Any, Any], Array],
    wraps: bool = False,
    refuses: Callable[[str, Array, Any], None] = lambda op, x, y: None,
) -> Any:
    def method(self: JaxBackend, x: Array, y: Array | float) -> Array:
        refuses(op, x, y)
        other = y if isinstance(y, Array) else _number(op, y, x.dtype, wraps)
        with _explained(op, x=x, y=y):
            return function(x, other)

    return method


def _compare(op: str, function: Callable[[Any, Any], Array]) -> Any:
    def method(self: JaxBackend, x: Array, y: Array | float) -> Array:
        if not isinstance(y, Array) and x.dtype not in FLOATS:  # by value: no int8 is above 300
            wide = np.int64 if isinstance(y, int) and -(2**63) <= y < 2**63 else np.float64
            return function(x.astype(wide), np.asarray(y, wide))
        with _explained(op, x=x, y=y):
            return function(x, y if isinstance(y, Array) else _number(op, y, x.dtype))

    return method


def _no_bits(takes: set[np.dtype[Any]], op: str, x: Array, y: Any) -> None:
    for dtype in (x.dtype, getattr(y, "dtype", x.dtype)):
        if dtype not in takes:
            raise no_bits(op, dtype.name)


def _zero(op: str, x: Array, y: Any) -> None:
    if x.dtype not in FLOATS and x.size and not np.all(np.asarray(y)):
        raise by_zero(op)


def _negative_power(op: str, x: Array, y: Any) -> None:
    if x.dtype in INTEGERS and np.any(np.asarray(y) < 0):
        raise DTypeError(
            f"{op}: an integer has no negative power in its dtype. Received: y={y!r}; cast x to a float first"
        )


def _working(x: Array) -> Any:
    """The dtype to add up in."""
    return np.float32 if x.dtype in LOW else x.dtype if x.dtype in FLOATS else np.int64


def _reduction(op: str, function: Callable[..., Array], adds: bool = False) -> Any:
    def method(self: JaxBackend, x: Array, dims: tuple[int, ...], keepdim: bool = False) -> Array:
        checks.check_dims(op, dims, x.ndim)
        if adds:
            result = function(x, dims, _working(x), keepdims=keepdim)
            return result.astype(x.dtype) if x.dtype in LOW else result
        try:
            return function(x, dims, keepdims=keepdim)
        except ValueError:
            raise no_extremum(op, x.shape, dims) from None

    return method


def _arg(op: str, function: Callable[..., Array]) -> Any:
    def method(self: JaxBackend, x: Array, dim: int, keepdim: bool = False) -> Array:
        checks.check_dim(op, dim, x.ndim)
        if x.shape[dim] == 0:
            raise no_extremum(op, x.shape, (dim,))
        return function(x, dim, keepdims=keepdim)

    return method


def _check(op: str, fits: Callable[..., None], x: Array, dim: int, index: Array, src: Array | None) -> None:
    """Shapes, dtypes and range: an index out of it JAX clips, or leaves the write out, in silence."""
    fits(op, x, dim, index, src)
    if src is not None and x.dtype != src.dtype:
        raise mixed_dtypes(op, x=x, src=src)
    size = x.shape[dim]
    if index.dtype != np.int64:
        raise checks.not_int64(op, index.dtype)
    if index.size:
        low, high = int(np.min(np.asarray(index))), int(np.max(np.asarray(index)))
        if low < 0 or high >= size:
            raise bad_index(op, low, high, size)


def _compiled(*static: int) -> Callable[[F], F]:
    """One program for each way of calling a function, where op by op there would be several."""
    return cast("Callable[[F], F]", partial(jax.jit, static_argnums=static))


@_compiled(1, 2)
def _sort(x: Array, dim: int, descending: bool) -> tuple[Array, Array]:
    """Stable, NaN as the largest; downwards: the reversed array upwards, then both turned around."""
    order = lax.broadcasted_iota(np.int64, x.shape, dim)
    given = jnp.flip(x, dim) if descending else x
    values, order = lax.sort((given, order), dimension=dim, is_stable=True, num_keys=1)
    return (jnp.flip(values, dim), x.shape[dim] - 1 - jnp.flip(order, dim)) if descending else (values, order)


def _ranges(slices: Slices) -> tuple[builtins.slice, ...]:
    ends = [start + size * step for start, size, step in slices]
    return tuple(
        builtins.slice(0, 0) if not size else builtins.slice(start, None if end < 0 else end, step)
        for end, (start, size, step) in zip(ends, slices)
    )


def _grid(dim: int, index: Array) -> tuple[Any, ...]:
    grid: list[Any] = list(np.ogrid[tuple(builtins.slice(0, s) for s in index.shape)])
    grid[dim] = index
    return tuple(grid)


@_compiled(1)
def _gather(x: Array, dim: int, index: Array) -> Array:
    return x[_grid(dim, index)]


@_compiled(1)
def _scatter_add(x: Array, dim: int, index: Array, src: Array) -> Array:
    written = src[tuple(builtins.slice(0, s) for s in index.shape)]
    wide = _working(x)
    return x.astype(wide).at[_grid(dim, index)].add(written.astype(wide)).astype(x.dtype)


@_compiled(1)
def _index_add(x: Array, dim: int, index: Array, src: Array) -> Array:
    wide = _working(x)
    rows = jnp.moveaxis(x.astype(wide), dim, 0).at[index].add(jnp.moveaxis(src.astype(wide), dim, 0))
    return jnp.moveaxis(rows, 0, dim).astype(x.dtype)


@_compiled(1, 2)
def _unfold(x: Array, window: Window, count: tuple[int, ...]) -> Array:
    padded = lax.pad(x, np.zeros((), x.dtype), [(0, 0, 0)] * 2 + [(a, b, 0) for a, b in window.padding])
    taps = [padded[(..., *at)] for _, at in window.taps(count)]
    return jnp.stack(taps, 2).reshape(x.shape[0], x.shape[1] * len(taps), int(np.prod(count)))


@_compiled(1, 2, 3, 4)
def _fold(x: Array, size: tuple[int, ...], window: Window, channels: int, count: tuple[int, ...]) -> Array:
    columns = x.reshape(x.shape[0], channels, *window.kernel_size, *count)
    full = [s + left + right for s, (left, right) in zip(size, window.padding)]
    total = jnp.zeros((x.shape[0], channels, *full), _working(x))
    for tap, at in window.taps(count):
        total = total.at[(..., *at)].add(columns[(builtins.slice(None), builtins.slice(None), *tap)])
    inner = [builtins.slice(left, left + s) for s, (left, _) in zip(size, window.padding)]
    return total[(..., *inner)].astype(x.dtype)


class JaxBackend(Backend[Array]):
    """JAX arrays on its default device."""

    def __init__(self) -> None:
        jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call]  # untyped in JAX
        self.name = "jax"

    def shape(self, x: Array) -> tuple[int, ...]:
        return x.shape

    def dtype(self, x: Array) -> DType:
        return FROM_NUMPY[x.dtype]

    def device(self, x: Array) -> str:
        return str(x.device)

    def to_numpy(self, x: Array) -> NDArray[Any]:
        return np.asarray(x)  # which JAX marks as read-only

    def from_numpy(self, array: NDArray[Any], copy: bool = True) -> Array:
        if array.dtype not in FROM_NUMPY:
            raise DTypeError(
                f"from_numpy: JAX has no dtype {array.dtype} here. Received: an array of it; write array.astype(...)"
            )
        return jnp.array(array) if copy else jnp.asarray(array)

    def full(self, shape: tuple[int, ...], value: float, dtype: DType) -> Array:
        filling = _number("full", value, TO_NUMPY[dtype])
        with _explained("full", shape=shape):
            return self.from_numpy(np.full(shape, filling))

    def arange(self, start: float, stop: float, step: float, dtype: DType) -> Array:
        values = start + step * np.arange(arange_count(start, stop, step))
        with np.errstate(over="ignore"):
            return self.from_numpy(np.asarray(values, dtype=TO_NUMPY[dtype]))

    def cast(self, x: Array, dtype: DType) -> Array:
        if x.dtype == np.float64 and TO_NUMPY[dtype] in LOW:  # which XLA would round twice
            with np.errstate(over="ignore"):
                return self.from_numpy(np.asarray(x).astype(TO_NUMPY[dtype]))
        return x.astype(TO_NUMPY[dtype])

    add = _binary("add", jnp.add, wraps=True)
    sub = _binary("sub", jnp.subtract, wraps=True)
    mul = _binary("mul", jnp.multiply, wraps=True)
    div = _binary("div", jnp.true_divide)
    maximum = _binary("maximum", jnp.maximum)
    minimum = _binary("minimum", jnp.minimum)
    remainder = _binary("remainder", jnp.remainder, refuses=_zero)
    floor_divide = _binary("floor_divide", jnp.floor_divide, refuses=_zero)
    pow = _binary("pow", jnp.power, refuses=_negative_power)
    neg = _unary(jnp.negative)
    abs = _unary(jnp.abs)
    sign = _unary(jnp.sign)
    exp = _unary(jnp.exp)
    expm1 = _unary(jnp.expm1)
    log = _unary(jnp.log)
    log1p = _unary(jnp.log1p)
    sqrt = _unary(jnp.sqrt)
    sin = _unary(jnp.sin)
    cos = _unary(jnp.cos)
    tanh = _unary(jnp.tanh)
    floor = _unary(lambda x: jnp.floor(x) if x.dtype in FLOATS else x)
    round = _unary(lambda x: jnp.rint(x) if x.dtype in FLOATS else x)

    eq = _compare("eq", jnp.equal)
    lt = _compare("lt", jnp.less)
    gt = _compare("gt", jnp.greater)
    logical_not = _unary(jnp.logical_not)
    logical_and = _binary("logical_and", jnp.logical_and)
    bitwise_and = _binary("bitwise_and", jnp.bitwise_and, refuses=partial(_no_bits, BITS))
    bitwise_or = _binary("bitwise_or", jnp.bitwise_or, refuses=partial(_no_bits, BITS))
    bitwise_xor = _binary("bitwise_xor", jnp.bitwise_xor, refuses=partial(_no_bits, BITS))
    bitwise_left_shift = _binary("bitwise_left_shift", jnp.left_shift, refuses=partial(_no_bits, INTEGERS))
    bitwise_right_shift = _binary("bitwise_right_shift", jnp.right_shift, refuses=partial(_no_bits, INTEGERS))

    def where(self, condition: Array, x: Array | float, y: Array | float) -> Array:
        dtype = x.dtype if isinstance(x, Array) else y.dtype  # type: ignore[union-attr]  # one is an array
        first, second = [v if isinstance(v, Array) else _number("where", v, dtype) for v in (x, y)]
        with _explained("where", condition=condition, x=x, y=y):
            return jnp.where(condition, first, second)

    sum = _reduction("sum", jnp.sum, adds=True)
    prod = _reduction("prod", jnp.prod, adds=True)
    amax = _reduction("amax", jnp.max)
    amin = _reduction("amin", jnp.min)

    argmax = _arg("argmax", jnp.argmax)
    argmin = _arg("argmin", jnp.argmin)

    def sort(self, x: Array, dim: int, descending: bool = False) -> tuple[Array, Array]:
        checks.check_dim("sort", dim, x.ndim)
        return _sort(x, dim, descending)

    def reshape(self, x: Array, shape: tuple[int, ...]) -> Array:
        checks.check_shape("reshape", shape)
        with _explained("reshape", x=x, shape=shape):
            return jnp.reshape(x, shape)

    def permute(self, x: Array, dims: tuple[int, ...]) -> Array:
        checks.check_permutation("permute", dims, x.ndim)
        return jnp.transpose(x, dims)

    def broadcast_to(self, x: Array, shape: tuple[int, ...]) -> Array:
        checks.check_shape("broadcast_to", shape)
        with _explained("broadcast_to", x=x, shape=shape):
            return jnp.broadcast_to(x, shape)

    def slice(self, x: Array, slices: Slices) -> Array:
        checks.check_slices("slice", x.shape, slices)
        return x[_ranges(slices)]

    def slice_scatter(self, x: Array, src: Array, slices: Slices) -> Array:
        part = checks.check_slices("slice_scatter", x.shape, slices)
        checks.check_values("slice_scatter", src.shape, part, "src")
        if x.dtype != src.dtype:
            raise mixed_dtypes("slice_scatter", x=x, src=src)
        return x.at[_ranges(slices)].set(src)

    def pad(self, x: Array, padding: Pairs, value: float = 0) -> Array:
        checks.check_padding("pad", padding, x.ndim)
        return lax.pad(x, _number("pad", value, x.dtype), [(left, right, 0) for left, right in padding])

    def cat(self, xs: Sequence[Array], dim: int) -> Array:
        checks.check_cat("cat", xs, dim)
        with _explained("cat", **{f"xs[{i}]": x for i, x in enumerate(xs)}):
            return jnp.concatenate(xs, dim)

    def gather(self, x: Array, dim: int, index: Array) -> Array:
        _check("gather", checks.check_gather, x, dim, index, None)
        return _gather(x, dim, index)

    def scatter_add(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        _check("scatter_add", checks.check_gather, x, dim, index, src)
        return _scatter_add(x, dim, index, src)

    def index_select(self, x: Array, dim: int, index: Array) -> Array:
        _check("index_select", checks.check_vector, x, dim, index, None)
        return jnp.take(x, index, dim)

    def index_add(self, x: Array, dim: int, index: Array, src: Array) -> Array:
        _check("index_add", checks.check_vector, x, dim, index, src)
        return _index_add(x, dim, index, src)

    def nonzero(self, x: Array) -> Array:
        return self.from_numpy(np.argwhere(np.asarray(x)))  # its size depends on the values

    def matmul(self, x: Array, y: Array) -> Array:
        check_ranks("matmul", x.shape, y.shape)
        if x.dtype != y.dtype:
            raise mixed_dtypes("matmul", x=x, y=y)
        if x.dtype == BOOL:
            raise no_booleans("matmul")
        with _explained("matmul", x=x, y=y):
            wide = np.float32 if x.dtype in LOW else None
            return jnp.matmul(x, y, preferred_element_type=wide).astype(x.dtype)

    def uniform(self, shape: tuple[int, ...], seed: int, dtype: DType) -> Array:
        return jax.random.uniform(jax.random.key(seed % 2**63), shape, TO_NUMPY[dtype])

    def normal(self, shape: tuple[int, ...], seed: int, dtype: DType) -> Array:
        return jax.random.normal(jax.random.key(seed % 2**63), shape, TO_NUMPY[dtype])

    def unfold(self, x: Array, window: Window) -> Array:
        return _unfold(x, window, window.output_size("unfold", x.shape))

    def fold(self, x: Array, size: tuple[int, ...], window: Window) -> Array:
        channels, count = window.folding("fold", x.shape, size)
        return _fold(x, tuple(size), window, channels, count)
