"""Where the project began: the gradient of average pooling is an op, differentiable at every order.

Elsewhere `avg_pool2d_backward` on a tracked array, or a second derivative through average pooling, panics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad.engine import Autodiff, Node, Tracked, run
from everygrad_numpy import NumpyBackend
from everygrad_ops import Backend, ShapeError, contract
from everygrad_torch import TorchBackend
from tests.minimal import MinimalBackend

Array = np.ndarray[Any, np.dtype[Any]]

CALLS: Counter[str] = Counter()


class StrangerBackend(NumpyBackend):
    """Someone else's backend: kernels of its own for avg_pool2d and its backward, in plain loops."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "stranger"

    def avg_pool2d(
        self,
        x: Array,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int | None = None,
    ) -> Array:
        CALLS["avg_pool2d"] += 1
        args = kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override
        matrix, size = pooling_matrix(x.shape[2:], *args)
        return (x.reshape(-1, matrix.shape[1]) @ matrix.T).reshape(*x.shape[:2], *size)

    def avg_pool2d_backward(
        self,
        x: Array,
        grad: Array,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        count_include_pad: bool = True,
        ceil_mode: bool = False,
        divisor_override: int | None = None,
    ) -> Array:
        CALLS["avg_pool2d_backward"] += 1
        args = kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override
        matrix, _ = pooling_matrix(x.shape[2:], *args)
        return (grad.reshape(-1, matrix.shape[0]) @ matrix).reshape(x.shape)


def pooling_matrix(
    sizes: tuple[int, ...], k: int, s: int | None, p: int, include: bool, ceil: bool, override: int | None
) -> tuple[Array, tuple[int, int]]:
    """Average pooling of an image as a matrix (windows, elements), from the definition."""
    s = k if s is None else s
    starts: list[list[int]] = []
    for size in sizes:
        found = list(range(-p, size + p - k + 1, s))
        if ceil and found[-1] + k < size + p and found[-1] + s < size:
            found.append(found[-1] + s)
        starts.append(found)
    rows: list[Array] = []
    for a in starts[0]:
        for b in starts[1]:
            row, counted = np.zeros(sizes), 0
            for i in range(a, a + k):
                for j in range(b, b + k):
                    real = 0 <= i < sizes[0] and 0 <= j < sizes[1]
                    explicit = i < sizes[0] + p and j < sizes[1] + p
                    counted += explicit if include else real
                    if real:
                        row[i, j] = 1
            rows.append(row.reshape(-1) / (override or counted))
    return np.array(rows), (len(starts[0]), len(starts[1]))


BACKENDS: dict[str, Callable[[], Backend[Any]]] = {
    "numpy": NumpyBackend,
    "torch": TorchBackend,
    "minimal": MinimalBackend,
    "stranger": StrangerBackend,
    "autodiff(numpy)": lambda: Autodiff(NumpyBackend()),
}
OPTIONS: dict[str, tuple[Any, ...]] = {
    "plain": (2, None, 0, True, False, None),
    "overlapping": (3, 2, 1, True, False, None),
    "exclude-pad-ceil": (3, 2, 1, False, True, None),
    "include-pad-ceil": (3, 2, 1, True, True, None),
    "divisor": (2, 1, 1, False, False, 3),
}


@pytest.fixture(params=list(BACKENDS))
def ad(request: pytest.FixtureRequest) -> Iterator[Autodiff[Any]]:
    yield Autodiff(BACKENDS[request.param]())


@pytest.fixture(params=list(OPTIONS))
def options(request: pytest.FixtureRequest) -> tuple[Any, ...]:
    return OPTIONS[request.param]


class Level:
    """Variables and gradients on one decorator, in NumPy's terms."""

    def __init__(self, ad: Autodiff[Any]) -> None:
        self.ad = ad

    def variable(self, x: Array) -> Tracked[Any]:
        return self.ad.variable(self.ad.from_numpy(x))

    def read(self, x: Tracked[Any]) -> Array:
        return np.asarray(self.ad.to_numpy(self.ad.detach(x)))

    def power_sum(self, x: Tracked[Any], power: int) -> Tracked[Any]:
        return self.ad.sum(self.ad.pow(x, power), tuple(range(len(self.ad.shape(x)))))

    def gradients(self, y: Tracked[Any], *inputs: Tracked[Any]) -> list[Tracked[Any] | None]:
        assert y.node is not None
        nodes = [node_of(x) for x in inputs]
        found = run(
            self.ad, [(y.node, self.ad.ones_like(self.ad.detach(y)))], inputs=nodes, create_graph=True
        )
        return [found.get(node) for node in nodes]


def node_of(x: Tracked[Any]) -> Node:
    assert x.node is not None
    return x.node


def test_the_backward_is_an_op_with_the_right_gradient_at_every_order(
    ad: Autodiff[Any], options: tuple[Any, ...]
) -> None:
    r, level = np.random.default_rng(0), Level(ad)
    matrix, size = pooling_matrix((5, 6), *options)
    x, g = r.normal(size=(2, 3, 5, 6)), r.normal(size=(2, 3, *size))
    tx, tg = level.variable(x), level.variable(g)
    out = ad.avg_pool2d_backward(tx, tg, *options)
    assert out.node is not None
    flat = g.reshape(-1, matrix.shape[0])
    spread = flat @ matrix
    np.testing.assert_allclose(level.read(out), spread.reshape(x.shape), atol=1e-12)

    first, nothing = level.gradients(level.power_sum(out, 4), tg, tx)
    assert first is not None and nothing is None, "x gives only its shape: it is unconnected"
    due = 4 * spread**3 @ matrix.T
    np.testing.assert_allclose(level.read(first), due.reshape(g.shape), atol=1e-12)

    second, nothing = level.gradients(level.power_sum(first, 1), tg, tx)
    assert second is not None and nothing is None
    reach = matrix.sum(0)
    due = (12 * spread**2 * reach) @ matrix.T
    np.testing.assert_allclose(level.read(second), due.reshape(g.shape), atol=1e-12)

    (third,) = level.gradients(level.power_sum(second, 1), tg)
    assert third is not None
    due = (24 * spread * reach**2) @ matrix.T
    np.testing.assert_allclose(level.read(third), due.reshape(g.shape), atol=1e-12)


