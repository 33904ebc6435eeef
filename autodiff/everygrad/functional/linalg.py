"""Products of vectors and matrices. Dtypes promote; integers stay integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.tensor.operands import as_operand, together
from everygrad.tensor.precision import ACTIVE, at_precision
from everygrad.tensor.wrap import is_tensor, wrap
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["bmm", "dot", "matmul", "mm", "mv", "outer"]


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Product of matrices; leading dims broadcast, and a vector stands for a row left and a column right.

    >>> import everygrad as eg
    >>> eg.matmul(eg.eye(2), eg.ones(2, 1)).tolist()
    [[1.0], [1.0]]
    >>> (eg.tensor([1.0, 2.0]) @ eg.tensor([3.0, 4.0])).item()
    11.0
    """
    x, y = _pair("matmul", input, other)
    b, left, right = x.backend, x.shape, y.shape
    if len(left) >= 2 and len(right) >= 2:
        return wrap(b.matmul(x.array, y.array), b, x.known_dtype)
    if not left or not right or left[-1] != right[-2 if len(right) > 1 else 0]:
        raise ShapeError(
            f"matmul: the last dim of input must be as long as the last but one (or only) of other. "
            f"Received: shapes {left} and {right}"
        )
    first = b.reshape(x.array, (1, *left)) if len(left) == 1 else x.array
    second = b.reshape(y.array, (*right, 1)) if len(right) == 1 else y.array
    out = b.matmul(first, second)
    shape = b.shape(out)
    lead = shape[:-2] + (() if len(left) == 1 else shape[-2:-1]) + (() if len(right) == 1 else shape[-1:])
    return wrap(b.reshape(out, lead), b, x.known_dtype)


def rmatmul(input: Tensor, other: Tensor) -> Tensor:
    """Matrix product other @ input."""
    return matmul(as_operand("matmul", other, input), input)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Product of two matrices.

    >>> import everygrad as eg
    >>> eg.mm(eg.ones(1, 3), eg.ones(3, 1)).tolist()
    [[3.0]]
    """
    return _ranked("mm", input, mat2, 2, 2)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Products of two batches of matrices, of equal length.

    >>> import everygrad as eg
    >>> eg.bmm(eg.ones(2, 1, 3), eg.ones(2, 3, 1)).tolist()
    [[[3.0]], [[3.0]]]
    """
    if is_tensor(input) and is_tensor(mat2) and input.shape[:1] != mat2.shape[:1]:
        raise ShapeError(
            f"bmm: batches must be equally long. Received: shapes {input.shape} and {mat2.shape}"
        )
    return _ranked("bmm", input, mat2, 3, 3)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Product of a matrix and a vector.

    >>> import everygrad as eg
    >>> eg.mv(eg.ones(2, 3), eg.ones(3)).tolist()
    [3.0, 3.0]
    """
    return _ranked("mv", input, vec, 2, 1)


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Inner product of two vectors.

    >>> import everygrad as eg
    >>> eg.dot(eg.tensor([1.0, 2.0]), eg.tensor([3.0, 4.0])).item()
    11.0
    """
    return _ranked("dot", input, tensor, 1, 1)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of the elements of two vectors.

    >>> import everygrad as eg
    >>> eg.outer(eg.tensor([1.0, 2.0]), eg.tensor([3.0, 4.0])).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    x, y = _pair("outer", input, vec2)
    _check_ranks("outer", x, y, 1, 1)
    b = x.backend
    return wrap(b.mul(b.reshape(x.array, (*x.shape, 1)), y.array), b, x.known_dtype)


def _pair(op: str, x: Any, y: Any) -> tuple[Tensor, Tensor]:
    like = x if is_tensor(x) else y
    pair = [as_operand(op, v, like) for v in (x, y)]
    for v in pair:
        if not is_tensor(v):
            raise ShapeError(
                f"{op}: needs two tensors with dims. Received: {v!r}; write x * {v!r} for a number"
            )
    if ACTIVE:
        pair = list(at_precision(op, *pair))
    first, second = together(op, *pair)
    return first, second


def _ranked(op: str, x: Tensor, y: Tensor, left: int, right: int) -> Tensor:
    x, y = _pair(op, x, y)
    _check_ranks(op, x, y, left, right)
    return matmul(x, y)


def _check_ranks(op: str, x: Tensor, y: Tensor, left: int, right: int) -> None:
    if x.ndim != left or y.ndim != right:
        raise ShapeError(
            f"{op}: needs tensors of rank {left} and {right}. Received: shapes {x.shape} and {y.shape}; "
            "write matmul for any ranks"
        )
