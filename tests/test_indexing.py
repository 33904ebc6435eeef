"""Square brackets against NumPy: shapes, values, gradients to order two, errors; functional updates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import everygrad as eg
from everygrad import Tensor

BACKENDS = ["numpy", "torch"]
SHAPES = st.lists(st.integers(0, 4), min_size=0, max_size=4).map(tuple)


@st.composite
def index_arrays(draw: st.DrawFn, size: int, common: tuple[int, ...]) -> Any:
    """An integer array for a dim of this size, of a shape that broadcasts to `common`; negatives too."""
    rank = draw(st.integers(0, len(common)))
    shape = tuple(draw(st.sampled_from([1, s])) for s in common[len(common) - rank :])
    count = int(np.prod(shape))
    values = draw(st.lists(st.integers(-size, size - 1), min_size=count, max_size=count))
    return np.array(values, dtype=np.int64).reshape(shape)


@st.composite
def slices(draw: st.DrawFn, size: int) -> slice:
    bounds = [None, *range(-size - 2, size + 3)]
    steps = [None, 1, 2, 3, -1, -2, -3]
    return slice(*(draw(st.sampled_from(values)) for values in (bounds, bounds, steps)))


@st.composite
def keys(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A valid key for an array of this shape: every kind of item, in any order."""
    key: list[Any] = []
    dim = 0
    common = draw(st.sampled_from([(), (1,), (2,), (3,), (2, 3), (0,)]))
    stop = draw(st.integers(0, len(shape)))
    masks = 0
    while dim < stop:
        size = shape[dim]
        kinds = ["slice", "slice", "none", "whole", "truth"]
        kinds += ["int", "array", "array"] if size else []
        kinds += ["mask"]
        kind = draw(st.sampled_from(kinds))
        if kind in ("none", "truth"):
            key.append(None if kind == "none" else draw(st.sampled_from([True, False, True, np.array(True)])))
            continue
        if kind == "int":
            key.append(draw(st.integers(-size, size - 1)))
        elif kind == "array":
            key.append(draw(index_arrays(size, common)))
        elif kind == "mask":
            rank = draw(st.integers(1, stop - dim))
            sizes = shape[dim : dim + rank]
            key.append(_mask(draw, sizes, common))
            masks += 1
            dim += rank - 1
        else:
            key.append(draw(slices(size)) if kind == "slice" else slice(None))
        dim += 1
    if draw(st.booleans()):
        if dim < len(shape):
            key.append(Ellipsis)
        else:  # in the place of a whole dim, or between any two items, where it stands for none
            whole: list[int] = [i for i, k in enumerate(key) if isinstance(k, slice) and k == slice(None)]
            replaces: bool = draw(st.booleans())
            if whole and replaces:
                key[draw(st.sampled_from(whole))] = Ellipsis
            else:
                key.insert(draw(st.integers(0, len(key))), Ellipsis)
    return tuple(key)


def _mask(draw: st.DrawFn, sizes: tuple[int, ...], common: tuple[int, ...]) -> Any:
    """A mask that names one place, or as many as the index arrays beside it can broadcast with."""
    total = int(np.prod(sizes))
    wanted = min(common[-1] if common else 1, total)
    chosen: list[int] = draw(st.permutations(list(range(total))))[:wanted]
    flat = np.zeros(total, dtype=bool)
    flat[list(chosen)] = True
    return flat.reshape(sizes)


@st.composite
def calls(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    shape = draw(SHAPES)
    return shape, draw(keys(shape))


def _numpy(x: np.ndarray[Any, Any], key: Any) -> np.ndarray[Any, Any] | type[Exception]:
    try:
        return np.asarray(x[key])
    except IndexError:
        return IndexError


def _placed(key: tuple[Any, ...], backend: str) -> tuple[Any, ...]:
    """The same key with tensors for arrays."""
    return tuple(eg.tensor(k, backend=backend) if isinstance(k, np.ndarray) else k for k in key)


@pytest.mark.parametrize("backend", BACKENDS)
@given(call=calls())
@settings(max_examples=300, deadline=None)
def test_getitem_is_numpys(backend: str, call: tuple[tuple[int, ...], tuple[Any, ...]]) -> None:
    shape, key = call
    x = np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape)
    due = _numpy(x, key)
    t = eg.tensor(x, backend=backend)
    for form in (key, _placed(key, backend), key[0] if len(key) == 1 else key):
        if isinstance(due, type):
            with pytest.raises((IndexError, eg.ShapeError)):
                t[form]
        else:
            found = t[form].numpy()
            assert found.shape == due.shape
            np.testing.assert_array_equal(found, due)


