"""Functions of shape, products and index reads against torch's of the same name, on both backends; errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as torch_functional

import everygrad as eg
from everygrad import Tensor
from everygrad.functional import one_hot, pad
from everygrad_ops.errors import DimError

BACKENDS = ["numpy", "torch"]
X = np.arange(24.0).reshape(2, 3, 4)
V = np.array([1.0, -2.0, 3.0])
INDEX = np.array([[0, 2, 1], [2, 2, 0]])

# name -> (as written here, as written in torch); x is (2, 3, 4), v a vector of 3, i an index of shape (2, 3)
SAME: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "reshape": lambda m, x, v, i: x.reshape(4, -1),
    "reshape-sequence": lambda m, x, v, i: m.reshape(x, (-1,)),
    "flatten": lambda m, x, v, i: m.flatten(x),
    "flatten-some": lambda m, x, v, i: m.flatten(x, 1, -1),
    "flatten-rank-0": lambda m, x, v, i: m.flatten(v[0]),
    "squeeze": lambda m, x, v, i: m.squeeze(x[:1, :, :1]),
    "squeeze-dim": lambda m, x, v, i: m.squeeze(x[:1, :, :1], -1),
    "squeeze-other": lambda m, x, v, i: m.squeeze(x, 1),
    "squeeze-dims": lambda m, x, v, i: m.squeeze(x[:1, :, :1], (0, 1)),
    "unsqueeze": lambda m, x, v, i: m.unsqueeze(x, -2),
    "permute": lambda m, x, v, i: m.permute(x, (2, 0, -2)),
    "transpose": lambda m, x, v, i: m.transpose(x, 0, -1),
    "t": lambda m, x, v, i: m.t(x[0]),
    "movedim": lambda m, x, v, i: m.movedim(x, 0, -1),
    "movedim-several": lambda m, x, v, i: m.movedim(x, (0, 1), (-1, 0)),
    "expand": lambda m, x, v, i: v.expand(2, -1),
    "expand-sequence": lambda m, x, v, i: v[:1].expand((4, 3)),
    "broadcast_to": lambda m, x, v, i: m.broadcast_to(v, (2, 3)),
    "cat": lambda m, x, v, i: m.cat([x, x[:, :1]], dim=-2),
    "cat-dtypes": lambda m, x, v, i: m.cat([i, i + 0.5]),
    "stack": lambda m, x, v, i: m.stack([v, v + 1], dim=-1),
    "split": lambda m, x, v, i: m.split(x, 3, dim=-1),
    "split-sections": lambda m, x, v, i: m.split(x, [1, 2, 1], dim=2),
    "chunk": lambda m, x, v, i: m.chunk(x, 3, dim=2),
    "chunk-more-than-there-are": lambda m, x, v, i: m.chunk(x, 9, dim=1),
    "unbind": lambda m, x, v, i: m.unbind(x, 1),
    "flip": lambda m, x, v, i: m.flip(x, (0, -1)),
    "roll": lambda m, x, v, i: m.roll(x, 5),
    "roll-dims": lambda m, x, v, i: m.roll(x, (1, -2), (0, -1)),
    "repeat": lambda m, x, v, i: v.repeat(2, 2),
    "tile": lambda m, x, v, i: m.tile(x, (2, 1)),
    "tril": lambda m, x, v, i: m.tril(x, 1),
    "triu": lambda m, x, v, i: m.triu(x, -1),
    "matmul": lambda m, x, v, i: m.matmul(x, x.transpose(-1, -2)),
    "matmul-vector-right": lambda m, x, v, i: m.matmul(x.transpose(1, 2), v),
    "matmul-vector-left": lambda m, x, v, i: m.matmul(v, x),
    "matmul-vectors": lambda m, x, v, i: m.matmul(v, v),
    "mm": lambda m, x, v, i: m.mm(x[0], x[1].t()),
    "bmm": lambda m, x, v, i: m.bmm(x, x.transpose(1, 2)),
    "mv": lambda m, x, v, i: m.mv(x[0].t(), v),
    "dot": lambda m, x, v, i: m.dot(v, v),
    "outer": lambda m, x, v, i: m.outer(v, v[:2]),
    "gather": lambda m, x, v, i: m.gather(x[:, :, 0], -1, i),
    "gather-smaller": lambda m, x, v, i: m.gather(x[:, :, 0], 1, i[:1, :2]),
    "take_along_dim": lambda m, x, v, i: m.take_along_dim(x[:, :, 0], i[:, :1], dim=1),
    "take_along_dim-flat": lambda m, x, v, i: m.take_along_dim(x, i),
    "take": lambda m, x, v, i: m.take(x, i),
    "scatter_add": lambda m, x, v, i: m.scatter_add(x[:, :, 0], 1, i, x[:, :, 1]),
    "scatter": lambda m, x, v, i: m.scatter(x[:, :, 0], 1, i[:, :2], x[:, :, 1]),
    "scatter-number": lambda m, x, v, i: m.scatter(x[:, :, 0], 1, i, 9.0),
    "index_select": lambda m, x, v, i: m.index_select(x, -2, i[0]),
    "index_add": lambda m, x, v, i: m.index_add(x, 1, i[0], x, alpha=2),
    "masked_fill": lambda m, x, v, i: x.masked_fill(x > 5, -1.0),
    "masked_fill-stretched": lambda m, x, v, i: x.transpose(1, 2).masked_fill(v > 0, 0),
    "masked_select": lambda m, x, v, i: m.masked_select(x, x > 5),
    "masked_select-stretched": lambda m, x, v, i: m.masked_select(x.transpose(1, 2), v > 0),
    "nonzero": lambda m, x, v, i: m.nonzero(i),
    "nonzero-tuple": lambda m, x, v, i: m.nonzero(i, as_tuple=True),
}


def _host(x: Any) -> list[np.ndarray[Any, Any]]:
    many: list[Any] = list(x) if isinstance(x, (tuple, list)) else [x]  # pyright: ignore[reportUnknownArgumentType]  # tensors of either library
    return [np.asarray(v.numpy()) for v in many]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", SAME)
def test_same_as_torch(name: str, backend: str) -> None:
    call = SAME[name]
    found = _host(call(eg, *(eg.tensor(a, backend=backend) for a in (X, V, INDEX))))
    due = _host(call(torch, *(torch.tensor(a) for a in (X, V, INDEX))))
    assert len(found) == len(due)
    for a, b in zip(found, due):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b)


PADS: list[tuple[tuple[int, ...], str]] = [
    ((1, 2), "constant"),
    ((1, 0, 2, 1), "constant"),
    ((1, 0, 2, 1, 0, 3), "constant"),
    ((-1, 2, 0, -2), "constant"),
    ((), "constant"),
    ((3, 1), "reflect"),
    ((1, 2), "replicate"),
    ((4, 2), "circular"),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("widths", "mode"), PADS)
def test_pad_is_torchs(widths: tuple[int, ...], mode: str, backend: str) -> None:
    options = {"value": 7.0} if mode == "constant" else {}
    found = pad(eg.tensor(X, backend=backend), widths, mode, **options)
    due = torch_functional.pad(torch.tensor(X), widths, mode, **options)
    np.testing.assert_array_equal(found.numpy(), due.numpy())


def test_one_hot_is_torchs() -> None:
    due = torch_functional.one_hot(torch.tensor(INDEX), 4).numpy()
    np.testing.assert_array_equal(one_hot(eg.tensor(INDEX), 4).numpy(), due)
    assert one_hot(eg.tensor(INDEX)).shape == (2, 3, 3)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradient_of_repeat(backend: str) -> None:
    """Size 2 repeated three times: upstream 1..6 gives [1+3+5, 2+4+6]."""
    x = eg.tensor([5.0, 7.0], backend=backend).requires_grad_()
    up = eg.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], backend=backend)
    assert x.repeat(3).backward(up)[x].tolist() == [9.0, 12.0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_of_broadcasting(backend: str) -> None:
    """B100, B101, B103: sizes of 0, and sums over the stretched dims."""
    none = eg.zeros(2, 0, backend=backend)
    column = eg.zeros(2, 1, backend=backend).requires_grad_()
    out = none + column
    assert out.shape == (2, 0)
    assert out.sum().backward()[column].tolist() == [[0.0], [0.0]]
    b = eg.ones(4, backend=backend).requires_grad_()
    assert (eg.zeros(4, 0, backend=backend) + b[:, None]).sum().backward()[b].tolist() == [0.0] * 4
    x = eg.tensor([[1.0, 2.0, 3.0]], backend=backend).requires_grad_()
    y = eg.tensor([[10.0], [20.0]], backend=backend).requires_grad_()
    grads = (x * y).sum().backward()
    assert grads[x].tolist() == [[30.0, 30.0, 30.0]]
    assert grads[y].tolist() == [[6.0], [6.0]]


WRONG: list[tuple[str, Callable[[Tensor], object], type[Exception], str]] = [
    ("reshape", lambda x: x.reshape(5), eg.ShapeError, "reshape"),
    ("two -1", lambda x: x.reshape(-1, -1), eg.ShapeError, "one size may be -1"),
    ("-1 that does not divide", lambda x: x.reshape(-1, 4), eg.ShapeError, "divide 6"),
    ("dim", lambda x: x.transpose(0, 2), DimError, "from -2 to 1"),
    ("flatten order", lambda x: x.flatten(1, 0), eg.ShapeError, "start_dim"),
    ("squeeze", lambda x: x.squeeze(2), IndexError, "squeeze"),
    ("unsqueeze", lambda x: x.unsqueeze(4), IndexError, "from -3 to 2"),
    ("expand", lambda x: x.expand(2, 4), eg.ShapeError, r"\(2, 4\)"),
    ("expand new -1", lambda x: x.expand(-1, 2, 3), eg.ShapeError, "-1"),
    ("expand fewer", lambda x: x.expand(3), eg.ShapeError, "expand"),
    ("cat nothing", lambda x: eg.cat([]), eg.ShapeError, "at least one"),
    ("cat no tensors", lambda x: eg.cat([1, 2]), TypeError, "int"),  # type: ignore[list-item]  # wrong on purpose
    ("cat sizes", lambda x: eg.cat([x, x[:, :1]]), eg.ShapeError, "cat"),
    ("stack", lambda x: eg.stack([x, x[:1]]), eg.ShapeError, "one shape"),
    ("split", lambda x: x.split([1, 2]), eg.ShapeError, "add up to 2"),
    ("split 0", lambda x: x.split(0), eg.ShapeError, "at least 1"),
    ("chunk 0", lambda x: x.chunk(0), eg.ShapeError, "chunk"),
    ("movedim", lambda x: x.movedim((0, 1), 0), eg.ShapeError, "movedim"),
    ("roll", lambda x: x.roll((1, 2)), eg.ShapeError, "roll"),
    ("repeat", lambda x: x.repeat(2), eg.ShapeError, "repeat"),
    ("pad odd", lambda x: pad(x, (1,)), eg.ShapeError, "two counts"),
    ("pad too many", lambda x: pad(x, (1,) * 6), eg.ShapeError, "at most 2 dims"),
    ("pad mode", lambda x: pad(x, (1, 1), "mirror"), ValueError, "mirror"),
    ("pad reflect", lambda x: pad(x, (3, 0), "reflect"), eg.ShapeError, "at most 2"),
    ("t", lambda x: x[None].t(), eg.ShapeError, "at most 2 dims"),
    ("matmul", lambda x: x @ x, eg.ShapeError, r"\(2, 3\)"),
    ("matmul vector", lambda x: x @ x[:, 0], eg.ShapeError, r"\(2,\)"),
    ("matmul scalar", lambda x: x @ x[0, 0], eg.ShapeError, r"\(\)"),
    ("matmul number", lambda x: x @ 2, eg.ShapeError, "x \\* 2"),  # type: ignore[arg-type]  # wrong on purpose
    ("mm", lambda x: x.mm(x[0]), eg.ShapeError, "rank 2"),
    ("dot", lambda x: x.dot(x), eg.ShapeError, "rank 1"),
    ("bmm", lambda x: x[None].bmm(x.expand(2, 2, 3)), eg.ShapeError, "equally long"),
    ("gather dtype", lambda x: x.gather(0, x), eg.DTypeError, "integers"),
    ("gather rank", lambda x: x.gather(0, eg.tensor([0], backend=x.backend)), eg.ShapeError, "rank"),
    (
        "index_select dim",
        lambda x: x.index_select(2, eg.tensor([0], backend=x.backend)),
        DimError,
        "index_select",
    ),
    ("masked_fill mask", lambda x: x.masked_fill(x, 0.0), eg.DTypeError, "boolean"),
    ("masked_fill value", lambda x: x.long().masked_fill(x > 0, 0.5), eg.DTypeError, "0.5"),
    ("masked_select mask", lambda x: x.masked_select(x), eg.DTypeError, "boolean"),
    ("index_put dtype", lambda x: x.long().index_put(([0],), x), eg.DTypeError, "float32"),  # type: ignore[arg-type]  # lists are taken
    ("index_put shape", lambda x: x.index_put((x > 0,), x[0]), eg.ShapeError, "index_put"),
    ("slice_assign shape", lambda x: x.slice_assign(0, x), eg.ShapeError, "slice_assign"),
    ("one_hot", lambda x: one_hot(eg.tensor([3]), 3), IndexError, "3"),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("call", "error", "words"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_errors(call: Callable[[Tensor], object], error: type[Exception], words: str, backend: str) -> None:
    x = eg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], backend=backend)
    with pytest.raises(error, match=words):
        call(x)
    assert x.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
