"""Handwritten digits: a small convolutional network, trained on an array library chosen at run time.

    python -m everygrad demo --backend numpy
    python docs/examples/digits.py --backend torch --epochs 5

The model and the loop name no array library. One seed gives the same weights and the same order of the
data on every backend, so the loss curves are the same too, up to rounding.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# (scikit-learn and matplotlib are typed in part)

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import everygrad as eg
from everygrad import nn, optim

Array = NDArray[Any]
BATCH = 64


class LeNet(nn.Module):
    """Two convolutions, each followed by average pooling, then two linear layers."""

    def __init__(self) -> None:
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.AvgPool2d(2),  # 8x8 become 4x4
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AvgPool2d(2),  # and 2x2
        )  # fmt: skip
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(32 * 2 * 2, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, images: eg.Tensor) -> eg.Tensor:
        """Scores (N, 10) of images (N, 1, 8, 8)."""
        scores: eg.Tensor = self.classifier(self.features(images))
        return scores


@dataclass(frozen=True)
class Data:
    """Images (N, 1, 8, 8) from 0 to 1, and their digits; the test set is never trained on."""

    train_images: Array
    test_images: Array
    train_labels: Array
    test_labels: Array


def load() -> Data:
    """The 1,797 handwritten digits that come with scikit-learn, a fifth of them held out."""
    digits: Any = load_digits()
    images = (digits.images[:, None] / 16).astype(np.float32)
    parts: Any = train_test_split(
        images, digits.target, test_size=0.2, stratify=digits.target, random_state=0
    )
    return Data(*parts)


@dataclass(frozen=True)
class Step:
    """What one step of training showed."""

    epoch: int
    loss: float
    accuracy: float


def steps_per_epoch(data: Data) -> int:
    """How many batches the training set fills."""
    return -(-len(data.train_images) // BATCH)


def train(model: nn.Module, data: Data, epochs: int, seed: int) -> Iterator[Step]:
    """Train by Adam, a step at a time."""
    optimizer = optim.Adam(model.parameters(), lr=5e-3)
    loss_function = nn.CrossEntropyLoss()
    order = np.random.default_rng(seed)
    for epoch in range(epochs):
        shuffled = order.permutation(len(data.train_images))
        for start in range(0, len(shuffled), BATCH):
            batch = shuffled[start : start + BATCH]
            images, labels = eg.tensor(data.train_images[batch]), eg.tensor(data.train_labels[batch])
            scores = model(images)
            loss = loss_function(scores, labels)
            optimizer.step(loss.backward())
            right = (scores.detach().numpy().argmax(1) == data.train_labels[batch]).mean()
            yield Step(epoch, loss.item(), float(right))


def predict(model: nn.Module, images: Array) -> Array:
    """The digit that the model reads in each image."""
    model.eval()
    with eg.no_grad():
        read: Array = model(eg.tensor(images)).numpy().argmax(1)
    model.train()
    return read


def watch(steps: Iterator[Step], total: int, console: Console) -> list[Step]:
    """Run the training under a progress bar."""
    words = TextColumn("loss {task.fields[loss]:.4f}  accuracy {task.fields[accuracy]:.3f}")
    columns = (TextColumn("training"), BarColumn(), MofNCompleteColumn(), words, TimeElapsedColumn())
    seen: list[Step] = []
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("training", total=total, loss=np.log(10), accuracy=0.1)  # a guess among 10
        for step in steps:
            seen.append(step)
            recent = seen[-20:]
            loss = sum(s.loss for s in recent) / len(recent)
            accuracy = sum(s.accuracy for s in recent) / len(recent)
            progress.update(task, advance=1, loss=loss, accuracy=accuracy)
    return seen


def table(steps: Sequence[Step], title: str) -> Table:
    """Mean loss and accuracy of each epoch."""
    result = Table("epoch", "loss", "training accuracy", title=title)
    for epoch in sorted({s.epoch for s in steps}):
        losses, accuracies = zip(*[(s.loss, s.accuracy) for s in steps if s.epoch == epoch])
        result.add_row(str(epoch + 1), f"{np.mean(losses):.4f}", f"{np.mean(accuracies):.4f}")
    return result


def draw_losses(steps: Sequence[Step], path: Path) -> None:
    """Save the loss curve."""
    figure: Any = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.semilogy([s.loss for s in steps], linewidth=1)
    axes.set(xlabel="step", ylabel="cross entropy", title="Training loss")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def draw_misread(data: Data, read: Array, path: Path) -> None:
    """Save the test images that were read wrongly, with what was read."""
    wrong = np.flatnonzero(read != data.test_labels)[:24]
    rows, columns = max(1, -(-len(wrong) // 6)), min(6, max(3, len(wrong)))  # 3 wide, for the title
    figure: Any = Figure(figsize=(1.5 * columns, 1.8 * rows + 0.4), layout="constrained")
    figure.suptitle(f"{(read != data.test_labels).sum()} of {len(read)} test digits misread")
    for place, axes in enumerate(figure.subplots(rows, columns, squeeze=False).flat):
        axes.axis("off")
        if place < len(wrong):
            i = wrong[place]
            axes.imshow(data.test_images[i, 0], cmap="gray_r")
            axes.set_title(f"{data.test_labels[i]}, read as {read[i]}", fontsize=9)
    figure.savefig(path, dpi=120)


def run(backend: str, epochs: int, seed: int, out: Path) -> float:
    """Train, show and draw; returns the accuracy on the test set."""
    console, data = Console(), load()
    out.mkdir(parents=True, exist_ok=True)  # before the work: a wrong folder is said at once
    with eg.use(backend) as chosen:
        eg.manual_seed(seed)
        model = LeNet()
        begin = time.perf_counter()
        steps = watch(train(model, data, epochs, seed), epochs * steps_per_epoch(data), console)
        seconds = time.perf_counter() - begin
        read = predict(model, data.test_images)
    console.print(table(steps, f"LeNet on {chosen.name}, {seconds:.1f} s"))
    draw_losses(steps, out / "loss.png")
    draw_misread(data, read, out / "misread.png")
    print(f"pictures: {out / 'loss.png'}, {out / 'misread.png'}")
    return float((read == data.test_labels).mean())


def positive(text: str) -> int:
    """A whole number above zero."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(
            f"must be a whole number above 0. Received: {text!r}; write for example 10"
        )
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0 when it ran, 2 for a wrong call."""
    parser = argparse.ArgumentParser(
        prog="python -m everygrad demo", description="Train on handwritten digits."
    )
    parser.add_argument(
        "--backend", default="numpy", help="the array library: numpy, torch, torch:cuda:0 ..."
    )
    parser.add_argument("--epochs", type=positive, default=10, help="passes over the training set (10)")
    parser.add_argument("--seed", type=int, default=0, help="of the weights and of the order of the data (0)")
    parser.add_argument(
        "--out", type=Path, default=Path("demo-output"), help="folder of the pictures (demo-output)"
    )
    options = parser.parse_args(argv)
    try:
        accuracy = run(options.backend, options.epochs, options.seed, options.out)
    except (eg.BackendError, eg.DeviceError) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"the pictures cannot be saved in {options.out}: {error}. Write another --out", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130  # 128 + SIGINT, as shells say
    print(f"test accuracy: {accuracy:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
