"""What an optimizer keeps for each parameter, and whose arrays may be written in place."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from everygrad.engine import Tracked
from everygrad.nn.parameter import Parameter
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import is_tensor, wrap
from everygrad_ops import Backend, DType, inner_of
from everygrad_ops.dtypes import LOW_PRECISION
from everygrad_ops.multi_tensor import MultiTensor


class Slot:
    """The state of one parameter, as bare arrays of `backend` in `dtype`.

    `array` is the value that the optimizer itself made for the parameter at the last step, if any;
    `owned` says whether nobody else was given the arrays of the state.
    """

    __slots__ = ("array", "backend", "dtype", "owned", "state")

    def __init__(self, backend: Any, dtype: DType, state: dict[str, Any]) -> None:
        self.backend = backend
        self.dtype = dtype
        self.state = state
        self.array: Any = None
        self.owned = False

    def tensors(self, arrays: tuple[str, ...]) -> dict[str, Any]:
        """The state with arrays as tensors; from now on others hold them."""
        self.owned = False
        lift = lift_of(self.backend)
        return {
            key: wrap(lift(value), self.backend, self.dtype) if key in arrays else value
            for key, value in self.state.items()
        }


def precision(p: Parameter) -> DType:
    """What a parameter's updates are computed and its state is kept in: float32 at least.

    In float16 a small `eps` is 0, and squares of small gradients vanish.
    """
    dtype = p.dtype
    return DType.float32 if dtype in LOW_PRECISION else dtype


def slot_of(p: Parameter, state: Mapping[str, Any]) -> Slot:
    """A slot of given state, its tensors moved and cast next to the parameter."""
    dtype = precision(p)
    return Slot(
        p.backend,
        dtype,
        {key: bare(v.to(p.backend).to(dtype))[1] if is_tensor(v) else v for key, v in state.items()},
    )


def bare(x: Tensor) -> tuple[Backend[Any], Any]:
    """(the backend under the outermost decorator, the constant array there) of a tensor."""
    b: Any = x.backend
    constant = b.detach(x.array)
    inner = inner_of(b)
    return (b, constant) if inner is None else (inner, constant.value)


def lift_of(b: Any) -> Any:
    """From arrays under the outermost decorator to arrays of `b`."""
    return _same if inner_of(b) is None else b.lift


def free(cell: Any, slot: Any, kernels: MultiTensor[Any]) -> bool:
    """Whether the value of a cell may be written in place: the optimizer made it, and nobody else holds it."""
    outer = cell.array
    if not isinstance(outer, Tracked) or outer.value is not slot.array:  # pyright: ignore[reportUnknownMemberType]  # of any array
        return False
    return _holders(cell, slot) == _ALONE and kernels.sole(slot.array)


def _holders(cell: Any, slot: Any) -> tuple[int, int]:
    outer = cell.array
    return sys.getrefcount(outer), sys.getrefcount(slot.array)


def _alone() -> tuple[int, int]:
    """The counts of a value that only its cell and its slot hold: how Python counts is its own affair."""
    slot = Slot(None, DType.float32, {})
    cell = Slot(None, DType.float32, {})
    slot.array = object()
    cell.array = Tracked(slot.array)
    outer = cell.array
    outer_is_held = outer.value is slot.array  # as in `free`, where a local name holds it too
    return _holders(cell, slot) if outer_is_held else (0, 0)


def _same(array: Any) -> Any:
    return array


_ALONE = _alone()
