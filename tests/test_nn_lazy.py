"""Lazy layers become those they stand for, with torch's signatures, and with the parameters that waited."""

from __future__ import annotations

import inspect
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn, optim

pytestmark = pytest.mark.usefixtures("library")

SIZES: dict[str, tuple[tuple[Any, ...], tuple[int, ...]]] = {
    "Linear": ((3,), (2, 5)),
    **{f"Conv{n}d": ((4, 3), (2, 6, *[7] * n)) for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": ((4, 3), (2, 6, *[7] * n)) for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": ((), (2, 6, *[7] * n)) for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": ((), (2, 6, *[7] * n)) for n in (1, 2, 3)},
}


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("options", [{}, {"bias": False}])
def test_it_becomes_the_layer(kind: str, options: dict[str, Any]) -> None:
    args, shape = SIZES[kind]
    norm = (
        {"affine": True, "track_running_stats": True} if "InstanceNorm" in kind else {}
    )  # torch's, for lazy ones
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    eg.manual_seed(3)
    lazy = getattr(nn, f"Lazy{kind}")(*args, **options)
    before = dict(lazy.named_parameters())
    found = lazy(eg.tensor(x))
    eg.manual_seed(3)
    plain = getattr(nn, kind)(shape[1], *args, **norm, **options)
    assert type(lazy) is type(plain) and repr(lazy) == repr(plain)
    assert found.tolist() == plain(eg.tensor(x)).tolist()
    after = dict(lazy.named_parameters())
    assert list(before) == list(after) == [name for name, _ in plain.named_parameters()]
    assert all(after[name] is p for name, p in before.items())
    assert list(lazy.state_dict()) == list(plain.state_dict())
    theirs: Any = getattr(torch.nn, f"Lazy{kind}")(*args, **options)
    theirs(torch.tensor(x))
    theirs.load_state_dict({name: value.torch() for name, value in lazy.state_dict().items()})


@pytest.mark.parametrize(
    ("kind", "shape"), [("Conv2d", (6, 7, 7)), ("BatchNorm1d", (4, 6)), ("InstanceNorm2d", (6, 4, 4))]
)
def test_other_ranks(kind: str, shape: tuple[int, ...]) -> None:
    args = (4, 3) if kind == "Conv2d" else ()
    lazy: Any = getattr(nn, f"Lazy{kind}")(*args)
    lazy(eg.ones(shape))
    assert type(lazy) is getattr(nn, kind)
    assert (lazy.in_channels if kind == "Conv2d" else lazy.num_features) == 6


def test_a_model_trains_with_an_optimizer_made_before() -> None:
    model = nn.Sequential(nn.LazyLinear(4), nn.Tanh(), nn.LazyLinear(1)).train()
    assert "0 parameters" in repr(model) and "LazyLinear(in_features=?, out_features=4)" in repr(model)
    optimizer, x = optim.SGD(model.parameters(), lr=0.1), eg.randn(8, 3)
    losses: list[float] = []
    for _ in range(20):
        loss = (model(x) - 1.0).square().mean()
        optimizer.step(loss.backward())
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
    assert model[0].training and "LazyLinear" not in repr(model)


def test_hooks_stay() -> None:
    layer, seen = nn.LazyLinear(2), list[Any]()

    def hook(module: nn.Module, args: Any, out: Any) -> None:
        seen.append(type(module))

    layer.register_forward_hook(hook)
    for _ in range(2):
        layer(eg.ones(1, 3))
    assert seen == [nn.Linear, nn.Linear]


@pytest.mark.parametrize("method", ["state_dict", "num_params", "double", "valid", "freeze"])
def test_before_the_first_call_there_are_no_values(method: str) -> None:
    with pytest.raises(ValueError, match=r"before the first call. Write model\(input\) once"):
        getattr(nn.Sequential(nn.LazyLinear(2)), method)()


def test_wrong_arguments_and_inputs() -> None:
    with pytest.raises(TypeError, match="unexpected keyword"):
        nn.LazyLinear(2, size=3)
    with pytest.raises(TypeError, match="missing a required argument"):
        nn.LazyConv2d(2)
    layer = nn.LazyConv2d(4, 3)
    with pytest.raises(TypeError, match="LazyConv2d: input must be a Tensor"):
        layer(np.ones((1, 2, 3, 3)))
    with pytest.raises(eg.ShapeError, match="LazyConv2d: input must have a dim -3"):
        layer(eg.ones(3, 3))
    assert layer(eg.ones(1, 2, 3, 3)).shape == (1, 4, 1, 1)


@pytest.mark.parametrize("kind", SIZES)
def test_the_arguments_are_torchs(kind: str) -> None:
    theirs = inspect.signature(getattr(torch.nn, f"Lazy{kind}")).parameters
    ours = inspect.signature(getattr(nn, f"Lazy{kind}")).parameters
    names = [name for name in theirs if name not in ("device", "dtype", "bias")]
    assert names == [name for name in ours if name not in ("backend", "dtype", "bias")]
    assert [theirs[name].default for name in names] == [ours[name].default for name in names]


def test_several_threads_meet_one_layer() -> None:
    x = eg.ones(4, 5)
    for _ in range(20):
        layer = nn.LazyLinear(3)
        begin = threading.Barrier(8)

        def call(layer: Any = layer, begin: threading.Barrier = begin) -> Any:
            begin.wait()
            return layer(x).tolist()

        with ThreadPoolExecutor(8) as pool:
            found = [job.result() for job in [pool.submit(call) for _ in range(8)]]
        assert all(y == layer(x).tolist() for y in found)
