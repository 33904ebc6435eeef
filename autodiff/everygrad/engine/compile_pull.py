"""The way back through an op with rules: one function on plain arrays, one that records again."""

from __future__ import annotations

import functools

from everygrad.engine.balanced import made
from everygrad.engine.compile import (
    Source,
    differentiable_params,
    is_upstream,
    residuals,
    saved_names,
)
from everygrad.engine.inline import expression_of
from everygrad.engine.node import Node, Pull, Record, Tracked, pick
from everygrad.rules.registry import RESIDUAL_FORMS, RULES, Rule
from everygrad_ops import Kind, OpSpec, contract


@functools.cache
def record_of(name: str, lazy: bool) -> Record:
    """The record of an op with rules, shared by every decorator; `lazy` where saved values may be recipes."""
    spec = contract()[name]
    return Record(
        name,
        _pull(spec, False, lazy),
        _pull(spec, True, lazy),
        inputs=[p.name for p in differentiable_params(spec)],
        broadcasting=spec.marks.broadcasting,
    )


def _pull(spec: OpSpec, graph: bool, lazy: bool) -> Pull:
    source = Source()
    source.names.update(Tracked=Tracked, pick=pick, Node=Node, made=made)
    source.add("def pull(b, g, node, parents):", 0)
    names = saved_names(spec)
    if names:
        source.add(f"{', '.join(names)}, = {'made(node.saved)' if lazy else 'node.saved'}")
    if spec.marks.outputs and len(spec.float_outputs) > 1:
        source.add(f"{', '.join(f'g_{o}' for o in spec.float_outputs)}, = g")
    elif spec.marks.outputs:
        source.add(f"g_{''.join(spec.float_outputs)} = g")
    if graph:
        _wrap_again(spec, names, source)
    _gradients(spec, source)
    return source.build("pull", f"gradient of {spec.name}")


def _wrap_again(spec: OpSpec, names: list[str], source: Source) -> None:
    """Saved arrays become tracked again, by the nodes they had: the gradient's gradient flows there."""
    position = {p.name: i for i, p in enumerate(differentiable_params(spec))}
    arrays = {p.name: p for p in spec.arrays}
    for name in names:
        if name in residuals(spec, contract()):
            if name in contract()[RESIDUAL_FORMS[spec.name]].marks.integer_outputs:
                source.add(f"{name} = Tracked({name}, None)")  # indices are constants at every order
            else:
                source.add(f"{name} = None")  # a constant here would lose the higher orders: recompute
        elif name in arrays:
            kind = arrays[name].kind
            if kind is Kind.SEQUENCE:
                at = position.get(name)
                nodes = f"node.parents[{at}:]" if at is not None else f"[None] * len({name})"
                source.add(f"{name} = {name} and [Tracked(_v, _n) for _v, _n in zip({name}, {nodes})]")
                continue
            parent = f"node.parents[{position[name]}]" if name in position else "None"
            test = f"{name} is not None"
            if kind is Kind.SCALAR:  # a tracked one is an array, also where its type is a kind of float
                test = f"{parent} is not None or not isinstance({name}, (int, float, type(None)))"
            source.add(f"if {test}: {name} = Tracked({name}, {parent})")
        elif name == "out":
            source.add("if out is not None: out = Tracked(out, node)")
        elif name.startswith("out_") and name[4:] in spec.outputs:
            source.add(f"if {name} is not None: {name} = {_wrapped_output(spec, name)}")


def _wrapped_output(spec: OpSpec, name: str) -> str:
    if name[4:] in spec.marks.integer_outputs:
        return f"Tracked({name}, None)"
    if len(spec.float_outputs) == 1:
        return f"Tracked({name}, node)"
    return f"pick({name}, node, {spec.float_outputs.index(name[4:])}, b.inner.signature({name}))"


def _gradients(spec: OpSpec, source: Source) -> None:
    """Call each rule whose argument is wanted, and return one gradient per parent."""
    params = differentiable_params(spec)
    position = {p.name: i for i, p in enumerate(params)}
    for number, rule in enumerate(RULES[spec.name]):
        wanted = [f"parents[{position[w]}] is not None" for w in rule.wrt]
        call = None if "needs" in rule.names else expression_of(rule.function)
        if call is None:
            source.bind(f"rule{number}", rule.function)
            call = (
                f"rule{number}({', '.join(['b', *(_argument(spec, rule, n, wanted) for n in rule.names)])})"
            )
        targets = ", ".join(f"d_{w}" for w in rule.wrt)
        if spec.param(rule.wrt[0]).kind is Kind.SEQUENCE or len(params) == 1:
            source.add(f"{targets} = {call}")
        else:
            nothing = ", ".join("None" for _ in rule.wrt)
            source.add(f"if {' or '.join(wanted)}: {targets} = {call}")
            source.add(f"else: {targets} = {nothing}")
    parts = "".join(f"*d_{p.name}, " if p.kind is Kind.SEQUENCE else f"d_{p.name}, " for p in params)
    source.add(f"return ({parts})")


def _argument(spec: OpSpec, rule: Rule, name: str, wanted: list[str]) -> str:
    if name == "needs":
        return f"({', '.join(wanted)},)"
    assert is_upstream(spec, name) or name in saved_names(spec), (rule.op, name)
    return name
