"""Linear systems, inverses, determinants and the exponential of matrices."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Protocol, TypeVar

from everygrad_ops import lapack
from everygrad_ops.errors import LinAlgError, ShapeError, mixed_dtypes
from everygrad_ops.host import all_on_host, on_host
from everygrad_ops.marks import optional, outputs
from everygrad_ops.matrix import check_factor, check_matrix, diagonal_of, identity, no_answer
from everygrad_ops.precision import narrow, wide
from everygrad_ops.singular import cofactor

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


class SolveOps(Protocol[A]):
    """Square matrices (..., n, n); a singular one raises `LinAlgError` where it has no answer, NaN gives NaN."""

    @optional
    def solve(self: Backend[A], x: A, y: A) -> A:
        """The (..., n, k) with x times it equal to y (..., n, k); leading dims broadcast."""
        import numpy as np

        check_system("solve", self, x, y)
        try:
            return on_host(self, lapack.solve, x, y)
        except np.linalg.LinAlgError:
            raise no_answer("solve", "a matrix must not be singular") from None
        except ValueError as error:
            raise unfit_system("solve", self, x, y, error) from None

    def solve_triangular(self: Backend[A], x: A, y: A, upper: bool, unit: bool = False) -> A:
        """`solve` of one triangle of x alone; with `unit`, its diagonal counts as 1."""
        n = check_system("solve_triangular", self, x, y)[-1]
        x = self.triu(x, int(unit)) if upper else self.tril(x, -int(unit))
        if unit:
            x = self.add(x, identity(self, n, self.dtype(x)))
        try:
            return self.solve(x, y)
        except LinAlgError:
            raise zero_pivot() from None

    def inv(self: Backend[A], x: A) -> A:
        """The inverse."""
        shape = check_matrix("inv", self, x, square=True)
        try:
            return self.solve(x, self.broadcast_to(identity(self, shape[-1], self.dtype(x)), shape))
        except LinAlgError:
            raise no_answer("inv", "a matrix must not be singular") from None

    @optional
    def pinv(self: Backend[A], x: A, rtol: float) -> A:
        """The pseudo-inverse (..., n, m) of (..., m, n): singular values up to rtol times the largest count as 0.

        Its gradient is that at constant rank (Golub and Pereyra, 1973).
        """
        import numpy as np

        check_factor("pinv", self, x)
        try:
            return on_host(self, functools.partial(np.linalg.pinv, rcond=rtol), x)
        except np.linalg.LinAlgError:
            raise no_answer("pinv", "it did not converge for a matrix") from None

    @optional
    @outputs("sign", "logabsdet")
    def slogdet(self: Backend[A], x: A) -> tuple[A, A]:
        """(the sign of the determinant, the logarithm of its size): 0 and -inf for a singular matrix.

        The gradient of the sign is 0, that of the logarithm the inverse, transposed.
        """
        check_matrix("slogdet", self, x, square=True)
        sign, logarithm = all_on_host(self, lapack.slogdet, x)
        return sign, logarithm

    def det(self: Backend[A], x: A) -> A:
        """The determinant (...); its gradient, the matrix of cofactors, is right at singular matrices too."""
        check_matrix("det", self, x, square=True)
        sign, logarithm = self.slogdet(wide(self, x))
        return narrow(self, self.mul(sign, self.exp(logarithm)), self.dtype(x))

    def cofactors(self: Backend[A], x: A) -> A:
        """The gradient of `det`: det(x) times the transposed inverse, where that exists; a polynomial in x."""
        check_matrix("cofactors", self, x, square=True)
        return narrow(self, cofactor(self, wide(self, x)), self.dtype(x))

    @optional
    def matrix_exp(self: Backend[A], x: A) -> A:
        """The sum of x^k / k! over all k."""
        check_matrix("matrix_exp", self, x, square=True)
        return on_host(self, lapack.expm, x)


def check_system(op: str, b: Backend[A], x: A, y: A) -> tuple[int, ...]:
    """Refuse what is no system of equations; the shape of x."""
    shape, right = check_matrix(op, b, x, square=True), check_matrix(op, b, y, name="y")
    if shape[-1] != right[-2]:
        raise ShapeError(
            f"{op}: y must be (..., n, k) for x (..., n, n). Received: x of shape {shape}, y of shape {right}"
        )
    if b.dtype(x) is not b.dtype(y):
        raise mixed_dtypes(op, x=b.dtype(x), y=b.dtype(y))
    return shape


def unfit_system(op: str, b: Backend[A], x: A, y: A, error: Exception) -> ShapeError:
    """The error for leading dims that do not broadcast."""
    return ShapeError(
        f"{op}: leading dims must broadcast. Received: x of shape {b.shape(x)}, y of shape {b.shape(y)} "
        f"({str(error).splitlines()[0]})"
    )


def check_pivots(b: Backend[A], x: A) -> None:
    """Refuse a triangle with a zero on its diagonal."""
    found = b.any(b.eq(b.detach(diagonal_of(b, x)), 0), tuple(range(len(b.shape(x)) - 1)))
    if math.prod(b.shape(x)) and bool(b.to_numpy(found)):
        raise zero_pivot()


def zero_pivot() -> LinAlgError:
    """The error for a triangular matrix that is singular."""
    return no_answer("solve_triangular", "a triangle must have no zero on its diagonal")
