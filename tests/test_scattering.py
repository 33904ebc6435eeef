"""Writing by index on tensors: against torch's own, and the answers that other libraries get wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import everygrad as eg
from everygrad import functional as F
from tests.fault_tools import Fn, same, slopes, variable

pytestmark = pytest.mark.usefixtures("library")
Array = NDArray[Any]
R = np.random.default_rng(3)
MODES = ("sum", "prod", "mean", "amax", "amin")
BOTH = (True, False)


class TestFaults:
    def test_b043_a_product_with_zeros(self) -> None:
        x, src = variable([2.0]), variable([0.0, 3])
        y = eg.scatter_reduce(x, 0, eg.tensor([0, 0]), src, "prod")
        same(y.tolist(), [0])
        assert slopes(y, x, src) == [[0], [6, 0]]

    def test_b044_ties_of_extrema(self) -> None:
        x, src, index = variable([1.0]), variable([5.0, 5]), eg.tensor([0, 0])
        y = eg.scatter_reduce(x, 0, index, src, "amax")
        assert slopes(y, x, src) == [[0], [0.5, 0.5]]
        nine = variable([9.0])
        y = eg.scatter_reduce(nine, 0, index, src, "amax", include_self=False)
        assert y.tolist() == [5] and slopes(y, nine, src) == [[0], [0.5, 0.5]]

    def test_b049_scaled_by_frequency(self) -> None:
        table, ids = variable(np.ones((4, 1))), eg.tensor([1, 1, 3])
        rows = F.embedding(ids, table, scale_grad_by_freq=True)
        bag = F.embedding_bag(ids, table, eg.tensor([0]), True, "sum")
        for out in (rows, bag):
            assert slopes(out, table) == [[0], [1], [0], [1]]


class TestBurn:
    """What burn cannot do or gets wrong, by the entries of its lists of gaps."""

    def test_a2_a3_products_and_extrema_have_gradients(self) -> None:
        x, src, index = variable([2.0, 3]), variable([4.0, 5]), eg.tensor([0, 0])
        for mode, due in [
            ("prod", [[20, 1], [10, 8]]),
            ("amin", [[1, 1], [0, 0]]),
            ("amax", [[0, 1], [0, 1]]),
        ]:
            assert slopes(eg.scatter_reduce(x, 0, index, src, mode), x, src) == due
            assert slopes(eg.index_reduce(x, 0, index, src, mode), x, src) == due
            plain = eg.scatter_reduce(x.detach().long(), 0, index, src.detach().long(), mode)
            assert plain.dtype is eg.int64

    def test_a4_gather_nd_of_integers(self) -> None:
        assert eg.gather_nd(eg.tensor([[1, 2], [3, 4]]), eg.tensor([[1, 0]])).tolist() == [3]

    def test_b8_of_repeated_writes_only_the_last_gets_gradient(self) -> None:
        x, src, at = variable([1.0, 2]), variable([5.0, 6]), eg.tensor([0, 0])
        for y in (
            eg.scatter(x, 0, at, src),
            eg.index_copy(x, 0, at, src),
            eg.index_put(x, (at,), src),
            eg.scatter_nd(x, at[:, None], src),
        ):
            assert y.tolist() == [6, 2] and slopes(y, x, src) == [[0, 1], [0, 1]]

    def test_b9_repeated_positions_are_defined_in_every_mode(self) -> None:
        x, src, at = variable([3.0]), variable([2.0, 4]), eg.tensor([[0], [0]])
        due = {"sum": 9, "prod": 24, "amax": 4, "amin": 2, "mean": 3, "assign": 4}
        for mode, value in due.items():
            assert eg.scatter_nd(x, at, src, mode).tolist() == [value]

    def test_d5_windows_go_back_in_one_step(self) -> None:
        x = variable(np.arange(5.0))
        assert slopes(x.unfold(0, 3, 1), x) == [1, 2, 3, 2, 1]
        first = eg.gradients((x.unfold(0, 3, 1) ** 3).sum(), [x], create_graph=True)[0]
        assert first is not None and slopes(first, x) == [0, 12, 36, 36, 24]


def theirs(call: Fn, *arrays: Array) -> tuple[Array, list[Array]]:
    """The value of torch's own, and the gradients of the sum of its squares."""
    xs = [torch.tensor(a, requires_grad=True) for a in arrays]
    function: Any = call
    out = function(*xs)
    grads = torch.autograd.grad(out.square().sum(), xs)
    return out.detach().numpy(), [g.numpy() for g in grads]


def ours(call: Fn, *arrays: Array) -> tuple[Array, list[Array]]:
    xs = [variable(a) for a in arrays]
    function: Any = call
    out = function(*xs)
    grads = eg.gradients((out * out).sum(), xs)
    assert all(g is not None for g in grads)
    return out.detach().numpy(), [g.numpy() for g in grads if g is not None]


def agree(a: tuple[Array, list[Array]], b: tuple[Array, list[Array]]) -> None:
    for x, y in zip([a[0], *a[1]], [b[0], *b[1]], strict=True):
        same(x, y)


