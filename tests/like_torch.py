"""Checks of a function of tensors: against torch's of the same name, and against its own differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import everygrad as eg
from tests.fault_tools import same, variable


def both(f: Callable[..., Any], *arrays: Any, tolerance: float = 1e-9) -> None:
    """f(library, *tensors) of ours equals torch's, result by result."""
    mine = f(eg, *(eg.tensor(a) for a in arrays))
    theirs = f(torch, *(torch.tensor(a) for a in arrays))
    if isinstance(mine, eg.Tensor):
        mine, theirs = (mine,), (theirs,)
    assert len(mine) == len(theirs)
    for ours, due in zip(mine, theirs):
        assert str(due.dtype).split(".")[1] == ours.dtype.value
        same(ours.tolist(), due.tolist(), tolerance)


def twice(f: Callable[[eg.Tensor], eg.Tensor], x: Any, tolerance: float = 1e-5) -> None:
    """The first two derivatives of a weighted sum of f, against central differences."""
    x = np.asarray(x, np.float64)
    weights: list[Any] = []

    def loss(t: eg.Tensor) -> eg.Tensor:
        y = f(t)
        if not weights:
            weights.append(np.random.default_rng(1).normal(size=y.shape))
        return (eg.tensor(weights[0]) * y * (1 + y)).sum()

    def slope(values: Any, graph: bool = False) -> tuple[eg.Tensor, eg.Tensor]:
        t = variable(values)
        (g,) = eg.gradients(loss(t), [t], create_graph=graph)
        assert g is not None
        return t, g

    step = 1e-5
    generator: Any = np.random.default_rng(2)
    way = generator.normal(size=x.shape)
    ahead, back = loss(eg.tensor(x + step * way)).item(), loss(eg.tensor(x - step * way)).item()
    t, g = slope(x, graph=True)
    due = (ahead - back) / (2 * step)
    assert abs(float((np.asarray(g.tolist()) * way).sum()) - due) <= tolerance * (1 + abs(due))
    second = eg.gradients((g * eg.tensor(way)).sum(), [t])[0]
    found = np.zeros(x.shape) if second is None else np.asarray(second.tolist())
    difference = np.asarray(slope(x + step * way)[1].tolist()) - np.asarray(slope(x - step * way)[1].tolist())
    np.testing.assert_allclose(found, difference / (2 * step), rtol=tolerance, atol=10 * tolerance)
