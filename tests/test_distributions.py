"""Random functions: their distributions (checks that can fail), one array per seed, gradients, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from tests.fault_tools import INF, NAN, same, slopes, variable

pytestmark = pytest.mark.usefixtures("library")

N = 20000


def near(found: float, due: float, spread: float) -> None:
    """Off by more than 6 standard deviations of a mean of N draws: once in a billion."""
    assert abs(found - due) <= 6 * spread / math.sqrt(N), (found, due, 6 * spread / math.sqrt(N))


def host(x: eg.Tensor) -> Any:
    return np.asarray(x.tolist(), np.float64)


DRAWS: dict[str, Callable[[], eg.Tensor]] = {
    "normal": lambda: eg.normal(1.0, 2.0, (50,)),
    "uniform": lambda: eg.uniform(1.0, 2.0, (50,)),
    "exponential": lambda: eg.exponential(2.0, (50,)),
    "gamma": lambda: eg.gamma(2.0, 3.0, (50,)),
    "beta": lambda: eg.beta(2.0, 3.0, (50,)),
    "dirichlet": lambda: eg.dirichlet(eg.ones(20)),
    "poisson": lambda: eg.poisson(eg.full((50,), 9.0)),
    "multinomial": lambda: eg.multinomial(eg.ones(50), 20),
    "multinomial-again": lambda: eg.multinomial(eg.ones(50), 20, True),
    "categorical": lambda: eg.categorical(eg.zeros(50), (20,)),
    "rand_like": lambda: eg.rand_like(eg.ones(50)),
    "randn_like": lambda: eg.randn_like(eg.ones(50)),
    "randint_like": lambda: eg.randint_like(eg.ones(50), 0, 100),
    "randperm": lambda: eg.randperm(50),
    "bernoulli": lambda: eg.bernoulli(eg.ones(50), 0.5),
}


@pytest.mark.parametrize("name", DRAWS)
def test_one_seed_one_array(name: str) -> None:
    found: list[Any] = []
    for seed in (3, 3, 4):
        with eg.seeded(seed):
            found.append(DRAWS[name]().tolist())
    assert found[0] == found[1] != found[2]


def test_a_wrong_mean_is_found() -> None:
    near(0.5, 0.5, 1)
    with pytest.raises(AssertionError):
        near(0.5, 0.55, 1)


def test_moments() -> None:
    with eg.seeded(7):
        x = host(eg.normal(1.0, 2.0, (N,)))
        near(x.mean(), 1, 2)
        near(((x - 1) ** 2).mean(), 4, 6)
        x = host(eg.uniform(-1.0, 3.0, (N,)))
        assert x.min() >= -1 and x.max() < 3
        near(x.mean(), 1, 4 / math.sqrt(12))
        x = host(eg.exponential(2.0, (N,)))
        assert x.min() >= 0
        near(x.mean(), 0.5, 0.5)
        near((x > 0.5).mean(), math.exp(-1), 0.5)
        x = host(eg.gamma(3.0, 2.0, (N,)))
        near(x.mean(), 1.5, math.sqrt(3) / 2)
        near((x * x).mean(), 3, 6)
        x = host(eg.beta(2.0, 3.0, (N,)))
        near(x.mean(), 0.4, 0.2)
        near((x * x).mean(), 0.2, 0.2)
        x = host(eg.dirichlet(eg.tensor([1.0, 2, 5]).expand(N, 3)))
        same(x.sum(1), np.ones(N), 1e-5)
        for i, due in enumerate((1 / 8, 2 / 8, 5 / 8)):
            near(x[:, i].mean(), due, 0.2)
        x = host(eg.bernoulli(eg.zeros(N), 0.3))
        near(x.mean(), 0.3, 0.5)
        x = host(eg.randint_like(eg.zeros(N), -1, 2))
        for v in (-1, 0, 1):
            near((x == v).mean(), 1 / 3, 0.5)


def test_choices() -> None:
    weights = eg.tensor([1.0, 0, 3, 4])
    with eg.seeded(8):
        x = host(eg.multinomial(weights, N, True))
        for i, due in enumerate((1 / 8, 0, 3 / 8, 4 / 8)):
            near((x == i).mean(), due, 0.5 if due else 0)
        x = host(eg.categorical(weights.log(), (N,)))
        for i, due in enumerate((1 / 8, 0, 3 / 8, 4 / 8)):
            near((x == i).mean(), due, 0.5 if due else 0)
        x = host(eg.multinomial(weights.expand(N, 4), 2))
        assert (x[:, 0] != x[:, 1]).all() and not (x == 1).any()
        near((x[:, 0] == 3).mean(), 4 / 8, 0.5)
        near(((x[:, 0] == 3) & (x[:, 1] == 2)).mean(), 4 / 8 * 3 / 4, 0.5)
        assert sorted(eg.multinomial(weights, 3).tolist()) == [0, 2, 3]
        assert eg.categorical(eg.zeros(2, 3, 4), (5,)).shape == (5, 2, 3)
        assert eg.categorical(eg.tensor([-INF, 1000.0])).item() == 1


def test_refusals() -> None:
    with pytest.raises(ValueError, match="4 draws without replacement"):
        eg.multinomial(eg.tensor([1.0, 0, 3, 4]), 4)
    for bad in ([-1.0, 1], [NAN, 1], [0.0, 0], [INF, 1]):
        with pytest.raises(ValueError, match="2 weights"):
            eg.multinomial(eg.tensor(bad), 1, True)
    with pytest.raises(ValueError, match="weights"):
        eg.categorical(eg.tensor([-INF, -INF]))
    with pytest.raises(ValueError, match="std"):
        eg.normal(0.0, -1.0, (2,))
    with pytest.raises(ValueError, match=r"p=1\.5"):
        eg.bernoulli(eg.zeros(2), 1.5)
    with pytest.raises(eg.ShapeError, match=r"\(3,\).*\(2,\)"):
        eg.gamma(eg.ones(3), 1.0, (2,))
    with pytest.raises(eg.ShapeError, match="num_samples=0"):
        eg.multinomial(eg.ones(2), 0)


def test_draws_carry_gradients() -> None:
    with eg.seeded(9):
        mean, std = variable([1.0, 2]), variable([0.5, 3])
        x = eg.normal(mean, std)
        a, b = slopes(x, mean, std)
        same(a, [1, 1])
        same(b, ((host(x) - [1, 2]) / [0.5, 3]), 1e-9)
        low, high = variable(1.0), variable(3.0)
        u = eg.uniform(low, high, (4,))
        a, b = slopes(u, low, high)
        same(a + b, 4.0)
        rate = variable([2.0, 3])
        x = eg.exponential(rate)
        same(slopes(x, rate), -host(x) / [2, 3])


def test_gradients_of_gamma() -> None:
    """By differences at one seed, to order two; the mean's is 1."""
    shape = np.array([0.3, 1, 2.5, 20])

    def draw(values: Any) -> tuple[eg.Tensor, eg.Tensor]:
        with eg.seeded(11):
            a = variable(values)
            return a, eg.gamma(a)

    a, x = draw(shape)
    (g,) = eg.gradients(x.sum(), [a], create_graph=True)
    assert g is not None
    step = 1e-4 * shape
    (p, up), (m, down) = draw(shape + step), draw(shape - step)
    same(g.tolist(), (host(up) - host(down)) / (2 * step), 1e-6)
    second = (np.asarray(slopes(up, p)) - np.asarray(slopes(down, m))) / (2 * step)
    same(slopes(g, a), second, 1e-5)
    with eg.seeded(12):
        a = variable(2.0)
        near(slopes(eg.gamma(a, 1.0, (N,)).mean(), a), 1, 1)
        c = variable([1.0, 2, 3])
        same(slopes(eg.dirichlet(c).sum(), c), [0, 0, 0], 1e-9)


