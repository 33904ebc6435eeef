"""2: a chain of 300 adds, multiplications and tanh."""

# The same lines run on objects of several libraries, whose types have nothing in common.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from tests.benchmarks.libraries import OURS, library_of
from tests.benchmarks.timing import Builder, Case, Work

TARGETS = {4: 1.15, 4_096: 1.1, 262_144: 1.0}


def data(size: int) -> list[Any]:
    """x, w and c."""
    random = np.random.default_rng(0)
    return [random.normal(size=size).astype(np.float32) for _ in range(3)]


def chain(tensors: Any, tanh: Any) -> Any:
    """300 ops on x, w and c."""
    x, w, c = tensors
    for _ in range(100):
        x = tanh(x * w + c)
    return x


def ours(side: str, size: int) -> Builder:
    """Ours, and torch's, in the same words."""

    def build() -> Work:
        lib = library_of(side)
        tensors = [lib.tensor(a, variable=True) for a in data(size)]
        return lambda: lib.gradients(chain(tensors, lambda t: t.tanh()).sum(), tensors)

    return build


def autograd(size: int) -> Builder:
    """HIPS autograd's."""

    def build() -> Work:
        peer: Any = importlib.import_module("autograd")
        anp: Any = importlib.import_module("autograd.numpy")
        gradient = peer.grad(lambda x, w, c: anp.sum(chain((x, w, c), anp.tanh)), (0, 1, 2))
        arrays = data(size)
        return lambda: gradient(*arrays)

    return build


def mygrad(size: int) -> Builder:
    """MyGrad's."""

    def build() -> Work:
        mg: Any = importlib.import_module("mygrad")
        tensors = [mg.tensor(a) for a in data(size)]
        return lambda: chain(tensors, mg.tanh).sum().backward()

    return build


def jax(size: int) -> Builder:
    """JAX's, compiled."""

    def build() -> Work:
        peer: Any = importlib.import_module("jax")
        jnp = peer.numpy
        gradient = peer.jit(peer.grad(lambda x, w, c: chain((x, w, c), jnp.tanh).sum(), (0, 1, 2)))
        arrays = [jnp.asarray(a) for a in data(size)]
        return lambda: [g.block_until_ready() for g in gradient(*arrays)]

    return build


def cases() -> list[Case]:
    """Three sizes."""
    found: list[Case] = []
    for size, target in TARGETS.items():
        sides = {side: ours(side, size) for side in ("torch", *OURS)}
        sides |= {"jax": jax(size), "autograd": autograd(size), "mygrad": mygrad(size)}
        targets = {("everygrad/torch", "torch"): target}
        if size == 4:
            targets |= {("everygrad/numpy", peer): 0.4 for peer in ("autograd", "mygrad")}
        found.append(Case(2, f"chain of 300 at {size:,}", sides, targets))
    return found
