"""The interface as it was promised: the main names in one run, the ops of the contract at each rank, typed packages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import everygrad as eg
from everygrad_numpy import NumpyBackend
from everygrad_ops import contract

ROOT = Path(__file__).parent.parent

RANKED = (
    "conv{}d", "conv{}d_x_backward", "conv{}d_weight_backward", "conv{}d_bias_backward",
    "avg_pool{}d", "avg_pool{}d_backward",
    "max_pool{}d", "max_pool{}d_with_indices", "max_pool{}d_with_indices_backward",
)  # fmt: skip
PAIRED = ("linear_x", "embedding", "relu", "gelu", "sigmoid", "tanh", "softmax", "log_softmax", "layer_norm",
          "batch_norm", "nll_loss", "avg_pool", "max_pool_with_indices", "conv_x", "conv_weight")  # fmt: skip


class MyBackend(NumpyBackend):
    """Someone's own."""

    name = "tests.test_api:MyBackend"


def test_the_main_names(library: str) -> None:
    x = eg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    apart = eg.tensor(1.0, requires_grad=True)
    grads = (x @ x).sin().sum().backward()
    assert grads[x].shape == (2, 2) and grads.get(apart) is None
    (gx,) = eg.gradients((x**3).sum(), [x], create_graph=True)
    assert gx is not None and gx.requires_grad

    def f(t: eg.Tensor) -> eg.Tensor:
        return t.tanh().sum()

    t = eg.tensor(0.5)
    second = -2 * np.tanh(0.5) * (1 - np.tanh(0.5) ** 2)
    assert eg.grad(eg.grad(f))(t).item() == pytest.approx(second, rel=1e-6)
    assert eg.hessian(f)(t).item() == pytest.approx(second, rel=1e-6)
    assert eg.value_and_grad(f)(t)[0].item() == pytest.approx(np.tanh(0.5))
    out, pull = eg.vjp(f, t)
    assert pull(eg.ones_like(out))[0].item() == pytest.approx(1 - np.tanh(0.5) ** 2)
    other = "numpy" if library == "torch" else "torch"
    with eg.use(other):
        assert eg.ones(1).backend.name == f"autodiff({other})"
    model = eg.nn.Linear(2, 2)
    model.to(other)
    assert x.to(other).backend is model.weight.backend is eg.backend(f"autodiff({other})")
    assert eg.backend("tests.test_api:MyBackend").name == MyBackend.name
    assert {"numpy", "torch"} <= {*eg.list_backends()}
    eg.manual_seed(0)


def test_the_contract_has_them() -> None:
    ops = contract()
    assert all(name.format(rank) in ops for name in RANKED for rank in (1, 2, 3))
    assert all(f"{name}_backward" in ops for name in PAIRED)


def test_each_package_is_typed() -> None:
    packages = [
        p for root in ("ops", "backends", "autodiff") for p in (ROOT / root).glob("everygrad*/__init__.py")
    ]
    assert len(packages) == 5 and all((p.parent / "py.typed").is_file() for p in packages)
