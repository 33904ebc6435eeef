"""What recording costs: everygrad over an array library against that library's own autograd.

    python tests/benchmarks/overhead.py [--rounds 20] [--only chain] [--json FILE] [--page docs/performance.md]

Both sides run in one process, single-threaded and alternating; the figure is the median of the
ratios of neighbouring rounds, so that a busy machine slows both alike.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # threads are set first

import everygrad as eg

Work = Callable[[], Any]


@dataclass(frozen=True)
class Comparison:
    """Two ways to do the same work, and the ratio of their times to stay below."""

    name: str
    ours: Work
    theirs: Work
    target: float
    repeat: int


def chain(size: int, backend: str, x: Any, w: Any, c: Any) -> Work:
    """300 ops, add, mul and tanh in turn, forward and backward."""
    with eg.use(backend):
        tensors = [eg.tensor(np.asarray(v), requires_grad=True) for v in (x, w, c)]

    def work() -> Any:
        y, weight, bias = tensors
        for _ in range(100):
            y = (y * weight + bias).tanh()
        return y.sum().backward()

    return work


def torch_chain(x: Any, w: Any, c: Any) -> Work:
    """The same in torch."""
    import torch

    tensors = [torch.tensor(v, requires_grad=True) for v in (x, w, c)]

    def work() -> Any:
        y, weight, bias = tensors
        for _ in range(100):
            y = (y * weight + bias).tanh()
        return torch.autograd.grad(y.sum(), tensors)

    return work


def autograd_chain(x: Any, w: Any, c: Any) -> Work | None:
    """The same in HIPS autograd, where it is installed (the extra `bench` brings it)."""
    try:
        peer: Any = importlib.import_module("autograd")
        anp: Any = importlib.import_module("autograd.numpy")
    except ImportError:
        print("autograd is not installed: its row is left out. Write: pip install 'everygrad[bench]'")
        return None

    def f(y: Any, weight: Any, bias: Any) -> Any:
        for _ in range(100):
            y = anp.tanh(y * weight + bias)
        return anp.sum(y)

    gradient: Callable[..., Any] = peer.grad(f, (0, 1, 2))
    return lambda: gradient(x, w, c)


def chains() -> list[Comparison]:
    """The chain at three sizes over torch, and at the small one over NumPy."""
    found: list[Comparison] = []
    random = np.random.default_rng(0)
    for size, target, repeat in ((4, 1.3, 10), (4096, 1.15, 5), (262_144, 1.1, 1)):
        data = [random.normal(size=size).astype(np.float32) for _ in range(3)]
        found.append(
            Comparison(
                f"chain {size}, torch", chain(size, "torch", *data), torch_chain(*data), target, repeat
            )
        )
    data = [random.normal(size=4).astype(np.float32) for _ in range(3)]
    theirs = autograd_chain(*data)
    if theirs is not None:
        found.append(Comparison("chain 4, numpy / autograd", chain(4, "numpy", *data), theirs, 0.5, 5))
    return found


def mlp(backend: str) -> Work:
    """784-256-10, batch 64: forward and backward of the loss."""
    data, targets, weights = mlp_data()
    with eg.use(backend):
        x, t = eg.tensor(data), eg.tensor(targets)
        parameters = [eg.tensor(w, requires_grad=True) for w in weights]

    def work() -> Any:
        w1, b1, w2, b2 = parameters
        hidden = eg.functional.relu(eg.functional.linear(x, w1, b1))
        return eg.functional.cross_entropy(eg.functional.linear(hidden, w2, b2), t).backward()

    return work


def torch_mlp() -> Work:
    """The same in torch."""
    import torch
    import torch.nn.functional as F

    data, targets, weights = mlp_data()
    x, t = torch.tensor(data), torch.tensor(targets)
    parameters = [torch.tensor(w, requires_grad=True) for w in weights]

    def work() -> Any:
        w1, b1, w2, b2 = parameters
        hidden = F.relu(F.linear(x, w1, b1))
        return torch.autograd.grad(F.cross_entropy(F.linear(hidden, w2, b2), t), parameters)

    return work


def mlp_data() -> tuple[Any, Any, list[Any]]:
    """Inputs, targets and weights of the MLP."""
    r = np.random.default_rng(1)
    shapes = ((256, 784), (256,), (10, 256), (10,))
    weights = [(r.normal(size=s) * 0.05).astype(np.float32) for s in shapes]
    return r.normal(size=(64, 784)).astype(np.float32), r.integers(0, 10, 64), weights


def lenet_data() -> tuple[Any, Any, list[Any]]:
    """Inputs, targets and weights of LeNet with average pooling on 28x28 images, batch 64."""
    r = np.random.default_rng(2)
    shapes = ((6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (120, 400), (120,), (84, 120), (84,), (10, 84), (10,))
    weights = [(r.normal(size=s) * 0.1).astype(np.float32) for s in shapes]
    return r.normal(size=(64, 1, 28, 28)).astype(np.float32), r.integers(0, 10, 64), weights


def lenet(backend: str) -> Work:
    """LeNet: forward and backward of the loss."""
    data, targets, weights = lenet_data()
    with eg.use(backend):
        x, t = eg.tensor(data), eg.tensor(targets)
        parameters = [eg.tensor(w, requires_grad=True) for w in weights]
    return lambda: lenet_loss(eg.functional, x, t, parameters).backward()


def torch_lenet() -> Work:
    """The same in torch."""
    import torch
    import torch.nn.functional as F

    data, targets, weights = lenet_data()
    x, t = torch.tensor(data), torch.tensor(targets)
    parameters = [torch.tensor(w, requires_grad=True) for w in weights]
    return lambda: torch.autograd.grad(lenet_loss(F, x, t, parameters), parameters)


def lenet_loss(f: Any, x: Any, target: Any, p: list[Any]) -> Any:
    """The loss of LeNet, in any library with torch's functional names."""
    x = f.avg_pool2d(f.relu(f.conv2d(x, p[0], p[1], padding=2)), 2)
    x = f.avg_pool2d(f.relu(f.conv2d(x, p[2], p[3])), 2)
    x = f.relu(f.linear(x.reshape(64, 400), p[4], p[5]))
    x = f.relu(f.linear(x, p[6], p[7]))
    return f.cross_entropy(f.linear(x, p[8], p[9]), target)


