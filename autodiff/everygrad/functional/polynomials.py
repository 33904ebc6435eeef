"""Orthogonal polynomials of whole degree, by their recurrences: so with derivatives to every order.

Source: Abramowitz, Stegun, "Handbook of mathematical functions", 1964, 22.7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from everygrad.functional.comparison import eq, ne, where
from everygrad.functional.creation import full_like, ones_like
from everygrad.functional.shape import broadcast_to
from everygrad.tensor.dims import plain
from everygrad.tensor.operands import floating, on_one_backend
from everygrad.tensor.wrap import is_tensor, need_tensor
from everygrad_ops import DType, DTypeError
from everygrad_ops.checks import common_shape

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]

Degree = Any
"""An integer, or a tensor of integers that broadcasts with the input."""
Step = Callable[[int, "Tensor", "Tensor", "Tensor"], "Tensor"]
"""From k, x and the polynomials of degree k - 1 and k - 2, that of degree k."""


def chebyshev_polynomial_t(input: Tensor, n: Degree) -> Tensor:
    """T_n: cos(n acos x). A negative degree gives 0, here and in all of these.

    >>> import everygrad as eg
    >>> eg.special.chebyshev_polynomial_t(eg.tensor([0.5, 2.0]), 2).tolist()
    [-0.5, 7.0]
    """
    return _polynomial("chebyshev_polynomial_t", input, n, lambda x: x, _chebyshev)


def chebyshev_polynomial_u(input: Tensor, n: Degree) -> Tensor:
    """U_n: sin((n + 1) t) / sin(t) for x = cos t.

    >>> import everygrad as eg
    >>> eg.special.chebyshev_polynomial_u(eg.tensor([0.5, 2.0]), 2).tolist()
    [0.0, 15.0]
    """
    return _polynomial("chebyshev_polynomial_u", input, n, lambda x: 2 * x, _chebyshev)


def chebyshev_polynomial_v(input: Tensor, n: Degree) -> Tensor:
    """V_n: cos((n + 1/2) t) / cos(t / 2) for x = cos t.

    >>> import everygrad as eg
    >>> eg.special.chebyshev_polynomial_v(eg.tensor([0.5, 2.0]), 1).tolist()
    [0.0, 3.0]
    """
    return _polynomial("chebyshev_polynomial_v", input, n, lambda x: 2 * x - 1, _chebyshev)


def chebyshev_polynomial_w(input: Tensor, n: Degree) -> Tensor:
    """W_n: sin((n + 1/2) t) / sin(t / 2) for x = cos t.

    >>> import everygrad as eg
    >>> eg.special.chebyshev_polynomial_w(eg.tensor([0.5, 2.0]), 1).tolist()
    [2.0, 5.0]
    """
    return _polynomial("chebyshev_polynomial_w", input, n, lambda x: 2 * x + 1, _chebyshev)


def shifted_chebyshev_polynomial_t(input: Tensor, n: Degree) -> Tensor:
    """T_n(2 x - 1), for x from 0 to 1.

    >>> import everygrad as eg
    >>> eg.special.shifted_chebyshev_polynomial_t(eg.tensor([0.75]), 2).tolist()
    [-0.5]
    """
    need_tensor("shifted_chebyshev_polynomial_t", "input", input)
    return chebyshev_polynomial_t(2 * input - 1, n)


def shifted_chebyshev_polynomial_u(input: Tensor, n: Degree) -> Tensor:
    """U_n(2 x - 1), for x from 0 to 1.

    >>> import everygrad as eg
    >>> eg.special.shifted_chebyshev_polynomial_u(eg.tensor([0.75]), 1).tolist()
    [1.0]
    """
    need_tensor("shifted_chebyshev_polynomial_u", "input", input)
    return chebyshev_polynomial_u(2 * input - 1, n)


def shifted_chebyshev_polynomial_v(input: Tensor, n: Degree) -> Tensor:
    """V_n(2 x - 1), for x from 0 to 1.

    >>> import everygrad as eg
    >>> eg.special.shifted_chebyshev_polynomial_v(eg.tensor([0.75]), 1).tolist()
    [0.0]
    """
    need_tensor("shifted_chebyshev_polynomial_v", "input", input)
    return chebyshev_polynomial_v(2 * input - 1, n)


def shifted_chebyshev_polynomial_w(input: Tensor, n: Degree) -> Tensor:
    """W_n(2 x - 1), for x from 0 to 1.

    >>> import everygrad as eg
    >>> eg.special.shifted_chebyshev_polynomial_w(eg.tensor([0.75]), 1).tolist()
    [2.0]
    """
    need_tensor("shifted_chebyshev_polynomial_w", "input", input)
    return chebyshev_polynomial_w(2 * input - 1, n)


def hermite_polynomial_h(input: Tensor, n: Degree) -> Tensor:
    """H_n, the physicists': orthogonal under exp(-x^2).

    >>> import everygrad as eg
    >>> eg.special.hermite_polynomial_h(eg.tensor([0.5]), 2).tolist()
    [-1.0]
    """
    return _polynomial(
        "hermite_polynomial_h", input, n, lambda x: 2 * x, lambda k, x, p, q: 2 * x * p - (2 * k - 2) * q
    )


def hermite_polynomial_he(input: Tensor, n: Degree) -> Tensor:
    """He_n, the probabilists': orthogonal under exp(-x^2 / 2).

    >>> import everygrad as eg
    >>> eg.special.hermite_polynomial_he(eg.tensor([2.0]), 2).tolist()
    [3.0]
    """
    return _polynomial("hermite_polynomial_he", input, n, lambda x: x, lambda k, x, p, q: x * p - (k - 1) * q)


def laguerre_polynomial_l(input: Tensor, n: Degree) -> Tensor:
    """L_n: orthogonal under exp(-x) for x from 0 on.

    >>> import everygrad as eg
    >>> eg.special.laguerre_polynomial_l(eg.tensor([2.0]), 2).tolist()
    [-1.0]
    """
    return _polynomial(
        "laguerre_polynomial_l",
        input,
        n,
        lambda x: 1 - x,
        lambda k, x, p, q: ((2 * k - 1 - x) * p - (k - 1) * q) / k,
    )


def legendre_polynomial_p(input: Tensor, n: Degree) -> Tensor:
    """P_n: orthogonal from -1 to 1.

    >>> import everygrad as eg
    >>> eg.special.legendre_polynomial_p(eg.tensor([0.5]), 2).tolist()
    [-0.125]
    """
    return _polynomial(
        "legendre_polynomial_p",
        input,
        n,
        lambda x: x,
        lambda k, x, p, q: ((2 * k - 1) * x * p - (k - 1) * q) / k,
    )


def _chebyshev(k: int, x: Tensor, p: Tensor, q: Tensor) -> Tensor:
    return 2 * x * p - q


def _polynomial(op: str, input: Tensor, n: Degree, first: Callable[[Tensor], Tensor], step: Step) -> Tensor:
    """From the polynomials of degree 0, which is 1, and 1; with degrees in a tensor, each place takes its own."""
    need_tensor(op, "input", input)
    x = floating(input)
    if not is_tensor(n):
        degree = plain(n)
        if isinstance(degree, float) and degree.is_integer():
            degree = int(degree)
        if not isinstance(degree, int):
            raise DTypeError(f"{op}: the degree n must be an integer. Received: n={n!r}")
        return full_like(x, 0) if degree < 0 else _all(x, degree, first, step)[degree]
    x, degrees = on_one_backend(op, x, n)
    whole = degrees.detach().to(DType.int64)
    if bool(ne(whole.to(DType.float64), degrees.detach().to(DType.float64)).any()):
        raise DTypeError(f"{op}: the degrees n must be integers. Received: n={degrees.tolist()}")
    shape = common_shape(op, x.shape, degrees.shape)
    out = full_like(broadcast_to(x, shape), 0)
    top = int(whole.amax()) if whole.numel() else -1
    for degree, value in enumerate(_all(x, top, first, step)):
        out = where(eq(whole, degree), value, out)
    return out


def _all(x: Tensor, top: int, first: Callable[[Tensor], Tensor], step: Step) -> list[Tensor]:
    """The polynomials of degree 0 to `top`."""
    found = [ones_like(x), first(x)] if top > 0 else [ones_like(x)] if top == 0 else []
    for k in range(2, top + 1):
        found.append(step(k, x, found[-1], found[-2]))
    return found
