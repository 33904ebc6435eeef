"""Parameters that are computed from others, by torch's names and state_dict keys."""

from __future__ import annotations

from typing import Any, TypeVar

from everygrad.nn.container import ModuleDict, ModuleList
from everygrad.nn.module import Module
from everygrad.nn.parameter import Buffer, Cell, Parameter
from everygrad.tensor import Tensor
from everygrad_ops import DTypeError, ShapeError

M = TypeVar("M", bound=Module)


class ParametrizationList(ModuleList):
    """The steps from the stored values to the parameter; the stored ones are `original`, or `original0`, `original1` ..."""

    def __init__(self, modules: list[Module], original: Cell, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        start: Any = original.detach()
        for step in reversed(modules):
            inverse = getattr(step, "right_inverse", None)
            start = start if inverse is None else inverse(start)
        self.kind = type(original)
        self.is_tensor = not isinstance(start, (tuple, list))
        stored: list[Any] = [start] if self.is_tensor else list(start)
        for name, value in zip(self.names(len(stored)), stored):
            made = Parameter(value, original.flag) if self.kind is Parameter else Buffer(value, original.flag)
            setattr(self, name, made)
        self.count = len(stored)

    def names(self, count: int) -> list[str]:
        """How the stored values are called."""
        return ["original"] if self.is_tensor else [f"original{i}" for i in range(count)]

    def stored(self) -> list[Cell]:
        """The stored values."""
        return [getattr(self, name) for name in self.names(self.count)]

    def forward(self) -> Any:
        """The parameter."""
        first, *rest = self
        value = first(*self.stored())
        for step in rest:
            value = step(value)
        return value

    def assign(self, value: Tensor) -> None:
        """Store what gives this value of the parameter, by the steps' `right_inverse`."""
        start: Any = value.detach()
        for step in reversed(list(self)):
            inverse = getattr(step, "right_inverse", None)
            if inverse is None:
                raise NotImplementedError(
                    f"{type(step).__name__} has no right_inverse, so the parameter cannot be assigned. "
                    "Write a method `def right_inverse(self, value): ...`, or assign the stored values"
                )
            start = inverse(start)
        for cell, part in zip(self.stored(), [start] if self.is_tensor else start):
            cell.assign(part)


class Parametrizations(ModuleDict):
    """The parametrizations of a module, by the parameter's name: `layer.parametrizations.weight`."""

    def __getattr__(self, name: str) -> Any:
        """The parametrization of a parameter."""
        steps: Any = vars(self).get("_items", {})
        if name not in steps:
            raise AttributeError(f"no parametrization of {name!r}")
        return steps[name]


def register_parametrization(
    module: M, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> M:
    """Let `module.<tensor_name>` be what `parametrization(stored)` returns, computed at each use.

    `parametrization.right_inverse(value)`, where there is one, gives the stored value (or several) for the present one. Raises
    `ShapeError` or `DTypeError` where the result has another shape or dtype, unless `unsafe`.

    >>> import everygrad as eg
    >>> from everygrad import nn
    >>> class Symmetric(nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).mT
    >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.mT).all()), list(layer.state_dict())
    (True, ['bias', 'parametrizations.weight.original'])
    """
    found = vars(module).get(tensor_name)
    if is_parametrized(module, tensor_name):
        held: Any = module
        steps = held.parametrizations[tensor_name]
        steps.append(parametrization)
        return module
    if not isinstance(found, Cell):
        raise ValueError(  # noqa: TRY004  # the name is wrong, not its type
            f"register_parametrization: {type(module).__name__} has no parameter or buffer of that name. "
            f"Received: {tensor_name!r}"
        )
    steps = ParametrizationList([parametrization], found, unsafe)
    if not unsafe:
        value = steps.forward()
        if value.shape != found.shape:
            raise ShapeError(
                f"register_parametrization: the result must have the shape {found.shape}. Received: {value.shape}; "
                "write unsafe=True to allow it"
            )
        if value.dtype is not found.dtype:
            raise DTypeError(
                f"register_parametrization: the result must have the dtype {found.dtype}. Received: {value.dtype}"
            )
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _with_properties(module)
        object.__setattr__(module, "parametrizations", Parametrizations())
    holder: Any = module
    holder.parametrizations[tensor_name] = steps
    setattr(type(module), tensor_name, _property(tensor_name))
    return module


def _with_properties(module: Any) -> None:
    """Give the module a class of its own, of the same name, that may have properties."""
    base: type[Any] = module.__class__
    module.__class__ = type(base.__name__, (base,), {"__module__": base.__module__, "_parametrized": base})


def _property(name: str) -> property:
    def read(module: Any) -> Any:
        return module.parametrizations[name]()

    def write(module: Any, value: Tensor) -> None:
        module.parametrizations[name].assign(value)

    return property(read, write)


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether the module, or one parameter of it, is computed from others.

    >>> import everygrad as eg
    >>> eg.nn.utils.parametrize.is_parametrized(eg.nn.Linear(2, 2))
    False
    """
    steps: Any = vars(module).get("parametrizations")
    if not isinstance(steps, ModuleDict):
        return False
    return tensor_name in steps if tensor_name is not None else len(steps) > 0


def remove_parametrizations(module: M, tensor_name: str, leave_parametrized: bool = True) -> M:
    """Make it a plain parameter again: of its present value, or without `leave_parametrized` the stored one.

    >>> from everygrad import nn
    >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    >>> list(nn.utils.parametrize.remove_parametrizations(layer, "weight").state_dict())
    ['bias', 'weight']
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(
            f"remove_parametrizations: this parameter is not parametrized. Received: {tensor_name!r}"
        )
    holder: Any = module
    steps: ParametrizationList = holder.parametrizations[tensor_name]
    if not leave_parametrized and not steps.is_tensor:
        raise ValueError("remove_parametrizations: several values are stored. Write leave_parametrized=True")
    value = steps().detach() if leave_parametrized else steps.stored()[0].detach()
    flag = steps.stored()[0].flag
    del holder.parametrizations[tensor_name]
    delattr(type(module), tensor_name)
    if not len(holder.parametrizations):
        del holder.parametrizations
        holder.__class__ = vars(type(module))["_parametrized"]
    setattr(module, tensor_name, Parameter(value, flag) if steps.kind is Parameter else Buffer(value, flag))
    return module
