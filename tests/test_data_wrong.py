"""What a loader is wrongly given, and items that cannot be one batch: said, and named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad.data import DataLoader, ItemError, RandomSampler, default_collate


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([None, None], "item must not be None.*Received: None in item 0 of the batch; leave such items out"),
        ([1.0, None], "item must not be None.*Received: None in item 1 of the batch"),
        (
            [(1, 2.0), (1, None), (1, 3.0)],
            r"item\[1\] must not be None.*Received: None in item 1 of the batch",
        ),
        ([(1, None), (1, 3.0)], r"item\[1\] must not be None.*Received: None in item 0"),
        ([(1, 2.0), None], "item must not be None.*Received: None in item 1"),
        ([{"a": 1}, None], "item must not be None.*Received: None in item 1"),
        ([{"a": "x"}, {"a": None}], r"item\['a'\] must not be None.*Received: None in item 1"),
        ([eg.ones(1), None], "item must not be None.*Received: None in item 1"),
        ([np.ones(1), None], "item must not be None.*Received: None in item 1"),
        (
            [1.0, "a"],
            "item must be of one kind.*Received: float in the first and str in item 1 of the batch; write",
        ),
        (["a", 1.0], "item must be of one kind.*Received: str in the first and float in item 1"),
        (["a", b"b"], "item must be of one kind.*Received: str in the first and bytes in item 1"),
        ([{"a": 1}, 3], "item must be of one kind.*Received: dict in the first and int in item 1"),
        ([[1, 2], 3], "item must be of one kind.*Received: list in the first and int in item 1"),
        (
            [eg.ones(2), np.ones(2)],
            "item must be of one kind.*Received: Tensor in the first and ndarray in item 1",
        ),
        (
            [np.ones(2), eg.ones(2)],
            "item must be of one kind.*Received: ndarray in the first and Tensor in item 1",
        ),
    ],
)
@pytest.mark.parametrize("workers", [0, 1])
def test_items_that_are_no_batch_are_named(items: list[Any], words: str, workers: int) -> None:
    if not workers:
        with pytest.raises(TypeError, match=words):
            default_collate(items)
    for size in (2, len(items)) if workers else ():
        with pytest.raises(
            ItemError, match=r"default_collate on the items \[0, 1(, 2)?\] of list failed: TypeError: .*"
        ):
            list(DataLoader(items, size, num_workers=workers))


def test_kinds_that_go_together() -> None:
    assert default_collate([True, False]).dtype is eg.bool
    for mixed in ([True, 2], [2, True]):
        assert default_collate(mixed).tolist() == ([1, 2] if mixed[0] is True else [2, 1]), "not True twice"
    assert default_collate([1, 2.5]).tolist() == [1, 2.5]
    assert default_collate([2.0, np.float64(3.0)]).tolist() == [2, 3]
    assert default_collate([np.float32(2.0), 3]).tolist() == [2, 3]
    assert default_collate([(1, None), (2, None)])[1] == [None, None]
    with pytest.raises(
        eg.ShapeError, match=r"one shape in all items. Received: \(\) in the first and \(2,\) in item 1"
    ):
        default_collate([1.0, np.ones(2)])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"batch_size": True}, "batch_size must be a whole number from 1 up. Received: True"),
        ({"num_workers": True}, "num_workers must be a whole number from 0 up. Received: True"),
        ({"shuffle": "yes"}, "shuffle must be True or False. Received: 'yes'; write shuffle=True"),
        ({"drop_last": "no"}, "drop_last must be True or False. Received: 'no'"),
        (
            {"num_workers": 1, "persistent_workers": 2},
            "persistent_workers must be True or False. Received: 2",
        ),
        ({"seed": 1.5}, "seed: must be a whole number. Received: 1.5; write seed=0"),
        ({"seed": "x"}, "seed: must be a whole number. Received: 'x'"),
        ({"collate_fn": 3}, "collate_fn must be a function. Received: 3; leave it out"),
        ({"worker_init_fn": 3}, "worker_init_fn must be a function. Received: 3"),
        ({"multiprocessing_context": "thread"}, "must be one of .*spawn.*Received: 'thread'; leave it out"),
    ],
)
def test_wrong_options_are_said_at_once(options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        DataLoader([1, 2, 3], **options)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_batch_sampler_of_single_indices(workers: int) -> None:
    loader = DataLoader([1, 2, 3, 4], batch_sampler=[0, 3], num_workers=workers)
    with pytest.raises(
        TypeError, match=r"must give lists of indices. Received: 0; write batch_sampler=\[\[0, 1\], \[2\]\]"
    ):
        list(loader)
    assert [
        x.tolist() for x in DataLoader([1, 2, 3, 4], batch_sampler=[[0], (3, 1)], num_workers=workers)
    ] == [[1], [4, 2]]


def test_a_seed_is_whole() -> None:
    with pytest.raises(TypeError, match=r"seed: must be a whole number. Received: 0.5"):
        RandomSampler([1, 2], seed=0.5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
    whole: Any = np.int64(3)
    assert list(RandomSampler(range(9), seed=whole)) == list(RandomSampler(range(9), seed=3))
