"""Einstein's sums by products of matrices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from everygrad_ops.errors import ShapeError
from everygrad_ops.matrix import diagonal_of
from everygrad_ops.precision import narrow, wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


def read_equation(equation: str, shapes: Sequence[tuple[int, ...]]) -> tuple[list[str], str]:
    """(the letters of each operand, those of the result) of an equation that fits these shapes.

    >>> read_equation("ij,jk->ik", [(2, 3), (3, 4)])
    (['ij', 'jk'], 'ik')
    """
    left, arrow, output = equation.partition("->")
    inputs = left.split(",")
    if not arrow or not all(c.isalpha() for c in (*"".join(inputs), *output)):
        raise _unfit(equation, shapes, "write letters, commas and one ->")
    if len(inputs) != len(shapes) or any(len(i) != len(s) for i, s in zip(inputs, shapes)):
        raise _unfit(equation, shapes, "it needs one term per operand, and one letter per dim")
    if len(set(output)) != len(output) or not set(output) <= set("".join(inputs)):
        raise _unfit(equation, shapes, "each letter of the result must stand there once, and in an operand")
    sizes: dict[str, int] = {}
    for letter, size in zip("".join(inputs), itertools.chain(*shapes)):
        if sizes.setdefault(letter, size) not in (1, size) and size != 1:
            raise _unfit(equation, shapes, f"{letter!r} has the sizes {sizes[letter]} and {size}")
        if sizes[letter] == 1:
            sizes[letter] = size
    return inputs, output


def _unfit(equation: str, shapes: Sequence[tuple[int, ...]], reason: str) -> ShapeError:
    given = ", ".join(str(s) for s in shapes)
    return ShapeError(
        f"einsum: equation and operands do not fit: {reason}. Received: {equation!r}, shapes {given}"
    )


def contract_all(b: Backend[A], xs: list[A], inputs: list[str], output: str) -> A:
    """The sum of products, pair by pair: the pair with the smallest result first."""
    dtype = b.dtype(xs[0])
    sizes: dict[str, int] = {}
    for x, letters in zip(xs, inputs):
        for letter, size in zip(letters, b.shape(x)):
            sizes[letter] = size if sizes.get(letter, 1) == 1 else sizes[letter]
    terms = [_single(b, wide(b, x), letters) for x, letters in zip(xs, inputs)]
    while len(terms) > 1:
        i, j = _next_pair([t for _, t in terms], output, sizes)
        (x, first), (y, second) = terms[i], terms[j]
        others = [t for k, t in enumerate(terms) if k not in (i, j)]
        kept = set(output).union(*(t for _, t in others))
        terms = [*others, _product(b, x, first, y, second, kept)]
    x, letters = terms[0]
    x, letters = _sum_out(b, x, letters, set(output))
    x = b.permute(x, tuple(letters.index(c) for c in output))
    x = x if b.dtype(x) is dtype else b.cast(x, dtype) if not dtype.is_floating else narrow(b, x, dtype)
    return (
        b.broadcast_to(x, tuple(sizes[c] for c in output))
        if b.shape(x) != tuple(sizes[c] for c in output)
        else x
    )


def _next_pair(terms: list[str], output: str, sizes: dict[str, int]) -> tuple[int, int]:
    if len(terms) == 2:
        return 0, 1

    def cost(pair: tuple[int, int]) -> int:
        others = set(output).union(*(t for k, t in enumerate(terms) if k not in pair))
        both = set(terms[pair[0]]) | set(terms[pair[1]])
        return math.prod(sizes[c] for c in both & others) - sum(
            math.prod(sizes[c] for c in terms[k]) for k in pair
        )

    return min(itertools.combinations(range(len(terms)), 2), key=cost)


def _single(b: Backend[A], x: A, letters: str) -> tuple[A, str]:
    """Diagonals taken where a letter repeats."""
    while len(set(letters)) < len(letters):
        letter = next(c for c in letters if letters.count(c) > 1)
        i = letters.index(letter)
        j = letters.index(letter, i + 1)
        shape = b.shape(x)
        size = max(shape[i], shape[j]) if min(shape[i], shape[j]) else 0
        x = b.broadcast_to(x, tuple(size if d in (i, j) else s for d, s in enumerate(shape)))
        rest = [d for d in range(len(letters)) if d not in (i, j)]
        x = diagonal_of(b, b.permute(x, (*rest, i, j)))
        letters = "".join(letters[d] for d in rest) + letter
    return x, letters


def _sum_out(b: Backend[A], x: A, letters: str, kept: set[str]) -> tuple[A, str]:
    dims = tuple(d for d, c in enumerate(letters) if c not in kept)
    if not dims:
        return x, letters
    dtype = b.dtype(x)
    total = b.sum(x, dims)
    return narrow(b, total, dtype), "".join(c for c in letters if c in kept)


def _product(b: Backend[A], x: A, first: str, y: A, second: str, kept: set[str]) -> tuple[A, str]:
    """The product of two operands, summed over the letters that nothing else has."""
    x, first = _sum_out(b, x, first, kept | set(second))
    y, second = _sum_out(b, y, second, kept | set(first))
    x_sizes, y_sizes = dict(zip(first, b.shape(x))), dict(zip(second, b.shape(y)))
    shared = [c for c in first if c in second]
    for c in shared:  # a letter of size 1 in one operand: its sum is over the other alone
        if c not in kept and x_sizes[c] != y_sizes[c]:
            size = max(x_sizes[c], y_sizes[c]) if 0 not in (x_sizes[c], y_sizes[c]) else 0
            x = b.broadcast_to(x, tuple(size if d == c else x_sizes[d] for d in first))
            y = b.broadcast_to(y, tuple(size if d == c else y_sizes[d] for d in second))
            x_sizes[c] = y_sizes[c] = size
    batch = [c for c in shared if c in kept]
    inner = [c for c in shared if c not in kept]
    left, right = [c for c in first if c not in shared], [c for c in second if c not in shared]
    if not inner:
        return _outer(b, x, first, y, second, batch, left, right)
    x = _grouped(b, x, first, batch, left, inner)
    y = _grouped(b, y, second, batch, inner, right)
    out = b.matmul(x, y)
    lead = b.shape(out)[:-2]
    out = b.reshape(out, (*lead, *(x_sizes[c] for c in left), *(y_sizes[c] for c in right)))
    return out, "".join((*batch, *left, *right))


def _outer(
    b: Backend[A], x: A, first: str, y: A, second: str, batch: list[str], left: list[str], right: list[str]
) -> tuple[A, str]:
    """Nothing to sum over: an elementwise product."""
    x = b.permute(x, tuple(first.index(c) for c in (*batch, *left)))
    y = b.permute(y, tuple(second.index(c) for c in (*batch, *right)))
    x = b.reshape(x, (*b.shape(x), *(1 for _ in right)))
    sizes = b.shape(y)
    y = b.reshape(y, (*sizes[: len(batch)], *(1 for _ in left), *sizes[len(batch) :]))
    return b.mul(x, y), "".join((*batch, *left, *right))


def _grouped(b: Backend[A], x: A, letters: str, batch: list[str], rows: list[str], columns: list[str]) -> A:
    """`x` as a batch of matrices, its letters in three groups."""
    sizes = dict(zip(letters, b.shape(x)))
    order = tuple(letters.index(c) for c in (*batch, *rows, *columns))
    shape = (
        *(sizes[c] for c in batch),
        math.prod(sizes[c] for c in rows),
        math.prod(sizes[c] for c in columns),
    )
    return b.reshape(b.permute(x, order), shape)
