"""The gradient of an op that has no rule, but that the inner backend has a fast form of.

The fast form runs forwards and its arguments are saved; the backward pass runs the contract's
default composition on them, which is differentiable op by op. An override thus never loses a gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everygrad.engine.balanced import made
from everygrad.engine.node import ALIAS, Node, Record, Tracked
from everygrad.engine.recording import set_recording
from everygrad_ops import Kind, OpSpec, Result

if TYPE_CHECKING:
    from everygrad.engine.autodiff import Autodiff


def recompute_record(autodiff: Autodiff[Any], spec: OpSpec) -> Record:
    """A record whose pull differentiates the default of `spec` on `autodiff`."""

    def pull(b: Any, g: Any, node: Node, parents: Sequence[Node | None]) -> Sequence[Any]:
        return _pull(autodiff, spec, g, node, parents, graph=False)

    def pull_graph(b: Any, g: Any, node: Node, parents: Sequence[Node | None]) -> Sequence[Any]:
        return _pull(autodiff, spec, g, node, parents, graph=True)

    return Record(
        spec.name,
        pull,
        pull_graph,
        inputs=[p.name for p in spec.arrays],
        broadcasting=spec.marks.broadcasting,
    )


def _pull(
    autodiff: Autodiff[Any], spec: OpSpec, g: Any, node: Node, wanted: Sequence[Node | None], graph: bool
) -> Sequence[Any]:
    from everygrad.engine.backward import run

    aliases: list[Node | None] = []
    origins = iter(node.parents or ())
    asked = iter(wanted)

    def lift(value: Any) -> Tracked[Any]:
        origin, want = next(origins), next(asked)
        if want is None and (origin is None or not graph):
            aliases.append(None)
            return Tracked(value, None)
        alias = Node(ALIAS, (origin,) if graph else (), None, autodiff.inner.signature(value))
        aliases.append(alias if want is not None else None)
        return Tracked(value, alias)

    args = [
        None if p.name in spec.marks.caches else _lift_argument(p.kind, value, lift)
        for p, value in zip(spec.params, made(node.saved))
    ]
    with set_recording(True):
        out = spec.function(autodiff, *args)
        results = float_results(spec, out)
        upstream = [g] if len(results) == 1 else g
        roots = [(o.node, u) for o, u in zip(results, upstream) if u is not None and o.node is not None]
        inputs = [alias for alias in aliases if alias is not None]
        found = run(autodiff, roots, inputs=inputs, create_graph=graph)
    return [None if alias is None else found.get(alias) for alias in aliases]


def float_results(spec: OpSpec, out: Any) -> list[Any]:
    """The results that may carry a gradient, in order; an op without names returns one, or a list."""
    if spec.result is Result.ARRAY:
        return [out]
    if spec.result is Result.LIST:
        return list(out)
    return [o for o, name in zip(out, spec.outputs) if name not in spec.marks.integer_outputs]


def _lift_argument(kind: Kind, value: Any, lift: Any) -> Any:
    if kind is Kind.OPTION:
        return value
    if kind is Kind.SEQUENCE:
        return [lift(v) for v in value]
    lifted = lift(value)
    if value is None or (lifted.node is None and isinstance(value, (int, float))):
        return value
    return lifted
