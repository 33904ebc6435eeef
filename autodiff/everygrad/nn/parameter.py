"""Parameter and Buffer: cells, the only tensors whose value may be replaced."""

from __future__ import annotations

from typing import Any, NoReturn, Self, TypeVar

import numpy as np
from typing_extensions import override

from everygrad.engine import Autodiff, Tracked
from everygrad.engine.node import LEAF
from everygrad.engine.replay import note_change
from everygrad.functional.creation import tensor
from everygrad.registry import backend as backend_named
from everygrad.tensor import Tensor
from everygrad.tensor.convert import text, values
from everygrad.tensor.variable import set_requires_grad
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import DType, DTypeError, ShapeError, as_dtype

__all__ = ["Buffer", "Parameter", "UninitializedParameter"]

C = TypeVar("C", bound="Cell")


class Cell(Tensor):
    """A tensor whose value may be replaced: by an optimizer step, a load, a batch norm.

    `flag` is what the kind of cell remembers: whether a parameter is trained, whether a buffer is saved.
    """

    __slots__ = ("flag",)

    flag: bool

    def __init__(self, data: Any, flag: bool) -> None:
        value = data.detach() if is_tensor(data) else tensor(data)
        super().__init__(value.array, value.backend, value.known_dtype)
        self.flag = flag

    def assign(self, value: Any) -> None:
        """Replace the value by that of a tensor or array of the same shape, in the cell's dtype and place.

        Graphs that were recorded before keep the old value, and gradients are still found under
        this very cell. Raises `ShapeError` for another shape, `DTypeError` for floats in an integer cell.

        >>> import everygrad as eg
        >>> p = eg.nn.Parameter([1.0, 2.0])
        >>> p.assign([3.0, 4.0])
        >>> p.tolist(), p.requires_grad
        ([3.0, 4.0], True)
        """
        self.put_array(self.fitting(value).array)

    def fitting(self, value: Any, dtype: DType | None = None) -> Tensor:
        """What `assign` would put in: the value as a constant of the cell's backend and dtype, checked.

        With `dtype`, in that one.
        """
        given = value.detach() if is_tensor(value) else tensor(host(value), backend=self.backend)
        if given.shape != self.shape:
            raise ShapeError(
                f"assign: the value must have the shape {self.shape} of the {type(self).__name__}. "
                f"Received: shape {given.shape}"
            )
        if given.dtype.category > self.dtype.category:
            raise DTypeError(
                f"assign: a {type(self).__name__} of {self.dtype} would lose the value. Received: {given.dtype}; "
                f"write value.to({str(self.dtype.value)!r}) to round it on purpose"
            )
        return given.to(self.backend).to(self.dtype if dtype is None else dtype)

    def put_array(self, array: Any) -> None:
        """Replace the value by an untracked array of the same backend, shape and dtype; the node stays."""
        note_change(self)
        node = getattr(self.array, "node", None)
        if node is None or node.record is not LEAF:  # what stands in its place for a call may be a result
            self.array = array
        else:
            self.array = Tracked(array.value, node)
            node.saved = (
                node.saved or 0
            ) + 1  # how often it was replaced: a checkpoint must see the same value

    def elsewhere(self, *targets: Any) -> Tensor:
        """The value in another dtype (integers keep theirs), on another backend, or both, as a constant."""
        value = self.detach()
        for target in targets:
            if not is_dtype(target):
                value = value.to(target)
                continue
            dtype = as_dtype(target)
            if not dtype.is_floating:
                raise DTypeError(
                    f"to: a module can be cast to floating-point dtypes only. Received: {dtype}; "
                    "write module.to(eg.float16), for instance"
                )
            if value.dtype.is_floating:
                value = value.to(dtype)
        return value

    def settle(self, value: Tensor) -> None:
        """Take the value with its backend and dtype."""
        self.array, self.backend, self.known_dtype = value.array, value.backend, value.known_dtype

    def __copy__(self) -> Self:
        made = type(self).__new__(type(self))
        made.flag = self.flag
        made.settle(self.detach())
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()  # arrays are values: a copy may share them

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), np.array(values(self)), self.backend.name, self.flag)

    def __repr__(self) -> str:
        return f"{type(self).__name__} containing:\n{text(self)}"