def test_average_pooling_is_right_to_order_three(ad: Autodiff[Any], options: tuple[Any, ...]) -> None:
    r, level = np.random.default_rng(1), Level(ad)
    matrix, _ = pooling_matrix((5, 6), *options)
    x = r.normal(size=(2, 1, 5, 6))
    tx = level.variable(x)
    pooled = x.reshape(-1, matrix.shape[1]) @ matrix.T
    value, reach = level.power_sum(ad.avg_pool2d(tx, *options), 4), matrix.sum(1)
    for factor in (4 * pooled**3, 12 * pooled**2 * reach, 24 * pooled * reach**2):
        (grad,) = level.gradients(value, tx)
        assert grad is not None
        np.testing.assert_allclose(level.read(grad), (factor @ matrix).reshape(x.shape), atol=1e-12)
        value = level.power_sum(grad, 1)


def test_only_x_tracked_gives_nothing(ad: Autodiff[Any]) -> None:
    level = Level(ad)
    tx = level.variable(np.ones((1, 1, 4, 4)))
    out = ad.avg_pool2d_backward(tx, ad.from_numpy(np.ones((1, 1, 2, 2))), 2)
    np.testing.assert_allclose(level.read(out), np.full((1, 1, 4, 4), 0.25))
    if out.node is not None:
        assert level.gradients(level.power_sum(out, 2), tx) == [None]


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("name", ["numpy", "torch", "minimal"])
def test_every_rank(rank: int, name: str) -> None:
    ad = Autodiff(BACKENDS[name]())
    level, r = Level(ad), np.random.default_rng(2)
    g = r.normal(size=(1, 2, *(2,) * rank))
    tg = level.variable(g)
    out = getattr(ad, f"avg_pool{rank}d_backward")(ad.from_numpy(np.ones((1, 2, *(4,) * rank))), tg, 2)
    (grad,) = level.gradients(level.power_sum(out, 2), tg)
    assert grad is not None
    np.testing.assert_allclose(level.read(grad), 2 * g / 2**rank, atol=1e-12)


def test_the_strangers_kernels_are_called() -> None:
    level = Level(ad := Autodiff(StrangerBackend()))
    tx = level.variable(np.random.default_rng(3).normal(size=(1, 1, 4, 4)))
    CALLS.clear()
    value = level.power_sum(ad.avg_pool2d(tx, 2), 3)
    assert CALLS == {"avg_pool2d": 1}
    (first,) = level.gradients(value, tx)
    assert CALLS == {"avg_pool2d": 1, "avg_pool2d_backward": 1}
    assert first is not None
    (second,) = level.gradients(level.power_sum(first, 1), tx)
    assert second is not None and CALLS["avg_pool2d_backward"] > 1 and CALLS["avg_pool2d"] > 1
    CALLS.clear()
    ad.avg_pool2d_backward(ad.detach(tx), level.variable(np.ones((1, 1, 2, 2))), 2)
    assert CALLS == {"avg_pool2d_backward": 1}


def test_the_strangers_kernels_are_called_by_the_functions() -> None:
    backend = Autodiff(StrangerBackend())
    x = eg.Tensor(backend.variable(backend.from_numpy(np.arange(16.0).reshape(1, 4, 4))), backend)
    CALLS.clear()
    (grad,) = eg.gradients(eg.functional.avg_pool2d(x, 2).sum(), [x])
    assert grad is not None
    np.testing.assert_allclose(grad.detach().numpy(), np.full((1, 4, 4), 0.25))
    assert CALLS == {"avg_pool2d": 1, "avg_pool2d_backward": 1}


class HalfStrangerBackend(StrangerBackend):
    """Overrides the forward alone."""

    avg_pool2d_backward = contract()["avg_pool2d_backward"].function


def test_an_override_of_the_forward_alone_keeps_its_gradient() -> None:
    level = Level(ad := Autodiff(HalfStrangerBackend()))
    x = np.random.default_rng(4).normal(size=(1, 1, 5, 6))
    tx, matrix = level.variable(x), pooling_matrix((5, 6), 3, 2, 1, True, True, None)[0]
    CALLS.clear()
    value = level.power_sum(ad.avg_pool2d(tx, 3, 2, 1, True, True), 3)
    (grad,) = level.gradients(value, tx)
    assert grad is not None and CALLS == {"avg_pool2d": 1}
    due = 3 * (x.reshape(1, -1) @ matrix.T) ** 2 @ matrix
    np.testing.assert_allclose(level.read(grad), due.reshape(x.shape), atol=1e-12)


@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_by_name(name: str) -> None:
    backend: Any = eg.backend(f"autodiff({name})")
    g = backend.variable(backend.from_numpy(np.ones((1, 1, 2, 2))))
    out = backend.avg_pool2d_backward(backend.from_numpy(np.zeros((1, 1, 4, 4))), g, 2)
    assert out.node is not None
    with pytest.raises(ShapeError, match="avg_pool_backward: grad must have"):
        backend.avg_pool2d_backward(backend.from_numpy(np.zeros((1, 1, 6, 4))), g, 2)
