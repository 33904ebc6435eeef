"""Norms on tensors: against torch's own, their layers, and the third derivatives that torch gets wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import everygrad as eg
from everygrad import functional as F
from everygrad import nn

T: Any = torch.nn.functional
Array = NDArray[Any]
r = np.random.default_rng(11)
X = r.normal(size=(3, 4, 5)) * 2 + 1
W, B = r.normal(size=4), r.normal(size=4)
SPECS = ("autodiff(numpy)", "autodiff(torch)")

CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("group_norm", (X, 2, W, B), {}),
    ("group_norm", (X, 4), {"eps": 0.1}),
    ("instance_norm", (X, None, None, W, B), {}),
    ("rms_norm", (X, (4, 5)), {}),
    ("rms_norm", (X, (5,), r.normal(size=5)), {"eps": 0.1}),
    ("local_response_norm", (X, 3), {"alpha": 0.5, "k": 2.0}),
    ("local_response_norm", (X, 2, 0.5, 0.6), {}),
    ("batch_norm", (X, r.normal(size=4), r.uniform(0.5, 2, size=4), W, B), {}),
]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("name", "args", "options"), CALLS)
def test_as_in_torch(spec: str, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    known = (1, 2) if name == "batch_norm" else ()  # torch has no gradients of these
    needs = [is_array(a) and i not in known for i, a in enumerate(args)]
    ours = [eg.tensor(a, backend=spec, requires_grad=n) if is_array(a) else a for a, n in zip(args, needs)]
    theirs = [torch.tensor(a, requires_grad=n) if is_array(a) else a for a, n in zip(args, needs)]
    out, due = getattr(F, name)(*ours, **options), getattr(T, name)(*theirs, **options)
    np.testing.assert_allclose(out.detach().numpy(), due.detach().numpy(), rtol=1e-10, atol=1e-12)
    mine = [a for a, n in zip(ours, needs) if n]
    others = [a for a, n in zip(theirs, needs) if n]
    up = r.normal(size=tuple(due.shape))
    grads = eg.gradients((out * eg.tensor(up, backend=spec)).sum(), mine)
    wanted = torch.autograd.grad((due * torch.tensor(up)).sum(), others)
    for g, w in zip(grads, wanted, strict=True):
        assert g is not None
        np.testing.assert_allclose(g.numpy(), w.numpy(), rtol=1e-9, atol=1e-11)


def is_array(x: object) -> bool:
    return isinstance(x, np.ndarray)


def _layer(x: eg.Tensor, w: eg.Tensor) -> eg.Tensor:
    return F.layer_norm(x, (2,), w, eps=0.25)


def _batch(x: eg.Tensor, w: eg.Tensor) -> eg.Tensor:
    return F.batch_norm(x.reshape(2, 1), None, None, training=True, eps=0.25).reshape(2) * w


def _group(x: eg.Tensor, w: eg.Tensor) -> eg.Tensor:
    return F.group_norm(x.reshape(1, 2), 1, w, eps=0.25)


def _instance(x: eg.Tensor, w: eg.Tensor) -> eg.Tensor:
    return F.instance_norm(x.reshape(1, 1, 2), eps=0.25).reshape(2) * w


def _orders(f: Callable[[eg.Tensor], eg.Tensor], t: float, spec: str) -> list[float]:
    x = eg.tensor(t, dtype=eg.float64, backend=spec, requires_grad=True)
    y = f(x)
    found: list[float] = []
    for _ in range(3):
        (y_,) = eg.gradients(y, [x], create_graph=True)
        assert y_ is not None
        y = y_
        found.append(float(y.item()))
    return found


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("norm", [_layer, _batch, _group, _instance])
def test_b088_three_orders(norm: Callable[..., eg.Tensor], spec: str) -> None:
    """sum(norm([t, 0]) * [1, 2]) = -t (1 + t^2)^-1/2"""
    t, w = 0.7, eg.tensor([1.0, 2.0], dtype=eg.float64, backend=spec)
    found = _orders(lambda x: norm(eg.stack([x, x * 0]), w).sum(), t, spec)
    s = 1 + t * t
    np.testing.assert_allclose(found, [-(s**-1.5), 3 * t * s**-2.5, (3 - 12 * t * t) * s**-3.5], rtol=1e-10)
    np.testing.assert_allclose(found, [-0.549820, 0.774914, -0.713248], atol=1e-6)


@pytest.mark.parametrize("spec", SPECS)
def test_b088_three_orders_of_rms(spec: str) -> None:
    """sum(rms_norm([t, 0], eps 1/2)) = 2^1/2 t (1 + t^2)^-1/2"""
    t, root = 0.7, math.sqrt(2)
    found = _orders(lambda x: F.rms_norm(eg.stack([x, x * 0]), (2,), eps=0.5).sum(), t, spec)
    s = 1 + t * t
    due = [s**-1.5, -3 * t * s**-2.5, (12 * t * t - 3) * s**-3.5]
    np.testing.assert_allclose(found, [root * d for d in due], rtol=1e-10)


@pytest.mark.parametrize("spec", SPECS)
def test_ill_conditioned_groups(spec: str) -> None:
    rows = np.array([[[4096, 4097, 4098, 4099], [1e30, -1e30, 1e30, -1e30], [0.1] * 4]], np.float32)
    x = eg.tensor(rows, backend=spec, requires_grad=True)
    out = F.group_norm(x, 3)
    due: Any = [[-1.341635, -0.447212, 0.447212, 1.341635], [1, -1, 1, -1], [0, 0, 0, 0]]
    np.testing.assert_allclose(out.detach().numpy()[0], due, atol=2e-6)
    (g,) = eg.gradients(out[0, 0, 0] + out[0, 2, 1], [x])
    assert g is not None and np.isfinite(g.numpy()).all()


LAYERS: list[tuple[str, tuple[Any, ...], dict[str, Any], tuple[int, ...]]] = [
    ("GroupNorm", (2, 4), {}, (3, 4, 5)),
    ("GroupNorm", (2, 4), {"bias": False}, (3, 4, 2, 2)),
    ("GroupNorm", (1, 4), {"affine": False}, (3, 4)),
    ("InstanceNorm1d", (4,), {}, (3, 4, 5)),
    ("InstanceNorm1d", (4,), {"affine": True, "track_running_stats": True}, (3, 4, 5)),
    ("InstanceNorm2d", (4,), {"track_running_stats": True, "momentum": 0.3}, (3, 4, 2, 3)),
    ("InstanceNorm2d", (4,), {"affine": True}, (4, 2, 3)),
    ("InstanceNorm3d", (2,), {"track_running_stats": True}, (3, 2, 2, 1, 3)),
    ("RMSNorm", ((4, 5),), {}, (3, 4, 5)),
    ("RMSNorm", (5,), {"eps": 0.1, "elementwise_affine": False}, (3, 4, 5)),
    ("LocalResponseNorm", (3,), {"alpha": 0.5}, (3, 4, 5)),
]


@pytest.mark.parametrize(("name", "args", "options", "shape"), LAYERS)
def test_layers_train_and_run_as_in_torch(
    name: str, args: tuple[Any, ...], options: dict[str, Any], shape: tuple[int, ...]
) -> None:
    ours, theirs = getattr(nn, name)(*args, **options), getattr(torch.nn, name)(*args, **options)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    x = r.normal(size=shape).astype(np.float32)
    for train in (True, True, False):
        out, due = ours.train(train)(eg.tensor(x)), theirs.train(train)(torch.tensor(x))
        np.testing.assert_allclose(out.detach().numpy(), due.detach().numpy(), atol=2e-5)
    for key, value in theirs.state_dict().items():
        np.testing.assert_allclose(ours.state_dict()[key].numpy(), value.numpy(), atol=1e-5)


def test_what_layers_refuse() -> None:
    with pytest.raises(eg.ShapeError, match="num_groups=3"):
        nn.GroupNorm(3, 4)
    with pytest.raises(eg.ShapeError, match=r"\(2, 3, 4\)"):
        nn.InstanceNorm1d(4)(eg.ones(2, 3, 4))
    with pytest.raises(eg.ShapeError, match="more than one value"):
        F.instance_norm(eg.ones(2, 3, 1))
    with pytest.raises(eg.ShapeError, match="groups=2"):
        F.group_norm(eg.ones(2, 3, 4), 2)
