"""Clothes in ten classes: a small convolutional network on Fashion-MNIST, on an array library chosen at run time.

    python docs/examples/fashion_mnist.py FOLDER --backend numpy

FOLDER holds the four files of Fashion-MNIST (train-images-idx3-ubyte.gz ...); Debian's package
dataset-fashion-mnist puts them in /usr/share/datasets/fashion-mnist.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import everygrad as eg
from everygrad import nn, optim

Array = NDArray[Any]
BATCH, RATE = 100, 4e-3
DEBIAN = Path("/usr/share/datasets/fashion-mnist")


@dataclass(frozen=True)
class Data:
    """Images (N, 1, 28, 28) from 0 to 1, and their classes; the test set is never trained on."""

    train_images: Array
    train_labels: Array
    test_images: Array
    test_labels: Array


def read_idx(path: Path) -> Array:
    """An array out of an IDX file: two zeros, a type, a rank, the sizes, then the bytes."""
    with gzip.open(path) as file:
        data = file.read()
    if data[:3] != b"\0\0\x08":
        raise ValueError(
            f"{path} must be an IDX file of bytes. Received: a file that begins with {data[:4]!r}"
        )
    shape = np.frombuffer(data, ">i4", data[3], 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


def load(folder: Path) -> Data:
    """The 60,000 training images and the 10,000 test images."""
    parts: list[Array] = []
    for part in ("train", "t10k"):
        images = read_idx(folder / f"{part}-images-idx3-ubyte.gz")
        parts += [
            (images[:, None] / np.float32(255)),
            read_idx(folder / f"{part}-labels-idx1-ubyte.gz").astype(int),
        ]
    return Data(*parts)


class Net(nn.Module):
    """Two convolutions, each followed by average pooling, then two linear layers."""

    def __init__(self) -> None:
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2),  # 28x28 become 14x14
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2),  # and 7x7
        )  # fmt: skip
        self.classifier = nn.Sequential(
            nn.Flatten(), nn.Linear(32 * 7 * 7, 128), nn.ReLU(), nn.Linear(128, 10)
        )

    def forward(self, images: eg.Tensor) -> eg.Tensor:
        """Scores (N, 10) of images (N, 1, 28, 28)."""
        scores: eg.Tensor = self.classifier(self.features(images))
        return scores


def train(model: nn.Module, data: Data, epochs: int, seed: int) -> Iterator[float]:
    """Train by Adam, the rate falling to zero, a step at a time; yields the loss of each."""
    optimizer = optim.Adam(model.parameters(), lr=RATE)
    loss_function = nn.CrossEntropyLoss()
    order = np.random.default_rng(seed)
    total, done = epochs * -(-len(data.train_images) // BATCH), 0
    for _ in range(epochs):
        shuffled = order.permutation(len(data.train_images))
        for start in range(0, len(shuffled), BATCH):
            batch = shuffled[start : start + BATCH]
            optimizer.param_groups[0]["lr"] = RATE * (1 - done / total)
            loss = loss_function(
                model(eg.tensor(data.train_images[batch])), eg.tensor(data.train_labels[batch])
            )
            optimizer.step(loss.backward())
            done += 1
            yield loss.item()


def accuracy(model: nn.Module, images: Array, labels: Array) -> float:
    """The share of the images whose class the model names."""
    right = 0
    with eg.no_grad():
        for start in range(0, len(images), 500):
            named = model(eg.tensor(images[start : start + 500])).numpy().argmax(1)
            right += int((named == labels[start : start + 500]).sum())
    return right / len(images)


def run(data: Data, backend: str, epochs: int, seed: int) -> float:
    """Train under a progress bar; returns the accuracy on the test set."""
    words = TextColumn("loss {task.fields[loss]:.4f}")
    columns = (TextColumn("training"), BarColumn(), MofNCompleteColumn(), words, TimeElapsedColumn())
    with eg.use(backend) as chosen, Progress(*columns) as progress:
        eg.manual_seed(seed)
        model = Net()
        task = progress.add_task("", total=epochs * -(-len(data.train_images) // BATCH), loss=np.log(10))
        begin, recent = time.perf_counter(), list[float]()
        for loss in train(model, data, epochs, seed):
            recent = [*recent[-49:], loss]
            progress.update(task, advance=1, loss=float(np.mean(recent)))
        seconds = time.perf_counter() - begin
        result = accuracy(model, data.test_images, data.test_labels)
    print(f"{epochs} epochs on {chosen.name} in {seconds:.0f} s")
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0 when it ran, 2 for a wrong call."""
    parser = argparse.ArgumentParser(description="Train on Fashion-MNIST.")
    parser.add_argument("folder", type=Path, nargs="?", default=DEBIAN, help=f"of the four files ({DEBIAN})")
    parser.add_argument(
        "--backend", default="numpy", help="the array library: numpy, torch, torch:cuda:0 ..."
    )
    parser.add_argument("--epochs", type=int, default=3, help="passes over the training set (3)")
    parser.add_argument("--seed", type=int, default=0, help="of the weights and of the order of the data (0)")
    options = parser.parse_args(argv)
    try:
        result = run(load(options.folder), options.backend, options.epochs, options.seed)
    except FileNotFoundError as error:
        print(
            f"{error}. Write the folder of Fashion-MNIST, or: apt install dataset-fashion-mnist",
            file=sys.stderr,
        )
        return 2
    except (eg.BackendError, eg.DeviceError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130  # 128 + SIGINT, as shells say
    print(f"test accuracy: {result:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
