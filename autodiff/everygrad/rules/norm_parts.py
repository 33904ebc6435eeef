"""The second derivative of a norm, once for all norms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from everygrad_ops import Backend, DType
from everygrad_ops.norm import Three
from everygrad_ops.precision import narrow, wide

A = TypeVar("A")
Needs = tuple[bool, bool, bool]


@dataclass(frozen=True, slots=True)
class Norm(Generic[A]):
    """What a norm made of x; what is per row or channel is shaped to broadcast."""

    normed: A
    """n: x less its mean, if the norm centres, times rstd."""
    rstd: A
    dims: tuple[int, ...]
    """Over which the norm takes means."""
    project: Callable[[A], A]
    """P: v to rstd * (v - mean(v) - n * mean(v * n)), without mean(v) if the norm does not centre.

    It is its own adjoint, and turns a gradient in n into one in x.
    """

    def twice(
        self,
        b: Backend[A],
        up: A | None,
        along: A | None,
        shift: A | None,
        grad: A | None,
        weight: A | None,
        needs: Needs,
    ) -> Three[A]:
        """The gradients of a norm's backward in grad, x and weight, the last one not summed yet.

        That backward is (P(grad * weight), the sum of grad * n, the sum of grad); `up`, `along` and `shift` are upstream of
        these. With c the mean of grad * weight * n and d that of up * n, the first one's slope in n is
        -rstd * (c * up + d * grad * weight), and in rstd, which falls as -rstd^2 * n / size, the sum of
        P(up) * grad * weight / rstd. All in ops that can be differentiated again.
        """
        to_grad = to_x = to_weight = None
        projected = None if up is None else self.project(up)
        if needs[0]:
            scaled_up = projected if projected is None or weight is None else b.mul(projected, weight)
            to_grad = _plus(b, scaled_up, None if along is None else b.mul(self.normed, along))
            if shift is not None:
                to_grad = (
                    b.broadcast_to(shift, b.shape(self.normed)) if to_grad is None else b.add(to_grad, shift)
                )
        if needs[2] and projected is not None and grad is not None:
            to_weight = b.mul(projected, grad)
        if needs[1] and grad is not None:
            to_normed = None if along is None else b.mul(grad, along)
            if up is not None and projected is not None:
                scaled = grad if weight is None else b.mul(grad, weight)
                turned = b.neg(self.rstd)
                c = b.mul(b.mean(b.mul(scaled, self.normed), self.dims, True), turned)
                d = b.mul(b.mean(b.mul(up, self.normed), self.dims, True), turned)
                bend = b.add(b.mul(up, c), b.mul(scaled, d))
                to_normed = bend if to_normed is None else b.add(to_normed, bend)
                through_rstd = b.mul(b.mean(b.mul(projected, scaled), self.dims, True), self.rstd)
                to_x = b.sub(self.project(to_normed), b.mul(self.normed, through_rstd))
            elif to_normed is not None:
                to_x = self.project(to_normed)
        return to_grad, to_x, to_weight


def _plus(b: Backend[A], x: A | None, y: A | None) -> A | None:
    return y if x is None else x if y is None else b.add(x, y)


def some(x: A | None) -> A:
    """What was asked for is there."""
    assert x is not None
    return x


def maybe_wide(b: Backend[A], x: A | None) -> A | None:
    """`wide`, of what is there."""
    return None if x is None else wide(b, x)


def maybe_narrow(b: Backend[A], x: A | None, dtype: DType) -> A | None:
    """`narrow`, of what is there."""
    return None if x is None else narrow(b, x, dtype)


def narrowed(
    b: Backend[A], found: Three[A], dtype: DType, weight: A | None, dims: tuple[int, ...]
) -> Three[A]:
    """What `twice` found, in the dtypes of x and weight, the last one summed over `dims`, where the weight is spread."""
    to_grad, to_x, to_weight = found
    if to_weight is not None and weight is not None:
        to_weight = narrow(b, b.sum(to_weight, dims), b.dtype(weight))
    return maybe_narrow(b, to_grad, dtype), maybe_narrow(b, to_x, dtype), to_weight