@pytest.mark.parametrize("backend", BACKENDS)
@given(call=calls())
@settings(max_examples=120, deadline=None)
def test_gradients_to_order_two(backend: str, call: tuple[tuple[int, ...], tuple[Any, ...]]) -> None:
    """f = sum(w * x[key] ** 3): f' = 3 w x ** 2 and sum(f')' = 6 w x, where read; w distinct per place read."""
    shape, key = call
    x = 1.0 + np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape)
    due = _numpy(x, key)
    if isinstance(due, type):
        return
    w: np.ndarray[Any, Any] = np.arange(1.0, float(due.size) + 1)
    w = w.reshape(due.shape)
    weights = np.zeros_like(x)
    np.add.at(weights, key, w)
    t = eg.tensor(x, backend=backend).requires_grad_()
    part = t[_placed(key, backend)]
    loss = (part * part * part * eg.tensor(w, backend=backend)).sum()
    (first,) = eg.gradients(loss, [t], create_graph=True)
    assert first is not None
    np.testing.assert_allclose(first.detach().numpy(), 3 * weights * x**2)
    (second,) = eg.gradients(first.sum(), [t])
    assert second is not None
    np.testing.assert_allclose(second.numpy(), 6 * weights * x)


@pytest.mark.parametrize("backend", BACKENDS)
@given(call=calls(), data=st.data())
@settings(max_examples=120, deadline=None)
def test_slice_assign_is_numpys_assignment(
    backend: str, call: tuple[tuple[int, ...], tuple[Any, ...]], data: st.DataObject
) -> None:
    shape, key = call
    x = np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape)
    due = _numpy(x, key)
    if isinstance(due, type):
        return
    shrunk = tuple(
        data.draw(st.sampled_from([1, s])) for s in due.shape[data.draw(st.integers(0, due.ndim)) :]
    )
    values = -1.0 - np.arange(int(np.prod(shrunk)), dtype=np.float64).reshape(shrunk)
    # one write at a time, in row-major order: the last one stays
    places = np.arange(x.size).reshape(shape)[key]
    expected = x.copy().reshape(-1)
    lost = np.ones(x.size)
    source = np.zeros(places.shape)
    for at, place in np.ndenumerate(places):
        expected[place] = np.broadcast_to(values, places.shape)[at]
        lost[place] = 0
    last = {int(p): at for at, p in np.ndenumerate(places)}
    for at in last.values():
        source[at] = 1
    t = eg.tensor(x, backend=backend).requires_grad_()
    v = eg.tensor(values, backend=backend).requires_grad_()
    out = t.slice_assign(_placed(key, backend), v)
    np.testing.assert_array_equal(out.detach().numpy(), expected.reshape(shape))
    np.testing.assert_array_equal(t.detach().numpy(), x)
    grads = out.sum().backward(inputs=[t, v])
    np.testing.assert_array_equal(grads[t].numpy(), lost.reshape(shape))
    back = source.sum(tuple(range(source.ndim - values.ndim)))
    stretched = tuple(d for d, s in enumerate(values.shape) if s == 1 and back.shape[d] != 1)
    np.testing.assert_array_equal(grads[v].numpy(), back.sum(stretched, keepdims=True))


