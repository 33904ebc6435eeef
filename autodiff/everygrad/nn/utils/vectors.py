"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from everygrad.functional.shape import cat
from everygrad.nn.parameter import Parameter
from everygrad.tensor import Tensor
from everygrad_ops import ShapeError

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The parameters, flat and joined; differentiable.

    >>> import everygrad as eg
    >>> eg.nn.utils.parameters_to_vector(eg.nn.Linear(2, 3).parameters()).shape
    (9,)
    """
    flat = [p.reshape(-1) for p in parameters]
    if not flat:
        raise ValueError("parameters_to_vector: needs parameters. Received: none; write model.parameters()")
    return cat(flat)


def vector_to_parameters(vec: Tensor, parameters: Iterable[Parameter]) -> None:
    """Give the parameters the values of a vector, in order. Raises `ShapeError` if it does not have as many.

    >>> import everygrad as eg
    >>> layer = eg.nn.Linear(2, 1)
    >>> eg.nn.utils.vector_to_parameters(eg.tensor([1.0, 2.0, 3.0]), layer.parameters())
    >>> layer.weight.tolist(), layer.bias.tolist()
    ([[1.0, 2.0]], [3.0])
    """
    cells = list(parameters)
    total = sum(p.numel() for p in cells)
    if vec.shape != (total,):
        raise ShapeError(
            f"vector_to_parameters: vec must have the shape ({total},) of all parameters. Received: shape {vec.shape}"
        )
    constant, start = vec.detach(), 0
    for p in cells:
        p.assign(constant[start : start + p.numel()].reshape(p.shape))
        start += p.numel()
