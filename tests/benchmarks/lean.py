#!/usr/bin/env python
"""What recomputing saves and costs: forward and backward of works 5 and 6 over torch, by torch's own account.

`python tests/benchmarks/lean.py` prints, for each network, what the graph holds before backward starts, the most
that is held at once, and the time, beside the plain decorator; the gradients must be the same bit for bit.
"""

# The networks are of untyped words that two libraries share.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

import everygrad as eg
from tests.benchmarks.timing import alternate, ratio
from tests.benchmarks.works.networks import NETWORKS, Network

MODES = ("plain", "balanced", "checkpoint", "both")
"""Of the decorator, and whether each block is checkpointed."""

Parts = tuple[Callable[[], Any], Callable[[Any], list[Any]]]


def parts(network: Network, mode: str) -> Parts:
    """Forward, giving the loss; and backward, giving the gradients of the parameters."""
    spec = "autodiff(torch,checkpointing=balanced)" if mode in ("balanced", "both") else "autodiff(torch)"
    random = np.random.default_rng(1)
    eg.manual_seed(0)
    with eg.use(eg.backend(spec)):
        model: Any = network.make(eg.nn)
        x = eg.tensor(random.normal(size=network.shape).astype(np.float32))
        target = eg.tensor(random.integers(0, network.classes or 1, network.shape[0]))
    blocks: list[Any] = list(model.layers if hasattr(model, "layers") else model)
    parameters = list(model.parameters())

    def forward() -> Any:
        y = x
        for block in blocks:
            y = eg.checkpoint(block, y) if mode in ("checkpoint", "both") else block(y)
        return (y * y).mean() if network.classes is None else eg.functional.cross_entropy(y, target)

    def backward(loss: Any) -> list[Any]:
        grads = loss.backward()
        return [grads[p] for p in parameters]

    return forward, backward


def whole(forward: Callable[[], Any], backward: Callable[[Any], list[Any]]) -> Callable[[], Any]:
    """Both in one."""
    return lambda: backward(forward())


def account(network: Network, mode: str) -> tuple[float, float, float, list[Any]]:
    """(bytes held before backward, the most in all, the most beside the gradients, the gradients)."""
    from torch.profiler import ProfilerActivity, profile, record_function

    forward, backward = parts(network, mode)
    backward(forward())
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        loss = forward()
        with record_function("backward starts"):
            pass
        grads = backward(loss)
    events: Any = record.profiler
    now = held = most = 0
    for event in sorted(events.kineto_results.events(), key=lambda e: e.start_ns()):
        if event.name() == "backward starts":
            held = now
        elif event.name() == "[memory]":
            now += event.nbytes()
            most = max(most, now)
    return held, most, now, grads


def table(network: Network, rounds: int) -> None:
    """Print one network's rows."""
    times = alternate({mode: whole(*parts(network, mode)) for mode in MODES}, rounds)
    accounts = {mode: account(network, mode) for mode in MODES}
    held, most, _, grads = accounts["plain"]
    print(f"\n{network.name}: {held / 1e6:.1f} MB held before backward, {most / 1e6:.1f} MB at most")
    for mode in MODES[1:]:
        other_held, other_most, end, other = accounts[mode]
        same = all(np.array_equal(a.numpy(), b.numpy()) for a, b in zip(grads, other))
        slower = ratio(times[mode], times["plain"], None).median
        print(
            f"  {mode:10s}  held {other_held / 1e6:5.1f} MB ({other_held / held - 1:+.0%})"
            f"   at most {other_most / 1e6:5.1f} MB ({other_most / most - 1:+.0%}, of which gradients {end / 1e6:.1f})"
            f"   time {slower - 1:+.0%}   gradients {'bit-equal' if same else 'DIFFER'}"
        )
        if not same:
            raise SystemExit(f"{mode}: the gradients differ")


def main() -> None:
    """Both networks."""
    import torch

    torch.set_num_threads(1)
    for network in NETWORKS:
        if network.number in (5, 6):
            table(network, int(sys.argv[1]) if len(sys.argv) > 1 else 20)


if __name__ == "__main__":
    main()
