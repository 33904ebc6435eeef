"""1: f = sum(x sin(x)), its gradient and second derivative."""

# The same lines run on objects of several libraries, whose types have nothing in common.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from tests.benchmarks.libraries import OURS, library_of
from tests.benchmarks.timing import Builder, Case, Work

SIZES = (3, 1_000_000)


def ours(side: str, size: int, order: int) -> Builder:
    """Ours, and torch's, in the same words."""

    def build() -> Work:
        lib = library_of(side)
        x = lib.tensor(np.linspace(0.1, 0.9, size, dtype=np.float32), variable=True)

        def work() -> Any:
            y = (x * x.sin()).sum()
            if order == 1:
                return lib.gradients(y, [x])
            (g,) = lib.gradients(y, [x], create_graph=True)
            return lib.gradients(g.sum(), [x])

        return work

    return build


def autograd(size: int, order: int) -> Builder:
    """HIPS autograd's."""

    def build() -> Work | None:
        peer: Any = importlib.import_module("autograd")
        anp: Any = importlib.import_module("autograd.numpy")
        x = np.linspace(0.1, 0.9, size, dtype=np.float32)
        first = peer.grad(lambda t: anp.sum(t * anp.sin(t)))
        second = peer.grad(lambda t: anp.sum(first(t)))
        return lambda: (first if order == 1 else second)(x)

    return build


def mygrad(size: int, order: int) -> Builder:
    """MyGrad's, which has first derivatives alone."""

    def build() -> Work | None:
        if order > 1:
            return None
        mg: Any = importlib.import_module("mygrad")
        array = np.linspace(0.1, 0.9, size, dtype=np.float32)
        x = mg.tensor(array)

        def work() -> Any:
            (x * mg.sin(x)).sum().backward()
            return x.grad

        return work

    return build


def jax(size: int, order: int) -> Builder:
    """JAX's, compiled."""

    def build() -> Work | None:
        peer: Any = importlib.import_module("jax")
        x = peer.numpy.linspace(0.1, 0.9, size)
        first = peer.grad(lambda t: (t * peer.numpy.sin(t)).sum())
        second = peer.grad(lambda t: first(t).sum())
        compiled = peer.jit(first if order == 1 else second)
        return lambda: compiled(x).block_until_ready()

    return build


def cases() -> list[Case]:
    """Two sizes, two orders."""
    found: list[Case] = []
    for size in SIZES:
        small = size == SIZES[0]
        for order in (1, 2):
            sides = {side: ours(side, size, order) for side in ("torch", *OURS)}
            sides |= {
                "jax": jax(size, order),
                "autograd": autograd(size, order),
                "mygrad": mygrad(size, order),
            }
            targets = {
                ("everygrad/torch", "torch"): 0.8 if small else 1.0,
                ("everygrad/numpy", "autograd"): 0.5 if small else 0.8,
                ("everygrad/numpy", "mygrad"): 0.5 if small else 0.8,
            }
            if not small:
                targets["everygrad/numpy", "torch"] = 2.0
            what = "gradient" if order == 1 else "second derivative"
            found.append(Case(1, f"sum(x sin(x)), n = {size:,}, {what}", sides, targets))
    return found
