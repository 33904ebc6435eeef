"""Random tensors. Seeds come from the current generator: see `everygrad.manual_seed`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.functional.creation import Like, shape_of
from everygrad.generator import current_generator
from everygrad.registry import current, resolve
from everygrad.tensor.dims import plain
from everygrad.tensor.operands import need_floating
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "bernoulli",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
]


def rand(size: Any = (), *more: int, dtype: DType = DType.float32, backend: Like = None) -> Tensor:
    """Evenly from [0, 1).

    >>> import everygrad as eg
    >>> bool((eg.rand(100) < 1).all())
    True
    """
    b = current() if backend is None else resolve(backend)
    return wrap(b.uniform(shape_of("rand", (size, *more)), current_generator().next_seed(), dtype), b, dtype)


def randn(size: Any = (), *more: int, dtype: DType = DType.float32, backend: Like = None) -> Tensor:
    """From the normal distribution with mean 0 and standard deviation 1.

    >>> import everygrad as eg
    >>> eg.randn(2, 3).shape
    (2, 3)
    """
    b = current() if backend is None else resolve(backend)
    return wrap(b.normal(shape_of("randn", (size, *more)), current_generator().next_seed(), dtype), b, dtype)


def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    dtype: DType = DType.int64,
    backend: Like = None,
) -> Tensor:
    """Integers evenly from low to high - 1; drawn on the host, equal on every backend.

    With one bound, `randint(high, size)`, from 0 on.

    >>> import everygrad as eg
    >>> bool((eg.randint(0, 3, (50,)) < 3).all())
    True
    """
    from everygrad.functional.creation import tensor

    if high is None:
        low, high = 0, low
    elif size is None and not isinstance(plain(high), int):
        low, high, size = 0, low, high
    low, high = _bounds("randint", low, high)
    if size is None:
        raise TypeError("randint: needs a size. Received: none; write randint(low, high, (2, 3))")
    shape, b = shape_of("randint", (size,)), current() if backend is None else resolve(backend)
    return tensor(current_generator().numpy().integers(low, high, shape), dtype, backend=b)


def randperm(n: int, *, dtype: DType = DType.int64, backend: Like = None) -> Tensor:
    """The integers 0 to n - 1 in random order; drawn on the host, equal on every backend.

    >>> import everygrad as eg
    >>> sorted(eg.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    from everygrad.functional.creation import tensor

    (count,), b = shape_of("randperm", (n,)), current() if backend is None else resolve(backend)
    return tensor(current_generator().numpy().permutation(count), dtype, backend=b)


def rand_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Evenly from [0, 1), in the shape, dtype and backend of a tensor.

    >>> import everygrad as eg
    >>> eg.rand_like(eg.zeros(2, 3)).shape
    (2, 3)
    """
    return rand(input.shape, dtype=dtype or input.dtype, backend=input.backend)


def randn_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """From the standard normal distribution, in the shape, dtype and backend of a tensor.

    >>> import everygrad as eg
    >>> eg.randn_like(eg.zeros(2, 3)).shape
    (2, 3)
    """
    return randn(input.shape, dtype=dtype or input.dtype, backend=input.backend)


def randint_like(input: Tensor, low: int, high: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """Integers evenly from low to high - 1, in the shape, dtype and backend of a tensor; with one bound, from 0 on.

    >>> import everygrad as eg
    >>> eg.randint_like(eg.zeros(2), 3, 4).tolist()
    [3.0, 3.0]
    """
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, input.shape, dtype=dtype or input.dtype, backend=input.backend)


def _bounds(op: str, low: Any, high: Any) -> tuple[int, int]:
    low, high = plain(low), plain(high)
    if not isinstance(low, int) or not isinstance(high, int) or not -(2**63) <= low < high <= 2**63:
        raise ShapeError(
            f"{op}: needs integers of 64 bits, low below high. Received: low={low!r}, high={high!r}"
        )
    return low, high


def bernoulli(input: Tensor, p: float | None = None) -> Tensor:
    """1 with the probability at each position, or with probability `p` at all, else 0; no gradient.

    >>> import everygrad as eg
    >>> eg.bernoulli(eg.tensor([0.0, 1.0])).tolist(), eg.bernoulli(eg.zeros(2), 1).tolist()
    ([0.0, 1.0], [1.0, 1.0])
    """
    b, draw = input.backend, current_generator().next_seed
    if p is not None:
        if not 0 <= p <= 1:
            raise ValueError(f"bernoulli: p must be from 0 to 1. Received: p={p}")
        seed = draw()
        return wrap(b.cast(b.bernoulli(input.shape, p, seed), input.dtype), b, input.dtype)
    need_floating("bernoulli", input)
    drawn = b.uniform(input.shape, draw(), input.dtype)
    return wrap(b.cast(b.lt(drawn, b.detach(input.array)), input.dtype), b, input.dtype)
