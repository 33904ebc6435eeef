"""Normalisation, with two-pass statistics; float16 and bfloat16 are computed in float32, statistics included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError
from everygrad_ops.marks import caches, cheap, outputs
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")
Three = tuple[A | None, A | None, A | None]


class NormOps(Protocol[A]):
    """Mean 0 and variance 1, per row or per channel."""

    @cheap
    def layer_norm(
        self: Backend[A],
        x: A,
        normalized_shape: tuple[int, ...],
        weight: A | None,
        bias: A | None,
        eps: float,
    ) -> A:
        """(x - mean) / sqrt(var + eps) * weight + bias over the trailing dims `normalized_shape`.

        Source: Ba, Kiros, Hinton, "Layer Normalization", 2016.
        """
        return self.layer_norm_with_stats(x, normalized_shape, weight, bias, eps)[0]

    @outputs("out", "mean", "rstd")
    def layer_norm_with_stats(
        self: Backend[A],
        x: A,
        normalized_shape: tuple[int, ...],
        weight: A | None,
        bias: A | None,
        eps: float,
    ) -> tuple[A, A, A]:
        """(layer_norm, mean, 1 / sqrt(var + eps)); the statistics keep the normalised dims at size 1."""
        shape = self.shape(x)
        check_trailing(shape, normalized_shape)
        dims = tuple(range(len(shape) - len(normalized_shape), len(shape)))
        normed, mean, rstd, _ = standardise(self, wide(self, x), dims, eps)
        out = affine(self, "layer_norm", normed, weight, bias, normalized_shape, normalized_shape)
        return narrow(self, out, self.dtype(x)), mean, rstd

    @caches("mean", "rstd")
    @outputs("grad_x", "grad_weight", "grad_bias")
    def layer_norm_backward(
        self: Backend[A],
        grad: A,
        x: A,
        normalized_shape: tuple[int, ...],
        weight: A | None,
        eps: float,
        needs: tuple[bool, bool, bool],
        mean: A | None = None,
        rstd: A | None = None,
    ) -> tuple[A | None, A | None, A | None]:
        """The gradients of `layer_norm` in x, weight and bias; those not in `needs` are None.

        `mean` and `rstd` save computing the statistics again.
        """
        rank = len(self.shape(x))
        dims = tuple(range(rank - len(normalized_shape), rank))
        rows = tuple(range(rank - len(normalized_shape)))
        return _backward(self, grad, x, weight, eps, needs, (mean, rstd), dims, rows, normalized_shape)

    @cheap
    def batch_norm(
        self: Backend[A], x: A, weight: A | None, bias: A | None, mean: A, var: A, eps: float
    ) -> A:
        """(x - mean) / sqrt(var + eps) * weight + bias, with given statistics of the channels.

        x is (N, C, ...), the others (C,); `mean` and `var` may be float32 where x is of low precision.
        """
        channels = check_channels("batch_norm", self.shape(x))
        check_sizes("batch_norm", self, (self.shape(x)[1],), weight=weight, bias=bias, mean=mean, var=var)
        mean, var = self.reshape(wide(self, mean), channels), self.reshape(wide(self, var), channels)
        normed = self.mul(self.sub(wide(self, x), mean), self.rsqrt(self.add(var, eps)))
        out = affine(self, "batch_norm", normed, weight, bias, channels, (self.shape(x)[1],))
        return narrow(self, out, self.dtype(x))

    @cheap
    def batch_norm_by_batch(self: Backend[A], x: A, weight: A | None, bias: A | None, eps: float) -> A:
        """`batch_norm` with the batch's own statistics: the first result of `batch_norm_train`."""
        check_channels("batch_norm_by_batch", self.shape(x))
        return self.batch_norm_train(x, weight, bias, eps)[0]

    @cheap
    @outputs("out", "mean", "var", "rstd")
    def batch_norm_train(
        self: Backend[A], x: A, weight: A | None, bias: A | None, eps: float
    ) -> tuple[A, A, A, A]:
        """(batch_norm with the batch's own statistics, mean, biased var, 1 / sqrt(var + eps)), per channel.

        Source: Ioffe, Szegedy, "Batch Normalization", 2015.
        """
        shape = self.shape(x)
        channels = check_channels("batch_norm_train", shape)
        count = (shape[1],)
        normed, mean, rstd, var = standardise(self, wide(self, x), (0, *range(2, len(shape))), eps)
        out = affine(self, "batch_norm_train", normed, weight, bias, channels, count)
        statistics = (self.reshape(s, count) for s in (mean, var, rstd))
        return (narrow(self, out, self.dtype(x)), *statistics)  # type: ignore[return-value]  # three of them

    @caches("mean", "rstd")
    @outputs("grad_x", "grad_weight", "grad_bias")
    def batch_norm_backward(
        self: Backend[A],
        grad: A,
        x: A,
        weight: A | None,
        eps: float,
        needs: tuple[bool, bool, bool],
        mean: A | None = None,
        rstd: A | None = None,
    ) -> tuple[A | None, A | None, A | None]:
        """The gradients of `batch_norm_train`'s first result in x, weight and bias; the others are None.

        `mean` and `rstd`, each (C,), save computing the statistics again.
        """
        channels = check_channels("batch_norm_backward", self.shape(x))
        dims = (0, *range(2, len(channels)))
        stats = (
            None if mean is None else self.reshape(mean, channels),
            None if rstd is None else self.reshape(rstd, channels),
        )
        return _backward(self, grad, x, weight, eps, needs, stats, dims, dims, channels)