@pytest.mark.parametrize("backend", BACKENDS)
def test_index_put(backend: str) -> None:
    x = eg.tensor([0.0, 0.0, 0.0, 0.0], backend=backend).requires_grad_()
    v = eg.tensor([11.0, 12.0, 13.0, 14.0], backend=backend).requires_grad_()
    at = eg.tensor([0, 1, 1, -2], backend=backend)
    put = x.index_put((at,), v)
    assert put.tolist() == [11.0, 13.0, 14.0, 0.0]
    grads = put.sum().backward()
    assert grads[x].tolist() == [0.0, 0.0, 0.0, 1.0]
    assert grads[v].tolist() == [1.0, 0.0, 1.0, 1.0]
    added = x.index_put((at,), v, accumulate=True)
    assert added.tolist() == [11.0, 25.0, 14.0, 0.0]
    grads = added.sum().backward()
    assert grads[x].tolist() == [1.0] * 4
    assert grads[v].tolist() == [1.0] * 4
    m = eg.zeros(2, 3, backend=backend)
    rows = eg.tensor([[0], [1]], backend=backend)
    assert m.index_put((rows, eg.tensor([0, 2], backend=backend)), 1.0).tolist() == [[1, 0, 1], [1, 0, 1]]
    assert m.index_put((eg.eq(m, 0),), 2.0).tolist() == [[2.0] * 3] * 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_errors_of_getitem(backend: str) -> None:
    x = eg.tensor(np.arange(6.0).reshape(2, 3), backend=backend)
    tensor_index = eg.tensor([0, 7], backend=backend)
    wrong: list[tuple[Any, type[Exception], str]] = [
        ((0, 0, 0), IndexError, "too many"),
        ((2,), IndexError, "index 2 .* size 2"),
        (-3, IndexError, "index -3 .* size 2"),
        ((0, 3), IndexError, "index 3 .* dim 1 of size 3"),
        ([0, 2], IndexError, "index 2 .* size 2"),
        (tensor_index, IndexError, "index 7 .* size 2"),
        ((slice(None), tensor_index), IndexError, "index 7 .* size 3"),
        ((tensor_index, tensor_index), IndexError, "index 7"),
        ([-3], IndexError, "index -3 .* size 2"),
        ((Ellipsis, Ellipsis), IndexError, "one Ellipsis"),
        (np.array([True, False, True]), IndexError, "mask"),
        ([True], IndexError, "mask"),
        ("a", TypeError, "str"),
        (1.0, TypeError, "float"),
        ([0.5], eg.DTypeError, "float64"),
        (eg.tensor([0.5], backend=backend), eg.DTypeError, "float32"),
        (([0, 1], [0, 1, 2]), eg.ShapeError, "broadcast"),
        (slice(None, None, 0), ValueError, "zero"),
    ]
    for key, error, words in wrong:
        with pytest.raises(error, match=words):
            x[key]


def test_assignment_names_what_to_write() -> None:
    x = eg.zeros(3)
    with pytest.raises(TypeError, match=r"index_put.*slice_assign"):
        x[0] = 1.0
    assert x.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_basic_keys_cost_one_slice_and_one_reshape(backend: str) -> None:
    calls: list[str] = []
    inner = eg.backend(backend)

    class Counting(type(inner)):  # type: ignore[misc]  # of whichever backend
        def __getattribute__(self, name: str) -> Any:
            if name in ("slice", "reshape", "permute", "index_select", "index", "broadcast_to", "cat"):
                calls.append(name)
            return super().__getattribute__(name)

    x = Tensor(inner.from_numpy(np.zeros((4, 5))), Counting())
    for key, most in [
        (1, 2),
        (slice(1, 3), 1),
        ((slice(None), 2), 2),
        ((None, 1, slice(None, None, 2)), 2),
        (..., 0),
    ]:
        calls.clear()
        x[key]
        assert len(calls) <= most, (key, calls)


@pytest.mark.parametrize("backend", BACKENDS)
def test_reads_out_of_range_raise_backwards_too(backend: str) -> None:
    """B046: never a clamped read, never a dropped gradient."""
    x = eg.tensor([1.0, 2.0, 3.0], backend=backend).requires_grad_()
    reads: list[Callable[[Tensor], Tensor]] = [
        lambda i: x[i],
        lambda i: eg.gather(x, 0, i),
        lambda i: eg.index_select(x, 0, i),
        lambda i: eg.take(x, i),
    ]
    for read in reads:
        with pytest.raises(IndexError, match=r"index 7 .* size 3"):
            read(eg.tensor([0, 7], backend=backend))
        with pytest.raises(IndexError, match=r"index -4 .* size 3"):
            read(eg.tensor([0, -4], backend=backend))
        assert read(eg.tensor([0, -1], backend=backend)).tolist() == [1.0, 3.0]


def test_take_reads_the_flattened_input() -> None:
    """B047."""
    x = eg.arange(10).reshape(2, 5)
    assert eg.take(x, eg.tensor([[1, 1, 1, 1], [1, 2, 3, 4]])).tolist() == [[1, 1, 1, 1], [1, 2, 3, 4]]


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_index_of_another_level_is_lifted(backend: str) -> None:
    """A plain index and a plain tensor closed over by a function under eg.grad."""
    mask = eg.tensor([True, False, True], backend=backend)
    at = eg.tensor([2, 0], backend=backend)
    table = eg.tensor([1.0, 2.0, 3.0], backend=backend)

    def f(x: Tensor) -> Tensor:
        return (x[mask] * x[at] * table[at]).sum()

    x = eg.tensor([1.0, 2.0, 3.0], backend=backend)
    assert eg.grad(f)(x).tolist() == [3.0 * 3 + 1.0 * 3, 0.0, 1.0 * 3 + 1.0 * 1]
