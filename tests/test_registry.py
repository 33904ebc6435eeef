"""Backends by name: what is found, what is told when not."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# (lambdas under test take and give whatever tensors they meet)

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad.engine import Autodiff
from everygrad_numpy import NumpyBackend


class Stranger(NumpyBackend):
    """A backend from outside, found as module:Class."""

    def __init__(self, device: str = "cpu") -> None:
        super().__init__()
        self.name = "stranger" if device == "cpu" else f"stranger:{device}"


def test_the_same_spec_gives_the_same_object() -> None:
    assert eg.backend("numpy") is eg.backend("numpy")
    assert eg.backend("autodiff(numpy)") is eg.backend(" autodiff( numpy ) ")
    assert eg.backend("autodiff(autodiff(numpy))").name == "autodiff(autodiff(numpy))"


def test_a_class_of_ones_own() -> None:
    spec = f"{__name__}:Stranger"
    sys.modules[__name__] = sys.modules.get(__name__, sys.modules["__main__"])
    b = eg.backend(spec)
    assert type(b).__name__ == "Stranger"
    with eg.use(spec):
        x = eg.tensor([1.0, 2.0], requires_grad=True)
        assert (x * x).sum().backward()[x].tolist() == [2.0, 4.0]


def test_unknown_names_are_answered_with_the_known() -> None:
    with pytest.raises(eg.BackendError, match=r"unknown backend 'nunpy'.*numpy, torch"):
        eg.backend("nunpy")
    with pytest.raises(eg.BackendError, match="no module named 'no_such_package'"):
        eg.backend("no_such_package:Backend")
    with pytest.raises(eg.BackendError, match="no_such_class"):
        eg.backend("everygrad_numpy:no_such_class")
    with pytest.raises(eg.BackendError):
        eg.backend("autodiff()")


def test_a_missing_library_is_answered_with_the_command() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import everygrad as eg\n"
        "for call in (lambda: eg.backend('torch'), lambda: eg.nn.ReLU().to('torch'), lambda: eg.ones(1).torch()):\n"
        "    try: call() and eg.ones(1).to('torch')\n"
        "    except eg.BackendError as e: print(e)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.count("pip install 'everygrad[torch]'") == 3


@pytest.mark.parametrize("spec", ["numpy", "torch", "autodiff(autodiff(numpy))"])
def test_a_backend_shows_its_spec(spec: str) -> None:
    assert repr(eg.backend(spec)) == f"<backend {spec!r}>"


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(eg.DeviceError, match="cuda:99"):
        eg.backend("torch:cuda:99")
    with pytest.raises(eg.DeviceError, match="CPU only"):
        eg.backend("numpy:cuda:0")


def test_names_keep_the_decorators_and_full_specs_do_not() -> None:
    with eg.use("torch"):
        assert eg.zeros(1).backend.name == "autodiff(torch)"
        with eg.use("autodiff(autodiff(numpy))"):
            assert eg.zeros(1).backend.name == "autodiff(autodiff(numpy))"
            with eg.use("torch"):
                assert eg.zeros(1).backend.name == "autodiff(autodiff(torch))"
        with eg.use(eg.backend("numpy")):
            assert eg.zeros(1).backend.name == "numpy"
    assert eg.zeros(1).backend.name == "autodiff(numpy)"


def test_the_environment_names_the_library() -> None:
    code = "import everygrad as eg; print(eg.zeros(1).backend.name)"
    for value, expected in (("torch", "autodiff(torch)"), ("autodiff(numpy)", "autodiff(numpy)")):
        out = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"EVERYGRAD_BACKEND": value},
        )
        assert out.stdout.strip() == expected


def test_importing_the_library_imports_no_torch() -> None:
    code = "import sys, everygrad; print('torch' in sys.modules, 'scipy' in sys.modules, 'matplotlib' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "False", "False"]


def test_a_first_gradient_over_numpy_waits_for_no_bfloat16() -> None:
    code = (
        "import sys, everygrad as eg\n"
        "x = eg.tensor([1.0], requires_grad=True); (x * x).sum().backward(); print('ml_dtypes' in sys.modules)\n"
        "print(x.bfloat16().dtype, 'ml_dtypes' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "everygrad.bfloat16", "True"]


def test_arrays_of_bfloat16_may_come_first_from_elsewhere() -> None:
    code = (
        "import ml_dtypes, numpy, everygrad as eg\n"
        "x = eg.tensor(numpy.full(300, 1, ml_dtypes.bfloat16)); print(x.dtype, x.sum().item())"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["everygrad.bfloat16", "300.0"]


@pytest.mark.usefixtures("library")
class TestMoves:
    def test_there_and_back_keeps_the_gradient(self) -> None:
        x = eg.tensor(np.array([1.0, 2.0]), requires_grad=True)
        other = "torch" if "numpy" in x.backend.name else "numpy"
        y = x.to(other)
        assert other in y.backend.name
        back = (y * y).to(x.backend)
        grads = (back * x).sum().backward()
        assert grads[x].backend is x.backend
        assert grads[x].tolist() == [3.0, 12.0]

    def test_second_order_through_a_move(self) -> None:
        x = eg.tensor(np.array([1.0, 2.0]), requires_grad=True)
        other = "torch" if "numpy" in x.backend.name else "numpy"
        (g,) = eg.gradients((x.to(other) ** 3).sum(), [x], create_graph=True)
        assert g is not None
        assert g.sum().backward()[x].tolist() == [6.0, 12.0]

    def test_a_shared_value_reached_on_both_libraries(self) -> None:
        x = eg.tensor(np.array([3.0]), requires_grad=True)
        other = "torch" if "numpy" in x.backend.name else "numpy"
        squared = x * x  # reached through a move and directly
        total = (squared.to(other) * 2.0).to(x.backend) + squared
        assert total.sum().backward()[x].tolist() == [18.0]

    def test_to_a_backend_that_records_nothing(self) -> None:
        x = eg.tensor([1.0], requires_grad=True)
        with pytest.raises(eg.GradientError, match="detach"):
            x.to(eg.backend("numpy"))
        assert x.detach().to(eg.backend("numpy")).backend.name == "numpy"

    @pytest.mark.parametrize("dtype", list(eg.DType), ids=str)
    def test_every_dtype_moves_bit_for_bit(self, dtype: eg.DType) -> None:
        x = eg.tensor([0, 1, 3]).to(dtype)
        other = "torch" if "numpy" in x.backend.name else "numpy"
        y = x.to(other)
        assert y.dtype is dtype
        assert y.to(x.backend).tolist() == x.tolist()


def test_libraries_do_not_mix() -> None:
    x = eg.ones(2)
    with eg.use("torch"):
        y = eg.ones(2)
    with pytest.raises(eg.BackendError, match=r"autodiff\(numpy\).*autodiff\(torch\).*\.to\("):
        _ = x + y


class Louder(NumpyBackend):
    """A stranger's backend that kept its parent's name."""

    def exp(self, x: Any) -> Any:
        return super().exp(x) * 2.0


def test_a_backend_given_as_an_object_is_the_one_in_use() -> None:
    louder = Louder()
    with eg.use(louder) as chosen:
        assert chosen is louder and eg.zeros(1).backend is louder
        assert eg.zeros(1).exp().tolist() == [2.0]
        x, y = eg.zeros(1), eg.zeros(1)
        g, _ = eg.grad(lambda a, b: (a * b).exp().sum(), argnums=(0, 1))(x, y)  # one decorator for both
        assert g.backend is louder
    with eg.use(Autodiff(louder)):
        assert eg.zeros(1).exp().tolist() == [2.0]
    assert type(eg.backend("numpy")) is NumpyBackend


class Twin(Louder):
    """Another class of the same name."""


def test_two_classes_with_one_name_stay_apart() -> None:
    Louder.name = "loud"
    try:
        first, second = eg.backend(f"{__name__}:Louder"), eg.backend(f"{__name__}:Twin")
        assert (type(first), type(second)) == (Louder, Twin)
        assert eg.backend(first.name) is first and eg.backend(second.name) is second
    finally:
        Louder.name = NumpyBackend.name


@pytest.mark.parametrize("spec", ["json:JSONDecoder", "json:loads", "tests.minimal:PRIMITIVES"])
def test_what_is_no_backend_is_told_so(spec: str) -> None:
    with pytest.raises(eg.BackendError, match=r"derives from everygrad_ops\.Backend.*Received"):
        eg.backend(spec)


class Logged(NumpyBackend):
    """A stranger's wrapper that happens to keep what it wraps under the name `inner`."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "logged"
        self.inner = NumpyBackend()
        self.calls: list[str] = []

    def silu(self, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        self.calls.append("silu")
        return self.inner.silu(x)


def test_a_backend_with_an_attribute_called_inner_is_no_decorator() -> None:
    b = Logged()
    with eg.use(eg.Autodiff(b)):
        x = eg.tensor([1.0, 2.0], requires_grad=True)
        assert x.backend.name == "autodiff(logged)"
        out = eg.functional.silu(x)
        assert b.calls == ["silu"]  # its own form ran, although tracked
        with eg.use("numpy"):
            expected = eg.tensor([1.0, 2.0], requires_grad=True)
            due = eg.functional.silu(expected).sum().backward()[expected].tolist()
        assert out.sum().backward()[x].tolist() == pytest.approx(due)
        assert x.to("numpy").backend.name == "autodiff(numpy)"