X, SRC = R.normal(size=(3, 4)), R.normal(size=(4, 4))
INDEX = R.integers(0, 3, size=(4, 4))
ROWS = np.array([2, 0, 2])


@pytest.mark.parametrize("include", BOTH)
@pytest.mark.parametrize("mode", MODES)
def test_reductions_are_torchs(mode: str, include: bool) -> None:
    at, i, rows = torch.tensor(INDEX), eg.tensor(INDEX), torch.tensor(ROWS)
    options: dict[str, Any] = {"include_self": include}
    agree(
        ours(lambda x, s: eg.scatter_reduce(x, 0, i, s, mode, **options), X, SRC),
        theirs(lambda x, s: torch.scatter_reduce(x, 0, at, s, mode, **options), X, SRC),
    )
    if mode != "sum":
        agree(
            ours(lambda x, s: x.index_reduce(1, eg.tensor(ROWS), s, mode, **options), X, SRC[:3, :3]),
            theirs(lambda x, s: torch.index_reduce(x, 1, rows, s, mode, **options), X, SRC[:3, :3]),
        )


def test_other_writes_are_torchs() -> None:
    once = np.array([2, 0])
    at, i = torch.tensor(once), eg.tensor(once)
    agree(
        ours(lambda x, s: eg.index_copy(x, 0, i, s), X, SRC[:2, :4]),
        theirs(lambda x, s: torch.index_copy(x, 0, at, s), X, SRC[:2, :4]),
    )
    agree(
        ours(lambda x: eg.index_fill(x, 1, i, 3.0), X), theirs(lambda x: torch.index_fill(x, 1, at, 3.0), X)
    )
    agree(
        ours(lambda x, v: eg.index_fill(x, 1, i, v), X, np.array(2.0)),
        theirs(lambda x, v: torch.index_fill(x, 1, at, v), X, np.array(2.0)),
    )
    for add in BOTH:
        agree(
            ours(lambda x, s, a=add: x.put(i, s, a), X, SRC[0, :2]),
            theirs(lambda x, s, a=add: x.put(at, s, a), X, SRC[0, :2]),
        )
    mask = X > 0
    agree(
        ours(lambda x, s: x.masked_scatter(eg.tensor(mask), s), X, SRC),
        theirs(lambda x, s: x.masked_scatter(torch.tensor(mask), s), X, SRC),
    )
    agree(
        ours(lambda x, s: eg.scatter(x, 0, eg.tensor(INDEX), s, reduce="multiply"), X, SRC),
        theirs(lambda x, s: torch.scatter_reduce(x, 0, torch.tensor(INDEX), s, "prod"), X, SRC),
    )


def test_index_put_in_every_mode() -> None:
    i, j = np.array([0, 2, 0]), np.array([1, 1, 1])
    flat = torch.tensor(i * 4 + j)
    for mode in MODES:
        agree(
            ours(lambda x, s, m=mode: x.index_put((eg.tensor(i), eg.tensor(j)), s, mode=m), X, SRC[0, :3]),
            theirs(
                lambda x, s, m=mode: torch.scatter_reduce(x.reshape(-1), 0, flat, s, m).reshape(3, 4),
                X,
                SRC[0, :3],
            ),
        )
        agree(
            ours(lambda x, s, m=mode: eg.scatter_nd(x, eg.tensor(np.stack([i, j], 1)), s, m), X, SRC[0, :3]),
            theirs(
                lambda x, s, m=mode: torch.scatter_reduce(x.reshape(-1), 0, flat, s, m).reshape(3, 4),
                X,
                SRC[0, :3],
            ),
        )


def test_products_differentiate_to_order_three_at_zeros() -> None:
    x, src = variable([1.0]), variable([0.0, 2.0, 0.0])
    y = eg.scatter_reduce(x, 0, eg.tensor([0, 0, 0]), src, "prod").sum()  # x a b c
    first = eg.gradients(y, [src], create_graph=True)[0]
    assert first is not None and first.tolist() == [0, 0, 0]
    second = eg.gradients(first[0], [src], create_graph=True)[0]  # of b c
    assert second is not None and second.tolist() == [0, 0, 2]
    third = eg.gradients(second[2], [src, x])  # of b x
    assert [g.tolist() for g in third if g is not None] == [[0, 1, 0], [2]]


def test_negative_indices_and_scalars() -> None:
    x = eg.zeros(3)
    assert eg.scatter_reduce(x, 0, eg.tensor([-1]), eg.ones(1), "sum").tolist() == [0, 0, 1]
    assert eg.index_reduce(x, 0, eg.tensor(-1), eg.ones(1), "amax").tolist() == [0, 0, 1]
    assert eg.gather_nd(eg.arange(6).reshape(2, 3), eg.tensor([[-1, 0], [1, -1]])).tolist() == [3, 5]
    assert eg.scatter_nd(x, eg.tensor([[-2]]), eg.ones(1)).tolist() == [0, 1, 0]
    assert eg.scatter(eg.tensor(1.0), 0, eg.tensor(0), eg.tensor(5.0), reduce="add").item() == 6
    assert eg.scatter(x, 0, eg.tensor([1]), 7, reduce="add").tolist() == [0, 7, 0]
    assert eg.put(x, eg.tensor([-1]), eg.ones(1)).tolist() == [0, 0, 1]


