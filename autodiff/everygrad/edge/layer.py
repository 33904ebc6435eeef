"""The layer itself: reads options on the way in, explains failures on the way out.

It is written on the first call of each function, with the function's own signature, as the engine writes its methods.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from everygrad.edge.explain import explain, wrong_type
from everygrad.edge.hints import MISFIT, hints_of, read, takes_number, takes_tensor
from everygrad.edge.written import text, whole
from everygrad_ops import DType

_layers: dict[Callable[..., Any], Callable[..., Any]] = {}
_made: set[Callable[..., Any]] = set()


def behind_the_edge(names: dict[str, Any], home: str) -> None:
    """Put the functions of a module's namespace behind the edge, in place."""
    listed = names.get("__all__", names)
    for name, value in list(names.items()):
        if name in listed and not name.startswith("_") and _is_ours(value):
            names[name] = _once(value, home, name)


def methods_behind_the_edge(kind: type) -> None:
    """Put the methods of a class and its bases behind the edge: those of functions are the functions themselves."""
    for base in kind.__mro__[:-1]:
        for name, value in list(vars(base).items()):
            if not name.startswith("_") and _is_ours(value):
                setattr(base, name, _once(value, value.__module__, name))


def _is_ours(value: Any) -> bool:
    return inspect.isfunction(value) and value.__module__.startswith("everygrad")


def _once(function: Callable[..., Any], home: str, name: str) -> Callable[..., Any]:
    """The layer of a function, always the same one; none where operands are all it takes, which it asks itself."""
    if function in _made:
        return function
    found = _layers.get(function)
    if found is None:
        bare = function.__module__.startswith("everygrad.functional.") and _takes_operands(function)
        found = _layers[function] = function if bare else _layer(function, home, name)
        _made.add(found)
    return found


def _takes_operands(function: Callable[..., Any]) -> bool:
    """Whether all it takes is a tensor, and what a binary op takes beside it."""
    annotations = [*function.__annotations__.items()][:-1]  # the last is the result's
    return all(n in ("self", "input") or (n == "other" and "|" in str(a)) for n, a in annotations)


def _first(*args: Any, **keywords: Any) -> Any:
    """What stands in a layer until it is called: the globals are the layer's own."""
    return globals()["write"]()(*args, **keywords)


def _layer(function: Callable[..., Any], home: str, name: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"__name__": __name__, "inner": function}
    call = FunctionType(_first.__code__, names, function.__name__)
    functools.update_wrapper(call, function)
    call.__module__ = home
    plain = inspect.unwrap(function)
    call.__defaults__ = getattr(plain, "__defaults__", None)
    call.__kwdefaults__ = getattr(plain, "__kwdefaults__", None)

    def write() -> Callable[..., Any]:
        call.__code__ = _written(function, name, names)
        return call

    names["write"] = write
    return call


def _written(function: Callable[..., Any], op: str, names: dict[str, Any]) -> Any:
    """The code of a layer; what it calls goes into its globals."""
    parameters = inspect.signature(function).parameters
    hints = _option_hints(function, parameters)
    defaults = {p.name: p.default for p in parameters.values()}

    def options(*values: Any) -> Sequence[Any]:
        each = zip(values, hints.items())
        return [v if v is defaults[name] else _read(op, name, v, hint) for v, (name, hint) in each]

    def failed(error: Exception, **values: Any) -> Exception | None:
        return explain(op, function, {n: v for n, v in values.items() if v is not defaults[n]}, error)

    from everygrad.tensor.tensor import Tensor

    names.update(options=options, failed=failed, whole=whole, DType=DType, Tensor=Tensor)
    made = names.copy()
    exec(compile(text(op, parameters, hints), "<everygrad edge>", "exec"), made)  # noqa: S102  # our own signatures
    return made[op].__code__


def _read(op: str, name: str, value: Any, hint: Any) -> Any:
    found = read(value, hint)
    if found is MISFIT:
        raise wrong_type(op, name, value, hint)
    return found


def _option_hints(
    function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter]
) -> dict[str, Any]:
    """The declared types of options, and of operands that may be numbers."""
    found: dict[str, Any] = {}
    for name, hint in hints_of(function).items():
        p = parameters.get(name)
        if p is None or hint is Any or p.kind is p.VAR_KEYWORD:
            continue
        if takes_tensor(hint) and not takes_number(hint):
            continue
        found[name] = _several(hint) if p.kind is p.VAR_POSITIONAL else hint
    return found


def _several(hint: Any) -> Any:
    """The type of all arguments behind a star."""
    return tuple.__class_getitem__((hint, ...))
