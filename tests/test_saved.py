"""What a recorded convolution keeps alive: an operand only where a gradient is computed from it."""

from __future__ import annotations

import weakref
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from everygrad.engine import Autodiff, run
from everygrad.engine.compile_pull import record_of
from everygrad.registry import backend
from everygrad.rules import RULES, joint_gradient
from everygrad_numpy import NumpyBackend
from everygrad_ops import Backend, conv_options

CALLS: dict[str, tuple[Any, ...]] = {
    "conv": (conv_options(rank=2),),
    "conv1d": (),
    "conv2d": (1, 1),
    "conv3d": (),
}


def operands(op: str) -> dict[str, Any]:
    r, rank = np.random.default_rng(0), 2 if op == "conv" else int(op[4])
    sizes = {"x": (2, 4, *(5, 4, 3)[:rank]), "weight": (3, 4, *(2, 3, 2)[:rank]), "bias": (3,)}
    return {name: r.normal(size=size) for name, size in sizes.items()}


def kept(b: Backend[Any], op: str, tracked: set[str]) -> set[str]:
    """The operands that live on in the graph after their owners have let go of them."""
    ad = Autodiff(b)
    lifted = {name: ad.from_numpy(value) for name, value in operands(op).items()}
    given = {n: ad.variable(v) if n in tracked else v for n, v in lifted.items()}
    watched = {name: weakref.ref(v.value) for name, v in given.items()}
    out = getattr(ad, op)(given["x"], given["weight"], given["bias"], *CALLS[op])
    assert out.node is not None
    lifted.clear()
    given.clear()
    return {name for name, seen in watched.items() if seen() is not None}


@pytest.mark.parametrize("name", ["numpy", "torch"])
@pytest.mark.parametrize("op", CALLS)
@pytest.mark.parametrize(
    ("tracked", "due"),
    [
        ({"x"}, {"weight"}),
        ({"weight"}, {"x"}),
        ({"bias"}, set[str]()),
        ({"x", "bias"}, {"weight"}),
        ({"weight", "bias"}, {"x"}),
        ({"x", "weight", "bias"}, {"x", "weight"}),
    ],
    ids=lambda names: "-".join(sorted(names)),
)
def test_keeps_what_its_gradients_need(name: str, op: str, tracked: set[str], due: set[str]) -> None:
    assert kept(backend(name), op, tracked) == due


@contextmanager
def without_only_for(op: str) -> Generator[None]:
    honest = RULES[op]
    RULES[op] = [replace(rule, only_for={}) for rule in honest]
    record_of.cache_clear()
    try:
        yield
    finally:
        RULES[op] = honest
        record_of.cache_clear()


def test_a_rule_that_saves_too_much_is_seen() -> None:
    with without_only_for("conv"):
        assert kept(backend("numpy"), "conv", {"x"}) == {"x", "weight"}
    assert kept(backend("numpy"), "conv", {"x"}) == {"weight"}


@pytest.mark.parametrize(
    "only_for", [{"y": ("weight",)}, {"x": ("target",)}, {"x": ()}], ids=["name", "argument", "none"]
)
def test_only_for_names_what_is_there(only_for: dict[str, tuple[str, ...]]) -> None:
    honest = RULES.pop("conv")
    try:
        with pytest.raises(LookupError, match="only for"):

            @joint_gradient("conv", "x", "weight", only_for=only_for)
            def rule(b: Backend[Any], g: Any, x: Any, needs: tuple[bool, bool]) -> Any:
                return None, None

    finally:
        RULES["conv"] = honest


@pytest.mark.parametrize("name", ["numpy", "torch"])
@pytest.mark.parametrize("wanted", [{"x"}, {"weight"}, {"bias"}, {"x", "bias"}, {"x", "weight", "bias"}])
def test_some_gradients_are_those_of_all(name: str, wanted: set[str]) -> None:
    """Frozen operands, and operands that are not asked for, change no gradient."""
    ad = Autodiff(backend(name))
    found: list[dict[str, Any]] = []
    for tracked in (wanted, {"x", "weight", "bias"}):
        given = {
            n: ad.variable(ad.from_numpy(v)) if n in tracked else ad.from_numpy(v)
            for n, v in operands("conv2d").items()
        }
        out = ad.conv2d(given["x"], given["weight"], given["bias"], 1, 1)
        nodes = {n: given[n].node for n in wanted}
        inputs = [node for node in nodes.values() if node is not None]
        assert out.node is not None and len(inputs) == len(wanted)
        grads = run(ad, [(out.node, out.value)], inputs=inputs)
        found.append({n: ad.inner.to_numpy(grads[node]) for n, node in nodes.items() if node is not None})
    for n in wanted:
        np.testing.assert_allclose(found[0][n], found[1][n], rtol=1e-12)


class Named(NumpyBackend):
    """A stranger with kernels by rank alone."""

    called: list[str]


def _own(op: str) -> Any:
    def method(self: Named, *args: Any) -> Any:
        self.called.append(op)
        return getattr(NumpyBackend, op)(self, *args)

    return method


NAMED = ("conv2d_x_backward", "conv2d_weight_backward", "conv2d_bias_backward", "avg_pool2d_backward")
for _op in (*NAMED, "max_pool2d_with_indices_backward"):
    setattr(Named, _op, _own(_op))


def test_the_kernels_of_a_stranger_are_called() -> None:
    b = Named()
    b.called = []
    ad = Autodiff(b)
    x, weight, bias = (ad.variable(ad.from_numpy(v)) for v in operands("conv2d").values())
    out = ad.conv2d(x, weight, bias, 1, 1)
    total = ad.add(ad.avg_pool2d(out, 2), ad.max_pool2d(out, 2))
    assert total.node is not None
    run(ad, [(total.node, total.value)])
    assert sorted(b.called) == sorted((*NAMED, "max_pool2d_with_indices_backward"))