def test_creation() -> None:
    assert eg.linspace(3, -1, 3).tolist() == [3, 1, -1]
    assert eg.linspace(0, 1, 1).tolist() == [0] and eg.linspace(0, 1, 0).tolist() == []
    assert eg.linspace(0, 10, 5, dtype=eg.int64).tolist() == [0, 2, 5, 7, 10]
    x = host(eg.linspace(0.1, 0.7, 1001, dtype=eg.float64))
    assert x[0] == 0.1 and x[-1] == 0.7 and np.allclose(np.diff(x), 0.0006)
    assert eg.logspace(0, 3, 4, 2).tolist() == [1, 2, 4, 8]
    assert eg.tril_indices(3, 2, -1).tolist() == [[1, 2, 2], [0, 0, 1]]
    assert eg.triu_indices(2, 3, 1, dtype=eg.int32).dtype is eg.int32
    assert eg.triu_indices(2, 3, 1).tolist() == [[0, 0, 1], [1, 2, 2]]
    assert eg.tril_indices(0, 3).shape == (2, 0)
    assert eg.empty(2, 3, dtype=eg.int8).dtype is eg.empty_like(eg.zeros(1, dtype=eg.int8)).dtype is eg.int8
    base = eg.zeros(1, dtype=eg.float64)
    assert base.new_zeros((2, 2)).shape == base.new_empty(2, 2).shape == (2, 2)
    assert base.new_full((2,), 3).tolist() == [3, 3] and base.new_ones(1).dtype is eg.float64
    assert base.new_tensor([1, 2]).dtype is eg.float64
    assert eg.randperm(5, dtype=eg.int32).dtype is eg.int32
    wrongs: list[Callable[[], eg.Tensor]] = [
        lambda: eg.linspace(0, 1, -1),
        lambda: eg.tril_indices(-1, 2),
        lambda: base.new_ones(-1),
    ]
    for wrong in wrongs:
        with pytest.raises(eg.ShapeError):
            wrong()
