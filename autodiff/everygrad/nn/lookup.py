"""Parts of a module by dotted name or by pattern: found, replaced, frozen, counted."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, MutableMapping, MutableSequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeVar

from everygrad.nn import walk
from everygrad.nn.parameter import Buffer, Parameter

if TYPE_CHECKING:
    from everygrad.nn.module import Module

T = TypeVar("T")
M = TypeVar("M", bound="Module")

Pattern = str | re.Pattern[str] | Callable[[str, Any], bool]
"""What names are matched with: "encoder.*" as in file names, a regular expression, or a function of (name, value)."""


def matches(pattern: Pattern, name: str, value: Any) -> bool:
    """Whether a dotted name matches. A string also matches all that lies below the name it describes."""
    if isinstance(pattern, str):
        if fnmatchcase(name, pattern):
            return True
        parts = name.split(".")
        return any(fnmatchcase(".".join(parts[:i]), pattern) for i in range(1, len(parts)))
    if isinstance(pattern, re.Pattern):
        return pattern.search(name) is not None
    if callable(pattern):
        return bool(pattern(name, value))
    raise TypeError(
        f"a pattern must be a string such as 'encoder.*', a regular expression or a function of (name, value). "
        f"Received: {type(pattern).__name__}"
    )


def as_patterns(pattern: Pattern | Iterable[Pattern]) -> list[Pattern]:
    """One pattern or several, as a list."""
    if isinstance(pattern, (str, re.Pattern)) or callable(pattern):
        return [pattern]
    return list(pattern)


def matching(
    module: Module, where: str, patterns: Iterable[Pattern], every_name: bool = True
) -> list[tuple[str, Parameter]]:
    """(name, parameter) of all that match a pattern under any of their names, once each; one that matches none raises."""
    named = list(module.named_parameters(remove_duplicate=not every_name))
    found: dict[int, tuple[str, Parameter]] = {}
    for pattern in patterns:
        hits = [(name, p) for name, p in named if matches(pattern, name, p)]
        if not hits:
            raise KeyError(
                f"{where}: the pattern matches no parameter. Received: {_spelled(pattern)}; "
                f"the names are {_some([name for name, _ in named])}"
            )
        for name, p in hits:
            found.setdefault(id(p), (name, p))
    order = {id(p): i for i, (_, p) in reversed(list(enumerate(named)))}
    return sorted(found.values(), key=lambda pair: order[id(pair[1])])


def _spelled(pattern: Pattern) -> str:
    return repr(pattern.pattern) if isinstance(pattern, re.Pattern) else repr(pattern)


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "") if names else "none"


def freeze(module: M, *patterns: Pattern) -> M:
    """Do not train the parameters that match (all of them without a pattern); returns the module.

    A pattern is a string as for file names, which also takes all that lies below what it names, a compiled regular
    expression, or a function of (name, parameter). A tied parameter is frozen under all its names. Raises `KeyError`
    for a pattern that matches nothing.

    >>> import everygrad as eg
    >>> net = eg.nn.Sequential(eg.nn.Linear(2, 3), eg.nn.ReLU(), eg.nn.Linear(3, 1))
    >>> [name for name, p in net.freeze("0").named_parameters() if p.requires_grad]
    ['2.weight', '2.bias']
    >>> [name for name, p in net.unfreeze("*.bias").named_parameters() if p.requires_grad]
    ['0.bias', '2.weight', '2.bias']
    """
    return _train(module, "freeze", patterns, False)


def unfreeze(module: M, *patterns: Pattern) -> M:
    """Train the parameters that match (all of them without a pattern) again; returns the module. See `freeze`.

    >>> import everygrad as eg
    >>> net = eg.nn.Linear(2, 2).freeze()
    >>> [name for name, p in net.unfreeze("bias").named_parameters() if p.requires_grad]
    ['bias']
    """
    return _train(module, "unfreeze", patterns, True)


def _train(module: M, where: str, patterns: tuple[Pattern, ...], on: bool) -> M:
    chosen = matching(module, where, patterns) if patterns else list(module.named_parameters())
    for _, p in chosen:
        if not on or p.dtype.is_floating:
            p.requires_grad_(on)
    return module


def num_params(module: Module, trainable: bool | None = None) -> int:
    """How many numbers the parameters hold, a tied one counted once; only the trained or the frozen ones if asked.

    >>> import everygrad as eg
    >>> net = eg.nn.Linear(3, 2).freeze("bias")
    >>> net.num_params(), net.num_params(trainable=True)
    (8, 6)
    """
    return sum(p.numel() for p in module.parameters() if trainable is None or p.flag == trainable)


def get_submodule(module: Module, target: str) -> Module:
    """The module of a dotted name; "" is this one. Raises `AttributeError`, with near names, for a wrong name.

    >>> import everygrad as eg
    >>> eg.nn.Sequential(eg.nn.Sequential(eg.nn.ReLU())).get_submodule("0.0")
    ReLU()
    """
    return _found(module, "get_submodule", "module", target, module.named_modules(remove_duplicate=False))


def get_parameter(module: Module, target: str) -> Parameter:
    """The parameter of a dotted name. Raises `AttributeError`, with near names, for a wrong name.

    >>> import everygrad as eg
    >>> eg.nn.Sequential(eg.nn.Linear(2, 3)).get_parameter("0.bias").shape
    (3,)
    """
    named: Iterator[tuple[str, Parameter]] = walk.cells(module, Parameter, "", True, False)
    return _found(module, "get_parameter", "parameter", target, named)


def get_buffer(module: Module, target: str) -> Buffer:
    """The buffer of a dotted name. Raises `AttributeError`, with near names, for a wrong name.

    >>> import everygrad as eg
    >>> eg.nn.BatchNorm1d(3).get_buffer("running_mean").tolist()
    [0.0, 0.0, 0.0]
    """
    named: Iterator[tuple[str, Buffer]] = walk.cells(module, Buffer, "", True, False)
    return _found(module, "get_buffer", "buffer", target, named)


def _found(module: Module, where: str, kind: str, target: str, named: Iterator[tuple[str, T]]) -> T:
    all_of_them = dict(named)
    if target in all_of_them:
        return all_of_them[target]
    near = difflib.get_close_matches(target, all_of_them, 3) or list(all_of_them)[:3]
    raise AttributeError(
        f"{where}: this {type(module).__name__} has no {kind} of that name. Received: {target!r}; "
        f"write {' or '.join(map(repr, near)) if near else 'one that it has: there is none'}"
    )


def set_submodule(module: Module, target: str, new: Module) -> None:
    """Put another module in the place of that of a dotted name, also inside a list or dictionary.

    >>> import everygrad as eg
    >>> net = eg.nn.Sequential(eg.nn.Linear(2, 3), eg.nn.ReLU())
    >>> net.set_submodule("1", eg.nn.Tanh())
    >>> net[1]
    Tanh()
    """
    get_submodule(module, target)
    *path, last = target.split(".")
    holder: Any = module
    for name in path:
        holder = _inside(holder)[name]
    _put(holder, last, new)


def _inside(holder: Any) -> dict[str, Any]:
    """What a module, list or dictionary holds, by name."""
    return dict(walk.items_of(holder) or holder.entries())


def _put(holder: Any, name: str, new: Module) -> None:
    if isinstance(holder, MutableSequence):
        holder[int(name)] = new
    elif isinstance(holder, MutableMapping):
        key: Any = next(key for key in holder if str(key) == name)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # of anything
        holder[key] = new
    elif isinstance(holder, tuple):
        raise TypeError(
            f"set_submodule: a tuple cannot be changed. Received: item {name} of a tuple; write a list in its place"
        )
    elif name in vars(holder) or "_items" not in vars(holder):
        setattr(holder, name, new)
    else:
        _put(vars(holder)["_items"], name, new)
