"""Arithmetic on lists of arrays, for optimizers: composed of the contract's ops, or a backend's own.

A backend may carry an attribute `multi_tensor`, called with the backend, that makes a subclass of
`MultiTensor` with kernels over whole lists and in place. It is no part of the contract: without it
everything runs on the ops that every backend has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")

Other = list[A] | float


class MultiTensor(Generic[A]):
    """Each method takes lists of arrays of equal shapes, item by item, and returns such a list.

    Names that end in an underscore may write into their first argument: use only what they return.
    """

    in_place: bool = False
    """Whether those do write, so that the optimizer must hand in arrays that nobody else holds."""

    def __init__(self, backend: Backend[A]) -> None:
        self.backend = backend

    def map(self, f: Callable[..., A], *columns: Sequence[Any]) -> list[A]:
        """f of the items, by place: for every op that has no method here."""
        return [f(*items) for items in zip(*columns, strict=True)]

    def copies(self, x: list[A]) -> list[A]:
        """The same values in arrays that nobody else holds."""
        return list(x)

    def sole(self, x: A) -> bool:
        """Whether no view of `x` is alive, as far as its reference count does not tell."""
        return False

    def neg(self, x: list[A]) -> list[A]:
        """-x."""
        return self.map(self.backend.neg, x)

    def abs(self, x: list[A]) -> list[A]:
        """|x|."""
        return self.map(self.backend.abs, x)

    def sign(self, x: list[A]) -> list[A]:
        """-1, 0 or 1."""
        return self.map(self.backend.sign, x)

    def sqrt(self, x: list[A]) -> list[A]:
        """The square root."""
        return self.map(self.backend.sqrt, x)

    def add(self, x: list[A], y: Other[A], alpha: float = 1) -> list[A]:
        """x + alpha * y."""
        b = self.backend
        if isinstance(y, list):
            return [b.add(p, q if alpha == 1 else b.mul(q, alpha)) for p, q in zip(x, y, strict=True)]
        return [b.add(p, alpha * y) for p in x]

    def sub(self, x: list[A], y: Other[A]) -> list[A]:
        """x - y."""
        return self._binary(self.backend.sub, x, y)

    def mul(self, x: list[A], y: Other[A]) -> list[A]:
        """x * y."""
        return self._binary(self.backend.mul, x, y)

    def div(self, x: list[A], y: Other[A]) -> list[A]:
        """x / y."""
        return self._binary(self.backend.div, x, y)

    def add_(self, x: list[A], y: Other[A], alpha: float = 1) -> list[A]:
        """x + alpha * y."""
        return self.add(x, y, alpha)

    def mul_(self, x: list[A], y: Other[A]) -> list[A]:
        """x * y."""
        return self.mul(x, y)

    def div_(self, x: list[A], y: Other[A]) -> list[A]:
        """x / y."""
        return self.div(x, y)

    def sqrt_(self, x: list[A]) -> list[A]:
        """The square root."""
        return self.sqrt(x)

    def maximum_(self, x: list[A], y: list[A]) -> list[A]:
        """The larger of two."""
        return self.map(self.backend.maximum, x, y)

    def replace_(self, x: list[A], y: list[A]) -> list[A]:
        """The values of y, where x was."""
        return y

    def lerp_(self, x: list[A], y: list[A], weight: float) -> list[A]:
        """(1 - weight) * x + weight * y: `y` takes that share of the mean."""
        return self.add(self.mul(x, 1 - weight), y, weight)

    def addcmul_(self, x: list[A], y: list[A], z: list[A], value: float = 1) -> list[A]:
        """x + value * y * z."""
        return self.add(x, self.mul(y, z), value)

    def addcdiv_(self, x: list[A], y: list[A], z: list[A], value: float = 1) -> list[A]:
        """x + value * y / z."""
        return self.add(x, self.div(y, z), value)

    def kernel(self, name: str) -> Callable[..., None] | None:
        """A kernel that makes a whole step in place, such as "adam", where the library has one."""
        return None

    def pieces(self, columns: list[list[A]]) -> Iterator[list[list[A]]]:
        """The same arrays in portions that stay in cache, as views of them: for what works in place and by element."""
        yield columns

    def store(self, into: list[A], values: list[A]) -> None:
        """Write values into arrays that nobody else holds, where they are not there already."""
        raise NotImplementedError("store: only kernels that work in place have it")

    def _binary(self, op: Callable[..., A], x: list[A], y: Other[A]) -> list[A]:
        return self.map(op, x, y) if isinstance(y, list) else [op(p, y) for p in x]


def multi_tensor(backend: Backend[A]) -> MultiTensor[A]:
    """The arithmetic on lists of a backend: its own, or composed."""
    own = getattr(backend, "multi_tensor", None)
    return MultiTensor(backend) if own is None else cast("MultiTensor[A]", own(backend))


def portions(sizes: Sequence[int], limit: int) -> Iterator[tuple[list[int], tuple[int, int] | None]]:
    """(positions, range within each, or None for all of it): small ones together, large ones cut to `limit`."""
    together: list[int] = []
    total = 0
    for i, size in enumerate(sizes):
        if size > limit:
            for start in range(0, size, limit):
                yield [i], (start, min(start + limit, size))
            continue
        if total + size > limit and together:
            yield together, None
            together, total = [], 0
        together.append(i)
        total += size
    if together:
        yield together, None
