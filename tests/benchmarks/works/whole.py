"""9: peak memory of a step of 5 and 6; the time to import, and to the first gradient, in fresh processes."""

# The same lines run on objects of several libraries, whose types have nothing in common.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.libraries import OURS
from tests.benchmarks.timing import Ratio, Result, Work
from tests.benchmarks.works.networks import NETWORKS, step

ROOT = Path(__file__).parents[3]


def peak(side: str, work: Work) -> float:
    """The most bytes that arrays made during the work take at once, by the library's own account."""
    work()
    if side.endswith("numpy"):
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        work()
        most = tracemalloc.get_traced_memory()[1] - before
        tracemalloc.stop()
        return float(most)
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        work()
    events: Any = record.profiler
    now = most = 0
    for event in sorted(events.kineto_results.events(), key=lambda e: e.start_ns()):
        if event.name() == "[memory]":
            now += event.nbytes()
            most = max(most, now)
    return float(most)


def memory(number: int, chosen: Callable[[str], bool]) -> Result:
    """Megabytes in the place of seconds; each side in a process of its own, where nothing from before is freed."""
    network = next(n for n in NETWORKS if n.number == number)
    found: dict[str, float | None] = {}
    for side in ("torch", *OURS):
        if chosen(side):
            line = f"from tests.benchmarks.works import whole; print(whole.of_one_step({number}, {side!r}))"
            one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
            run = subprocess.run(
                [sys.executable, "-c", line],
                capture_output=True,
                text=True,
                check=True,
                cwd=ROOT,
                env=one_thread,
            )
            found[side] = float(run.stdout.split()[-1]) / 1e6
    ratios = {
        (side, "torch"): one(found[side], found["torch"], target)
        for side, target in zip(OURS, (1.0, 1.3))
        if found.get(side) and found.get("torch")
    }
    return Result(9, f"peak memory of {network.name}, MB", found, ratios)


def of_one_step(number: int, side: str) -> float:
    """The peak of one step of training."""
    work = step(next(n for n in NETWORKS if n.number == number), side)()
    assert work is not None
    return peak(side, work)


def one(ours: float | None, theirs: float | None, target: float) -> Ratio:
    """A ratio that has no spread."""
    assert ours and theirs
    return Ratio(ours / theirs, ours / theirs, ours / theirs, target)


FIRST = {
    "torch": "import torch; x = torch.ones(3, requires_grad=True); torch.autograd.grad((x * x).sum(), x)",
    "everygrad/torch": "import everygrad as eg; eg.set_default('torch'); "
    "x = eg.ones(3).requires_grad_(); (x * x).sum().backward()[x]",
    "everygrad/numpy": "import everygrad as eg; x = eg.ones(3).requires_grad_(); (x * x).sum().backward()[x]",
    "jax": "import jax; jax.grad(lambda x: (x * x).sum())(jax.numpy.ones(3)).block_until_ready()",
    "autograd": "import autograd, autograd.numpy as np; autograd.grad(lambda x: np.sum(x * x))(np.ones(3))",
    "mygrad": "import mygrad as mg; x = mg.ones(3); (x * x).sum().backward()",
}
IMPORT = {"everygrad/numpy": "import everygrad"}


def fresh(title: str, code: dict[str, str], rounds: int, chosen: Callable[[str], bool]) -> Result:
    """Seconds that a line of code takes in a fresh process, after NumPy is imported."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    seconds: dict[str, float | None] = {}
    for side, line in code.items():
        if not chosen(side):
            continue
        text = f"import time, numpy; s = time.perf_counter(); {line}; print(time.perf_counter() - s)"
        times: list[float] = []
        for _ in range(rounds + 1):
            run = subprocess.run(
                [sys.executable, "-c", text], capture_output=True, text=True, check=False, env=environment
            )
            if run.returncode:
                break
            times.append(float(run.stdout))
        seconds[side] = statistics.median(times[1:]) if len(times) > rounds else None
    return Result(9, title, seconds, {})


def results(rounds: int, chosen: Callable[[str], bool]) -> list[Result]:
    """All of 9."""
    return [
        memory(5, chosen),
        memory(6, chosen),
        fresh("import after NumPy, s", IMPORT, rounds, chosen),
        fresh("time to first gradient, s", FIRST, rounds, chosen),
    ]