def standardise(b: Backend[A], x: A, dims: tuple[int, ...], eps: float) -> tuple[A, A, A, A]:
    """(normalised x, mean, 1 / sqrt(var + eps), biased var) over `dims`, which the statistics keep at size 1.

    Rows too large to be squared are scaled down by a power of two first. It cancels, so it is a
    constant to every derivative.
    """
    factor = power_of_two(b, x, dims)
    scaled = b.mul(x, factor)
    mean = b.mean(scaled, dims, True)
    centred = b.sub(scaled, mean)
    rest = b.mean(b.detach(centred), dims, True)  # what rounding left in the mean
    centred = b.sub(centred, rest)
    var = b.mean(b.square(centred), dims, True)
    rstd = b.rsqrt(b.add(var, b.mul(b.square(factor), eps)))
    return (
        b.mul(centred, rstd),
        b.div(b.add(mean, rest), factor),
        b.mul(rstd, factor),
        b.div(b.div(var, factor), factor),
    )


def power_of_two(b: Backend[A], x: A, dims: tuple[int, ...]) -> A:
    """Per row 1, or a small power of two where squares would overflow."""
    shape = b.shape(x)
    flat = tuple(1 if d in dims else s for d, s in enumerate(shape))
    dtype = b.dtype(x)
    one = b.full(flat, 1, dtype)
    if 0 in shape:
        return one
    exponent = 400 if dtype is DType.float64 else 50
    large = b.gt(b.amax(b.abs(b.detach(x)), dims, True), 2.0**exponent)
    return b.where(large, 2.0 ** (-2 * exponent), one)


def _backward(
    b: Backend[A],
    grad: A,
    x: A,
    weight: A | None,
    eps: float,
    needs: tuple[bool, bool, bool],
    stats: tuple[A | None, A | None],
    dims: tuple[int, ...],
    rows: tuple[int, ...],
    weight_shape: Sequence[int],
) -> Three[A]:
    """Statistics over `dims`; the gradients of weight and bias sum over `rows`."""
    dtype, weight_dtype = b.dtype(x), b.dtype(x) if weight is None else b.dtype(weight)
    grad, x = wide(b, grad), wide(b, x)
    normed, rstd = normalised(b, x, dims, eps, stats)
    grad_x = grad_weight = grad_bias = None
    if needs[0]:
        scaled = grad
        if weight is not None:
            scaled = b.mul(grad, b.reshape(wide(b, weight), tuple(weight_shape)))
        grad_x = narrow(b, slope(b, scaled, normed, rstd, dims), dtype)
    if needs[1]:
        grad_weight = narrow(b, b.sum(b.mul(grad, normed), rows), weight_dtype)
    if needs[2]:
        grad_bias = narrow(b, b.sum(grad, rows), weight_dtype)
    return grad_x, grad_weight, grad_bias


def normalised(
    b: Backend[A], x: A, dims: tuple[int, ...], eps: float, stats: tuple[A | None, A | None]
) -> tuple[A, A]:
    """(normalised x, 1 / sqrt(var + eps)) over `dims`, from known (mean, rstd) where they are given."""
    mean, rstd = stats
    if mean is None or rstd is None:
        normed, _, rstd, _ = standardise(b, x, dims, eps)
        return normed, rstd
    centred = b.sub(x, mean)
    return b.mul(b.sub(centred, b.mean(b.detach(centred), dims, True)), rstd), rstd


def slope(b: Backend[A], grad: A, normed: A, rstd: A, dims: tuple[int, ...]) -> A:
    """The gradient in x of the normalised values: rstd * (grad - mean(grad) - normed * mean(grad * normed))."""
    along = b.mul(normed, b.mean(b.mul(grad, normed), dims, True))
    return b.mul(b.sub(b.sub(grad, b.mean(grad, dims, True)), along), rstd)


def affine(
    b: Backend[A],
    op: str,
    normed: A,
    weight: A | None,
    bias: A | None,
    shape: tuple[int, ...],
    size: tuple[int, ...],
) -> A:
    """normed * weight + bias, each of `size` and seen as `shape`."""
    check_sizes(op, b, size, weight=weight, bias=bias)
    if weight is not None:
        normed = b.mul(normed, b.reshape(wide(b, weight), shape))
    if bias is not None:
        normed = b.add(normed, b.reshape(wide(b, bias), shape))
    return normed


def check_sizes(op: str, b: Backend[A], size: tuple[int, ...], **arrays: A | None) -> None:
    """Refuse a scale or an offset of another size."""
    for name, array in arrays.items():
        if array is not None and b.shape(array) != size:
            raise ShapeError(f"{op}: {name} must have shape {size}. Received: shape {b.shape(array)}")


def check_trailing(shape: tuple[int, ...], normalized_shape: tuple[int, ...], op: str = "layer_norm") -> None:
    """Refuse a `normalized_shape` that is not how `shape` ends."""
    if not normalized_shape or shape[len(shape) - len(normalized_shape) :] != tuple(normalized_shape):
        raise ShapeError(
            f"{op}: x must end in normalized_shape. Received: x of shape {shape}, "
            f"normalized_shape={normalized_shape}"
        )


def check_channels(op: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape in which (C,) arrays go with x of `shape`, which must be (N, C, ...)."""
    if len(shape) < 2:
        raise ShapeError(f"{op}: x must be (N, C, ...). Received: x of shape {shape}")
    return tuple(size if dim == 1 else 1 for dim, size in enumerate(shape))
