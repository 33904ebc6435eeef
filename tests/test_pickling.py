"""What can be pickled is what it was elsewhere, and what cannot says why."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import everygrad as eg
from everygrad import nn, optim
from everygrad_numpy import NumpyBackend

WAYS: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]


@eg.custom_vjp
def tripled(x: eg.Tensor) -> eg.Tensor:
    """A function with a gradient of its own, found by its name."""
    return x * 3


def forwards(x: eg.Tensor) -> tuple[eg.Tensor, None]:
    return x * 3, None


tripled.defvjp(forwards, lambda residuals, g: (g * 3,))


@pytest.mark.parametrize(
    "spec", ["{}", "autodiff({})", "autodiff(autodiff({}))", "autodiff({},checkpointing=balanced)"]
)
def test_a_backend_is_itself_again(spec: str, library: str) -> None:
    b = eg.backend(spec.format(library))
    with eg.use(b):
        eg.functional.relu(eg.ones(2))  # methods that were generated in the meantime do not matter
    for way in WAYS:
        assert way(b) is b
        assert way([b, {"b": b}])[1]["b"] is b


def test_a_backend_without_a_name_here_is_copied_as_itself() -> None:
    class Mine(NumpyBackend):
        pass

    b = eg.backend("autodiff(numpy)")
    made: Any = type(b)(Mine())  # type: ignore[call-arg]  # the class of decorators
    assert copy.deepcopy(made) is made and copy.copy(made) is made
    with eg.use(made):
        assert (eg.ones(2) + 1).tolist() == [2, 2]


def test_tensors_of_a_copied_place_mix(library: str) -> None:
    class Holder(nn.Module):
        def __init__(self) -> None:
            self.place = eg.backend(f"autodiff({library})")
            self.weight = nn.Parameter(eg.ones(2, backend=self.place))

        def forward(self, x: eg.Tensor) -> eg.Tensor:
            return x.to(self.place) * self.weight

    module = Holder()
    for way in WAYS[1:2]:
        assert way(module)(eg.ones(2, backend=module.place)).tolist() == [1, 1]


def test_gradients_are_copied_as_values_and_say_why_they_are_not_sent(library: str) -> None:
    with eg.use(library):
        p = nn.Parameter([1.0, 2.0])
        for create_graph in (False, True):
            grads = (p * p * p).sum().backward(create_graph=create_graph)
            for way in WAYS[:2]:
                assert way(grads)[p].tolist() == [3, 12]
            with pytest.raises(
                eg.GradientError, match=r"Gradients of 1 tensors; write \[grads.get\(p\) for p"
            ):
                pickle.dumps(grads)
        sent = pickle.loads(pickle.dumps([grads[p].detach()]))
        optim.SGD([p], lr=1.0).step(sent)
        assert p.tolist() == [-2, -10]


def test_a_function_with_its_own_gradient_is_found_by_name() -> None:
    for way in WAYS:
        assert way(tripled) is tripled
    x = eg.tensor(2.0, requires_grad=True)
    assert tripled(x).backward()[x].item() == 3
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(eg.custom_vjp(lambda x: x))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]  # of anything


def test_another_process_reads_what_was_sent(tmp_path: Path, library: str) -> None:
    b = eg.backend(f"autodiff({library})")
    x = eg.tensor([1.0, float("nan"), -0.0], dtype=eg.bfloat16, backend=b)
    v = eg.tensor([1.5], backend=b, requires_grad=True)
    (tmp_path / "sent").write_bytes(pickle.dumps((b, x, v)))
    code = (
        "import pickle, pathlib, sys\n"
        "b, x, v = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "import everygrad as eg\n"
        f"assert b is eg.backend('autodiff({library})') and x.backend is b and v.backend is b\n"
        "print(x.dtype, (v * v).backward()[v].tolist(), x.tolist())"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "sent")], capture_output=True, text=True, check=True
    )
    assert out.stdout.split(maxsplit=1)[1].strip() == "[3.0] [1.0, nan, -0.0]", out.stderr
    assert "bfloat16" in out.stdout
