"""Draws from distributions. Where a draw is a smooth function of a parameter, it carries the gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everygrad.functional.creation import Like, shape_of
from everygrad.functional.reduction import sum
from everygrad.generator import current_generator
from everygrad.registry import current, resolve
from everygrad.tensor.operands import cast_to, floating, together
from everygrad.tensor.wrap import is_tensor, wrap
from everygrad_ops import DType, ShapeError
from everygrad_ops.checks import common_shape

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["beta", "dirichlet", "exponential", "gamma", "normal", "poisson", "uniform"]

Size = Sequence[int] | None


def normal(
    mean: Tensor | float,
    std: Tensor | float = 1,
    size: Size = None,
    *,
    dtype: DType | None = None,
    backend: Like = None,
) -> Tensor:
    """mean + std * e, e from the standard normal distribution; gradients in both. `size`: of numbers alone.

    >>> import everygrad as eg
    >>> eg.normal(0.0, 1.0, (2, 3)).shape, eg.normal(eg.zeros(4), 0.0).tolist()
    ((2, 3), [0.0, 0.0, 0.0, 0.0])
    """
    low, high = _parameters("normal", mean, std, dtype, backend)
    if bool((high < 0).any()):
        raise ValueError("normal: std must not be negative. Received: a negative one; write std.abs()")
    b, shape = low.backend, _shape("normal", size, low, high)
    drawn = wrap(b.normal(shape, current_generator().next_seed(), low.dtype), b, low.dtype)
    return low + high * drawn


def uniform(
    low: Tensor | float = 0,
    high: Tensor | float = 1,
    size: Size = None,
    *,
    dtype: DType | None = None,
    backend: Like = None,
) -> Tensor:
    """low + (high - low) * u, u evenly from [0, 1); gradients in both.

    >>> import everygrad as eg
    >>> eg.uniform(2.0, 2.0, (2,)).tolist()
    [2.0, 2.0]
    """
    left, right = _parameters("uniform", low, high, dtype, backend)
    b, shape = left.backend, _shape("uniform", size, left, right)
    drawn = wrap(b.uniform(shape, current_generator().next_seed(), left.dtype), b, left.dtype)
    return left + (right - left) * drawn


def exponential(
    rate: Tensor | float = 1, size: Size = None, *, dtype: DType | None = None, backend: Like = None
) -> Tensor:
    """-log(1 - u) / rate, u evenly from [0, 1): above 0, with mean 1 / rate; a gradient in `rate`.

    >>> import everygrad as eg
    >>> bool((eg.exponential(2.0, (100,)) >= 0).all())
    True
    """
    (scale,) = _parameters("exponential", rate, None, dtype, backend)
    b, shape = scale.backend, _shape("exponential", size, scale)
    work = DType.float64 if scale.dtype is DType.float64 else DType.float32
    drawn = b.neg(b.log1p(b.neg(b.uniform(shape, current_generator().next_seed(), work))))
    return wrap(b.cast(drawn, scale.dtype), b, scale.dtype) / scale


def gamma(
    concentration: Tensor | float,
    rate: Tensor | float = 1,
    size: Size = None,
    *,
    dtype: DType | None = None,
    backend: Like = None,
) -> Tensor:
    """From the gamma distribution with mean concentration / rate; gradients in both, to every order.

    The draw in `concentration` is the inverse of the distribution function at an even draw.

    >>> import everygrad as eg
    >>> eg.gamma(eg.tensor([1.0, 2.0])).shape
    (2,)
    """
    shape, scale = _parameters("gamma", concentration, rate, dtype, backend)
    b = shape.backend
    wide = b.broadcast_to(shape.array, _shape("gamma", size, shape, scale))
    return wrap(b.standard_gamma(wide, current_generator().next_seed()), b, shape.dtype) / scale


def beta(
    concentration1: Tensor | float,
    concentration0: Tensor | float,
    size: Size = None,
    *,
    dtype: DType | None = None,
    backend: Like = None,
) -> Tensor:
    """x / (x + y), x and y from gamma distributions of these concentrations: within [0, 1]; gradients in both.

    >>> import everygrad as eg
    >>> bool((eg.beta(2.0, 3.0, (100,)) <= 1).all())
    True
    """
    one, two = _parameters("beta", concentration1, concentration0, dtype, backend)
    shape = _shape("beta", size, one, two)
    x, y = (gamma(c, 1, shape) for c in (one, two))
    return x / (x + y)


def dirichlet(concentration: Tensor) -> Tensor:
    """Shares that add up to 1 along the last dim: draws from gamma distributions over their sum; a gradient.

    >>> import everygrad as eg
    >>> round(eg.dirichlet(eg.tensor([1.0, 2.0, 3.0])).sum().item(), 5)
    1.0
    """
    if concentration.ndim == 0:
        raise ShapeError("dirichlet: needs a last dim of concentrations. Received: shape ()")
    drawn = gamma(floating(concentration))
    return drawn / sum(drawn, -1, True)


def poisson(input: Tensor) -> Tensor:
    """Whole numbers from the Poisson distribution with the mean at each position; no gradient.

    Drawn on the host, equal on every backend.

    >>> import everygrad as eg
    >>> eg.poisson(eg.zeros(2)).tolist()
    [0.0, 0.0]
    """
    x = floating(input)
    b = x.backend
    return wrap(b.poisson(b.detach(x.array), current_generator().next_seed()), b, x.dtype)


def _parameters(op: str, first: Any, second: Any, dtype: DType | None, backend: Like) -> tuple[Tensor, ...]:
    """The parameters as floating-point tensors on one backend, in one dtype."""
    given = [v for v in (first, second) if v is not None]
    for v in given:
        if not (is_tensor(v) or isinstance(v, (int, float))):
            raise TypeError(
                f"{op}: a parameter must be a Tensor or a number. Received: {type(v).__name__}; write eg.tensor(...)"
            )
    known = next((v for v in given if is_tensor(v)), None)
    asked = None if backend is None else resolve(backend)
    b = known.backend if known is not None else asked or current()
    kind = dtype or (DType.float32 if known is None or not known.dtype.is_floating else known.dtype)
    tensors = (v if is_tensor(v) else wrap(b.full((), v, kind), b, kind) for v in given)
    return together(op, *(floating(t) if dtype is None else cast_to(t, dtype) for t in tensors))


def _shape(op: str, size: Size, *parameters: Tensor) -> tuple[int, ...]:
    """The shape of the draws; the parameters must broadcast to it."""
    shape = common_shape(op, *(p.shape for p in parameters))
    if size is None:
        return shape
    due = shape_of(op, (size,))
    if common_shape(op, shape, due) != due:
        raise ShapeError(f"{op}: the parameters do not broadcast to the size. Received: {shape}, size {due}")
    return due
