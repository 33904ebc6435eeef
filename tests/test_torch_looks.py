"""What the torch backend remembers about arrays: never longer than it holds."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

import everygrad as eg
from everygrad_ops import pool_options
from everygrad_torch.looks import binding, has_no_nan, is_vouched, may_hold_nan, shape_only, vouch

B: Any = eg.backend("torch")


def test_a_note_ends_with_the_next_write() -> None:
    x = torch.zeros(3)
    assert not is_vouched(x, 3)
    vouch(x, 3)
    assert is_vouched(x, 3) and not is_vouched(x, 4)
    x[:2].fill_(7)  # through a view
    assert not is_vouched(x, 3)


def test_a_note_is_about_one_tensor() -> None:
    x = torch.zeros(3)
    x.add_(1)
    vouch(x, 3)
    assert not is_vouched(copy.deepcopy(x), 3) and not is_vouched(x.clone(), 3)


def test_inference_mode_has_no_notes() -> None:
    with torch.inference_mode():
        x = torch.zeros(3)
        vouch(x, 3)
    assert not is_vouched(x, 3)


def test_indices_written_into_are_looked_at_again() -> None:
    options = pool_options(2, rank=2)
    values, indices = B.max_pool_with_indices(torch.arange(16.0).reshape(1, 1, 4, 4), options)
    B.max_pool_with_indices_backward(values, indices, (1, 1, 4, 4), options)
    indices[0, 0, 0, 0] = 16
    with pytest.raises(IndexError, match="16"):
        B.max_pool_with_indices_backward(values, indices, (1, 1, 4, 4), options)


def test_indices_of_a_larger_plane_are_looked_at() -> None:
    _, indices = B.adaptive_max_pool_with_indices(torch.arange(16.0).reshape(1, 1, 4, 4), (2, 2))
    with pytest.raises(IndexError, match="15"):
        B.adaptive_max_pool_with_indices_backward(torch.ones(1, 1, 2, 2), indices, (1, 1, 3, 3))


@pytest.mark.parametrize("size", [1, 100, 100_000])
def test_nan_is_seen_at_any_size(size: int) -> None:
    x = torch.full((size,), float("-inf"))
    assert not may_hold_nan(x) and has_no_nan(x)
    x[size // 2] = float("nan")
    assert may_hold_nan(x) and not has_no_nan(x)
    assert not may_hold_nan(x[:0])


def test_a_shape_alone_takes_no_memory() -> None:
    x = shape_only((1000, 1000), torch.float32, torch.device("cpu"))
    assert x.shape == (1000, 1000) and x.untyped_storage().nbytes() == 4


def test_what_torch_does_not_bind_is_called_by_its_kernel() -> None:
    x = torch.ones(1, 1, 4, 4)
    assert torch.equal(binding("avg_pool2d")(x, [2, 2]), torch.ones(1, 1, 2, 2))
    grad = binding("threshold_backward")(x, x, 0)
    assert torch.equal(grad, x)
