"""Norms to order three, beside torch's autograd over compositions written out here, in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg

F: Any = eg.functional
EPS = 1e-3
Norm = Callable[[Any, Any, Any], Any]


def composed(x: Any, dims: tuple[int, ...], centre: bool) -> Any:
    """x less its mean, over the root of its mean square."""
    if centre:
        x = x - x.mean(dims, keepdim=True)
    return x / torch.sqrt((x * x).mean(dims, keepdim=True) + EPS)


def grouped(x: Any, w: Any, c: Any) -> Any:
    return composed(x.reshape(3, 2, -1), (-1,), True).reshape(x.shape) * w[:, None] + c[:, None]


NORMS: dict[str, tuple[Norm, Norm, int]] = {
    "layer_norm": (
        lambda x, w, c: F.layer_norm(x, (5,), w, c, EPS),
        lambda x, w, c: composed(x, (-1,), True) * w + c,
        5,
    ),
    "rms_norm": (
        lambda x, w, c: F.rms_norm(x, (5,), w, EPS) + c,
        lambda x, w, c: composed(x, (-1,), False) * w + c,
        5,
    ),
    "batch_norm": (
        lambda x, w, c: F.batch_norm(x, None, None, w, c, training=True, eps=EPS),
        lambda x, w, c: composed(x, (0, 2), True) * w[:, None] + c[:, None],
        4,
    ),
    "group_norm": (lambda x, w, c: F.group_norm(x, 2, w, c, EPS), grouped, 4),
    "instance_norm": (
        lambda x, w, c: F.instance_norm(x, None, None, w, c, eps=EPS),
        lambda x, w, c: composed(x, (-1,), True) * w[:, None] + c[:, None],
        4,
    ),
}


def orders(
    norm: Norm,
    operands: Sequence[Any],
    gradients: Callable[[Any, Sequence[Any]], Sequence[Any]],
    directions: Sequence[Any],
) -> list[list[Any]]:
    """Gradients of order one to three, each of a function of all of those before."""
    *parameters, weight = operands
    found: list[list[Any]] = []
    y = (norm(*parameters) * weight).sin().sum()
    for _ in range(3):
        slopes = gradients(y, operands)
        found.append([slope.detach().numpy() for slope in slopes])
        along = [slope * d for slope, d in zip(slopes, directions)]
        y = sum(a.sum() + 0.1 * (a * a).sum() for a in along)
    return found


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("name", NORMS)
def test_three_orders(name: str, library: str) -> None:
    ours, theirs, size = NORMS[name]
    random = np.random.default_rng(1)
    arrays = [random.normal(size=s) for s in ((3, 4, 5), (size,), (size,), (3, 4, 5))]
    directions = [random.normal(size=a.shape) for a in arrays]

    def tensor(array: Any) -> Any:
        return eg.tensor(array, backend=eg.backend(f"autodiff({library})"))

    found = orders(
        ours,
        [tensor(a).requires_grad_() for a in arrays],
        lambda y, xs: eg.gradients(y, xs, create_graph=True),
        [tensor(d) for d in directions],
    )
    due = orders(
        theirs,
        [torch.tensor(a, requires_grad=True) for a in arrays],
        lambda y, xs: torch.autograd.grad(y, xs, create_graph=True),
        [torch.tensor(d) for d in directions],
    )
    for one, other in zip(found, due, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * abs(b).max())


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_second_order_of_rows_far_from_zero(library: str) -> None:
    """A row that the fused kernels lose is as good as the same row near zero: the norm does not see the shift."""
    row = np.random.default_rng(2).integers(-8, 9, (2, 8)).astype(np.float32) / 8  # exact beside 4096

    def second(shift: float) -> Any:
        x = eg.tensor(row + np.float32(shift), backend=eg.backend(f"autodiff({library})")).requires_grad_()
        slope: Any = eg.gradients((F.layer_norm(x, 8) ** 3).sum(), [x], create_graph=True)[0]
        return eg.gradients((slope**2).sum(), [x])[0]

    near, far = second(0.0), second(4096.0)
    assert near is not None and far is not None
    np.testing.assert_allclose(far.numpy(), near.numpy(), rtol=1e-3, atol=1e-4 * abs(near.numpy()).max())
