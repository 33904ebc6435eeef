"""gelu to order four, beside torch's autograd over the formula, in float64; and where it is straight."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg

F: Any = eg.functional


def _formula(x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        return x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + torch.erf(x / math.sqrt(2)))


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_four_orders(approximate: str, library: str) -> None:
    values = np.concatenate([np.random.default_rng(0).normal(size=20) * 3, [0, 8, -8, 60, -60]])
    x: Any = torch.tensor(values, requires_grad=True)
    ours: Any = eg.tensor(values, backend=eg.backend(f"autodiff({library})")).requires_grad_()
    due: Any = _formula(x, approximate)
    found: Any = F.gelu(ours, approximate=approximate)
    for _ in range(4):
        (due,) = torch.autograd.grad((due * (due + 1)).sum(), [x], create_graph=True)
        (found,) = eg.gradients((found * (found + 1)).sum(), [ours], create_graph=True)
        scale = due.detach().abs().max().item()
        np.testing.assert_allclose(found.detach().numpy(), due.detach().numpy(), rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_no_curvature_far_out(approximate: str, library: str) -> None:
    far = [math.inf, -math.inf, 1e30, -1e30]
    x: Any = eg.tensor(far, backend=eg.backend(f"autodiff({library})")).requires_grad_()
    slope: Any = eg.gradients(F.gelu(x, approximate=approximate).sum(), [x], create_graph=True)[0]
    curvature: Any = eg.gradients(slope.sum(), [x])[0]
    assert slope.tolist() == [1, 0, 1, 0] and curvature.tolist() == [0, 0, 0, 0]
