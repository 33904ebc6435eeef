"""The source of the Autodiff decorator's methods, generated from the contract and the rules.

Each method has the exact signature of its op and no loops or dictionaries on its way: it unwraps,
runs the inner op, and records a node when something is tracked. `docs/engine.md` shows one in full.
"""

from __future__ import annotations

import inspect
import linecache
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from everygrad.rules.registry import RESIDUAL_FORMS, RULES, Rule
from everygrad_ops import Kind, OpSpec, Param, Result


class Source:
    """Lines of a function being written, and the objects that its code names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}

    def add(self, line: str, depth: int = 1) -> None:
        """One more line, indented."""
        self.lines.append("    " * depth + line)

    def bind(self, name: str, value: Any) -> str:
        """Make `value` available under `name`."""
        self.names[name] = value
        return name

    def build(self, name: str, title: str) -> Callable[..., Any]:
        """Compile the lines and return the function called `name`; `inspect.getsource` and tracebacks show them."""
        text = "\n".join(self.lines) + "\n"
        file = f"<everygrad {title} {name} {zlib.crc32(text.encode()):08x}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), self.names)  # noqa: S102  # our own text
        function: Callable[..., Any] = self.names[name]
        return function


def signature_of(spec: OpSpec, source: Source) -> str:
    """The parameter list of an op, its defaults bound as names."""
    parts: list[str] = []
    for p in spec.params:
        if p.default is inspect.Parameter.empty:
            parts.append(p.name)
        else:
            parts.append(f"{p.name}={source.bind(f'_default_{p.name}', p.default)}")
    return ", ".join(parts)


def unwrapped(p: Param) -> str:
    """The expression for the inner array (or arrays) of an argument."""
    if p.kind is Kind.ARRAY:
        return f"{p.name}.value"
    if p.kind is Kind.OPTIONAL:
        return f"(None if {p.name} is None else {p.name}.value)"
    if p.kind is Kind.SCALAR:
        return f"({p.name}.value if {p.name}.__class__ is Tracked else {p.name})"
    if p.kind is Kind.SEQUENCE:
        return f"[_t.value for _t in {p.name}]"
    return p.name


def node_of(p: Param) -> str:
    """The expression for the node (or the tuple of nodes) of an argument."""
    if p.kind is Kind.ARRAY:
        return f"{p.name}.node"
    if p.kind is Kind.OPTIONAL:
        return f"None if {p.name} is None else {p.name}.node"
    if p.kind is Kind.SCALAR:
        return f"{p.name}.node if {p.name}.__class__ is Tracked else None"
    return f"tuple([_t.node for _t in {p.name}])"


def is_tracked(p: Param) -> str:
    """The condition that an argument is tracked, from its `<name>_n`."""
    if p.kind is Kind.SEQUENCE:
        return f"any([_n is not None for _n in {p.name}_n])"
    return f"{p.name}_n is not None"


def wrap(spec: OpSpec, expression: str) -> str:
    """The expression for untracked results."""
    if spec.result is Result.ARRAY:
        return f"Tracked({expression}, None)"
    kind = "tuple" if spec.result is Result.TUPLE else "list"
    return f"{kind}([None if _o is None else Tracked(_o, None) for _o in {expression}])"


def fresh(source: Source, name: str, kind: str, depth: int, **fields: str) -> None:
    """Write the lines that make an object slot by slot: a call of its `__init__` would cost twice as much."""
    source.add(f"{name} = new({kind})", depth)
    for field, value in fields.items():
        source.add(f"{name}.{field} = {value}", depth)


def plain(spec: OpSpec, source: Source) -> None:
    """A method that only passes through: queries, and ops without a gradient."""
    call = f"inner({', '.join(unwrapped(p) for p in spec.params)})"
    source.add(f"return {call if spec.result is Result.HOST else wrap(spec, call)}", 2)


def differentiable_params(spec: OpSpec) -> list[Param]:
    """The arguments a node has parents for, in order: those with rules, or all arrays without."""
    rules = RULES.get(spec.name)
    arrays = [p for p in spec.arrays if p.name not in spec.marks.caches]
    if not rules:
        return arrays
    covered = {name for rule in rules for name in rule.wrt}
    return [p for p in arrays if p.name in covered]


def tracked_test(spec: OpSpec, source: Source) -> str:
    """Write the lines that read the nodes, and return the condition for recording."""
    params = differentiable_params(spec)
    for p in params:
        source.add(f"{p.name}_n = {node_of(p)}", 2)
    condition = " or ".join(is_tracked(p) for p in params)
    condition = f"({condition}) and is_recording()"
    if any(p.name == "dtype" for p in spec.params):
        condition += " and dtype.is_floating"
    return condition


def inheriting(spec: OpSpec, source: Source) -> None:
    """A method that runs the default composition on the decorator itself, when something is tracked."""
    source.add(f"if {tracked_test(spec, source)}:", 2)
    args = ["None" if p.name in spec.marks.caches else p.name for p in spec.params]
    source.add(f"return default({', '.join(['autodiff', *args])})", 3)
    plain(spec, source)


def recomputing(spec: OpSpec, source: Source) -> None:
    """A method that runs the inner form and saves the arguments, to differentiate the default later."""
    condition = tracked_test(spec, source)
    for p in spec.params:
        source.add(f"{p.name}_v = {unwrapped(p)}", 2)
    source.add(f"out = inner({', '.join(f'{p.name}_v' for p in spec.params)})", 2)
    source.add(f"if {condition}:", 2)
    parents = ", ".join(_starred(p) for p in differentiable_params(spec))
    saved = ", ".join("None" if p.name in spec.marks.caches else f"{p.name}_v" for p in spec.params)
    if source.names["lazy"]:
        kinds = [p.kind for p in spec.params]
        source.bind("sources", [i if kind in ONE_ARRAY else None for i, kind in enumerate(kinds)])
        source.add(f"node = LazyNode(record, ({parents},), None, None)", 3)
        source.add(f"remember(node, ({saved},), sources, {nodes_of(spec)}, {again(spec, source)})", 3)
        source.add("return record_outputs(out, node)", 3)
    else:
        source.add(f"return record_outputs(out, Node(record, ({parents},), ({saved},), None))", 3)
    source.add(f"return {wrap(spec, 'out')}", 2)


ONE_ARRAY = (Kind.ARRAY, Kind.OPTIONAL, Kind.SCALAR)


def nodes_of(spec: OpSpec) -> str:
    """The expression for the nodes of the arguments, None for those that have none to speak of."""
    known = {p.name for p in differentiable_params(spec) if p.kind in ONE_ARRAY}
    return f"({', '.join(f'{p.name}_n' if p.name in known else 'None' for p in spec.params)},)"


def again(spec: OpSpec, source: Source) -> str:
    """The expression for how to run a cheap op again: (function, arguments)."""
    if not spec.marks.cheap:
        return "None"
    if "inner_form" in source.names:
        form = source.names["inner_form"]
        source.bind("first_of", lambda *args: form(*args)[0])  # pyright: ignore[reportUnknownLambdaType]  # arrays of any library
    function = "first_of" if "inner_form" in source.names else "inner"
    return f"({function}, ({', '.join(f'{p.name}_v' if p.is_array else p.name for p in spec.params)},))"


def _starred(p: Param) -> str:
    return f"*{p.name}_n" if p.kind is Kind.SEQUENCE else f"{p.name}_n"


def saved_names(spec: OpSpec) -> list[str]:
    """What the rules of an op name beyond g, in order: the contents of `Node.saved`."""
    result: list[str] = []
    for rule in RULES[spec.name]:
        for name in rule.names:
            if name not in result and not is_upstream(spec, name) and name != "needs":
                result.append(name)
    return result


def is_upstream(spec: OpSpec, name: str) -> bool:
    """Whether a rule's name stands for an upstream gradient."""
    return name == "g" or (name.startswith("g_") and name[2:] in spec.outputs)


def rules_naming(spec: OpSpec, name: str) -> Sequence[Rule]:
    """The rules of an op that name `name`."""
    return [rule for rule in RULES[spec.name] if name in rule.names]


def residuals(spec: OpSpec, forms: dict[str, OpSpec]) -> tuple[str, ...]:
    """The names of the residuals that the op's residual form returns."""
    form = RESIDUAL_FORMS.get(spec.name)
    return forms[form].outputs[len(spec.outputs) :] if form else ()
