"""What one op costs in Python calls and in arrays allocated: figures that do not depend on the machine.

    python tests/benchmarks/costs.py            prints them
    python tests/benchmarks/costs.py --check    fails where one lies over the committed figure by more than 3 %
    python tests/benchmarks/costs.py --update   commits to what is measured now

The work is forward and backward: f = sum(x sin(x)), its second derivative, and a chain of 300 ops. Calls depend on
the interpreter and on the Python code of NumPy and torch, so the figures are kept by their versions.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # threads are set first
import torch

import everygrad as eg

FILE = Path(__file__).with_name("costs.json")
SLACK = 0.03
LARGE = 65_536
"""Elements where arrays are counted: what else is allocated is small beside them."""

Work = Callable[[], Any]


def slope(x: eg.Tensor) -> eg.Tensor:
    """sum(x sin(x)): three ops."""
    return (x * x.sin()).sum()


def chain(x: eg.Tensor) -> eg.Tensor:
    """300 ops and a sum."""
    y, w, c = x, x + 1.0, x - 1.0
    for _ in range(100):
        y = (y * w + c).tanh()
    return y.sum()


WORK: dict[str, tuple[int, Callable[[eg.Tensor], Any]]] = {
    "x sin(x), gradient": (3, lambda x: slope(x).backward()),
    "x sin(x), second derivative": (3, lambda x: second(x)),
    "chain of 300, gradient": (303, lambda x: chain(x).backward()),
}
"""(how many ops the forward pass has, the work)."""


def second(x: eg.Tensor) -> Any:
    """The gradient of the sum of the gradient."""
    (first,) = eg.gradients(slope(x), [x], create_graph=True)
    assert first is not None
    return eg.gradients(first.sum(), [x])


def calls(work: Work) -> int:
    """How many functions, Python's and C's, the work calls."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    for _ in range(3):
        work()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def numpy_arrays(work: Work) -> float:
    """The memory that the work allocates, in arrays of LARGE float32 elements, from one call to the next."""
    total, last = 0, 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal total, last
        now = tracemalloc.get_traced_memory()[0]
        total += max(0, now - last)
        last = now

    work()
    tracemalloc.start()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        tracemalloc.stop()
    return round(total / (4 * LARGE), 1)


def torch_arrays(work: Work) -> float:
    """The same by torch's own account of its allocator."""
    from torch.profiler import ProfilerActivity, profile

    work()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        work()
    events: Any = record.profiler
    sizes = [e.nbytes() for e in events.kineto_results.events() if e.name() == "[memory]"]
    total: int = sum(size for size in sizes if size > 0)
    return round(total / (4 * LARGE), 1)


def measure() -> dict[str, float]:
    """Each figure per op of the forward pass."""
    found: dict[str, float] = {}
    gc.disable()
    for library, arrays in (("numpy", numpy_arrays), ("torch", torch_arrays)):
        for name, (ops, work) in WORK.items():
            with eg.use(library):
                small, large = (eg.tensor(np.linspace(0.1, 0.9, n, dtype=np.float32)) for n in (3, LARGE))
            small.requires_grad_()
            large.requires_grad_()
            found[f"{name}, {library}: calls per op"] = round(calls(lambda: work(small)) / ops, 2)  # noqa: B023  # used at once
            found[f"{name}, {library}: arrays per op"] = round(arrays(lambda: work(large)) / ops, 2)  # noqa: B023  # used at once
    gc.enable()
    return found


def versions() -> str:
    """What the figures depend on."""
    python = ".".join(map(str, sys.version_info[:2]))
    return f"Python {python}, NumPy {np.__version__}, torch {torch.__version__.partition('+')[0]}"


def compare(found: dict[str, float], committed: dict[str, float]) -> list[str]:
    """What lies over its committed figure, or has none, in words."""
    return [
        f"{name}: {value:.2f}, committed {committed.get(name, 0.0):.2f}"
        for name, value in found.items()
        if value > committed.get(name, 0.0) * (1 + SLACK)
    ]


def main() -> int:
    """Measure, and print, check or update."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="compare with the committed figures")
    what.add_argument("--update", action="store_true", help="write the figures")
    options = parser.parse_args()
    found = measure()
    kept: dict[str, dict[str, float]] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    print(versions())
    for name, value in found.items():
        print(f"{value:8.2f}  {name}")
    if options.update:
        FILE.write_text(json.dumps(kept | {versions(): found}, indent=2) + "\n")
    elif options.check:
        if versions() not in kept:
            print(
                f"no figures are committed for {versions()}. Write: python {sys.argv[0]} --update, and look at the change"
            )
            return 1
        over = compare(found, kept[versions()])
        print("\n".join(["over the committed figures:", *over]) if over else "within the committed figures")
        return 1 if over else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
