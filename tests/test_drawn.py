"""Drawn shapes, dims and places: broadcasting, reductions, shape ops and indexing, against loops, on both libraries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import everygrad as eg
from everygrad.conformance.calls import Failure
from everygrad.conformance.case import Array
from tests.drawn import BY_ID, check_case, compare, distinct, drawn_often, shapes

BINARY = ("add-plain", "sub-plain", "mul-plain", "div-plain", "maximum-plain", "hypot-plain", "atan2-plain")
FOLDS = ("sum-all", "mean-all", "prod-all", "var-all", "logsumexp-all", "amax-all", "amin-all")


@st.composite
def broadcastable(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes of one result: any dim of either may be 1 or absent."""
    full = draw(shapes())
    found: list[tuple[int, ...]] = []
    for _ in range(2):
        kept = [draw(st.sampled_from((size, 1))) for size in full]
        found.append(tuple(kept[draw(st.integers(0, len(kept))) :]))
    return found[0], found[1]


@drawn_often
@given(st.sampled_from(BINARY), broadcastable())
def test_operands_broadcast(like: str, both: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    total = int(np.prod(both[0])) + int(np.prod(both[1]))

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        values = (r.permutation(total) + 1) / 4 * r.choice([-1, 1], total)  # no ties, no zero to divide by
        first = values[: int(np.prod(both[0]))]
        return first.reshape(both[0]), values[len(first) :].reshape(both[1])

    compare(like, sample)


@drawn_often
@given(st.sampled_from(FOLDS), st.data())
def test_reductions_over_any_dims(like: str, data: st.DataObject) -> None:
    shape = data.draw(shapes(1, 4, 1 if like.startswith("am") else 0))
    dims = tuple(sorted(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))))
    count = int(np.prod([shape[d] for d in dims]))
    order = (
        0 if count < 2 or not all(shape) else 1
    )  # NaN, or infinities, have gradients in cases of their own
    options = ((1.0,) if like.startswith("var") else ()) + (data.draw(st.booleans()),)
    compare(like, lambda r: (distinct(r, shape) + 0.375, dims, *options), order)


def _slices(data: st.DataObject, shape: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """(start, how many, step) per dim."""
    found: list[tuple[int, int, int]] = []
    for size in shape:
        start, step = (
            data.draw(st.integers(0, max(size - 1, 0))),
            data.draw(st.sampled_from((-2, -1, 1, 2, 3))),
        )
        most = (size - 1 - start if step > 0 else start) // abs(step) + 1
        found.append((start, data.draw(st.integers(0, most)) if size else 0, step))
    return tuple(found)


SHAPE_OPS = (
    "permute",
    "flip",
    "roll",
    "slice",
    "pad",
    "repeat",
    "broadcast_to",
    "tril",
    "diagonal",
    "unfold_dim",
)


@drawn_often
@given(st.sampled_from(SHAPE_OPS), st.data())
def test_shape_ops_move_what_they_say(op: str, data: st.DataObject) -> None:
    shape = data.draw(shapes(2 if op in ("tril", "diagonal") else 1, 4, 1 if op == "unfold_dim" else 0))
    n = len(shape)
    dims = tuple(data.draw(st.permutations(range(n))))
    some = tuple(sorted(dims[: data.draw(st.integers(1, n))]))
    if op == "unfold_dim":
        dim = data.draw(st.integers(0, n - 1))
        size = data.draw(st.integers(1, shape[dim]))
        options: tuple[Any, ...] = (dim, size, data.draw(st.integers(1, 3)))
    else:
        draws: dict[str, Callable[[], tuple[Any, ...]]] = {
            "permute": lambda: (dims,),
            "flip": lambda: (some,),
            "roll": lambda: (tuple(data.draw(st.integers(-4, 4)) for _ in some), some),
            "slice": lambda: (_slices(data, shape),),
            "pad": lambda: (
                tuple((data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))) for _ in shape),
            ),
            "repeat": lambda: (
                tuple(data.draw(st.integers(0, 2)) for _ in range(n + data.draw(st.integers(0, 1)))),
            ),
            "broadcast_to": lambda: ((data.draw(st.integers(0, 2)), *shape),),
            "tril": lambda: (data.draw(st.integers(-3, 3)),),
            "diagonal": lambda: (data.draw(st.integers(-1, 1)) if min(shape[-2:]) > 1 else 0,),
        }
        options = draws[op]()
    like = {
        "permute": "three", "flip": "both", "roll": "one", "slice": "steps", "pad": "zeros", "repeat": "vector",
        "broadcast_to": "both", "tril": "main", "diagonal": "square", "unfold_dim": "apart",
    }[op]  # fmt: skip
    compare(f"{op}-{like}", lambda r: (r.normal(size=shape), *options))


