"""The public edge: its messages, what it takes for a number, what it leaves alone, and what it costs."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# (short lambdas, called against their types)

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad.edge.hints import hints_of
from everygrad.edge.layer import behind_the_edge
from everygrad.functional import reduction
from tests.wrong_calls import public

X, IMAGE, WEIGHT = eg.ones(2, 3), eg.ones(1, 1, 4, 4), eg.ones(1, 1, 2, 2)

any_: Any = eg
any_x: Any = X
"""Called against their types."""

MESSAGES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: any_.abs(3.0), TypeError, r"abs: input must be a Tensor. Received: float; write eg.tensor\(input\)"),
    (
        lambda: any_.conv2d(IMAGE, np.ones((1, 1, 2, 2))),
        TypeError,
        r"conv2d: weight must be a Tensor. Received: weight=numpy.ndarray of shape \(1, 1, 2, 2\) and float64; write eg.",
    ),
    (lambda: any_.conv2d(IMAGE, torch.ones(1, 1, 2, 2)), TypeError, r"torch.Tensor of shape .* write eg.tensor\(weight\)"),
    (lambda: any_.scatter(eg.zeros(3), 0, [0, 1], 1.0), TypeError, r"scatter: index must be a Tensor. .*eg.tensor\(index\)"),
    (lambda: any_.conv2d(IMAGE, WEIGHT, stride=2.0), TypeError, r"stride must be an integer or .* write int\(stride\)"),
    (lambda: any_.sum(X, keepdim=1), TypeError, "sum: keepdim must be True or False. Received: keepdim=1; write True or False"),
    (lambda: any_x.sum(dtype="no such"), eg.DTypeError, "unknown dtype 'no such': write one of"),
    (lambda: any_x.requires_grad_("yes"), TypeError, "^requires_grad_: requires_grad must be True or False"),
    (lambda: any_.zeros(2**70), eg.ShapeError, "zeros: sizes must be integers, none negative or beyond 64 bits"),
    (lambda: any_.zeros(True), eg.ShapeError, r"zeros: sizes must be integers.* Received: \(True,\)"),
    (lambda: any_x.reshape(-2, 3), eg.ShapeError, r"reshape: one size may be -1.* Received: \(-2, 3\)"),
    (lambda: any_.grad(3), TypeError, "grad: function must be a function. Received: function=3"),
    (lambda: any_.grad(lambda x: x.sum(), 5)(X), TypeError, "argnums=5, 1 arguments; write a number from 0 to 0"),
    (lambda: any_.vjp(lambda x: 3, X), TypeError, "vjp: the function must return a Tensor. Received: int"),
    (lambda: any_.use(3), TypeError, "use: spec must be a string or a backend. Received: spec=3"),
    (lambda: any_x[1 : "a"], TypeError, "getitem: slice indices must be integers"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "words"), MESSAGES)
def test_messages(call: Callable[[], Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        call()


def test_numbers_of_numpy_are_numbers() -> None:
    kinds: list[tuple[Any, Any]] = [
        (np.int64(1), np.int64(2)),
        (np.array(1), np.array(2)),
        (np.uint8(1), torch.tensor(2)),
    ]
    half: Any = np.float32(0.5)
    true: Any = np.bool_(True)
    for one, two in kinds:
        assert eg.zeros(one, two).shape == (1, 2)
        assert eg.ones(3, 2).sum(one).shape == (3,)
        assert eg.conv2d(IMAGE, WEIGHT, stride=two, padding=(one, one)).shape == (1, 1, 3, 3)
    assert eg.ones(3, 2).permute(np.array([1, 0])).shape == (2, 3)
    assert eg.functional.leaky_relu(-X, half).tolist() == [[-0.5] * 3] * 2
    assert eg.sum(X, 0, true).shape == (1, 3)


def test_errors_of_the_users_own_functions_are_theirs() -> None:
    def own(x: eg.Tensor) -> eg.Tensor:
        return {"a": x}["b"]

    for call in (lambda: eg.grad(own)(X), lambda: eg.checkpoint(own, X), lambda: eg.vjp(own, X)):
        with pytest.raises(KeyError, match=r"^'b'$"):
            call()


def test_a_fault_of_the_library_is_not_dressed_up() -> None:
    def broken(input: eg.Tensor, dim: int = 0) -> eg.Tensor:
        return input.no_such_attribute  # type: ignore[no-any-return, attr-defined]  # on purpose

    broken.__module__ = "everygrad.functional.broken"
    names: dict[str, Any] = {"broken": broken}
    behind_the_edge(names, "everygrad.functional")
    assert names["broken"] is not broken
    with pytest.raises(AttributeError, match="no_such_attribute"):
        names["broken"](X)


@pytest.mark.parametrize("name", [name for name in public() if not name.startswith("Tensor.__")])
def test_annotations_can_be_read(name: str) -> None:
    plain = inspect.unwrap(public()[name])
    hints = hints_of(plain)
    assert {p for p in inspect.signature(plain).parameters if p not in ("self", "input")} <= {*hints}, (
        "an argument without a type"
    )


def test_the_edge_costs_one_call() -> None:
    def calls(function: Callable[..., Any]) -> int:
        count = 0

        def note(frame: Any, event: str, argument: Any) -> None:
            nonlocal count
            count += event == "call"

        function(X, 0, True)
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            function(X, 0, True)
        finally:
            sys.setprofile(before)
        return count

    assert eg.sum is eg.Tensor.sum
    assert calls(eg.sum) == calls(reduction.sum) + 1


def test_where_the_user_has_numpy_raise_no_argument_is_blamed() -> None:
    made: dict[str, Any] = {"__name__": "everygrad.made", "np": np, "eg": eg}
    exec("def tiny(input: eg.Tensor, dim: int = 0): return np.exp(np.float32(-200))", made)  # noqa: S102  # of a module of ours
    names = {"tiny": made["tiny"]}
    behind_the_edge(names, "everygrad")
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        names["tiny"](X, 0)
