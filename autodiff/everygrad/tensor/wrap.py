"""Making and knowing tensors, for the functions that the Tensor class takes as its methods.

They cannot import the class, which imports them; it registers itself here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from typing_extensions import TypeIs

from everygrad_ops import Backend, DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

_class: type[Tensor]
_new: Callable[[type[Tensor]], Tensor] = object.__new__


def register(tensor_class: type[Tensor]) -> None:
    """Say what a tensor is: called once, by the class."""
    global _class
    _class = tensor_class


def wrap(array: Any, backend: Backend[Any], dtype: DType | None = None) -> Tensor:
    """A tensor around an array of `backend`; `dtype` where it is already known."""
    tensor = _new(_class)  # slot by slot: each op makes one, and a call of __init__ would cost twice as much
    tensor.array = array
    tensor.backend = backend
    tensor.known_dtype = dtype
    return tensor


def need_tensor(op: str, name: str, x: object) -> None:
    """Refuse what is not a Tensor: a NumPy array has neither a backend nor a place for a gradient."""
    if not isinstance(x, _class):
        what = "..." if x is None or isinstance(x, str) else name
        raise TypeError(
            f"{op}: {name} must be a Tensor. Received: {kind_of(x)}; write eg.tensor({what}), "
            "or eg.tensor(..., dtype=eg.float32) for float64 data of NumPy"
        )


def kind_of(x: object) -> str:
    """What a value is, by its type: another library's Tensor with its library."""
    kind = type(x)
    foreign = kind.__name__ == "Tensor" and not isinstance(x, _class)
    return f"{kind.__module__.partition('.')[0]}.Tensor" if foreign else kind.__name__


def is_tensor(x: object) -> TypeIs[Tensor]:
    """Whether `x` is a Tensor (or one of its cells)."""
    return isinstance(x, _class)
