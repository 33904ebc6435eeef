"""Results as a table, a picture, and JSON."""

# The same lines run on objects of several libraries, whose types have nothing in common.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tests.benchmarks.timing import Ratio, Result

PAIRS = (
    ("everygrad/torch", "torch"),
    ("everygrad/numpy", "autograd"),
    ("everygrad/numpy", "mygrad"),
    ("everygrad/numpy", "torch"),
    ("everygrad/torch", "jax"),
)
HEADS = (
    "over torch / torch",
    "over NumPy / autograd",
    "over NumPy / mygrad",
    "over NumPy / torch",
    "over torch / jax",
)
BEGIN, END = "<!-- benchmark table begin -->", "<!-- benchmark table end -->"


def machine(threads: int) -> str:
    """What the figures were measured on."""
    names = ("numpy", "torch", "jax", "autograd", "mygrad")
    libraries = ", ".join(f"{name} {installed(name)}" for name in names)
    return (
        f"{cpu()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}, "
        f"{libraries}; {threads} thread{'s' * (threads > 1)}"
    )


def installed(name: str) -> str:
    """The version of a library."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def cpu() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def cell(result: Result, pair: tuple[str, str]) -> str:
    """One ratio, with its target; bold where that is missed."""
    ratio = result.ratios.get(pair)
    if ratio is None:
        side = pair[1] if pair[0] in result.seconds else pair[0]
        return "lacks it" if side in result.seconds and result.seconds[side] is None else ""
    text = f"{ratio.median:.2f}"
    if ratio.target is not None:
        text = f"{text} (≤ {ratio.target:g})"
    return f"**{text}**" if ratio.missed else text


def line(result: Result) -> str:
    """One row for the terminal: times, ratios, spread."""
    unit = 1.0 if result.number == 9 else 1e3
    times = "  ".join(
        f"{side} {'lacks it' if s is None else f'{s * unit:.3g}'}" for side, s in result.seconds.items()
    )
    ratios = "  ".join(
        f"{a.removeprefix('everygrad/')}:{b} {spread(r)}" for (a, b), r in result.ratios.items()
    )
    return f"{result.number} {result.name}\n    {times}\n    {ratios}"


def spread(ratio: Ratio) -> str:
    """Median, quartiles and target."""
    text = f"{ratio.median:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]"
    if ratio.target is not None:
        text += f" {'MISSED' if ratio.missed else 'within'} {ratio.target:g}"
    return text


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per case and a column per pair; the parts of 8 joined by op."""
    lines = [f"| work | {' | '.join(HEADS)} |", f"|---|{'---|' * len(HEADS)}"]
    for result in results:
        if result.ratios:
            cells = [cell(result, pair) for pair in PAIRS]
            lines.append(f"| {result.number}. {result.name} | {' | '.join(cells)} |")
    alone = [r for r in results if not r.ratios]
    for result in alone:
        times = ", ".join(f"{side} {'-' if s is None else f'{s:.3f}'}" for side, s in result.seconds.items())
        lines += ["", f"{result.name[0].upper()}{result.name[1:]}: {times}."]
    return "\n".join(lines)


def write_page(path: str, text: str) -> None:
    """Replace what stands between the page's two marks."""
    page = Path(path).read_text()
    head, tail = page.split(BEGIN)[0], page.split(END)[1]
    Path(path).write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}")


def write_json(path: str, results: Sequence[Result], about: str) -> None:
    """All figures."""
    rows: list[dict[str, Any]] = [
        {
            "work": r.number,
            "name": r.name,
            "seconds": dict(r.seconds),
            "ratios": {
                " / ".join(pair): {"median": q.median, "quartiles": [q.low, q.high], "target": q.target}
                for pair, q in r.ratios.items()
            },
        }
        for r in results
    ]
    Path(path).write_text(json.dumps({"machine": about, "results": rows}, indent=1) + "\n")


def plot(path: str, results: Sequence[Result]) -> None:
    """A bar per case and pair on a logarithmic axis, with its target."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = [r for r in results if r.ratios and r.number != 8] or list(results)
    chosen = PAIRS[:4]
    axes: Any
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.55 * len(shown)), layout="constrained")
    for i, (pair, head) in enumerate(zip(chosen, HEADS)):
        for y, result in enumerate(shown):
            ratio = result.ratios.get(pair)
            if ratio is None:
                continue
            place = y + (i - 1.5) * 0.2
            axes.barh(place, ratio.median, 0.18, color=f"C{i}", label=head if y == 0 else None)
            if ratio.target is not None:
                axes.plot([ratio.target] * 2, [place - 0.1, place + 0.1], color="black")
    axes.set_xscale("log")
    ticks = (0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.axvline(1.0, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(shown)), [f"{r.number}. {r.name}" for r in shown])
    axes.invert_yaxis()
    axes.set_xlabel("ratio of times (the black marks are the targets)")
    figure.legend(loc="outside upper right", ncols=2)
    figure.savefig(path, dpi=120)
    plt.close(figure)
