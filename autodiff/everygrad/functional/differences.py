"""Differences of neighbours, and the area under a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.functional.comparison import ne
from everygrad.functional.elementwise import sub
from everygrad.functional.reduction import sum
from everygrad.functional.scan import cumsum
from everygrad.functional.shape import cat
from everygrad.tensor.dims import one_dim
from everygrad.tensor.operands import floating, together
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["cumulative_trapezoid", "diff", "trapezoid", "trapz"]


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Each element less the one before it along `dim`, `n` times over; of booleans, whether they differ.

    >>> import everygrad as eg
    >>> eg.diff(eg.tensor([1, 4, 9, 16])).tolist(), eg.diff(eg.tensor([1, 4, 9, 16]), n=2).tolist()
    ([3, 5, 7], [2, 2])
    """
    need_tensor("diff", "input", input)
    if input.ndim == 0 or n < 0:
        raise ShapeError(
            f"diff: needs a rank of 1 or more, and n from 0 on. Received: shape {input.shape}, n={n}"
        )
    d = one_dim("diff", dim, input.ndim)
    if n == 0:
        return input  # as it is: there is nothing to take the ends for
    parts = [p for p in (prepend, input, append) if p is not None]
    x = cat(list(together("diff", *parts)), d) if len(parts) > 1 else input
    for _ in range(min(n, x.shape[d])):
        late, early = _ends(x, d)
        x = ne(late, early) if x.dtype is DType.bool_ else sub(late, early)
    return x


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The integral of `y` along `dim` by the trapezoidal rule, at points `x`, or `dx` apart.

    >>> import everygrad as eg
    >>> eg.trapezoid(eg.tensor([1.0, 2.0, 3.0])).item(), eg.trapezoid(eg.tensor([1.0, 3.0]), dx=2).item()
    (4.0, 4.0)
    """
    need_tensor("trapezoid", "y", y)
    areas = _areas("trapezoid", y, x, dx, dim)
    return sum(areas, one_dim("trapezoid", dim, areas.ndim))


def trapz(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The same as `trapezoid`.

    >>> import everygrad as eg
    >>> eg.trapz(eg.tensor([1.0, 2.0, 3.0])).item()
    4.0
    """
    need_tensor("trapz", "y", y)
    return trapezoid(y, x, dx=dx, dim=dim)


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The running integral of `y` along `dim` by the trapezoidal rule, one element shorter.

    >>> import everygrad as eg
    >>> eg.cumulative_trapezoid(eg.tensor([1.0, 2.0, 3.0])).tolist()
    [1.5, 4.0]
    """
    need_tensor("cumulative_trapezoid", "y", y)
    areas = _areas("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(areas, one_dim("cumulative_trapezoid", dim, areas.ndim))


def _areas(op: str, y: Tensor, x: Tensor | None, dx: float, dim: int) -> Tensor:
    """Width times mean height of each trapezoid."""
    if y.ndim == 0:
        raise ShapeError(f"{op}: needs a rank of 1 or more. Received: shape ()")
    d = one_dim(op, dim, y.ndim)
    if x is None:
        late, early = _ends(floating(y), d)
        return (late + early) * (dx / 2)
    need_tensor(op, "x", x)
    y, x = together(op, floating(y), floating(x))
    if x.ndim == 1 and y.ndim > 1 and x.shape[0] == y.shape[d]:
        x = x.reshape(*(x.shape[0] if i == d else 1 for i in range(y.ndim)))
    at = x.ndim - (y.ndim - d)
    if at < 0 or x.shape[at] != y.shape[d]:
        raise ShapeError(
            f"{op}: x must be a vector as long as dim {d} of y, or have the dims of y. "
            f"Received: y of shape {y.shape}, x of shape {x.shape}"
        )
    (late, early), (right, left) = _ends(y, d), _ends(x, at)
    return (right - left) * ((late + early) / 2)


def _ends(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """(all but the first, all but the last) along `dim`."""
    b, size = x.backend, max(x.shape[dim] - 1, 0)
    start = 1 if size else 0
    parts = (
        tuple((s, size, 1) if d == dim else (0, n, 1) for d, n in enumerate(x.shape)) for s in (start, 0)
    )
    late, early = (wrap(b.slice(x.array, part), b, x.dtype) for part in parts)
    return late, early
