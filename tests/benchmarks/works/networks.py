"""3 to 7: forward, backward and update of networks."""

# The same lines run on objects of several libraries, whose types have nothing in common.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.benchmarks.libraries import OURS, library_of
from tests.benchmarks.timing import Builder, Case, Work
from tests.benchmarks.works import models


@dataclass(frozen=True)
class Network:
    """A network, its inputs, its optimizer, and the ratios to stay within over torch and over NumPy."""

    number: int
    name: str
    make: Callable[[Any], Any]
    shape: tuple[int, ...]
    classes: int | None
    optimizer: str
    over_torch: float
    over_numpy: float


NETWORKS = (
    Network(3, "MLP 784-256-10, batch 64", models.mlp, (64, 784), 10, "SGD", 1.05, 1.5),
    Network(3, "MLP 784-256-10, batch 1,024", models.mlp, (1024, 784), 10, "SGD", 1.0, 1.5),
    Network(4, "LeNet 28x28, batch 64", models.lenet, (64, 1, 28, 28), 10, "SGD", 1.0, 3.0),
    Network(5, "ResNet-18 64x64, batch 8", models.resnet18, (8, 3, 64, 64), 10, "SGD", 1.0, 2.0),
    Network(6, "transformer encoder, 4 layers of 256, 8 x 128", models.encoder, (8, 128, 256), None, "AdamW", 1.0, 2.0),
    Network(7, "LSTM, 2 layers of 256, 32 x 64", models.lstm, (32, 64, 256), None, "AdamW", 1.0, 2.0),
)  # fmt: skip


def step(network: Network, side: str) -> Builder:
    """One step of training: loss, gradients, update."""

    def build() -> Work:
        lib = library_of(side)
        random = np.random.default_rng(1)
        x = lib.tensor(random.normal(size=network.shape).astype(np.float32))
        target = lib.tensor(random.integers(0, network.classes or 1, network.shape[0]))
        model = lib.model(lambda: network.make(lib.nn))
        if side != "torch":
            torchs = library_of("torch")
            lib.load(model, torchs.model(lambda: network.make(torchs.nn)).state_dict())
        optimizer = getattr(lib.optim, network.optimizer)(model.parameters(), lr=1e-3)

        def work() -> Any:
            y = model(x)
            loss = (y * y).mean() if network.classes is None else lib.F.cross_entropy(y, target)
            lib.step(optimizer, loss)
            return loss

        return work

    return build


def peer_mlp(network: Network, side: str) -> Builder:
    """The MLP in HIPS autograd and JAX, with stochastic gradient descent."""

    def build() -> Work | None:
        if network.make is not models.mlp:
            return None
        peer: Any = importlib.import_module(side)
        xp: Any = importlib.import_module(f"{side}.numpy")
        random = np.random.default_rng(1)
        x = random.normal(size=network.shape).astype(np.float32)
        target = random.integers(0, 10, len(x))
        rows = np.arange(len(x))
        shapes = ((784, 256), (256,), (256, 10), (10,))
        weights: Any = tuple((random.normal(size=s) * 0.05).astype(np.float32) for s in shapes)

        def loss(w: Any, x: Any) -> Any:
            y = xp.maximum(xp.dot(x, w[0]) + w[1], 0)
            y = xp.dot(y, w[2]) + w[3]
            y = y - xp.max(y, axis=1, keepdims=True)
            return xp.mean(xp.log(xp.sum(xp.exp(y), axis=1)) - y[rows, target])

        slope = peer.grad(loss)

        def update(w: Any, x: Any) -> Any:
            return tuple(a - np.float32(1e-3) * g for a, g in zip(w, slope(w, x)))

        run = update if side == "autograd" else peer.jit(update)
        state = [weights]

        def work() -> Any:
            state[0] = run(state[0], x)
            return [getattr(a, "block_until_ready", lambda: None)() for a in state[0]]

        return work

    return build


def mygrad_network(network: Network) -> Builder:
    """The MLP and LeNet's kind in MyGrad; it has no average pooling, batch norm, attention or LSTM."""

    def build() -> Work | None:
        if network.make is not models.mlp:
            return None
        mg: Any = importlib.import_module("mygrad")
        losses: Any = importlib.import_module("mygrad.nnet.losses")
        random = np.random.default_rng(1)
        x = random.normal(size=network.shape).astype(np.float32)
        target = random.integers(0, 10, len(x))
        shapes = ((784, 256), (256,), (256, 10), (10,))
        weights = [mg.tensor((random.normal(size=s) * 0.05).astype(np.float32)) for s in shapes]

        def work() -> Any:
            y = mg.maximum(mg.matmul(x, weights[0]) + weights[1], 0)
            losses.softmax_crossentropy(mg.matmul(y, weights[2]) + weights[3], target).backward()
            for w in weights:
                w.data -= np.float32(1e-3) * w.grad

        return work

    return build


def cases() -> list[Case]:
    """The networks."""
    found: list[Case] = []
    for network in NETWORKS:
        sides = {side: step(network, side) for side in ("torch", *OURS)}
        sides |= {side: peer_mlp(network, side) for side in ("jax", "autograd")}
        sides["mygrad"] = mygrad_network(network)
        targets = {
            ("everygrad/torch", "torch"): network.over_torch,
            ("everygrad/numpy", "torch"): network.over_numpy,
            ("everygrad/numpy", "autograd"): 0.2,
            ("everygrad/numpy", "mygrad"): 0.2,
        }
        found.append(Case(network.number, network.name, sides, targets))
    return found
