"""How a rule is written down, and the table of all rules.

A rule is a function of `b`, the backend to compute with, and of what it names:

- `g`: the upstream gradient (`g_values` for the result `values` of a multi-output op; None if unused),
- `out`: the result (`out_indices` for a named one),
- an argument of the op, or `x_shape`, `x_dtype` for the shape and dtype of argument `x` alone,
- a residual, such as `mean`, of the op's residual form: None where it must be recomputed,
- `needs`, in a joint rule: which gradients are wanted, in the order of its arguments.

Only what it names is saved for the backward pass. The engine sums over broadcast dims, checks shapes
and dtypes, and accumulates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from everygrad_ops import Kind, OpSpec, contract
from everygrad_ops.spec import parameter_names

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Rule:
    """The gradient of one op in one argument, or jointly in several."""

    op: str
    wrt: tuple[str, ...]
    function: Callable[..., Any]
    names: tuple[str, ...]
    joint: bool
    only_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """By name of what is saved: the arguments whose gradients need it; the others do not keep it alive."""

    def asked_by(self, name: str) -> tuple[str, ...]:
        """The arguments for whose gradients `name` is needed."""
        return self.only_for.get(name, self.wrt)


RULES: dict[str, list[Rule]] = {}
RESIDUAL_FORMS: dict[str, str] = {}


def gradient(op: str, wrt: str) -> Callable[[F], F]:
    """Register the gradient of `op` in its argument `wrt`."""

    def register(rule: F) -> F:
        _add(op, (wrt,), rule, joint=False)
        return rule

    return register


def joint_gradient(
    op: str, *wrt: str, only_for: Mapping[str, tuple[str, ...]] | None = None
) -> Callable[[F], F]:
    """Register one rule for several arguments, returning a gradient or None for each.

    `only_for={"x": ("weight",)}` says that `x` is saved only if `weight` is tracked: it is None otherwise.
    """

    def register(rule: F) -> F:
        _add(op, wrt, rule, joint=True, only_for=only_for or {})
        return rule

    return register


def residual_form(op: str, form: str) -> None:
    """While tracked, run `form`: its first results are the op's, the others are residuals for the rules."""
    spec, other = _spec(op), _spec(form)
    if [p.name for p in spec.params] != [p.name for p in other.params]:
        raise TypeError(f"{form!r} must take the arguments of {op!r} to be its residual form")
    RESIDUAL_FORMS[op] = form


def _spec(op: str) -> OpSpec:
    if op not in contract():
        raise LookupError(f"a rule names the op {op!r}, which the contract does not have")
    return contract()[op]


def _add(
    op: str,
    wrt: tuple[str, ...],
    function: Callable[..., Any],
    joint: bool,
    only_for: Mapping[str, tuple[str, ...]] | None = None,
) -> None:
    spec = _spec(op)
    arrays = {p.name for p in spec.arrays}
    for name in wrt:
        if name not in arrays:
            raise LookupError(f"a rule of {op!r} names the argument {name!r}, which cannot be an array of it")
        if any(name in rule.wrt for rule in RULES.get(op, ())):
            raise LookupError(f"{op!r} already has a rule for its argument {name!r}")
    names, only_for = parameter_names(function)[1:], only_for or {}
    for name, asking in only_for.items():
        if name not in names or not asking or not set(asking) <= set(wrt):
            raise LookupError(
                f"a rule of {op!r} for {wrt} saves {name!r} only for {asking}: "
                "write a parameter of the rule, and arguments that the rule is for"
            )
    RULES.setdefault(op, []).append(Rule(op, wrt, function, names, joint, only_for))


def known_names(spec: OpSpec) -> set[str]:
    """Every name that a rule of this op may use."""
    several = len(spec.float_outputs) > 1 or bool(spec.marks.outputs)
    names = {f"g_{o}" for o in spec.float_outputs} if several else {"g"}
    names |= {f"out_{o}" for o in spec.outputs} if several else {"out"}
    names |= {p.name for p in spec.params} | {"needs"}
    names |= {f"{p.name}_{meta}" for p in spec.arrays for meta in ("shape", "dtype")}
    form = RESIDUAL_FORMS.get(spec.name)
    return names | (set(contract()[form].outputs[len(spec.outputs) :]) if form else set())


def check_complete() -> None:
    """Refuse to go on without a gradient: called once all rules are imported."""
    for spec in contract().values():
        rules = RULES.get(spec.name, [])
        for rule in rules:
            unknown = set(rule.names) - known_names(spec)
            if unknown:
                raise LookupError(f"a rule of {spec.name!r} names {sorted(unknown)}, which nothing provides")
        covered = {name for rule in rules for name in rule.wrt}
        must = (spec.marks.primitive or spec.marks.optional) and spec.marks.differentiable
        needed = {p.name for p in spec.arrays} - set(spec.marks.caches) - INTEGER_ARGUMENTS
        if (must or rules) and needed - covered:
            raise LookupError(
                f"the op {spec.name!r} has no gradient rule for {sorted(needed - covered)}: "
                f"add one to everygrad/rules, or mark the op @non_differentiable in the contract"
            )


INTEGER_ARGUMENTS = frozenset(
    {"index", "indices", "offsets", "condition", "target", "input_lengths", "target_lengths"}
)
"""Arguments that hold integers or booleans by their meaning: never differentiated."""

__all__ = ["INTEGER_ARGUMENTS", "RESIDUAL_FORMS", "RULES", "Kind", "Rule", "gradient", "joint_gradient"]
