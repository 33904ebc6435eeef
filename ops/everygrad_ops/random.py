"""Random arrays: pure functions of an integer seed (the same seed, shape and dtype give the same array)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import ShapeError, missing
from everygrad_ops.host import on_host
from everygrad_ops.marks import non_differentiable, optional, primitive

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everygrad_ops.backend import Backend

A = TypeVar("A")


class RandomOps(Protocol[A]):
    """Draws from a seed; no global generator is touched."""

    @primitive
    @non_differentiable
    def uniform(self, shape: tuple[int, ...], seed: int, dtype: DType) -> A:
        """Evenly from [0, 1), 1 never reached: low precision rounds the draw down."""
        raise missing(self, "uniform")

    @primitive
    @non_differentiable
    def normal(self, shape: tuple[int, ...], seed: int, dtype: DType) -> A:
        """From the normal distribution with mean 0 and standard deviation 1."""
        raise missing(self, "normal")

    @non_differentiable
    def bernoulli(self: Backend[A], shape: tuple[int, ...], p: float, seed: int) -> A:
        """True with probability `p`: a boolean array."""
        return self.lt(self.uniform(shape, seed, DType.float32), p)

    @non_differentiable
    def randint(self: Backend[A], low: int, high: int, shape: tuple[int, ...], seed: int) -> A:
        """Integers from low <= i < high, each as likely: int64."""
        if not low < high:
            raise ShapeError(f"randint: high must be above low. Received: low={low}, high={high}")
        drawn = self.mul(self.uniform(shape, seed, DType.float64), high - low)
        return self.add(self.cast(drawn, DType.int64), low)

    @non_differentiable
    def permutation(self: Backend[A], n: int, seed: int) -> A:
        """The integers 0 to n - 1 in random order: int64."""
        return self.argsort(self.uniform((n,), seed, DType.float64), 0)

    @optional
    @non_differentiable
    def poisson(self: Backend[A], x: A, seed: int) -> A:
        """Whole numbers from the Poisson distribution with mean x, in its shape and dtype; drawn on the host."""
        import numpy as np

        def draw(mean: NDArray[Any]) -> NDArray[Any]:
            try:
                drawn = np.random.Generator(np.random.Philox(seed % 2**63)).poisson(mean)
            except ValueError as error:
                raise ValueError(
                    f"poisson: means must be numbers from 0 to 9e18. Received: {error}"
                ) from None
            return np.asarray(drawn, np.float64)

        return on_host(self, draw, x)

    @optional
    def standard_gamma(self: Backend[A], x: A, seed: int) -> A:
        """From the gamma distribution with shape parameter x and scale 1, at each place; NaN where x is not above 0.

        Drawn on the host by the inverse of the distribution function, at an even draw that the seed alone
        decides: a smooth function of x, with a gradient.
        """

        def draw(shape: NDArray[Any]) -> NDArray[Any]:
            import numpy as np
            from scipy.special import gammaincinv

            even = np.random.Generator(np.random.Philox(seed % 2**63)).random(shape.shape)
            with np.errstate(invalid="ignore"):
                drawn = gammaincinv(shape.astype(np.float64), even)
            return np.where(shape > 0, drawn, np.nan)

        return on_host(self, draw, x)
