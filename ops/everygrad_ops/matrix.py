"""What factorizations, their rules and both backends share: small functions of matrices, on any backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from everygrad_ops.dtypes import LOW_PRECISION, DType
from everygrad_ops.errors import DTypeError, LinAlgError, ShapeError

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


def turned(b: Backend[A], x: A) -> A:
    """Each matrix of `x` transposed."""
    rank = len(b.shape(x))
    return b.permute(x, (*range(rank - 2), rank - 1, rank - 2))


def symmetric(b: Backend[A], x: A) -> A:
    """(x + x^T) / 2."""
    return b.mul(b.add(x, turned(b, x)), 0.5)


def identity(b: Backend[A], n: int, dtype: DType) -> A:
    """The identity matrix of n rows."""
    return b.where(on_diagonal(b, n), b.full((n, n), 1, dtype), 0)


def on_diagonal(b: Backend[A], n: int) -> A:
    """Where row equals column, of n by n."""
    count = b.arange(0, n, 1, DType.int64)
    return b.eq(b.reshape(count, (n, 1)), count)


def diagonal_of(b: Backend[A], x: A) -> A:
    """The main diagonals of (..., m, n), as (..., min(m, n))."""
    *lead, m, n = b.shape(x)
    k = min(m, n)
    whole = [(0, s, 1) for s in lead]
    flat = b.reshape(b.slice(x, (*whole, (0, k, 1), (0, n, 1))), (*lead, k * n))
    return b.slice(flat, (*whole, (0, k, n + 1)))


def embedded(b: Backend[A], v: A) -> A:
    """Diagonal matrices (..., n, n) of vectors (..., n)."""
    n = b.shape(v)[-1]
    return b.where(on_diagonal(b, n), column(b, v), 0)


def column(b: Backend[A], v: A) -> A:
    """(..., n) as (..., n, 1): a factor for each row."""
    return b.reshape(v, (*b.shape(v), 1))


def spread(b: Backend[A], v: A) -> A:
    """(...,) as (..., 1, 1): a factor for each matrix."""
    return b.reshape(v, (*b.shape(v), 1, 1))


def row(b: Backend[A], v: A) -> A:
    """(..., n) as (..., 1, n): a factor for each column."""
    *lead, n = b.shape(v)
    return b.reshape(v, (*lead, 1, n))


def columns(b: Backend[A], x: A, start: int, stop: int) -> A:
    """x[..., start:stop]."""
    *lead, n = b.shape(x)
    if (start, stop) == (0, n):
        return x
    return b.slice(x, (*((0, s, 1) for s in lead), (start, stop - start, 1)))


def rows(b: Backend[A], x: A, start: int, stop: int) -> A:
    """x[..., start:stop, :]."""
    *lead, m, n = b.shape(x)
    if (start, stop) == (0, m):
        return x
    return b.slice(x, (*((0, s, 1) for s in lead), (start, stop - start, 1), (0, n, 1)))


def half_lower(b: Backend[A], x: A) -> A:
    """The lower triangle, the diagonal halved."""
    return b.mul(b.add(b.tril(x, 0), b.tril(x, -1)), 0.5)


def signs(b: Backend[A], vectors: A) -> A:
    """-1 or 1 per column of (..., m, n): what makes its first entry that is not small positive, as (..., n).

    Small is what is below 0.38 of the column's largest entry in size: near ties of two entries do not matter.
    """
    if 0 in b.shape(vectors):
        *lead, _, n = b.shape(vectors)
        return b.full((*lead, n), 1, b.dtype(vectors))
    v = b.detach(vectors)
    at = len(b.shape(v)) - 2
    size = b.abs(v)
    large = b.ge(size, b.mul(b.amax(size, (at,), True), 0.38))
    first = b.argmax(b.cast(large, DType.int64), at, True)
    one = b.gather(v, at, first)
    *lead, _, n = b.shape(one)
    return b.reshape(b.where(b.lt(one, 0), b.full(b.shape(one), -1, b.dtype(v)), 1), (*lead, n))


def check_matrix(op: str, b: Backend[A], x: A, square: bool = False, name: str = "x") -> tuple[int, ...]:
    """The shape of `x`, which must be (..., m, n) of floats."""
    shape = b.shape(x)
    if len(shape) < 2 or (square and shape[-1] != shape[-2]):
        kind = "square matrices (..., n, n)" if square else "matrices (..., m, n)"
        raise ShapeError(f"{op}: {name} must be {kind}. Received: shape {shape}")
    if not b.dtype(x).is_floating:
        raise DTypeError(f"{op}: {name} must be floating point. Received: {b.dtype(x)}; write cast(...)")
    return shape


def check_factor(op: str, b: Backend[A], x: A, square: bool = False) -> tuple[int, ...]:
    """The same for what is to be factored, whose values must be finite: of others, libraries make anything."""
    shape = check_matrix(op, b, x, square)
    finite = b.all(b.isfinite(b.detach(x)), tuple(range(len(shape))))
    if not bool(b.to_numpy(finite)):
        raise LinAlgError(
            f"{op}: the values of a matrix must be finite. Received: inf or NaN; write nan_to_num first"
        )
    return shape


def no_answer(op: str, reason: str) -> LinAlgError:
    """The error for a matrix that has no inverse or no such factors."""
    return LinAlgError(
        f"{op}: {reason}. Received: at least one such matrix; write pinv or lstsq, or add to its diagonal"
    )


def is_low(b: Backend[A], x: A) -> bool:
    """Whether `x` is float16 or bfloat16, in which no library factors."""
    return b.dtype(x) in LOW_PRECISION
