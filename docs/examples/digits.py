"""Handwritten digits: a small convolutional network, trained on an array library chosen at run time.

    python -m everygrad demo --backend numpy
    python docs/examples/digits.py --backend torch --epochs 5

The model and its training name no array library. One seed gives the same weights and the same order of the
data on every backend, so the loss curves are the same too, up to rounding. The loop is the Learner's;
docs/training.md writes it by hand.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# (scikit-learn and matplotlib are typed in part)

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import everygrad as eg
from everygrad import nn, optim

Array = NDArray[Any]
BATCH = 64


class LeNet(nn.Module):
    """Two convolutions, each followed by average pooling, then two linear layers.

    The convolutions have no bias: batch norm takes it out again, so its gradient is rounding errors alone, which Adam
    would make steps of, others on each backend.
    """

    def __init__(self) -> None:
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.AvgPool2d(2),  # 8x8 become 4x4
            nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.AvgPool2d(2),  # and 2x2
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


def train(model: nn.Module, data: Data, epochs: int, seed: int, **options: Any) -> eg.train.Learner:
    """Train by Adam at a falling rate, and look at the test set after each epoch; `options` are more of the Learner's."""
    optimizer = optim.Adam(model.parameters(), lr=5e-3)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    options = {"metrics": [eg.train.Accuracy()], "scheduler": schedule, "seed": seed, **options}
    learner = eg.train.Learner(model, optimizer, nn.CrossEntropyLoss(), **options)
    train = eg.data.TensorDataset(data.train_images, data.train_labels)
    test = eg.data.TensorDataset(data.test_images, data.test_labels)
    batches = eg.data.DataLoader(train, BATCH, shuffle=True, seed=seed)
    learner.fit(batches, eg.data.DataLoader(test, batch_size=len(test)), epochs=epochs)
    if learner.interrupted:
        raise KeyboardInterrupt
    return learner


def predict(model: nn.Module, images: Array) -> Array:
    """The digit that the model reads in each image."""
    model.eval()
    with eg.no_grad():
        read: Array = model(eg.tensor(images)).numpy().argmax(1)
    model.train()
    return read


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
    data = load()
    out.mkdir(parents=True, exist_ok=True)  # before the work: a wrong folder is said at once
    with eg.use(backend) as chosen:
        eg.manual_seed(seed)
        model = LeNet()
        begin = time.perf_counter()
        learner = train(model, data, epochs, seed)
        seconds = time.perf_counter() - begin
        read = predict(model, data.test_images)
    eg.train.plot_history(learner.history, out / "curves.png")
    draw_misread(data, read, out / "misread.png")
    print(f"LeNet on {chosen.name}: {seconds:.1f} s; pictures: {out / 'curves.png'}, {out / 'misread.png'}")
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
