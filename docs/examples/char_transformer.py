"""A transformer that writes English letter by letter, from nothing, on an array library chosen at run time.

    python docs/examples/char_transformer.py bible.txt --backend torch --steps 1200

Any long text will do. Four layers of causal attention learn to name the next character of the text; the
loss is in nats per character, on the last tenth of the text, which is never trained on.
"""

from __future__ import annotations

import argparse
import math
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
CONTEXT, BATCH, RATE = 64, 32, 2e-3


@dataclass(frozen=True)
class Text:
    """A text as numbers, in two parts; `letters[i]` is what the number i stands for."""

    letters: str
    train: Array
    held: Array


def numbered(text: str) -> Text:
    """Number the characters of a text and hold its last tenth out."""
    letters = "".join(sorted(set(text)))
    place = {letter: number for number, letter in enumerate(letters)}
    numbers = np.array([place[letter] for letter in text])
    cut = len(numbers) * 9 // 10
    if len(numbers) - cut <= CONTEXT:
        raise ValueError(f"the text must have more than {10 * CONTEXT} characters. Received: {len(text)}")
    return Text(letters, numbers[:cut], numbers[cut:])


class CharTransformer(nn.Module):
    """Embeddings of letters and places, layers of causal attention, and scores of the next letter."""

    def __init__(self, letters: int, width: int = 128, heads: int = 4, layers: int = 4) -> None:
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Embedding(CONTEXT, width)
        for table in (self.letters, self.places):
            nn.init.normal_(table.weight, std=0.02)
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(width))
        self.scores = nn.Linear(width, letters)

    def forward(self, text: eg.Tensor) -> eg.Tensor:
        """Scores (N, T, letters) of what follows each place of texts (N, T)."""
        places = eg.arange(text.shape[1], backend=text.backend)
        x = self.letters.forward(text) + self.places.forward(places)
        return self.scores.forward(self.layers.forward(x, is_causal=True))


def loss_of(model: CharTransformer, numbers: Array, starts: Array) -> eg.Tensor:
    """Mean nats per character of the pieces that begin at `starts`."""
    pieces = eg.tensor(numbers[starts[:, None] + np.arange(CONTEXT + 1)])
    scores = model.forward(pieces[:, :-1])
    return eg.functional.cross_entropy(scores.flatten(0, 1), pieces[:, 1:].flatten())


def rate(step: int, steps: int) -> float:
    """The learning rate: up for a twentieth of the steps, then down along a cosine."""
    warm = max(1, steps // 20)
    return RATE * min((step + 1) / warm, 0.5 + 0.5 * math.cos(math.pi * step / steps))


def train(model: CharTransformer, text: Text, steps: int, seed: int) -> Iterator[float]:
    """Train by AdamW on random pieces, a step at a time; yields the loss of each."""
    optimizer = optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.99), weight_decay=0.01)
    draw = np.random.default_rng(seed)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate(step, steps)
        loss = loss_of(model, text.train, draw.integers(0, len(text.train) - CONTEXT, BATCH))
        optimizer.step(loss.backward())
        yield loss.item()


def validate(model: CharTransformer, text: Text, pieces: int = 512) -> float:
    """Nats per character on pieces spread evenly over the held-out part."""
    starts = np.linspace(0, len(text.held) - CONTEXT - 1, pieces).astype(int)
    with eg.no_grad():
        losses = [loss_of(model, text.held, part).item() * len(part) for part in np.array_split(starts, 8)]
    return float(sum(losses)) / pieces


def write(model: CharTransformer, text: Text, length: int, seed: int) -> str:
    """Let the model write: each letter is drawn as likely as the model holds it."""
    draw = np.random.default_rng(seed)
    numbers = [text.letters.index("\n") if "\n" in text.letters else 0]
    with eg.no_grad():
        for _ in range(length):
            scores = model.forward(eg.tensor([numbers[-CONTEXT:]]))[0, -1]
            chances = scores.softmax(-1).numpy().astype(np.float64)
            numbers.append(int(draw.choice(len(text.letters), p=chances / chances.sum())))
    return "".join(text.letters[number] for number in numbers[1:])


def watch(losses: Iterator[float], steps: int) -> list[float]:
    """Run the training under a progress bar."""
    words = TextColumn("loss {task.fields[loss]:.4f}")
    seen: list[float] = []
    with Progress(
        TextColumn("training"), BarColumn(), MofNCompleteColumn(), words, TimeElapsedColumn()
    ) as progress:
        task = progress.add_task("training", total=steps, loss=math.nan)
        for loss in losses:
            seen.append(loss)
            progress.update(task, advance=1, loss=float(np.mean(seen[-50:])))
    return seen


def run(text: Text, backend: str, steps: int, seed: int) -> float:
    """Train, validate and let the model write; returns the validation loss."""
    with eg.use(backend) as chosen:
        eg.manual_seed(seed)
        model = CharTransformer(len(text.letters))
        begin = time.perf_counter()
        watch(train(model, text, steps, seed), steps)
        minutes = (time.perf_counter() - begin) / 60
        loss = validate(model, text)
        print(write(model, text, 400, seed))
    print(f"\n{steps} steps on {chosen.name} in {minutes:.1f} minutes")
    return loss


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0 when it ran, 2 for a wrong call."""
    parser = argparse.ArgumentParser(description="Train a character transformer on a text.")
    parser.add_argument("text", type=Path, help="a file of plain text")
    parser.add_argument(
        "--backend", default="torch", help="the array library: numpy, torch, torch:cuda:0 ..."
    )
    parser.add_argument("--steps", type=int, default=1200, help="of training, 32 pieces each (1200)")
    parser.add_argument("--seed", type=int, default=0, help="of the weights and of the order of the data (0)")
    options = parser.parse_args(argv)
    try:
        text = numbered(options.text.read_text(encoding="utf-8"))
        loss = run(text, options.backend, options.steps, options.seed)
    except (eg.BackendError, eg.DeviceError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130  # 128 + SIGINT, as shells say
    print(f"validation loss: {loss:.4f} nats per character")
    return 0


if __name__ == "__main__":
    sys.exit(main())
