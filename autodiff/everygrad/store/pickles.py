"""Pickles read as data: a stack machine that builds containers and calls nothing a pickle names.

Python's own unpickler imports and calls whatever a file asks for. Here a global is a name and nothing else, and
what a call of it would mean is asked from a `Meaning`, which knows a few names by heart.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from everygrad.store.errors import StoreError
from everygrad.store.kinds import is_tuple


@dataclass(frozen=True)
class Name:
    """A global of a pickle: never imported."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


def named(module: str, name: str) -> Name:
    """A global by its name of today: Python 2 called some modules otherwise."""
    return Name({"__builtin__": "builtins", "copy_reg": "copyreg"}.get(module, module), name)


class Meaning(Protocol):
    """What the names of a pickle stand for."""

    def call(self, name: Name, args: tuple[Any, ...]) -> Any:
        """What a call, or the construction of an object, gives."""

    def build(self, thing: Any, state: Any) -> None:
        """Give an object its state."""

    def persistent(self, key: Any) -> Any:
        """What is stored outside of the pickle under a key."""


_MARK = object()
_LITERALS = frozenset(
    (
        *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
        *("BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8"),
        *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"),
    )
)
_OLD_TEXTS = frozenset(["STRING", "BINSTRING", "SHORT_BINSTRING"])
_IGNORED = frozenset(["PROTO", "FRAME", "STOP"])


class Machine:
    """One pickle, run to its end by `run(source)`; `source` is left just behind it."""

    def __init__(self, meaning: Meaning) -> None:
        self.meaning = meaning
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def run(self, source: Any) -> Any:
        """The object that the pickle describes."""
        try:
            for opcode, arg, _ in pickletools.genops(source):
                self._step(opcode.name, arg)
            return self.popped(1)[0]
        except StoreError:
            raise
        except (
            ValueError,
            TypeError,
            IndexError,
            KeyError,
            AttributeError,
            OverflowError,
            RecursionError,
        ) as error:
            raise StoreError(f"the pickle is damaged: {error}") from None

    def _step(self, op: str, arg: Any) -> None:
        if op in _LITERALS:
            self.stack.append(arg)
        elif op in _OLD_TEXTS:  # Python 2's: bytes that were meant as text
            self.stack.append(arg.encode("latin-1").decode("utf-8", "replace"))
        elif op in _STEPS:
            _STEPS[op](self, arg)
        elif op not in _IGNORED:
            raise StoreError(f"the pickle holds the instruction {op}, which no file of tensors needs")

    def since_mark(self) -> list[Any]:
        """What was put since the last mark, which is taken away."""
        for place in range(len(self.stack) - 1, -1, -1):
            if self.stack[place] is _MARK:
                found = self.stack[place + 1 :]
                del self.stack[place:]
                return found
        raise ValueError("a mark is missing")

    def popped(self, count: int) -> tuple[Any, ...]:
        """The last `count` values, taken away."""
        if len(self.stack) < count:
            raise ValueError("values are missing")
        found = self.stack[len(self.stack) - count :]
        if any(value is _MARK for value in found):
            raise ValueError("a mark is where a value must be")
        del self.stack[len(self.stack) - count :]
        return tuple(found)

    def call(self, callee: Any, args: Any) -> None:
        """Put what a call gives."""
        if not isinstance(callee, Name) or not is_tuple(args):
            raise StoreError(f"the pickle calls a {type(callee).__name__}, which is no name")
        self.stack.append(self.meaning.call(callee, args))


def _put(machine: Machine, value: Any) -> None:
    machine.stack.append(value)


def _drop(value: Any) -> None:
    """What was taken from the stack is not needed."""


def _memoize(machine: Machine, arg: Any) -> None:
    machine.memo[len(machine.memo) if arg is None else int(arg)] = machine.stack[-1]


def _extend(machine: Machine, arg: Any) -> None:
    items = machine.since_mark()
    machine.stack[-1].extend(items)


def _append(machine: Machine, arg: Any) -> None:
    (item,) = machine.popped(1)
    machine.stack[-1].append(item)


