"""What the cases of each op show, and their corners: a test asks that nothing is left out without a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from everygrad.conformance.calls import FLOATING, depends_on_dtype, draw, dtypes_of, is_array, items
from everygrad.conformance.case import Array, Case
from everygrad.conformance.corner_rules import Absence, matches, table
from everygrad.conformance.corners import corners
from everygrad_ops import DType, OpSpec

_VALUES: dict[str, Callable[[Array], bool]] = {
    "nan": lambda x: bool(np.isnan(x).any()),
    "inf": lambda x: bool(np.isinf(x).any()),
    "stride-0": lambda x: max(x.shape, default=0) > 1,  # what `layouts` stretches
}
_SHAPES: dict[str, Callable[[Array], bool]] = {
    "size-0": lambda x: x.size == 0,
    "rank-0": lambda x: x.ndim == 0,
    "strided": lambda x: x.ndim > 1,  # what `checks` lays out the other way round
}
FEATURES = ("float32", "float16", "bfloat16", *_SHAPES, *_VALUES, "order 1", "order 2", "order 3")
"""What every op is asked to show."""

THIRD = (
    "*_norm", "*_norm_*", "avg_pool*", "max_pool*", "adaptive_*", "lp_pool", "conv*", "attention*", "*_loss", "*_loss_*",
    "cross_entropy", "relu*", "sigmoid*", "log_sigmoid*", "softplus*", "silu*", "gelu*", "mish*", "softmax*", "log_softmax*",
    "leaky_relu*", "prelu", "elu*", "hardtanh*", "hard_sigmoid*", "hardswish*", "threshold*", "shrink*", "glu*", "tanh",
)  # fmt: skip
"""Ops whose gradients are checked to order three: norms, pools, convolutions, activations, attention, losses."""

_FLOAT_ONLY = ("float32", "float16", "bfloat16", *_VALUES)


def shown(spec: OpSpec, cases: Sequence[Case]) -> set[str]:
    """The features that some check of these cases exercises."""
    found: set[str] = set()
    return found.union(*_shown_by_each(spec, cases))


def _shown_by_each(spec: OpSpec, cases: Sequence[Case]) -> Iterator[set[str]]:
    """What the cases as they stand show, then what each one's corners do: deriving those takes its time."""
    yield from (_of_case(spec, case) for case in cases)
    yield from ({corner.feature for corner in corners(case)} for case in cases)


def _of_case(spec: OpSpec, case: Case) -> set[str]:
    found: set[str] = set()
    host = draw(case, DType.float64)
    arrays = [x for p, arg in zip(spec.params, host) if p.is_array for x in items(arg) if is_array(x)]
    floats = [x for x in arrays if x.dtype in FLOATING]
    found |= {name for name, has in _SHAPES.items() if any(map(has, arrays))}
    found |= {name for name, has in _VALUES.items() if any(has(x) for x in floats if x.size)}
    if depends_on_dtype(case):
        found |= {d.value for d in dtypes_of(case)}
    if floats and spec.marks.differentiable and DType.float64 in case.dtypes:
        order = max(case.order, 1 if case.gradients is not None else 0)
        found |= {f"order {n}" for n in range(1, order + 1)}
    return found


def asked(spec: OpSpec, cases: Iterable[Case]) -> set[str]:
    """The features that an op of this signature can show at all."""
    hosts = [draw(case, DType.float64) for case in cases]
    arrays = [
        x
        for host in hosts
        for p, arg in zip(spec.params, host)
        if p.is_array
        for x in items(arg)
        if is_array(x)
    ]
    found = set(FEATURES)
    if not any(x.dtype in FLOATING for x in arrays):
        found -= set(_FLOAT_ONLY)
        found -= {"order 1", "order 2", "order 3"}
    if not arrays:
        found -= set(_SHAPES)
    if not spec.marks.differentiable:
        found -= {"order 1", "order 2", "order 3"}
    if not matches(THIRD, spec.name):
        found.discard("order 3")
    return found


def absent(
    specs: Iterable[OpSpec], cases: dict[str, list[Case]], reasons: Iterable[Absence] | None = None
) -> tuple[dict[str, set[str]], list[Absence]]:
    """(per op what its cases lack without a reason, the reasons that nothing needs)."""
    known = table().absences if reasons is None else tuple(reasons)
    used: set[Absence] = set()
    lacking: dict[str, set[str]] = {}
    for spec in specs:
        if spec.marks.internal or spec.marks.query:
            continue
        mine = cases.get(spec.name, [])
        wanting = asked(spec, mine)
        for found in _shown_by_each(spec, mine):
            wanting -= found
            if not wanting:
                break
        for feature in wanting:
            covering = [reason for reason in known if reason.covers(spec.name, feature)]
            used |= set(covering[:1])
            if not covering:
                lacking.setdefault(spec.name, set()).add(feature)
    return lacking, [reason for reason in known if reason not in used]
