"""The contract walked through: nothing without a case, a docstring, one signature and a gradient."""

from __future__ import annotations

import inspect

import pytest

from everygrad.conformance.calls import Call, draw, is_array, same_bits
from everygrad.conformance.case import Case
from everygrad.conformance.cases import all_bad_calls, all_cases
from everygrad.registry import backend
from everygrad.rules import RULES
from everygrad.rules.registry import INTEGER_ARGUMENTS
from everygrad_ops import DType, OpSpec, contract
from tests.minimal import MinimalBackend

CONTRACT = contract()
BACKENDS = {
    "numpy": backend("numpy"),
    "torch": backend("torch"),
    "autodiff(numpy)": backend("autodiff(numpy)"),
    "minimal": MinimalBackend(),
}
CASES: dict[str, list[Case]] = {}
for _case in all_cases():
    CASES.setdefault(_case.op, []).append(_case)

specs = pytest.mark.parametrize("spec", CONTRACT.values(), ids=CONTRACT.keys())


def differentiated(spec: OpSpec) -> set[str]:
    """The arguments that must get a gradient."""
    arrays = {p.name for p in spec.arrays} if spec.marks.differentiable else set[str]()
    return arrays - set(spec.marks.caches) - INTEGER_ARGUMENTS


@specs
def test_has_a_case(spec: OpSpec) -> None:
    if spec.marks.internal or spec.marks.query:
        pytest.skip("not for the table")
    assert CASES.get(spec.name), f"write a case of {spec.name} in everygrad/conformance/cases"


@specs
def test_each_gradient_has_a_case(spec: OpSpec) -> None:
    checked: set[str] = set()
    for case in CASES.get(spec.name, []):
        if case.order or case.gradients is not None:
            checked |= differentiated(spec) if case.wrt is None else set(case.wrt)
    for name in differentiated(spec) - checked:
        assert gives_its_shape_only(spec, name), f"no case checks the gradient of {spec.name} in {name}"


def gives_its_shape_only(spec: OpSpec, name: str) -> bool:
    """Whether other values of an argument change no result, as in burn's backwards of pooling."""
    b, seen = BACKENDS["numpy"], False
    at = [p.name for p in spec.params].index(name)
    for case in CASES.get(spec.name, []):
        host = list(draw(case, DType.float64))
        if at >= len(host) or not is_array(host[at]) or not host[at].size:
            continue
        seen = True
        before = Call(b, spec, host).run()
        host[at] = 1 - 3 * host[at]
        after = Call(b, spec, host).run()
        if not all(same_bits(x, y) for x, y in zip(before, after) if x is not None):
            return False
    return seen


@specs
def test_has_a_docstring(spec: OpSpec) -> None:
    doc = inspect.getdoc(spec.function) or ""
    assert len(doc.split()) > 1
    assert doc.splitlines()[0].endswith((".", "...", ":"))


@specs
@pytest.mark.parametrize("name", BACKENDS)
def test_signature_is_the_contracts(name: str, spec: OpSpec) -> None:
    due = [(p.name, p.default, p.kind) for p in parameters(spec.function)]
    found = [(p.name, p.default, p.kind) for p in parameters(getattr(BACKENDS[name], spec.name))]
    assert found == [d for d in due if d[0] != "self"]


def parameters(function: object) -> list[inspect.Parameter]:
    assert callable(function)
    return list(inspect.signature(function).parameters.values())


@specs
def test_has_a_rule_a_default_or_a_mark(spec: OpSpec) -> None:
    ruled = {name for rule in RULES.get(spec.name, []) for name in rule.wrt}
    has_default = not (spec.marks.primitive or spec.marks.optional)
    assert has_default or not spec.marks.differentiable or differentiated(spec) <= ruled


def test_the_primitives_stay_few(capsys: pytest.CaptureFixture[str]) -> None:
    core = [s.name for s in CONTRACT.values() if s.marks.primitive]
    optional = [s.name for s in CONTRACT.values() if s.marks.optional]
    with capsys.disabled():
        print(f"\n{len(CONTRACT)} ops: {len(core)} core primitives, {len(optional)} optional ones")
    assert len(core) <= 75


def test_cases_name_ops_of_the_contract() -> None:
    assert {c.op for c in all_cases()} | {c.op for c in all_bad_calls()} <= set(CONTRACT)
    for case in all_cases():
        assert case.wrt is None or set(case.wrt) <= {p.name for p in CONTRACT[case.op].arrays}, case.id
