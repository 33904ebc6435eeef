"""Shapes, parts, joins and padding on tensors: values and gradients against torch's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import everygrad as eg
from everygrad import functional as F
from everygrad import nn
from tests.fault_tools import Fn, same, slopes, variable

pytestmark = pytest.mark.usefixtures("library")
Array = NDArray[Any]
TORCH: Any = torch
T: Any = torch.nn.functional
R = np.random.default_rng(5)
V, M, C, B = (R.normal(size=s) for s in [(4,), (3, 4), (2, 3, 4), (2, 8, 2, 4)])
S = np.array(2.0)
Call = tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]


def _calls() -> list[Call]:
    calls: list[Call] = []

    def add(name: str, *arrays: Any, do: Fn | None = None, **options: Any) -> None:
        def run(home: Any) -> Callable[..., Any]:
            def call(*xs: Any) -> Any:
                function: Any = do
                return getattr(home, name)(*xs, **options) if do is None else function(home, *xs)

            return call

        calls.append((f"{name}-{len(calls)}", run(eg), run(torch), arrays))

    def method(name: str, array: Array, *args: Any, **options: Any) -> None:
        add(name, array, do=lambda h, x: getattr(x, name)(*args, **options))

    for offset, dim1, dim2 in [(0, 0, 1), (1, 0, -1), (-1, 2, 0), (5, 1, 2)]:
        method("diagonal", C, offset, dim1, dim2)
        size = np.diagonal(C, offset, dim1, dim2).shape
        part = R.normal(size=size)
        add(
            "diagonal_scatter",
            C,
            part,
            do=lambda h, x, s, o=offset, a=dim1, b=dim2: h.diagonal_scatter(x, s, o, a, b),
        )
    for offset in (0, 2, -1):
        add("diag_embed", M, offset=offset)
        add("diag_embed", M, offset=offset, dim1=0, dim2=2)
        add("diag", V, diagonal=offset)
        add("diag", M, diagonal=offset)
        add("diagflat", M, offset=offset)
    add("trace", M)
    for k in range(-1, 5):
        add("rot90", C, k=k, dims=(0, 2))
    for name in ("fliplr", "flipud", "ravel"):
        add(name, M)
    add("ravel", S)
    method("select", C, 1, -1)
    method("narrow", C, 2, 1, 2)
    method("narrow", C, 2, -3, 0)
    add("select_scatter", C, R.normal(size=(2, 4)), do=lambda h, x, s: h.select_scatter(x, s, 1, -1))
    add("slice_scatter", C, R.normal(size=(2, 3, 2)), do=lambda h, x, s: h.slice_scatter(x, s, 2, 1, -1, 1))
    add("slice_scatter", C, R.normal(size=(2, 3, 2)), do=lambda h, x, s: h.slice_scatter(x, s, 2, None, 9, 2))
    for length, step in [(2, 1), (3, 2), (4, 3), (0, 1)]:
        method("unfold", C, -1, length, step)
    method("unfold", C, 1, 2, 1)
    method("repeat_interleave", M, 2)
    method("repeat_interleave", M, 3, dim=-1)
    add(
        "repeat_interleave",
        M,
        do=lambda h, x: h.repeat_interleave(x, h.tensor([2, 0, 1]), dim=0, output_size=3),
    )
    add("repeat_interleave", M, do=lambda h, x: h.repeat_interleave(x, h.tensor([2]), dim=1))
    method("unflatten", M, 1, (2, -1))
    method("moveaxis", C, 0, -1)
    method("swapaxes", C, 0, 2)
    method("swapdims", C, 0, 1)
    for name in ("hstack", "vstack", "dstack", "column_stack", "row_stack"):
        for pair in [(V, V), (M, M), (C, C), (S, S)]:
            add(name, *pair, do=lambda h, x, y, n=name: getattr(h, n)([x, y]))
    add("concat", M, M, do=lambda h, x, y: h.concat([x, y], dim=1))
    add("concatenate", M, M, do=lambda h, x, y: h.concatenate([x, y]))
    add("block_diag", M, V, S)
    for sections in (2, 3, (1, 3), (2, 1), (-1,), (9,)):
        add("tensor_split", C, do=lambda h, x, n=sections: h.tensor_split(x, n, dim=-1))
    add("tensor_split", C, do=lambda h, x: h.tensor_split(x, h.tensor([1, 2]), 1))
    for name in ("hsplit", "vsplit", "dsplit"):
        add(name, R.normal(size=(2, 4, 2)), do=lambda h, x, n=name: getattr(h, n)(x, 2))
    add("hsplit", V, do=lambda h, x: h.hsplit(x, [1]))
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        for array in (S, V, M, C):
            add(name, array)
        add(name, S, M)
    add("broadcast_tensors", M, V)
    for indexing in ("ij", "xy"):
        add("meshgrid", V, V[:3], indexing=indexing)
    add("meshgrid", V, S, V[:2], indexing="xy")
    add("cartesian_prod", V, V[:3], V[:2])
    add("cartesian_prod", V)
    for count in (1, 2, 3, 5):
        add("combinations", V, r=count)
        add("combinations", V[:3], r=count, with_replacement=True)
    for name in ("clone", "contiguous", "cpu"):
        method(name, M)
    for name in ("view_as", "reshape_as"):
        add(name, M, R.normal(size=(4, 3)), do=lambda h, x, y, n=name: getattr(x, n)(y) + 0 * y)
    add("expand_as", V, M, do=lambda h, x, y: x.expand_as(y) * y)
    add("where", M, V, do=lambda h, x, y: x.where(x > 0, y))
    add("masked_fill", M, S, do=lambda h, x, v: x.masked_fill(x > 0, v))
    return calls


CALLS = _calls()


def _flat(out: Any) -> list[Any]:
    several = isinstance(out, (tuple, list))
    parts: Any = out
    return list(parts) if several else [parts]


def _squares(parts: Sequence[Any]) -> Any:
    total = (parts[0] * parts[0] * parts[0]).sum()
    for part in parts[1:]:
        total = total + (part * part * part).sum()
    return total


@pytest.mark.parametrize("call", CALLS, ids=[c[0] for c in CALLS])
def test_is_torchs(call: Call) -> None:
    _, ours, theirs, arrays = call
    compared(ours, theirs, arrays)


def compared(ours: Fn, theirs: Fn, arrays: Sequence[Array]) -> None:
    """Values, and gradients to the second order."""
    xs = [variable(a) for a in arrays]
    ts = [torch.tensor(a, requires_grad=True) for a in arrays]
    functions: list[Any] = [ours, theirs]
    found, due = _flat(functions[0](*xs)), _flat(functions[1](*ts))
    assert [x.shape for x in found] == [tuple(t.shape) for t in due]
    for x, t in zip(found, due):
        same(x.tolist(), t.tolist())
    first = eg.gradients(_squares(found), xs, create_graph=True)
    first_due: Any = torch.autograd.grad(_squares(due), ts, create_graph=True)
    for g, t in zip(first, first_due):
        assert g is not None
        same(g.tolist(), t.tolist())
    second = eg.gradients(_squares([g for g in first if g is not None]), xs)
    second_due: Any = torch.autograd.grad(_squares(first_due), ts, allow_unused=True)
    for g, t in zip(second, second_due):
        same([] if g is None else g.tolist(), [] if t is None else t.tolist())


PADS: list[tuple[Array, tuple[int, ...]]] = [
    (R.normal(size=(2, 1, 4)), (2, 1)),
    (R.normal(size=(1, 2, 3, 4)), (1, 0, 2, 1)),
    (R.normal(size=(1, 1, 2, 3, 3)), (1, 1, 0, 2, 1, 0)),
    (R.normal(size=(1, 4, 5)), (-1, 2)),
]


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("row", range(len(PADS)))
def test_pad_is_torchs(mode: str, row: int) -> None:
    x, counts = PADS[row]
    if mode == "reflect":
        counts = tuple(min(c, 1) for c in counts)
    compared(lambda v: F.pad(v, counts, mode), lambda v: T.pad(v, counts, mode), [x])


def test_pad_beyond_torch() -> None:
    x = variable(R.normal(size=(3, 2, 2, 2, 2, 2)))
    for mode in ("reflect", "replicate", "circular"):
        y = F.pad(x, (1, 1) * 6, mode)
        assert y.shape == (5, 4, 4, 4, 4, 4)
        assert np.sum(slopes(y, x)) == y.numel()


@pytest.mark.parametrize("name", ["Constant", "Zero", "Reflection", "Replication", "Circular"])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_padding_layers_are_torchs(name: str, rank: int) -> None:
    more = (0.5,) if name == "Constant" else ()
    x = R.normal(size=(2, 2, 3, 4, 5)[: 2 + rank])
    layers = [
        getattr(home, f"{name}Pad{rank}d")((1, 2, 0, 1, 1, 0)[: 2 * rank], *more) for home in (nn, torch.nn)
    ]
    compared(layers[0], layers[1], [x])
    assert "1, 2" in repr(layers[0])
    with pytest.raises(eg.ShapeError, match="padding"):
        getattr(nn, f"{name}Pad{rank}d")((1,), *more)


def test_shuffles_are_torchs() -> None:
    for name, args in [("pixel_shuffle", 2), ("pixel_unshuffle", 2), ("channel_shuffle", 4)]:
        compared(
            lambda v, n=name, a=args: getattr(F, n)(v, a), lambda v, n=name, a=args: getattr(T, n)(v, a), [B]
        )
    for name, value in [("PixelShuffle", 2), ("PixelUnshuffle", 2), ("ChannelShuffle", 2)]:
        compared(getattr(nn, name)(value), getattr(torch.nn, name)(value), [B])
    compared(nn.Unfold((2, 1), 1, 1, (1, 2)), torch.nn.Unfold((2, 1), 1, 1, (1, 2)), [B])
    columns = R.normal(size=(2, 6, 6))
    compared(
        nn.Fold((3, 4), (2, 1), 1, 0, (1, 2)), torch.nn.Fold((3, 4), (2, 1), 1, 0, (1, 2)), [columns[..., :4]]
    )


def test_positions() -> None:
    x = eg.tensor([[0, 3], [5, 0]])
    assert eg.argwhere(x).tolist() == [[0, 1], [1, 0]]
    assert [v.tolist() for v in eg.where(x > 0)] == [[0, 1], [1, 0]]
    assert eg.tril_indices(3, 2, 1).tolist() == TORCH.tril_indices(3, 2, 1).tolist()
    assert eg.triu_indices(3, 4, -1, dtype=eg.int32).tolist() == TORCH.triu_indices(3, 4, -1).tolist()
    assert eg.broadcast_shapes((2, 1), 3) == (2, 3)


def test_what_a_tensor_says() -> None:
    x = eg.ones(2, 3)
    assert (x.ndimension(), x.nelement(), x.element_size()) == (2, 6, 4)
    assert [eg.ones(1).to(d).element_size() for d in (eg.bfloat16, eg.float64, eg.int8, eg.bool)] == [
        2,
        8,
        1,
        1,
    ]
    assert x.is_floating_point() and not x.long().is_floating_point() and x.is_contiguous()
    assert (
        x.type() == "float32"
        and x.type(eg.int16).dtype is x.type_as(eg.ones(1).to(eg.int16)).dtype is eg.int16
    )
    assert x.new_zeros(2).dtype is x.new_ones((2, 1)).dtype is eg.float32
    assert x.long().new_full((2,), 7).tolist() == [7, 7]


UNFIT: list[Callable[[eg.Tensor], Any]] = [
    lambda x: eg.diagonal(x, dim1=1, dim2=1),
    lambda x: eg.diagonal(x[0]),
    lambda x: eg.diag(x[None]),
    lambda x: eg.diag_embed(eg.tensor(1.0)),
    lambda x: eg.diagonal_scatter(x, eg.ones(3)),
    lambda x: eg.trace(x[0]),
    lambda x: eg.rot90(x, dims=(0, 0)),
    lambda x: eg.select_scatter(x, x, 0, 0),
    lambda x: eg.slice_scatter(x, eg.ones(2, 2), 0, 0, 1),
    lambda x: x.unfold(0, 3, 1),
    lambda x: eg.repeat_interleave(x, eg.tensor([1, 2, 3]), 0),
    lambda x: eg.repeat_interleave(x, -1),
    lambda x: eg.repeat_interleave(x, 2, 0, output_size=3),
    lambda x: eg.unflatten(x, 1, (2, 2)),
    lambda x: eg.block_diag(x[None]),
    lambda x: eg.hsplit(x, 2),
    lambda x: eg.dsplit(x, 1),
    lambda x: eg.tensor_split(x, 0),
    lambda x: eg.meshgrid(x),
    lambda x: eg.cartesian_prod(x),
    lambda x: eg.combinations(x),
    lambda x: F.pixel_shuffle(x[None], 2),
    lambda x: F.pixel_unshuffle(x[None], 2),
    lambda x: F.channel_shuffle(x[None], 3),
    lambda x: eg.broadcast_shapes((2,), (3,)),
]


@pytest.mark.parametrize("call", UNFIT)
def test_sizes_that_do_not_fit(call: Callable[[eg.Tensor], Any]) -> None:
    with pytest.raises(eg.ShapeError):
        call(eg.ones(2, 3))


def test_indices_out_of_range() -> None:
    x = eg.ones(2, 3)
    calls: list[Callable[[], Any]] = [
        lambda: eg.select(x, 1, 7),
        lambda: eg.select_scatter(x, x[:, 0], 1, 7),
        lambda: x.narrow(1, 2, 7),
    ]
    for call in calls:
        with pytest.raises(IndexError, match=r"(?s)7.*3|3.*7"):
            call()
    with pytest.raises(TypeError, match="both"):
        eg.where(x > 0, x)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]  # what is tested