def comparisons() -> list[Comparison]:
    """Everything that is compared."""
    return [
        *chains(),
        Comparison("mlp 784-256-10 batch 64, torch", mlp("torch"), torch_mlp(), 1.15, 3),
        Comparison("lenet 28x28 batch 64, torch", lenet("torch"), torch_lenet(), 1.05, 1),
        Comparison("lenet 28x28 batch 64, numpy / torch", lenet("numpy"), torch_lenet(), 3.0, 1),
    ]


def timed(work: Work, repeat: int) -> float:
    """Seconds for one run of the work, over `repeat` runs."""
    start = time.perf_counter()
    for _ in range(repeat):
        work()
    return (time.perf_counter() - start) / repeat


def measure(comparison: Comparison, rounds: int) -> dict[str, Any]:
    """Alternate the two sides; the sides swap places every round."""
    for work in (comparison.ours, comparison.theirs):
        timed(work, comparison.repeat)
    ratios: list[float] = []
    times: tuple[list[float], list[float]] = ([], [])
    for i in range(rounds):
        if i % 2:
            theirs, ours = (
                timed(comparison.theirs, comparison.repeat),
                timed(comparison.ours, comparison.repeat),
            )
        else:
            ours, theirs = (
                timed(comparison.ours, comparison.repeat),
                timed(comparison.theirs, comparison.repeat),
            )
        times[0].append(ours)
        times[1].append(theirs)
        ratios.append(ours / theirs)
    quarter = statistics.quantiles(ratios, n=4)
    return {
        "work": comparison.name,
        "ours_ms": statistics.median(times[0]) * 1e3,
        "theirs_ms": statistics.median(times[1]) * 1e3,
        "ratio": statistics.median(ratios),
        "spread": [quarter[0], quarter[2]],
        "target": comparison.target,
    }


def import_cost(rounds: int) -> dict[str, Any]:
    """Seconds that `import everygrad` takes after NumPy is there: medians over fresh processes."""
    code = (
        "import time, numpy; start = time.perf_counter(); import everygrad; "
        "print(time.perf_counter() - start)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code]
    seconds = [
        float(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
        for _ in range(rounds + 1)
    ][1:]
    return {"seconds": statistics.median(seconds), "target": 0.1}


def table(rows: list[dict[str, Any]], cost: dict[str, Any]) -> str:
    """The measurements as a Markdown table, with what they were measured on."""
    import torch

    lines = [
        (
            f"Measured on {cpu_name()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; Python "
            f"{platform.python_version()}, NumPy {np.__version__}, PyTorch {torch.__version__}, one thread."
        ),
        "",
        "| work | ours, ms | theirs, ms | ratio | quartiles | at most |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        low, high = row["spread"]
        lines.append(
            f"| {row['work']} | {row['ours_ms']:.2f} | {row['theirs_ms']:.2f} | {row['ratio']:.2f} "
            f"| {low:.2f} to {high:.2f} | {row['target']:.2f} |"
        )
    lines += ["", f"`import everygrad` after NumPy: {cost['seconds']:.3f} s (at most {cost['target']} s)."]
    return "\n".join(lines)


def cpu_name() -> str:
    """The processor's name, as far as the system tells."""
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


BEGIN, END = "<!-- benchmark table begin -->", "<!-- benchmark table end -->"


def write_table(path: str, text: str) -> None:
    """Replace what stands between the page's two marks."""
    with open(path) as file:
        page = file.read()
    head, tail = page.split(BEGIN)[0], page.split(END)[1]
    with open(path, "w") as file:
        file.write(f"{head}{BEGIN}\n{text}\n{END}{tail}")


def main(argv: list[str]) -> int:
    """Print the table; exit 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--only", default="", help="a part of the work's name")
    parser.add_argument("--json", default="", help="write the rows to this file")
    parser.add_argument("--page", default="", help="write the table into this page, docs/performance.md")
    options = parser.parse_args(argv)
    import torch

    torch.set_num_threads(1)
    load = os.getloadavg()[0]
    print(f"load {load:.1f}, {os.cpu_count()} cores, torch {torch.__version__}, numpy {np.__version__}")
    print(f"{'work':40} {'ours ms':>9} {'theirs ms':>9} {'ratio':>6} {'quartiles':>13} {'target':>6}")
    rows: list[dict[str, Any]] = []
    for comparison in comparisons():
        if options.only not in comparison.name:
            continue
        row = measure(comparison, options.rounds)
        rows.append(row)
        low, high = row["spread"]
        print(
            f"{row['work']:40} {row['ours_ms']:9.2f} {row['theirs_ms']:9.2f} {row['ratio']:6.2f} "
            f"{low:6.2f}-{high:6.2f} {row['target']:6.2f}{'' if row['ratio'] <= row['target'] else '  missed'}",
            flush=True,
        )
    cost = import_cost(options.rounds)
    print(f"import after numpy: {cost['seconds']:.3f} s, target {cost['target']} s")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"rows": rows, "import": cost}, file, indent=1)
    if options.page:
        write_table(options.page, table(rows, cost))
    late = [row for row in rows if row["ratio"] > row["target"]]
    return int(bool(late) or cost["seconds"] > cost["target"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
