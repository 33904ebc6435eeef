"""The contract, read as data: each op's arguments, results and marks.

The Autodiff decorator, the rules, the suite and the docs all work from this one reading.
"""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everygrad_ops.marks import Marks, marks_of


class Kind(enum.Enum):
    """What an argument may hold."""

    ARRAY = "A"
    OPTIONAL = "A | None"
    SEQUENCE = "Sequence[A]"
    SCALAR = "A | float"
    OPTION = "option"


class Result(enum.Enum):
    """What an op returns."""

    ARRAY = "array"
    TUPLE = "tuple"
    LIST = "list"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of an op."""

    name: str
    kind: Kind
    default: object = inspect.Parameter.empty

    @property
    def is_array(self) -> bool:
        """Whether it can hold arrays."""
        return self.kind is not Kind.OPTION


@dataclass(frozen=True, slots=True)
class OpSpec:
    """One op of the contract."""

    name: str
    function: Callable[..., Any]
    params: tuple[Param, ...]
    result: Result
    marks: Marks
    arrays: tuple[Param, ...]
    """The arguments that can hold arrays."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the results: one, `out`, unless the op names several."""
        return self.marks.outputs or ("out",)

    @property
    def float_outputs(self) -> tuple[str, ...]:
        """The results that may carry a gradient."""
        return tuple(o for o in self.outputs if o not in self.marks.integer_outputs)

    def param(self, name: str) -> Param:
        """The argument called `name`."""
        return next(p for p in self.params if p.name == name)


_KINDS = {kind.value: kind for kind in Kind if kind is not Kind.OPTION}


def _read(name: str, function: Callable[..., Any]) -> OpSpec:
    marks = marks_of(function)
    params = _params(function)
    returns = str(function.__annotations__.get("return"))
    if marks.query:
        result = Result.HOST
    elif returns == "A":
        result = Result.ARRAY
    elif returns.startswith("tuple[A"):
        result = Result.TUPLE
    elif returns == "list[A]":
        result = Result.LIST
    else:
        raise TypeError(f"op {name!r} returns {returns}: write A, tuple[A, ...], list[A], or mark it @query")
    if result is Result.TUPLE and not marks.outputs:
        raise TypeError(f"op {name!r} returns a tuple: name its results with @outputs(...)")
    return OpSpec(name, function, params, result, marks, tuple(p for p in params if p.is_array))


def _params(function: Callable[..., Any]) -> tuple[Param, ...]:
    """The arguments after `self`; from the code object, since every import reads every op."""
    names, annotations = parameter_names(function)[1:], function.__annotations__
    defaults = function.__defaults__ or ()
    given = dict(zip(names[len(names) - len(defaults) :], defaults))
    return tuple(
        Param(n, _KINDS.get(str(annotations.get(n)), Kind.OPTION), given.get(n, inspect.Parameter.empty))
        for n in names
    )


def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a plain function's parameters."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


@functools.cache
def contract() -> dict[str, OpSpec]:
    """Every op of `Backend` by name, in the order of the families.

    >>> [p.name for p in contract()["matmul"].params], contract()["matmul"].marks.primitive
    (['x', 'y'], True)
    """
    from everygrad_ops.backend import Backend

    found: dict[str, OpSpec] = {}
    for group in inspect.getmro(Backend):
        if not group.__module__.startswith("everygrad_ops"):
            continue
        for name, member in vars(group).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                found[name] = _read(name, member)
    return found


def inner_of(backend: Any) -> Any:
    """The backend that a differentiating decorator wraps; None for any other, whatever attributes it has."""
    return backend.inner if getattr(backend, "is_decorator", False) else None


def is_overridden(backend: object, op: str) -> bool:
    """Whether this backend has a form of its own for `op` (a decorator answers for the one it wraps)."""
    inner = inner_of(backend)
    if inner is not None:
        return is_overridden(inner, op)
    return getattr(type(backend), op, None) is not contract()[op].function
