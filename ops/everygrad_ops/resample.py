"""Resizing: a sparse linear map per spatial axis, and its transpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.checks import check_values
from everygrad_ops.errors import DTypeError
from everygrad_ops.precision import narrow, wide
from everygrad_ops.resize import ResizeOptions, Taps

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend
    from everygrad_ops.dtypes import DType

A = TypeVar("A")
MANY = 16
"""From this many taps on, all are read at once."""


class ResampleOps(Protocol[A]):
    """Images at another size."""

    def interpolate(self: Backend[A], x: A, options: ResizeOptions) -> A:
        """x (N, C, spatial...) at the spatial sizes of `options`, axis by axis, one formula at every rank.

        nearest reads floor(i * L / O), nearest-exact floor((i + 1/2) * L / O), and both take any dtype; linear,
        cubic (a = -0.75; with antialias -0.5) and lanczos3 weigh the 2, 4 or 6 nearest, edges repeated; with
        antialias, when shrinking, all that the stretched kernel covers; area takes the mean from
        floor(i * L / O) to ceil((i + 1) * L / O). float16 and bfloat16 are computed in float32.
        """
        shape, dtype = self.shape(x), self.dtype(x)
        options.check("interpolate", shape)
        check_mode("interpolate", options, dtype)
        x = wide(self, x)
        for axis in options.order(shape):
            x = _apply(self, x, axis + 2, options.taps(axis, shape[axis + 2]))
        return narrow(self, x, dtype)

    def interpolate_backward(
        self: Backend[A], grad: A, x_shape: tuple[int, ...], options: ResizeOptions
    ) -> A:
        """The gradient of `interpolate` in x, of shape `x_shape`: each upstream value back to what was read."""
        options.check("interpolate_backward", x_shape)
        dtype = self.dtype(grad)
        check_mode("interpolate_backward", options, dtype)
        check_values("interpolate_backward", self.shape(grad), (*x_shape[:2], *options.size), "grad")
        grad = wide(self, grad)
        for axis in reversed(options.order(x_shape)):
            grad = _apply(self, grad, axis + 2, options.spread(axis, x_shape[axis + 2]))
        return narrow(self, grad, dtype)


def check_mode(op: str, options: ResizeOptions, dtype: DType) -> None:
    """Refuse to weigh integers."""
    if not dtype.is_floating and not options.mode.startswith("nearest"):
        raise DTypeError(
            f"{op}: mode {options.mode!r} needs floats. Received: {dtype}; cast to a float dtype first"
        )


def _apply(b: Backend[A], x: A, dim: int, taps: Taps) -> A:
    """The sparse map of `taps` along `dim`."""
    shape, dtype = b.shape(x), b.dtype(x)
    size, count = taps.index.shape
    if taps.plain:
        return b.index_select(x, dim, b.from_numpy(taps.index[:, 0].copy()))
    times = b.mul if taps.weight.all() else b.mul0  # what has no weight must not bring in inf or NaN
    if count >= MANY:
        picked = b.index_select(x, dim, b.from_numpy(taps.index.reshape(-1)))
        picked = b.reshape(picked, (*shape[:dim], size, count, *shape[dim + 1 :]))
        weight = b.cast(b.from_numpy(taps.weight), dtype)
        weight = b.reshape(weight, (size, count, *(1 for _ in shape[dim + 1 :])))
        return b.sum(times(picked, weight), (dim + 1,))
    column = (size, *(1 for _ in shape[dim + 1 :]))
    out: A | None = None
    for k in range(count):
        picked = b.index_select(x, dim, b.from_numpy(taps.index[:, k].copy()))
        term = times(picked, b.reshape(b.cast(b.from_numpy(taps.weight[:, k].copy()), dtype), column))
        out = term if out is None else b.add(out, term)
    return x if out is None else out