@drawn_often
@given(st.sampled_from(("index_select", "gather", "index_add", "scatter_add")), st.data())
def test_reading_and_writing_by_index(op: str, data: st.DataObject) -> None:
    shape = data.draw(shapes(1, 3, 1))
    dim = data.draw(st.integers(0, len(shape) - 1))
    count = data.draw(st.integers(0, 4))
    index_shape: tuple[int, ...]
    if op.startswith("index"):
        index_shape, src = (count,), (*shape[:dim], count, *shape[dim + 1 :])
    else:
        index_shape = src = tuple(
            count if d == dim else data.draw(st.integers(0, s)) for d, s in enumerate(shape)
        )

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        index = r.integers(0, shape[dim], index_shape)
        return r.normal(size=shape), dim, index, *([r.normal(size=src)] if "add" in op else [])

    compare(f"{op}-rows", sample)


def _three(r: np.random.Generator) -> tuple[Any, ...]:
    return r.normal(size=3), (1,), (0,)


def _rolled_back(x: Array, shifts: Any, dims: Any) -> Array:
    return np.roll(x, -1)


def test_a_wrong_answer_is_found() -> None:
    case = replace(BY_ID["roll-one"], name="drawn", sample=_three)
    check_case(case)
    with pytest.raises(Failure, match="3 of 3 elements differ"):
        check_case(replace(case, oracle=_rolled_back))


VIEWS = ("t", "every other", "reversed", "row", "stretched")
FUNCTIONS = ("exp", "softmax", "cumsum", "sort", "sum", "product", "norm", "pad", "cat")


def _apply(name: str, x: eg.Tensor) -> eg.Tensor:
    last = x.ndim - 1
    return {
        "exp": lambda: x.exp(),
        "softmax": lambda: eg.softmax(x, last),
        "cumsum": lambda: x.cumsum(last),
        "sort": lambda: x.sort(last)[0],
        "sum": lambda: x.sum(0),
        "product": lambda: x.reshape(-1, x.shape[-1]) @ x.reshape(-1, x.shape[-1]).transpose(0, 1),
        "norm": lambda: eg.functional.layer_norm(x, (x.shape[-1],)),
        "pad": lambda: eg.functional.pad(x, (1, 2)),
        "cat": lambda: eg.cat([x, x], last),
    }[name]()


@pytest.mark.parametrize("library", ["numpy", "torch"])
@drawn_often
@given(st.sampled_from(FUNCTIONS), st.lists(st.sampled_from(VIEWS), min_size=1, max_size=4))
def test_views_give_what_copies_give(library: str, name: str, views: list[str]) -> None:
    """A chain of views of one array, and the same values laid out anew: values and gradients."""
    host = np.random.default_rng(len(views)).normal(size=(4, 3, 4))
    root = eg.tensor(host, backend=library, requires_grad=True)
    place = np.arange(host.size).reshape(host.shape)
    x = root
    for view in views:
        if view == "t":
            x, place = x.transpose(0, x.ndim - 1), place.swapaxes(0, -1)
        elif view == "every other":
            x, place = x[::2], place[::2]
        elif view == "reversed":
            x, place = x[..., ::-1], place[..., ::-1]
        elif view == "row" and x.ndim > 2:
            x, place = x[0], place[0]
        elif view == "stretched" and x.ndim < 4:
            x, place = x[None].expand(2, *x.shape), np.broadcast_to(place, (2, *place.shape))
    copy = eg.tensor(host.ravel()[place], backend=library, requires_grad=True)
    seen, due = _apply(name, x), _apply(name, copy)
    assert seen.shape == due.shape
    np.testing.assert_allclose(seen.detach().numpy(), due.detach().numpy(), 1e-13, 1e-13)
    weight = eg.tensor(np.random.default_rng(0).normal(size=due.shape), backend=library)
    (found,) = eg.gradients((seen * weight).sum(), [root])
    (wanted,) = eg.gradients((due * weight).sum(), [copy])
    assert found is not None
    assert wanted is not None
    summed = np.zeros(host.size)
    np.add.at(summed, place.ravel(), wanted.numpy().ravel())
    np.testing.assert_allclose(found.numpy().ravel(), summed, 1e-11, 1e-11)
