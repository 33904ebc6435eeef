"""Every activation against torch's own, in value and gradient; kinks, infinities and NaN; random ones; layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import functional as F
from everygrad.conformance.calls import is_array
from tests.fault_tools import INF, NAN, same, slopes, variable

T: Any = torch.nn.functional
r = np.random.default_rng(5)
X, WIDE = r.normal(size=(3, 4)), np.array([-50.0, -3.5, -1.2, 0.3, 1.7, 3.6, 50.0])
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("celu", (0.7,)),
    ("elu", (1.3,)),
    ("selu", ()),
    ("gelu", ("tanh",)),
    ("gelu", ()),
    ("glu", (0,)),
    ("hardshrink", (0.4,)),
    ("hardsigmoid", ()),
    ("hardswish", ()),
    ("hardtanh", (-0.5, 0.7)),
    ("leaky_relu", (0.2,)),
    ("logsigmoid", ()),
    ("mish", ()),
    ("relu6", ()),
    ("rrelu", (0.1, 0.4)),
    ("silu", ()),
    ("softmin", (0,)),
    ("softplus", (2.0, 3.0)),
    ("softshrink", (0.4,)),
    ("softsign", ()),
    ("tanhshrink", ()),
    ("threshold", (0.1, 20.0)),
]


@pytest.mark.parametrize(("name", "options"), CALLS, ids=[c[0] for c in CALLS])
@pytest.mark.parametrize(
    "points", [X, WIDE[:6], WIDE.astype(np.float32)[1:]], ids=["normal", "wide", "float32"]
)
def test_values_and_gradients_are_torchs(
    library: str, name: str, options: tuple[Any, ...], points: Any
) -> None:
    if name == "glu" and points.shape[0] % 2:
        points = points[:2]
    x, y = eg.tensor(points, requires_grad=True), torch.tensor(points, requires_grad=True)
    given = {"approximate": options[0]} if options and isinstance(options[0], str) else None
    out = getattr(F, name)(x, *(() if given else options), **(given or {}))
    due = getattr(T, name)(y, *(() if given else options), **(given or {}))
    exact = points.dtype == np.float64
    np.testing.assert_allclose(
        out.detach().numpy(),
        due.detach().numpy(),
        rtol=1e-9 if exact else 1e-5,
        atol=1e-12 if exact else 2e-7,
    )
    upstream = np.asarray(np.random.default_rng(1).normal(size=tuple(due.shape))).astype(points.dtype)
    due.backward(torch.tensor(upstream))
    assert y.grad is not None
    slope = out.backward(eg.tensor(upstream))[x].numpy()
    rough = 1e-6 if exact else 1e-4  # torch's hardsigmoid has a 1/6 of float32
    np.testing.assert_allclose(slope, y.grad.numpy(), rtol=rough, atol=1e-7)


KINKS: list[tuple[Callable[[Any], Any], float, float]] = [
    (F.celu, 0.0, 1.0),
    (lambda x: F.elu(x, 0.5), 0.0, 0.5),
    (F.selu, 0.0, 1.7580993408473766),
    (lambda x: F.leaky_relu(x, 0.25), 0.0, 0.25),
    (lambda x: F.prelu(x, eg.tensor(np.array(0.25))), 0.0, 0.25),
    (F.hardtanh, 1.0, 0.0),
    (F.hardtanh, -1.0, 0.0),
    (F.relu6, 6.0, 0.0),
    (F.hardsigmoid, 3.0, 0.0),
    (F.hardsigmoid, -3.0, 0.0),
    (F.hardswish, 3.0, 1.0),
    (F.hardswish, -3.0, 0.0),
    (F.thresholded_relu, 1.0, 0.0),
    (F.hardshrink, 0.5, 0.0),
    (F.softshrink, -0.5, 0.0),
    (F.shrink, 0.5, 0.0),
    (F.softsign, 0.0, 1.0),
    (F.tanhshrink, 0.0, 0.0),
]


@pytest.mark.parametrize(("f", "at", "due"), KINKS)
def test_the_table_of_kinks(library: str, f: Callable[[Any], Any], at: float, due: float) -> None:
    x = variable([at])
    same(slopes(f(x), x), [due], 1e-9)


@pytest.mark.parametrize("name", ["celu", "elu", "gelu", "hardsigmoid", "hardswish", "logsigmoid", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "softplus", "softsign", "tanh", "tanhshrink"])  # fmt: skip
@pytest.mark.parametrize("dtype", [eg.float64, eg.float32, eg.float16])
def test_no_nan_at_the_infinities(library: str, name: str, dtype: Any) -> None:
    x = eg.tensor([INF, -INF], dtype=dtype, requires_grad=True)
    out = getattr(F, name)(x)
    (slope,) = eg.gradients(out, [x], [eg.ones(2, dtype=dtype)])
    assert slope is not None
    assert not any(map(math.isnan, [*out.tolist(), *slope.tolist()])), (out.tolist(), slope.tolist())


@pytest.mark.parametrize("name", [c[0] for c in CALLS if c[0] not in ("glu", "softmin", "threshold")])
def test_nan_stays(library: str, name: str) -> None:
    assert math.isnan(getattr(F, name)(eg.tensor([NAN]))[0].item())


def test_prelu(library: str) -> None:
    x = np.array(r.normal(size=(2, 3, 2)))
    for weight in (np.array([0.25]), np.array([0.1, 0.2, 0.3])):
        mine, other = variable(x), torch.tensor(x, requires_grad=True)
        w, v = variable(weight), torch.tensor(weight, requires_grad=True)
        T.prelu(other, v).square().sum().backward()
        assert other.grad is not None and v.grad is not None
        found = slopes(F.prelu(mine, w) ** 2, mine, w)
        same(found[0], other.grad.numpy())
        same(found[1], v.grad.numpy())
    with pytest.raises(eg.ShapeError, match="one for each of the 3 channels"):
        F.prelu(eg.tensor(x), eg.ones(2, dtype=eg.float64))


def test_rrelu_draws_slopes(library: str) -> None:
    x = variable(np.full(1000, -1.0))
    with eg.seeded(3):
        out = F.rrelu(x, 0.25, 0.5, training=True)
    with eg.seeded(3):
        again = F.rrelu(x, 0.25, 0.5, training=True)
    drawn = -np.asarray(out.detach().numpy())
    assert out.tolist() == again.tolist() and 0.25 <= drawn.min() < drawn.max() < 0.5
    same(slopes(out, x), drawn)
    assert F.rrelu(eg.tensor([-1.0, 2.0]), 0.25, 0.5).tolist() == [-0.375, 2.0]


def test_gumbel_softmax(library: str) -> None:
    logits = variable(np.log(np.array([[0.2, 0.8]] * 4000)))
    with eg.seeded(1):
        hard = F.gumbel_softmax(logits, hard=True)
    with eg.seeded(1):
        soft = F.gumbel_softmax(logits)
    assert set(hard.flatten().tolist()) == {0.0, 1.0} and hard.sum().item() == 4000
    assert np.mean(np.asarray(hard.detach().numpy())[:, 1]) == pytest.approx(0.8, abs=0.03)
    same(
        slopes(hard * eg.tensor(np.array([1.0, 0.0])), logits),
        slopes(soft * eg.tensor(np.array([1.0, 0.0])), logits),
    )
    with pytest.raises(ValueError, match="tau"):
        F.gumbel_softmax(logits, tau=0)


def test_swiglu_and_shrink(library: str) -> None:
    x = np.array(r.normal(size=(2, 6)))
    a, b = torch.tensor(x).chunk(2, -1)
    same(F.swiglu(eg.tensor(x)).tolist(), (T.silu(a) * b).numpy())
    assert F.shrink(eg.tensor([-2.0, 0.5, 2.0]), 0.5, 0.25).tolist() == [-1.75, 0, 1.75]
    assert F.hard_sigmoid(eg.tensor([-1.0, 1.0, 9.0]), 0.25, 0.5).tolist() == [0.25, 0.75, 1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: F.celu(eg.ones(1), 0), "alpha"),
        (lambda: F.rrelu(eg.ones(1), 0.5, 0.2), "lower"),
        (lambda: F.softshrink(eg.ones(1), -1), "lambd"),
        (lambda: F.hardtanh(eg.ones(1), 2, 1), "min_val"),
        (lambda: F.glu(eg.ones(3)), "even"),
        (lambda: F.glu(eg.tensor(1.0)), "dim"),
        (lambda: F.swiglu(eg.ones(3)), "even"),
        (lambda: F.dropout2d(eg.ones(2, 3)), "dropout2d"),
        (lambda: F.feature_alpha_dropout(eg.ones(2)), "feature_alpha_dropout"),
        (lambda: F.alpha_dropout(eg.ones(2), 2.0), "probability"),
        (lambda: F.gaussian_noise(eg.ones(2), -1.0), "std"),
        (lambda: eg.nn.Softmax2d()(eg.ones(2)), "Softmax2d"),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


class TestDropout:
    @pytest.mark.parametrize("rank", [1, 2, 3])
    def test_whole_channels(self, library: str, rank: int) -> None:
        drop = getattr(F, f"dropout{rank}d")
        for shape in ((20, 10, *[2] * rank), (200, *[2] * rank)):
            x = variable(np.ones(shape))
            out = drop(x, 0.25)
            rows = np.asarray(out.detach().numpy()).reshape(200, -1)
            assert {*map(tuple, rows)} == {(0.0,) * 2**rank, (4 / 3,) * 2**rank}
            assert np.mean(rows == 0) == pytest.approx(0.25, abs=0.1)
            same(slopes(out, x), out.tolist())
        assert drop(x, 0.25, training=False) is x
        infinite = drop(eg.tensor(np.full((1, 1, *[2] * rank), INF)), 1.0)
        assert set(infinite.flatten().tolist()) == {0.0}

    def test_alpha_keeps_mean_and_variance(self, library: str) -> None:
        x = variable(np.random.default_rng(0).normal(size=(200, 100)))
        out = F.alpha_dropout(x, 0.3, training=True)
        values = np.asarray(out.detach().numpy())
        assert np.mean(values) == pytest.approx(0, abs=0.03) and np.var(values) == pytest.approx(1, abs=0.05)
        slope = np.array(slopes(out, x))
        assert (
            np.mean(slope == 0) == pytest.approx(0.3, abs=0.02) and len({*values[slope == 0].tolist()}) == 1
        )
        assert set(F.alpha_dropout(x, 1.0, training=True).flatten().tolist()) == {0.0}
        assert F.alpha_dropout(x) is x

    def test_alpha_of_features(self, library: str) -> None:
        rows = np.asarray(F.feature_alpha_dropout(eg.zeros(50, 4, 3), 0.5, training=True).numpy()).reshape(
            200, 3
        )
        assert np.all(rows == rows[:, :1]) and len({*rows[:, 0].tolist()}) == 2

    def test_noise(self, library: str) -> None:
        layer = eg.nn.GaussianNoise(0.5)
        x = variable(np.zeros(4000))
        out = layer(x)
        assert np.std(np.asarray(out.detach().numpy())) == pytest.approx(0.5, abs=0.03)
        assert set(slopes(out, x)) == {1.0} and layer.eval()(x) is x

    def test_layers_follow_training(self, library: str) -> None:
        layer, x = eg.nn.Dropout2d(), eg.ones(1, 50, 2, 2)
        assert set(layer(x).flatten().tolist()) == {0.0, 2.0}
        assert layer.eval()(x) is x
        for name in ("Dropout1d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"):
            assert "p=0.2" in repr(getattr(eg.nn, name)(0.2))


LAYERS: list[tuple[str, tuple[Any, ...]]] = [
    ("CELU", (0.5,)),
    ("SELU", ()),
    ("PReLU", ()),
    ("RReLU", (0.1, 0.3)),
    ("Hardshrink", (0.3,)),
    ("Hardsigmoid", ()),
    ("Hardswish", ()),
    ("Softshrink", (0.3,)),
    ("Tanhshrink", ()),
    ("Threshold", (0.1, 2.0)),
    ("Softmax2d", ()),
]


@pytest.mark.parametrize(("name", "args"), LAYERS, ids=[c[0] for c in LAYERS])
def test_layers_are_torchs(library: str, name: str, args: tuple[Any, ...]) -> None:
    x = r.normal(size=(2, 3, 4, 2)).astype(np.float32)
    mine, other = getattr(eg.nn, name)(*args).eval(), getattr(torch.nn, name)(*args).eval()
    out, due = mine(eg.tensor(x)), other(torch.tensor(x))
    np.testing.assert_allclose(out.detach().numpy(), due.detach().numpy(), rtol=1e-5, atol=1e-6)
    assert list(mine.state_dict()) == list(other.state_dict())


def test_prelu_learns(library: str) -> None:
    layer = eg.nn.PReLU(2)
    grads = layer(eg.tensor([[-1.0, -2.0], [3.0, -1.0]])).sum().backward()
    assert grads[layer.weight].tolist() == [-1.0, -3.0]


def test_everything_is_an_array_of_the_kind_it_was(library: str) -> None:
    for name in ("mish", "hardswish", "selu", "softsign", "gumbel_softmax"):
        for dtype in (eg.float16, eg.bfloat16, eg.float32):
            out = getattr(F, name)(eg.zeros(2, 2, dtype=dtype))
            assert out.dtype is dtype and not is_array(out)