def test_low_precision_rounds_once() -> None:
    x, src = eg.ones(1).half(), eg.full((3,), 0.1).half()
    value = eg.scatter_reduce(x, 0, eg.tensor([0, 0, 0]), src, "prod")
    exact = np.float32(1) * np.float32(np.float16(0.1)) ** 3
    assert value.dtype is eg.float16 and value.item() == np.float16(exact)


WRONG: list[tuple[Callable[[eg.Tensor, eg.Tensor], Any], type[Exception]]] = [
    (lambda x, i: eg.scatter_reduce(x, 0, i, eg.ones(2), "max"), ValueError),
    (lambda x, i: eg.scatter_reduce(x, 0, i, eg.ones(2), "amax"), IndexError),
    (lambda x, i: eg.index_reduce(x, 0, i, eg.ones(2), "prod"), IndexError),
    (lambda x, i: eg.index_copy(x, 0, i, eg.ones(2)), IndexError),
    (lambda x, i: eg.index_fill(x, 0, i, 1.0), IndexError),
    (lambda x, i: eg.put(x, i, eg.ones(2)), IndexError),
    (lambda x, i: eg.put(x, i, eg.ones(3)), eg.ShapeError),
    (lambda x, i: eg.masked_scatter(x, x < 1, eg.ones(2)), eg.ShapeError),
    (lambda x, i: eg.masked_scatter(x, i, eg.ones(2)), eg.DTypeError),
    (lambda x, i: eg.gather_nd(x, i[:, None]), IndexError),
    (lambda x, i: eg.gather_nd(x, i), eg.ShapeError),
    (lambda x, i: eg.index_fill(x, 0, i, eg.ones(2)), eg.ShapeError),
    (lambda x, i: eg.scatter_reduce(x.long(), 0, i * 0, eg.ones(2), "sum"), eg.DTypeError),
]


@pytest.mark.parametrize(("call", "error"), WRONG)
def test_wrong_calls(call: Callable[..., Any], error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        call(eg.zeros(3), eg.tensor([0, 7]))
    if error is IndexError:
        assert "7" in str(caught.value) and "3" in str(caught.value)


class TestBags:
    @pytest.mark.parametrize("mode", ["sum", "mean", "max"])
    @pytest.mark.parametrize("padding", [None, 2])
    def test_are_torchs(self, mode: str, padding: int | None) -> None:
        table, ids = R.normal(size=(6, 3)), R.integers(0, 6, size=9)
        for starts, last in ([0, 2, 2, 5], False), ([0, 2, 2, 9], True):
            options: dict[str, Any] = {"mode": mode, "padding_idx": padding, "include_last_offset": last}
            agree(
                ours(
                    lambda w, s=starts, o=options: F.embedding_bag(eg.tensor(ids), w, eg.tensor(s), **o),
                    table,
                ),
                theirs(
                    lambda w, s=starts, o=options: torch.nn.functional.embedding_bag(
                        torch.tensor(ids), w, torch.tensor(s), **o
                    ),
                    table,
                ),
            )

    def test_weights_and_matrices(self) -> None:
        table, ids, weights = R.normal(size=(6, 3)), R.integers(0, 6, size=(2, 4)), R.normal(size=(2, 4))
        agree(
            ours(lambda w, s: F.embedding_bag(eg.tensor(ids), w, None, False, "sum", s), table, weights),
            theirs(
                lambda w, s: torch.nn.functional.embedding_bag(
                    torch.tensor(ids), w, mode="sum", per_sample_weights=s
                ),
                table,
                weights,
            ),
        )

    def test_wrong_calls(self) -> None:
        table, ids = eg.ones(3, 2), eg.tensor([0, 1])
        calls: list[Callable[[], Any]] = [
            lambda: F.embedding_bag(ids, table),
            lambda: F.embedding_bag(ids[None], table, eg.tensor([0])),
            lambda: F.embedding_bag(ids, table, eg.tensor([0]), include_last_offset=True),
            lambda: F.embedding_bag(ids, table, eg.tensor([0]), False, "sum", eg.ones(3)),
        ]
        for call in calls:
            with pytest.raises(eg.ShapeError, match="embedding_bag"):
                call()
        with pytest.raises(IndexError, match="padding_idx"):
            F.embedding_bag(ids[None], table, padding_idx=3)

    def test_the_layers(self) -> None:
        bag = eg.nn.EmbeddingBag(4, 2, mode="sum", padding_idx=-1)
        assert bag.weight.tolist()[3] == [0, 0] and "mode='sum'" in repr(bag)
        assert bag(eg.tensor([[3, 3]])).tolist() == [[0, 0]]
        layer = eg.nn.Embedding(4, 1, scale_grad_by_freq=True)
        grads = layer(eg.tensor([1, 1, 3])).sum().backward()
        assert grads[layer.weight].tolist() == [[0], [1], [0], [1]]
