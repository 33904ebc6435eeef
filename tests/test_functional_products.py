"""Products, distances and similarities on tensors: against torch's own, and where torch refuses or is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch as typed_torch

import everygrad as eg
from everygrad import functional as F
from everygrad.conformance.calls import is_array
from tests.fault_tools import same, slopes, variable

torch: Any = typed_torch
pytestmark = pytest.mark.usefixtures("library")
T: Any = torch.nn.functional
r = np.random.default_rng(11)


def n(*shape: int) -> Any:
    return r.normal(size=shape)


EQUATIONS: list[tuple[str, list[Any]]] = [
    ("ij,jk", [n(2, 3), n(3, 4)]),
    ("ij , jk -> ki", [n(2, 3), n(3, 4)]),
    ("ii", [n(3, 3)]),
    ("ii->i", [n(3, 3)]),
    ("ba", [n(2, 3)]),
    ("Ba,aB", [n(2, 3), n(3, 2)]),
    ("bA,Aa", [n(2, 3), n(3, 4)]),
    ("...ij,...jk->...ik", [n(5, 2, 3), n(3, 4)]),
    ("...ij,...jk", [n(2, 1, 2, 3), n(4, 3, 2)]),
    ("i...,i...->...", [n(3, 2), n(3, 1)]),
    ("...,...", [n(2, 3), n(3)]),
    ("...->", [n(2, 3)]),
    ("...ii->...i", [n(2, 3, 3)]),
    ("i,j,k->kji", [n(2), n(3), n(2)]),
    ("bn,anm,bm->ba", [n(2, 3), n(4, 3, 2), n(2, 2)]),
    ("b...,b...->b", [n(2, 3, 2), n(2, 3, 2)]),
    (",", [n(), n()]),
]


@pytest.mark.parametrize(("equation", "operands"), EQUATIONS, ids=[e for e, _ in EQUATIONS])
def test_einsum_is_torchs(equation: str, operands: list[Any]) -> None:
    xs = [variable(v) for v in operands]
    ts = [torch.tensor(v, requires_grad=True) for v in operands]
    out, due = eg.einsum(equation, *xs), torch.einsum(equation, *ts)
    same(out.tolist(), due.tolist())
    grads = torch.autograd.grad(due.sum(), ts)
    found = eg.gradients(out.sum(), xs)
    for g, wanted in zip(found, grads):
        assert g is not None
        same(g.tolist(), wanted.tolist())


def test_einsum_of_lists() -> None:
    x, y = n(2, 3), n(3, 4)
    due = torch.einsum(torch.tensor(x), [0, 1], torch.tensor(y), [1, 2], [2, 0])
    same(eg.einsum(eg.tensor(x), [0, 1], eg.tensor(y), [1, 2], [2, 0]).tolist(), due.tolist())
    same(eg.einsum(eg.tensor(x), [..., 1]).shape, (2, 3))
    assert eg.einsum("ij->ji", [eg.tensor(x)]).shape == (3, 2)


@pytest.mark.parametrize(
    ("equation", "shapes", "words"),
    [
        ("ij,jk", [(2, 3)], "2 terms"),
        ("ij", [(2, 3, 4)], "rank 3"),
        ("ijk", [(2, 3)], "rank 2"),
        ("i j.->i", [(2, 3)], "dots in threes"),
        ("ij,jk->ik", [(2, 3), (4, 5)], "sizes 3 and 4"),
        ("ij->k", [(2, 3)], "letter of the result"),
    ],
)
def test_einsum_says_what_is_wrong(equation: str, shapes: list[tuple[int, ...]], words: str) -> None:
    with pytest.raises(eg.ShapeError, match=rf"einsum.*{words}"):
        eg.einsum(equation, *(eg.ones(*s) for s in shapes))


def test_einsum_needs_an_equation_and_operands() -> None:
    with pytest.raises(eg.ShapeError, match="operand"):
        eg.einsum("ij")
    with pytest.raises(TypeError, match="equation first"):
        eg.einsum(eg.ones(2), eg.ones(2))


CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("tensordot", (n(2, 3, 4), n(3, 4, 5)), {}),
    ("tensordot", (n(2, 3), n(3, 2)), {"dims": 0}),
    ("tensordot", (n(2, 3, 4), n(4, 2)), {"dims": ([0, -1], [1, 0])}),
    ("kron", (n(2, 3), n(3, 2)), {}),
    ("kron", (n(2), n(2, 1, 2)), {}),
    ("inner", (n(2, 3), n(4, 3)), {}),
    ("inner", (n(3), n(3)), {}),
    ("vdot", (n(3), n(3)), {}),
    ("ger", (n(2), n(3)), {}),
    ("cross", (n(2, 3), n(2, 3)), {"dim": 1}),
    ("addmm", (n(4), n(2, 3), n(3, 4)), {"beta": 0.5, "alpha": 2}),
    ("addmv", (n(1), n(2, 3), n(3)), {"alpha": 2}),
    ("addr", (n(2, 3), n(2), n(3)), {"beta": 3}),
    ("baddbmm", (n(4), n(2, 3, 2), n(2, 2, 4)), {"beta": 2}),
    ("addbmm", (n(3, 4), n(2, 3, 2), n(2, 2, 4)), {"beta": 2, "alpha": 0.5}),
    ("chain_matmul", (n(2, 3), n(3, 4), n(4, 1), n(1, 2)), {}),
    ("matrix_power", (n(2, 3, 3), 5), {}),
    ("matrix_power", (n(3, 3), -2), {}),
    ("matrix_power", (n(3, 3), 0), {}),
    ("cdist", (n(2, 3, 2), n(2, 4, 2)), {"p": 1.5}),
    ("pdist", (n(4, 2),), {}),
    ("cosine_similarity", (n(2, 3), n(2, 3)), {}),
    ("cosine_similarity", (n(2, 1, 3), n(4, 3)), {"dim": -1}),
    ("pairwise_distance", (n(2, 3), n(3)), {"p": 3.0, "keepdim": True}),
    ("normalize", (n(2, 3),), {"p": 1.0, "dim": 0}),
    ("bilinear", (n(2, 5, 3), n(2, 5, 4), n(6, 3, 4), n(6)), {}),
    ("bilinear", (n(3), n(4), n(2, 3, 4)), {}),
]


def theirs(name: str) -> Callable[..., Any]:
    call: Callable[..., Any] = getattr(torch if hasattr(torch, name) else T, name)
    return call


@pytest.mark.parametrize(("name", "args", "options"), CALLS, ids=[f"{c[0]}-{i}" for i, c in enumerate(CALLS)])
def test_functions_are_torchs(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    arrays = [a for a in args if is_array(a)]
    rest = args[len(arrays) :]
    xs, ts = [variable(a) for a in arrays], [torch.tensor(a, requires_grad=True) for a in arrays]
    out, due = getattr(F, name)(*xs, *rest, **options), theirs(name)(*ts, *rest, **options)
    same(out.tolist(), due.tolist(), 1e-10)
    if not due.requires_grad:
        return
    wanted = torch.autograd.grad(due.sum(), ts, allow_unused=True)
    for g, w in zip(eg.gradients(out.sum(), xs), wanted):
        if w is not None:
            assert g is not None
            same(g.tolist(), w.tolist(), 1e-9)


def test_a_beta_of_zero_ignores_the_input() -> None:
    x = variable([[float("nan")]])
    out = eg.addmm(x, variable([[2.0]]), variable([[3.0]]), beta=0)
    same(out.tolist(), [[6.0]])
    same(slopes(out, x), [[0.0]])


def test_integers_stay_integers() -> None:
    x = eg.tensor([[1, 2], [3, 4]])
    assert eg.einsum("ij,jk", x, x).dtype is eg.int64
    assert eg.addmm(x, x, x, beta=2).tolist() == [[9, 14], [21, 30]]
    assert eg.kron(x, x).dtype is eg.matrix_power(x, 0).dtype is eg.int64
    with pytest.raises(eg.DTypeError, match=r"addmm: 0\.5"):
        eg.addmm(x, x, x, alpha=0.5)


def test_distances_of_equal_rows_to_order_two() -> None:
    for p in (1.0, 1.5, 2.0, 3.0, float("inf")):
        x = variable([[0.0, 0.0], [3.0, 4.0]])
        (g,) = eg.gradients(eg.cdist(x, x, p).sum(), [x], create_graph=True)
        assert g is not None
        assert np.isfinite(g.tolist()).all()
        assert np.isfinite(slopes((g * g).sum(), x)).all()


def test_double_backward_of_pdist_at_a_known_place() -> None:
    x = variable([[0.0, 0.0], [3.0, 4.0]])  # the Hessian of |v| is (I - vv^T / |v|^2) / |v|

    def total(v: eg.Tensor) -> eg.Tensor:
        return F.pdist(v).sum()

    hessian = eg.hessian(total)(x)
    block = (np.eye(2) - np.outer([0.6, 0.8], [0.6, 0.8])) / 5
    same(np.reshape(hessian.tolist(), (4, 4)), np.block([[block, -block], [-block, block]]), 1e-10)


def test_near_rows_keep_their_distance_in_float32() -> None:
    x = eg.tensor(np.full((30, 2), 4096.0, np.float32))
    y = eg.tensor(np.full((30, 2), 4096.25, np.float32))
    same(eg.cdist(x, y).tolist(), np.full((30, 30), 0.25 * 2**0.5), 1e-6)


def test_the_zero_vector() -> None:
    x = variable([[0.0, 0.0]])
    same(F.normalize(x).tolist(), [[0.0, 0.0]])
    out = eg.cosine_similarity(x, eg.tensor(np.array([[1.0, 2.0]])))
    same(out.tolist(), [0.0])
    assert np.isfinite(slopes(out, x)).all()
    out = F.pairwise_distance(x, x.detach(), eps=0.0)
    same(slopes(out, x), [[0.0, 0.0]])


def test_errors_say_what_to_write() -> None:
    with pytest.raises(eg.ShapeError, match=r"addmm: input must stretch.*\(3,\)"):
        eg.addmm(eg.ones(3), eg.ones(2, 2), eg.ones(2, 2))
    with pytest.raises(eg.ShapeError, match="tensordot"):
        eg.tensordot(eg.ones(2), eg.ones(3), 1)
    with pytest.raises(eg.ShapeError, match="size 3"):
        eg.cross(eg.ones(2), eg.ones(2))
    with pytest.raises(eg.ShapeError, match="bilinear"):
        F.bilinear(eg.ones(2, 3), eg.ones(2, 3), eg.ones(1, 2, 3))
    with pytest.raises(eg.ShapeError, match="chain_matmul"):
        eg.chain_matmul()


def test_layers() -> None:
    ours, other = eg.nn.Bilinear(3, 4, 2), torch.nn.Bilinear(3, 4, 2)
    assert {k: v.shape for k, v in ours.state_dict().items()} == {
        k: tuple(v.shape) for k, v in other.state_dict().items()
    }
    assert ours(eg.ones(5, 3), eg.ones(5, 4)).shape == (5, 2)
    x, y = n(2, 3), n(2, 3)
    for mine, its in (
        (eg.nn.CosineSimilarity(), torch.nn.CosineSimilarity()),
        (eg.nn.PairwiseDistance(p=1.0), torch.nn.PairwiseDistance(p=1.0)),
    ):
        same(mine(eg.tensor(x), eg.tensor(y)).tolist(), its(torch.tensor(x), torch.tensor(y)).tolist(), 1e-10)
