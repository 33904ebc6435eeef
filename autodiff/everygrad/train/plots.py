"""Pictures: curves of a history, confusion matrices. They need matplotlib, and no display."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from everygrad.train.history import History
from everygrad.train.missing import need

__all__ = ["plot_confusion", "plot_history"]


def plot_history(history: History, path: str | Path | None = None) -> Any:
    """A picture for each metric, with a curve for each split, over the epochs; saved to `path`, and returned.

    >>> import everygrad as eg
    >>> history = eg.train.History([{"epoch": i, "train/loss": 1 / i, "valid/loss": 2 / i} for i in (1, 2, 3)])
    >>> [axes.get_title() for axes in eg.train.plot_history(history).axes if axes.get_title()]
    ['loss']
    """
    if not isinstance(history, History):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise TypeError(
            f"plot_history: must be a History. Received: {type(history).__name__}; write learner.history, or eg.train.History(rows)"
        )
    figures = need("matplotlib.figure", "plot_history")
    panels: dict[str, list[str]] = {}
    for name in history.names:
        panels.setdefault(name.rpartition("/")[2], []).append(name)
    columns = min(3, max(1, len(panels)))
    rows = max(1, -(-len(panels) // columns))
    figure = figures.Figure(figsize=(4.5 * columns, 3.2 * rows), layout="constrained")
    epochs = [row["epoch"] for row in history]
    places = figure.subplots(rows, columns, squeeze=False).flat
    for axes, (title, names) in zip(places, panels.items()):
        for name in names:
            axes.plot(
                epochs,
                history.column(name),
                marker="o" if len(epochs) < 20 else None,
                label=name.rpartition("/")[0],
            )
        axes.set(title=title, xlabel="epoch")
        axes.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)  # there is no epoch 1.5
        axes.grid(alpha=0.3)
        if len(names) > 1:
            axes.legend()
    for axes in list(places)[len(panels) :]:
        axes.axis("off")
    return _saved(figure, path)


def plot_confusion(matrix: Any, labels: Sequence[str] | None = None, path: str | Path | None = None) -> Any:
    """A confusion matrix (true classes down, predicted ones across) with its counts or shares; saved, and returned.

    >>> import everygrad as eg
    >>> figure = eg.train.plot_confusion([[5, 1], [0, 6]], ["cat", "dog"])
    >>> figure.axes[0].get_ylabel()
    'true'
    """
    figures = need("matplotlib.figure", "plot_confusion")
    counts = np.asarray(matrix)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not counts.size:
        raise ValueError(
            f"plot_confusion: matrix must be square, of a class at least. Received: shape {counts.shape}"
        )
    size = len(counts)
    names = list(map(str, range(size))) if labels is None else list(labels)
    if len(names) != size:
        raise ValueError(f"plot_confusion: one label for each of {size} classes. Received: {len(names)}")
    figure = figures.Figure(figsize=(2 + 0.6 * size, 1.6 + 0.6 * size), layout="constrained")
    axes = figure.subplots()
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1e-12)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axes.set(xlabel="predicted", ylabel="true", xticks=range(size), yticks=range(size))
    axes.set_xticklabels(names, rotation=45 if max(map(len, names), default=0) > 3 else 0)
    axes.set_yticklabels(names)
    whole = counts.dtype.kind in "iu"
    for i in range(size if size <= 30 else 0):
        for j in range(size):
            text = str(counts[i, j]) if whole else f"{counts[i, j]:.2f}"
            axes.text(
                j,
                i,
                text,
                ha="center",
                va="center",
                color="white" if shares[i, j] > 0.5 else "black",
                fontsize=8,
            )
    return _saved(figure, path)


def _saved(figure: Any, path: str | Path | None) -> Any:
    if path is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120)
    return figure
