"""Random ops are pure functions of their seed, and touch no global generator."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad_ops import DType

FLOATS = [DType.float64, DType.float32, DType.float16, DType.bfloat16]
DRAWS = {
    "uniform": ((257,), 3, DType.float32),
    "normal": ((257,), 3, DType.float32),
    "bernoulli": ((257,), 0.5, 3),
    "randint": (0, 100, (257,), 3),
    "permutation": (257, 3),
}


@pytest.fixture(params=["numpy", "torch", "autodiff(numpy)", "autodiff(torch)"])
def b(request: pytest.FixtureRequest) -> Any:
    if "torch" in request.param:
        pytest.importorskip("torch", reason="the array library is not installed")
    return eg.backend(request.param)


@pytest.mark.parametrize("op", DRAWS)
def test_one_seed_gives_one_array_and_another_seed_another(b: Any, op: str) -> None:
    args = DRAWS[op]
    at = args.index(3)
    first, again, other = (
        b.to_numpy(getattr(b, op)(*args[:at], seed, *args[at + 1 :])) for seed in (3, 3, 4)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("op", DRAWS)
def test_no_global_generator_moves(b: Any, op: str) -> None:
    torch = pytest.importorskip("torch", reason="its generator is watched too")
    before = (random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist())
    getattr(b, op)(*DRAWS[op])
    assert (random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()) == before


@pytest.mark.parametrize("dtype", FLOATS)
def test_uniform_never_rounds_up_to_one(b: Any, dtype: DType) -> None:
    drawn = b.to_numpy(b.uniform((200_000,), 11, dtype)).astype(np.float64)
    assert drawn.max() < 1 and drawn.min() >= 0
    assert drawn.max() > 0.99


@pytest.mark.parametrize("seed", [0, -1, 2**63 - 1, 2**64])
def test_any_integer_is_a_seed(b: Any, seed: int) -> None:
    assert b.shape(b.uniform((2,), seed, DType.float32)) == (2,)
