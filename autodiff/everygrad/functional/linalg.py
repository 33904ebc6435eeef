"""Products of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everygrad.tensor.operands import as_operand, together
from everygrad.tensor.wrap import wrap

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Matrix product.

    >>> import everygrad as eg
    >>> eg.matmul(eg.eye(2), eg.ones(2, 1)).tolist()
    [[1.0], [1.0]]
    """
    x, y = together("matmul", input, as_operand("matmul", other, input))
    return wrap(x.backend.matmul(x.array, y.array), x.backend, x.known_dtype)


def rmatmul(input: Tensor, other: Tensor) -> Tensor:
    """Matrix product other @ input."""
    return matmul(as_operand("matmul", other, input), input)
