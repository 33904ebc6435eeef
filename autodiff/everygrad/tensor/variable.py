"""The gradient state of a tensor: variable, result of a recorded op, or constant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everygrad.engine import Autodiff, Node, is_autodiff
from everygrad.engine.node import LEAF
from everygrad.tensor.wrap import wrap
from everygrad_ops import DTypeError, GradientError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def node_of(x: Tensor) -> Node | None:
    """The node that made the tensor, None when it is a constant."""
    node: Node | None = getattr(x.array, "node", None)
    return node


def requires_grad(x: Tensor) -> bool:
    """Whether gradients flow to or through the tensor."""
    return node_of(x) is not None


def is_leaf(x: Tensor) -> bool:
    """Whether the tensor is a variable or a constant."""
    node = node_of(x)
    return node is None or node.record is LEAF


def detach(input: Tensor) -> Tensor:
    """The same values as a constant.

    >>> import everygrad as eg
    >>> eg.tensor(1.0, requires_grad=True).detach().requires_grad
    False
    """
    return wrap(input.backend.detach(input.array), input.backend, input.known_dtype)


def set_requires_grad(input: Tensor, requires_grad: bool = True) -> Tensor:
    """Make this tensor a variable that gradients are asked for (or a constant again), and return it.

    Only its gradient state changes, never its values. Raises `GradientError` for the result of a
    recorded op, and where the backend records nothing.

    >>> import everygrad as eg
    >>> eg.zeros(2).requires_grad_().requires_grad
    True
    """
    if not is_leaf(input):
        raise GradientError(
            "requires_grad_: the result of a recorded op has its gradient state from its operands. "
            "Write x.detach().requires_grad_() for a new variable with its values"
        )
    if requires_grad and node_of(input) is None:
        input.array = recording_backend("requires_grad_", input).variable(input.array)
    elif not requires_grad:
        input.array = input.backend.detach(input.array)
    return input


def recording_backend(op: str, x: Tensor) -> Autodiff[Any]:
    """The decorator a tensor lives on; without one, or for integers, nothing can be recorded."""
    if not x.dtype.is_floating:
        raise DTypeError(f"{op}: only floating-point tensors carry a gradient. Received: {x.dtype}")
    b = x.backend
    if not is_autodiff(b):
        raise GradientError(
            f"{op}: backend {x.backend.name!r} records nothing. Write x.to('autodiff({x.backend.name})') first"
        )
    return b
