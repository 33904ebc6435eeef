"""Einstein's sums as users write them, and products over any dims."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everygrad.functional.linalg import matmul
from everygrad.functional.reduction import sum
from everygrad.functional.shape import permute, reshape
from everygrad.tensor.dims import one_dim, plain
from everygrad.tensor.operands import together
from everygrad.tensor.precision import ACTIVE, at_precision
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["einsum", "tensordot"]

_DOTS = "αβγδεζηθικλμνξοπρστυφχψω"
"""Letters for the dims that dots stand for: no equation has them."""


def einsum(*args: Any) -> Tensor:
    """Sums of products by Einstein's convention: an equation such as "ij,jk->ik", a matrix product, and its operands.

    A letter names a dim; dims of one letter are multiplied together, and those that the result lacks are summed.
    Without an arrow the result has the letters that occur once, in alphabetical order, after the dots. Dots stand
    for any dims, which broadcast. A letter twice in one term takes its diagonal. Operands may also alternate with
    lists of integers: einsum(x, [0, 1], y, [1, 2], [0, 2]).

    >>> import everygrad as eg
    >>> x = eg.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> eg.einsum("ij,kj->ik", x, x).tolist()
    [[5.0, 11.0], [11.0, 25.0]]
    >>> eg.einsum("ii", x).item(), eg.einsum("...ij->...ji", x).tolist()
    (5.0, [[1.0, 3.0], [2.0, 4.0]])
    """
    equation, operands = args[0] if args else "", list(args[1:])
    if not isinstance(equation, str):
        equation, operands = _from_lists(args)
    elif len(operands) == 1 and not is_tensor(operands[0]) and hasattr(operands[0], "__iter__"):
        operands = list(operands[0])  # torch's older form
    if not operands:
        raise ShapeError(f"einsum: needs at least one operand. Received: {equation!r} alone")
    for i, x in enumerate(operands):
        need_tensor("einsum", f"operands[{i}]", x)
    xs = together("einsum", *(at_precision("einsum", *operands) if ACTIVE else operands))
    written = _written(equation, [x.ndim for x in xs])
    b = xs[0].backend
    return wrap(b.einsum([x.array for x in xs], written), b, xs[0].known_dtype)


def _from_lists(given: Sequence[Any]) -> tuple[str, list[Any]]:
    """The equation of operands that alternate with lists of dims."""
    pairs = len(given) // 2
    terms = [_letters(dims) for dims in given[1 : 2 * pairs : 2]]
    arrow = f"->{_letters(given[-1])}" if len(given) % 2 else ""
    return ",".join(terms) + arrow, list(given[0 : 2 * pairs : 2])


def _letters(dims: Any) -> str:
    if is_tensor(dims) or isinstance(dims, (str, int)) or not hasattr(dims, "__iter__"):
        raise TypeError(
            f"einsum: needs an equation first, or a list of integers after each operand. Received: {dims!r}"
        )
    return "".join("..." if d is Ellipsis else _letter(plain(d)) for d in dims)


def _letter(number: Any) -> str:
    if not isinstance(number, int) or not 0 <= number < 52:
        raise ShapeError(f"einsum: dims in lists are integers from 0 to 51, or ... . Received: {number!r}")
    return chr(ord("A") + number) if number < 26 else chr(ord("a") + number - 26)


def _written(equation: str, ranks: Sequence[int]) -> str:
    """The equation with its dots spelled out, its result written and no spaces."""
    plainly = equation.replace(" ", "")
    left, arrow, output = plainly.partition("->")
    terms = left.split(",")
    for term in [*terms, output]:
        letters = term.replace("...", "", 1)
        if not (letters == "" or (letters.isascii() and letters.isalpha())):
            raise ShapeError(
                f"einsum: an equation has letters, commas, spaces, one -> and dots in threes, once per term. "
                f"Received: {equation!r}"
            )
    if len(terms) != len(ranks):
        raise ShapeError(f"einsum: {equation!r} has {len(terms)} terms. Received: {len(ranks)} operands")
    hidden = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks)]
    for term, more, rank in zip(terms, hidden, ranks):
        if more < 0 or (more and "..." not in term):
            raise ShapeError(
                f"einsum: {term!r} names {len(term.replace('...', ''))} dims. Received: an operand of rank {rank}; "
                "write a letter per dim, or dots for the rest"
            )
    dots = max((more for term, more in zip(terms, hidden) if "..." in term), default=0)
    names = _DOTS[:dots]
    spelled = [term.replace("...", names[dots - more :]) for term, more in zip(terms, hidden)]
    if not arrow:
        whole = left.replace("...", "").replace(",", "")
        output = "..." + "".join(sorted(c for c in set(whole) if whole.count(c) == 1))
    return f"{','.join(spelled)}->{output.replace('...', names)}"


def tensordot(a: Tensor, b: Tensor, dims: int | Sequence[Sequence[int]] = 2, out: None = None) -> Tensor:
    """Products summed over several dims: the last `dims` of a with the first of b, or the two lists of dims.

    >>> import everygrad as eg
    >>> eg.tensordot(eg.ones(2, 3, 4), eg.ones(3, 4, 5)).tolist()[0]
    [12.0, 12.0, 12.0, 12.0, 12.0]
    >>> eg.tensordot(eg.ones(2, 3), eg.ones(4, 3), dims=([1], [1])).shape
    (2, 4)
    """
    need_tensor("tensordot", "a", a)
    need_tensor("tensordot", "b", b)
    count = plain(dims)
    if isinstance(count, int):
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise ShapeError(
                f"tensordot: dims must be from 0 to {min(a.ndim, b.ndim)}. Received: dims={dims}"
            )
        left, right = list(range(a.ndim - count, a.ndim)), list(range(count))
    else:
        first, second = dims if not is_tensor(dims) else dims.tolist()  # type: ignore[misc]  # not an integer
        left = [one_dim("tensordot", d, a.ndim) for d in _list(first)]
        right = [one_dim("tensordot", d, b.ndim) for d in _list(second)]
    if len(left) == len(right):  # a 1 stretches: the other is summed on its own
        pairs = [
            (d, e) for d, e in zip(left, right) if 1 in (a.shape[d], b.shape[e]) and a.shape[d] != b.shape[e]
        ]
        a = _summed(a, [d for d, e in pairs if b.shape[e] == 1])
        b = _summed(b, [e for _, e in pairs if b.shape[e] != 1])
    sizes, others = [a.shape[d] for d in left], [b.shape[d] for d in right]
    if sizes != others:
        raise ShapeError(
            f"tensordot: the dims must be equally long in pairs. Received: shapes {a.shape} and {b.shape}, "
            f"dims {left} and {right}"
        )
    rows = [d for d in range(a.ndim) if d not in left]
    columns = [d for d in range(b.ndim) if d not in right]
    shape = (*(a.shape[d] for d in rows), *(b.shape[d] for d in columns))
    inner = math.prod(sizes)
    x = reshape(permute(a, (*rows, *left)), (math.prod(shape[: len(rows)]), inner))
    y = reshape(permute(b, (*right, *columns)), (inner, math.prod(shape[len(rows) :])))
    return reshape(matmul(x, y), shape)


def _summed(x: Tensor, dims: list[int]) -> Tensor:
    """Summed over dims, which stay with size 1."""
    return sum(x, dims, True) if dims else x


def _list(dims: Any) -> list[int]:
    dims = plain(dims)
    return [dims] if isinstance(dims, int) else list(dims)