def _set_items(machine: Machine, arg: Any) -> None:
    items = machine.since_mark()
    target = machine.stack[-1]
    for key, value in zip(items[::2], items[1::2], strict=True):
        target[key] = value


def _set_item(machine: Machine, arg: Any) -> None:
    key, value = machine.popped(2)
    machine.stack[-1][key] = value


def _add_items(machine: Machine, arg: Any) -> None:
    items = machine.since_mark()
    machine.stack[-1].update(items)


def _dict(machine: Machine, arg: Any) -> None:
    items = machine.since_mark()
    machine.stack.append(dict(zip(items[::2], items[1::2], strict=True)))


def _name(machine: Machine, arg: Any) -> None:
    module, _, name = str(arg).partition(" ")
    machine.stack.append(named(module, name))


def _stack_name(machine: Machine, arg: Any) -> None:
    module, name = machine.popped(2)
    machine.stack.append(named(str(module), str(name)))


def _reduce(machine: Machine, arg: Any) -> None:
    callee, args = machine.popped(2)
    machine.call(callee, args)


def _new_with_keywords(machine: Machine, arg: Any) -> None:
    kind, args, keywords = machine.popped(3)
    machine.call(kind, (*args, keywords) if keywords else args)


def _instance(machine: Machine, arg: Any) -> None:
    args = machine.since_mark()
    module, _, name = str(arg).partition(" ")
    machine.call(named(module, name), tuple(args))


def _object(machine: Machine, arg: Any) -> None:
    kind, *args = machine.since_mark()
    machine.call(kind, tuple(args))


def _build(machine: Machine, arg: Any) -> None:
    (state,) = machine.popped(1)
    machine.meaning.build(machine.stack[-1], state)


_STEPS: dict[str, Callable[[Machine, Any], None]] = {
    "MARK": lambda m, _: _put(m, _MARK),
    "POP": lambda m, _: _drop(m.stack.pop()),  # a mark, too
    "POP_MARK": lambda m, _: _drop(m.since_mark()),
    "DUP": lambda m, _: _put(m, m.stack[-1]),
    "NONE": lambda m, _: _put(m, None),
    "NEWTRUE": lambda m, _: _put(m, True),
    "NEWFALSE": lambda m, _: _put(m, False),
    "EMPTY_LIST": lambda m, _: _put(m, []),
    "EMPTY_TUPLE": lambda m, _: _put(m, ()),
    "EMPTY_DICT": lambda m, _: _put(m, {}),
    "EMPTY_SET": lambda m, _: _put(m, set()),
    "LIST": lambda m, _: _put(m, m.since_mark()),
    "TUPLE": lambda m, _: _put(m, tuple(m.since_mark())),
    "FROZENSET": lambda m, _: _put(m, frozenset(m.since_mark())),
    "TUPLE1": lambda m, _: _put(m, m.popped(1)),
    "TUPLE2": lambda m, _: _put(m, m.popped(2)),
    "TUPLE3": lambda m, _: _put(m, m.popped(3)),
    "DICT": _dict,
    "APPEND": _append,
    "APPENDS": _extend,
    "SETITEM": _set_item,
    "SETITEMS": _set_items,
    "ADDITEMS": _add_items,
    "GET": lambda m, arg: _put(m, m.memo[int(arg)]),
    "BINGET": lambda m, arg: _put(m, m.memo[arg]),
    "LONG_BINGET": lambda m, arg: _put(m, m.memo[arg]),
    "PUT": _memoize,
    "BINPUT": _memoize,
    "LONG_BINPUT": _memoize,
    "MEMOIZE": _memoize,
    "GLOBAL": _name,
    "STACK_GLOBAL": _stack_name,
    "REDUCE": _reduce,
    "NEWOBJ": _reduce,
    "NEWOBJ_EX": _new_with_keywords,
    "INST": _instance,
    "OBJ": _object,
    "BUILD": _build,
    "PERSID": lambda m, arg: _put(m, m.meaning.persistent(arg)),
    "BINPERSID": lambda m, _: _put(m, m.meaning.persistent(m.popped(1)[0])),
}