class Parameter(Cell):
    """A variable that belongs to a model: gradients are asked for at it, and an optimizer replaces its value.

    `requires_grad=False` freezes it. On a backend that records nothing, such as plain "numpy", it
    is a constant, and a variable again once moved back.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter(eg.ones(2))
    >>> grads = (p * 3).sum().backward()
    >>> p.assign(p - 0.5 * grads[p])
    >>> p.tolist(), p.is_leaf
    ([-0.5, -0.5], True)
    """

    __slots__ = ()

    def __init__(self, data: Any, requires_grad: bool = True) -> None:
        super().__init__(data, requires_grad)
        if requires_grad and not self.dtype.is_floating:
            raise DTypeError(
                f"Parameter: only floating-point values carry a gradient. Received: {self.dtype}; "
                "write Parameter(data, requires_grad=False), or Buffer(data)"
            )
        self.settle(self)

    @override
    def settle(self, value: Tensor) -> None:
        super().settle(value)
        b: Any = self.backend
        if self.flag and isinstance(self.backend, Autodiff):
            self.array = b.variable(self.array)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Train it, or freeze it (False), and return it."""
        set_requires_grad(self, requires_grad)
        self.flag = requires_grad
        return self


class UninitializedParameter(Parameter):
    """A parameter of a lazy layer before its first call: it has no shape and no value, and becomes a `Parameter` then.

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyLinear(3)
    >>> weight = layer.weight
    >>> y = layer(eg.ones(2, 5))
    >>> type(weight).__name__, weight.shape, layer.weight is weight
    ('Parameter', (3, 5), True)
    """

    __slots__ = ()

    def __init__(self) -> None:  # no array, no backend: whoever asks for them meets __getattr__
        self.flag = True

    def __getattr__(self, name: str) -> NoReturn:
        if name not in ("array", "backend", "known_dtype"):
            raise AttributeError(name)
        raise ValueError(
            "a parameter of a lazy layer has no value before the first call. Write model(input) once, on an input of the "
            "shape to come, before .to(...), optimizers, state_dict, load_state_dict and copies"
        )

    def become(self, made: Parameter) -> None:
        """Take the value of a parameter, and be one."""
        self.__class__ = Parameter  # type: ignore[assignment]  # of the same slots
        self.settle(made)

    def __repr__(self) -> str:
        return "UninitializedParameter()"


def is_waiting(cell: Cell) -> bool:
    """Whether the cell has no value yet."""
    return isinstance(cell, UninitializedParameter)


class Buffer(Cell):
    """A value that belongs to a model and is not trained, such as a running mean.

    It moves with the model, and is in its `state_dict` if `persistent`.

    >>> import everygrad as eg
    >>> eg.nn.Buffer(eg.zeros(2)).requires_grad
    False
    """

    __slots__ = ()

    def __init__(self, data: Any, persistent: bool = True) -> None:
        super().__init__(data, persistent)

    @property
    def persistent(self) -> bool:
        """Whether it is saved with the model."""
        return self.flag


def is_dtype(target: Any) -> bool:
    """Whether `to(target)` means a dtype."""
    return isinstance(target, (DType, type)) or (
        isinstance(target, str) and (target == "bool" or target in DType.__members__)
    )


def host(value: Any) -> Any:
    """A value for `tensor`: another library's tensor cut from its graph, on the host."""
    if not hasattr(value, "detach"):
        return value
    plain = value.detach().cpu()
    try:
        return np.asarray(plain)
    except TypeError:  # NumPy has no bfloat16 of its own; float32 holds it
        return np.asarray(plain.float())


def _rebuild(kind: type[C], array: np.ndarray[Any, Any], backend: str, flag: bool) -> C:
    made = kind.__new__(kind)
    made.flag = flag
    made.settle(tensor(array, backend=backend_named(backend)))
    return made
