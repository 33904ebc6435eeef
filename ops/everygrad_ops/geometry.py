"""Window geometry, parsed once: whoever builds an option object gets the clear error; nobody re-checks.

Per spatial axis: size L, kernel k, stride s, padding (left, right), dilation d, and the effective
kernel e = d * (k - 1) + 1. The output has floor((L + left + right - e) / s) + 1 windows.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from everygrad_ops.errors import ShapeError

Ints = int | Sequence[int]
Padding = int | Sequence[int] | Sequence[tuple[int, int]]
Pairs = tuple[tuple[int, int], ...]


def ints(value: Ints, rank: int, name: str, least: int) -> tuple[int, ...]:
    """`value` as one integer per spatial axis, each at least `least`.

    >>> ints(2, 3, "stride", 1)
    (2, 2, 2)
    """
    given = tuple(value) if isinstance(value, Iterable) else (value,)
    full = given * rank if len(given) == 1 else given
    if len(full) != rank or any(type(v) is not int or v < least for v in full):
        raise ShapeError(
            f"{name} must be an integer or {rank} integers, each at least {least}. Received: {name}={value!r}"
        )
    return full


def pairs(value: Padding, rank: int) -> Pairs:
    """Padding as (left, right) per spatial axis; an integer, one per axis, or pairs are taken.

    >>> pairs((1, 2), 2), pairs(((0, 1), (2, 2)), 2)
    (((1, 1), (2, 2)), ((0, 1), (2, 2)))
    """
    given: tuple[object, ...] = tuple(value) if isinstance(value, Iterable) else (value,)
    full = given * rank if len(given) == 1 else given
    result: list[tuple[int, int]] = []
    for item in full:
        both: tuple[object, ...] = tuple(item) if isinstance(item, (tuple, list)) else (item, item)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # narrowed from object
        if len(both) == 2 and type(both[0]) is int and type(both[1]) is int:
            result.append((both[0], both[1]))
    if len(full) != rank or len(result) != rank or any(p < 0 for pair in result for p in pair):
        raise ShapeError(
            f"padding must be an integer, {rank} integers or {rank} pairs (left, right), none negative. "
            f"Received: padding={value!r}"
        )
    return tuple(result)


@dataclass(frozen=True, slots=True)
class Window:
    """A sliding window over the spatial axes."""

    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: Pairs
    dilation: tuple[int, ...]

    @property
    def rank(self) -> int:
        """Number of spatial axes."""
        return len(self.kernel_size)

    @property
    def extent(self) -> tuple[int, ...]:
        """The effective kernel: how far a window reaches on each axis."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel_size, self.dilation))

    def spatial(self, op: str, shape: Sequence[int]) -> tuple[int, ...]:
        """The spatial sizes of an (N, C, spatial...) shape."""
        if len(shape) != self.rank + 2:
            raise ShapeError(
                f"{op}: x must have {self.rank + 2} dims (N, C and {self.rank} spatial). "
                f"Received: shape {tuple(shape)}"
            )
        return tuple(shape[2:])

    def output_size(self, op: str, shape: Sequence[int], ceil_mode: bool = False) -> tuple[int, ...]:
        """How many windows fit on each axis; fewer than one raises `ShapeError`."""
        sizes = self.spatial(op, shape)
        result: list[int] = []
        for size, e, s, (left, right) in zip(sizes, self.extent, self.stride, self.padding):
            room = size + left + right - e
            count = (-(-room // s) if ceil_mode else room // s) + 1
            if ceil_mode and (count - 1) * s >= size + left:
                count -= 1  # the last window would start beyond the input and its left padding
            result.append(count)
        if any(count < 1 for count in result):
            raise ShapeError(
                f"{op}: input of spatial size {sizes} gives an output of size {tuple(result)}; "
                f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}"
            )
        return tuple(result)

    def taps(self, count: Sequence[int]) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """Each position in the kernel, with the slices of the padded input that `count` windows read through it."""
        for tap in itertools.product(*map(range, self.kernel_size)):
            yield (
                tap,
                tuple(
                    slice(t * d, t * d + (n - 1) * s + 1, s)
                    for t, d, n, s in zip(tap, self.dilation, count, self.stride)
                ),
            )

    def folding(self, op: str, shape: Sequence[int], size: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """(channels, windows per axis) of columns of this shape for an input of spatial `size`."""
        taps = math.prod(self.kernel_size)
        count = self.output_size(op, (1, 1, *size))
        if len(shape) != 3 or shape[1] % taps or shape[2] != math.prod(count):
            raise ShapeError(
                f"{op}: columns must have shape (N, C * {taps}, {math.prod(count)}): {taps} taps by the windows "
                f"in an input of spatial size {tuple(size)}. Received: shape {tuple(shape)}"
            )
        return shape[1] // taps, count


@functools.lru_cache(maxsize=1024)
def _window(kernel_size: Ints, stride: Ints | None, padding: Padding, dilation: Ints, rank: int) -> Window:
    kernel = ints(kernel_size, rank, "kernel_size", 1)
    return Window(
        kernel,
        kernel if stride is None else ints(stride, rank, "stride", 1),
        pairs(padding, rank),
        ints(dilation, rank, "dilation", 1),
    )


def hashable(value: Any) -> Any:
    """`value` with its lists as tuples, so that it can be looked up."""
    return tuple(hashable(v) for v in value) if isinstance(value, list | tuple) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # any nesting


def window(
    kernel_size: Ints, stride: Ints | None = None, padding: Padding = 0, dilation: Ints = 1, *, rank: int
) -> Window:
    """A `Window` from what users write; without a stride, windows do not overlap."""
    args = (hashable(kernel_size), hashable(stride), hashable(padding), hashable(dilation))
    return _window(*args, rank)


@dataclass(frozen=True, slots=True)
class ConvOptions:
    """How a convolution slides: stride, padding, dilation per axis, and groups."""

    stride: tuple[int, ...]
    padding: Pairs
    dilation: tuple[int, ...]
    groups: int = 1

    def window(self, weight_shape: Sequence[int]) -> Window:
        """The window that a weight of this shape slides."""
        return Window(tuple(weight_shape[2:]), self.stride, self.padding, self.dilation)

    def output_size(self, op: str, x_shape: Sequence[int], weight_shape: Sequence[int]) -> tuple[int, ...]:
        """The spatial sizes of the result; operands that do not fit raise `ShapeError`."""
        return _conv_size(self, op, tuple(x_shape), tuple(weight_shape))

    def check_grad(
        self, op: str, grad_shape: Sequence[int], x_shape: Sequence[int], weight_shape: Sequence[int]
    ) -> None:
        """Refuse an upstream gradient that is not of the result's shape."""
        expected = (x_shape[0], weight_shape[0], *self.output_size(op, x_shape, weight_shape))
        _same_shape(op, grad_shape, expected)


@functools.lru_cache(maxsize=1024)
def _conv_size(
    options: ConvOptions, op: str, x_shape: tuple[int, ...], weight_shape: tuple[int, ...]
) -> tuple[int, ...]:
    rank, groups = len(options.stride), options.groups
    if len(weight_shape) != rank + 2 or any(k < 1 for k in weight_shape[2:]):
        raise ShapeError(
            f"{op}: weight must have {rank + 2} dims (out, in / groups and {rank} kernel sizes of at least 1). "
            f"Received: shape {weight_shape}"
        )
    size = options.window(weight_shape).output_size(op, x_shape)
    if x_shape[1] != weight_shape[1] * groups:
        raise ShapeError(
            f"{op}: x must have {weight_shape[1]} channels per group times groups={groups}. "
            f"Received: x of shape {x_shape}, weight of shape {weight_shape}"
        )
    if weight_shape[0] % groups:
        raise ShapeError(
            f"{op}: the out channels of weight must divide by groups={groups}. "
            f"Received: weight of shape {weight_shape}"
        )
    return size


def _same_shape(op: str, grad_shape: Sequence[int], expected: tuple[int, ...]) -> None:
    if tuple(grad_shape) != expected:
        raise ShapeError(
            f"{op}: grad must have the result's shape {expected}. Received: shape {tuple(grad_shape)}"
        )


@functools.lru_cache(maxsize=1024)
def _conv_options(stride: Ints, padding: Padding, dilation: Ints, groups: int, rank: int) -> ConvOptions:
    if type(groups) is not int or groups < 1:
        raise ShapeError(f"groups must be an integer, at least 1. Received: groups={groups!r}")
    return ConvOptions(
        ints(stride, rank, "stride", 1), pairs(padding, rank), ints(dilation, rank, "dilation", 1), groups
    )


def conv_options(
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int = 1,
    *,
    rank: int,
    op: str = "conv",
) -> ConvOptions:
    """A `ConvOptions` from what users write; a refusal names `op`."""
    try:
        return _conv_options(stride, padding, dilation, groups, rank)
    except TypeError:  # a list somewhere: not to be looked up as it is
        given = hashable(stride), hashable(padding), hashable(dilation)
        if given == (stride, padding, dilation):
            raise
        return conv_options(*given, groups, rank=rank, op=op)
    except ShapeError as error:
        raise ShapeError(f"{op}: {error}") from None


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """A pool's window and how its ends are counted."""

    window: Window
    ceil_mode: bool = False
    count_include_pad: bool = True
    divisor_override: int | None = None

    def output_size(self, op: str, shape: Sequence[int]) -> tuple[int, ...]:
        """The spatial sizes of the result; every window must meet a real element."""
        return _pool_size(self, op, tuple(shape))

    def check_grad(self, op: str, grad_shape: Sequence[int], x_shape: Sequence[int]) -> None:
        """Refuse an upstream gradient that is not of the result's shape."""
        _same_shape(op, grad_shape, (*x_shape[:2], *self.output_size(op, x_shape)))

    def covering(self, shape: Sequence[int]) -> Window:
        """The window with just the padding under which every window, over the edge too, lies inside."""
        w = self.window
        need = [(c - 1) * s + e for c, s, e in zip(self.output_size("pool", shape), w.stride, w.extent)]
        ends = tuple((left, max(n - x - left, 0)) for n, x, (left, _) in zip(need, shape[2:], w.padding))
        return Window(w.kernel_size, w.stride, ends, w.dilation)


@functools.lru_cache(maxsize=1024)
def _pool_size(options: PoolOptions, op: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    w = options.window
    size = w.output_size(op, shape, options.ceil_mode)
    for axis, (length, count) in enumerate(zip(shape[2:], size)):
        left, k, s, d = w.padding[axis][0], w.kernel_size[axis], w.stride[axis], w.dilation[axis]
        reach = d * (k - 1) + 1
        starts = range(count) if length < reach else (0, count - 1)  # a short input can be stepped over
        for start in starts:
            taps = range(start * s - left, start * s - left + k * d, d)
            if not any(0 <= t < length for t in taps):
                raise ShapeError(
                    f"{op}: a window on spatial axis {axis} meets no element of the input; size {length}, "
                    f"kernel_size={k}, stride={s}, padding={w.padding[axis]}, dilation={d}"
                )
    return size


def pool_options(
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    dilation: Ints = 1,
    *,
    rank: int,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    op: str = "pool",
) -> PoolOptions:
    """A `PoolOptions` from what users write; a refusal names `op`."""
    rest = rank, ceil_mode, count_include_pad, divisor_override
    try:
        return _pool_options(kernel_size, stride, padding, dilation, *rest)
    except TypeError:  # a list somewhere: not to be looked up as it is
        args = (hashable(kernel_size), hashable(stride), hashable(padding), hashable(dilation))
        if args == (kernel_size, stride, padding, dilation):
            raise
        return pool_options(
            *args,
            rank=rank,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
            op=op,
        )
    except ShapeError as error:
        raise ShapeError(f"{op}: {error}") from None


@functools.lru_cache(maxsize=1024)
def _pool_options(
    kernel_size: Ints,
    stride: Ints | None,
    padding: Padding,
    dilation: Ints,
    rank: int,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> PoolOptions:
    w = window(kernel_size, stride, padding, dilation, rank=rank)
    if any(p > e // 2 for e, pair in zip(w.extent, w.padding) for p in pair):
        raise ShapeError(
            f"pool padding must be at most half the effective kernel {w.extent}. Received: padding={padding!r}"
        )
    if divisor_override is not None and (type(divisor_override) is not int or divisor_override == 0):
        raise ShapeError(
            "divisor_override must be an integer, not 0, or None to divide by the window's size. "
            f"Received: divisor_override={divisor_override!r}"
        )
    return PoolOptions(w, bool(ceil_mode), bool(count_include_pad), divisor_override)
