"""The method of an op that has rules: run it, save what the rules name, record a node."""

from __future__ import annotations

from everygrad.engine.compile import (
    Source,
    again,
    differentiable_params,
    fresh,
    is_tracked,
    nodes_of,
    residuals,
    rules_naming,
    saved_names,
    tracked_test,
    unwrapped,
    wrap,
)
from everygrad_ops import Kind, OpSpec, Result, contract


def recording(spec: OpSpec, source: Source) -> None:
    """Write the body of a recording method."""
    condition = tracked_test(spec, source)
    for p in spec.arrays:
        source.add(f"{p.name}_v = {unwrapped(p)}", 2)
    call = ", ".join(f"{p.name}_v" if p.is_array else p.name for p in spec.params)
    kept = residuals(spec, contract())
    if kept:
        source.add(f"if {condition}:", 2)
        first = "out" if spec.result is Result.ARRAY else "*out"  # several results stay together
        source.add(f"{first}, {', '.join(kept)} = inner_form({call})", 3)
        _node(spec, source, 3)
        source.add(f"return {wrap(spec, f'inner({call})')}", 2)
        return
    source.add(f"out = inner({call})", 2)
    source.add(f"if {condition}:", 2)
    _node(spec, source, 3)
    if spec.result is Result.ARRAY:
        fresh(source, "result", "Tracked", 2, value="out", node="None")
        source.add("return result", 2)
    else:
        source.add(f"return {wrap(spec, 'out')}", 2)


def _node(spec: OpSpec, source: Source, depth: int) -> None:
    """Write the return of tracked results."""
    signature = "(out.shape, out.dtype)" if source.names["plain_signature"] else "signature(out)"
    parents = "".join(
        f"*{p.name}_n, " if p.kind is Kind.SEQUENCE else f"{p.name}_n, " for p in differentiable_params(spec)
    )
    if spec.result is not Result.ARRAY:
        source.add(f"{', '.join(f'out_{o}' for o in spec.outputs)} = out", depth)
    saved = "".join(f"{_saved(spec, name)}, " for name in saved_names(spec))
    if source.names["lazy"]:
        _lazy_node(spec, source, depth, parents, saved)
        return
    if spec.result is Result.ARRAY:
        known = f"{differentiable_params(spec)[0].name}_n.signature" if spec.marks.pointwise else signature
        fresh(
            source,
            "node",
            "Node",
            depth,
            order="next_order()",
            record="record",
            parents=f"({parents})",
            saved=f"({saved})",
            signature=known,
        )
        fresh(source, "result", "Tracked", depth, value="out", node="node")
        source.add("return result", depth)
    else:
        source.add(f"return record_outputs(out, Node(record, ({parents}), ({saved}), None))", depth)


def _lazy_node(spec: OpSpec, source: Source, depth: int, parents: str, saved: str) -> None:
    """The same for a decorator that recomputes cheap ops."""
    names = [p.name for p in spec.params]
    at = [names.index(name) if name in names else -1 if name == "out" else None for name in saved_names(spec)]
    source.bind(
        "sources",
        [None if i is not None and i >= 0 and spec.params[i].kind is Kind.SEQUENCE else i for i in at],
    )
    source.add(f"node = LazyNode(record, ({parents}), None, None)", depth)
    source.add(f"remember(node, ({saved}), sources, {nodes_of(spec)}, {again(spec, source)})", depth)
    if spec.result is Result.ARRAY:
        source.add("node.signature = signature(out)", depth)
        source.add("return Tracked(out, node)", depth)
    else:
        source.add("return record_outputs(out, node)", depth)


def _saved(spec: OpSpec, name: str) -> str:
    """The expression for one saved name: None where no tracked argument's rule asks for it."""
    arrays = {p.name: p for p in spec.arrays}
    if any(p.name == name and not p.is_array for p in spec.params):
        return name  # an option, also where it is called x_shape
    for meta in ("shape", "dtype"):
        base = name.removesuffix(f"_{meta}")
        if name not in arrays and base != name and base in arrays:
            return _metadata(arrays[base].kind, meta, f"{base}_v")
    if not (name in arrays or name.startswith("out") or name in residuals(spec, contract())):
        return name  # an option
    value = f"{name}_v" if name in arrays else name
    wrt = {p for rule in rules_naming(spec, name) for p in rule.asked_by(name)}
    params = differentiable_params(spec)
    if wrt >= {p.name for p in params}:
        return value
    asked = " or ".join(is_tracked(p) for p in params if p.name in wrt)
    return f"{value} if {asked} else None"


def _metadata(kind: Kind, meta: str, value: str) -> str:
    if kind is Kind.SEQUENCE:
        return f"tuple([{meta}_of(_v) for _v in {value}])"
    if kind is Kind.OPTIONAL:
        return f"None if {value} is None else {meta}_of({value})"
    if kind is Kind.SCALAR:
        return f"() if isinstance({value}, (int, float)) else {meta}_of({value})"
    return f"{meta}_of({value})"
