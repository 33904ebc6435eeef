"""Each public function, one wrong argument at a time: a right answer, or an error that says what to write.

`WRONG_INPUT=all python -m pytest tests/test_wrong_input.py` tries every replacement, which takes minutes.
"""

from __future__ import annotations

import functools
import inspect
import os
import random
from collections.abc import Callable
from typing import Any

import pytest

import everygrad as eg
from everygrad.generator import current_generator
from tests.wrong_calls import Call, public, recorded
from tests.wrong_tries import slots, tried
from tests.wrong_values import instead_of

PART = None if os.environ.get("WRONG_INPUT") == "all" else 2
"""How many replacements of each argument are tried, drawn by the function's name."""

WITHOUT = {
    **dict.fromkeys(("eg.enable_grad", "eg.no_grad", "eg.is_grad_enabled"), "takes nothing"),
    **dict.fromkeys(("eg.set_default", "eg.manual_seed"), "changes what the next call starts from"),
    **dict.fromkeys(("eg.empty", "eg.empty_like", "Tensor.new_empty"), "its values are any"),
    **dict.fromkeys(
        [f"Tensor.__{name}__" for name in ("array", "deepcopy", "dlpack", "reduce")],
        "protocols of Python and NumPy",
    ),
    "Tensor.__init__": "of a backend's own array",
    "Tensor.cuda": "needs a device",
    "Tensor.torch": "gives torch's tensor",
    "eg.backend": "gives the backend",
    "eg.use": "gives the backend",
}
"""What is not called, and why."""


found_calls = functools.cache(recorded)

LONG = "_polynomial_"
"""In the name of what takes as many steps as its number says: there is no wrong number, but a long wait."""


def test_wrong_arguments() -> None:
    wrong: list[str] = []
    count = 0
    for name, calls in found_calls().items():
        if name in WITHOUT or not calls:
            continue
        draw = random.Random(name)
        call = max(calls, key=lambda c: len(c.args) + len(c.keywords))
        for slot in slots(call):
            choices = [*instead_of(slot.value)]
            for label, make in choices if PART is None else draw.sample(choices, PART):
                if LONG in name and label == repr(2**70):
                    continue
                count += 1
                fault = tried(call, slot, make)
                if fault:
                    wrong.append(f"{name}, {slot.name} = {label}: {fault}")
    assert not wrong, f"{len(wrong)} of {count}:\n" + "\n".join(wrong)
    assert count > 3000, "too few calls: is the search still right?"


def takes_more(name: str) -> bool:
    """Whether there is an argument to be wrong, beside the tensor of a method; Python's own protocols aside."""
    beside = len(inspect.signature(public()[name]).parameters) - name.startswith("Tensor.")
    return beside > 0 and not name.startswith("Tensor.__")


def test_each_public_function_is_called() -> None:
    found = found_calls()
    assert {name for name, calls in found.items() if not calls and takes_more(name)} <= {*WITHOUT}
    assert {*WITHOUT} <= {*public()}
    assert len(found) > 550


def taken_by_numpy_alone(x: eg.Tensor) -> eg.Tensor:
    return x if "numpy" in x.backend.name else x.no_such_attribute  # type: ignore[attr-defined]  # on purpose


def raised(error: Exception) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        raise error

    return function


def half_done(x: Any) -> Any:
    current_generator().next_seed()
    raise ValueError("Received: something")


def of_another_dtype(x: Any) -> Any:
    return eg.Tensor(eg.tensor(1.0).array, eg.tensor(1.0).backend, "float")  # type: ignore[arg-type]  # on purpose


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a foreign error": (raised(AttributeError("'int' object has no attribute 'shape'")), "a bare AttributeError"),
    "an index out of a list": (raised(KeyError("mode")), "a bare KeyError"),
    "a message that says nothing": (raised(ValueError("bad argument")), "does not say what came"),
    "a refusal after a draw": (half_done, "something was changed"),
    "one library alone": (lambda x: taken_by_numpy_alone(eg.ones(1)), "a bare AttributeError"),
    "another answer": (lambda x: eg.ones(1) * ("numpy" in eg.ones(1).backend.name), "another answer"),
    "another class": (
        lambda x: raised((ValueError if "numpy" in eg.ones(1).backend.name else TypeError)("Received: x"))(x),
        "another class",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_function_is_found(name: str) -> None:
    function, words = WRONG[name]
    call = Call("eg.wrong", function, [2])
    faults = {tried(call, slot, make) for slot in slots(call) for _, make in instead_of(2)}
    assert all(words in fault for fault in faults), faults


def test_a_dtype_that_is_none_is_found() -> None:
    call = Call("eg.wrong", of_another_dtype, [2])
    (slot,) = slots(call)
    with pytest.raises(AssertionError, match="a dtype that is none"):
        tried(call, slot, lambda library: 3)


def test_an_honest_function_passes() -> None:
    call = Call("eg.sum", eg.sum, [eg.ones(2, 3), 0])
    assert {tried(call, slot, make) for slot in slots(call) for _, make in instead_of(slot.value)} == {""}
