"""eg.linalg: against torch's own, by multiplying factors, and at matrices that are singular or degenerate."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch as typed_torch

import everygrad as eg
from everygrad.conformance.calls import is_array
from tests.fault_tools import same, slopes, variable
from tests.public import public

torch: Any = typed_torch
L = eg.linalg
TL: Any = torch.linalg
r = np.random.default_rng(5)
Calls = tuple[Callable[[Any], Any], ...]


def as_any(x: Any) -> Any:
    return x


def n(*shape: int) -> Any:
    return r.normal(size=shape)


SQUARE, TALL, WIDE = n(2, 3, 3), n(2, 4, 2), n(2, 2, 4)
S = n(3, 3)
POSITIVE = S @ S.T + np.eye(3)
FACTOR: Any = as_any(np.linalg.cholesky(POSITIVE))

CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("det", (SQUARE,), {}),
    ("inv", (SQUARE,), {}),
    ("slogdet", (SQUARE,), {}),
    ("matrix_exp", (SQUARE,), {}),
    ("cholesky", (POSITIVE,), {}),
    ("cholesky", (POSITIVE,), {"upper": True}),
    ("eigvalsh", (POSITIVE,), {}),
    ("svdvals", (TALL,), {}),
    ("pinv", (TALL,), {}),
    ("pinv", (WIDE,), {"rtol": 1e-9}),
    ("pinv", (S,), {"atol": 1e-9}),
    ("lu", (SQUARE,), {}),
    ("lu", (TALL,), {}),
    ("lu", (WIDE,), {}),
    ("solve", (SQUARE, n(2, 3, 2)), {}),
    ("solve", (SQUARE, n(2, 3)), {}),
    ("solve", (S, n(3)), {}),
    ("solve", (S, n(2, 3)), {"left": False}),
    ("solve_triangular", (S + 3 * np.eye(3), n(3, 2)), {"upper": True}),
    ("solve_triangular", (S, n(2, 3)), {"upper": False, "left": False, "unitriangular": True}),
    ("matrix_power", (S, 3), {}),
    ("matrix_power", (S, -1), {}),
    ("cross", (n(2, 3), n(1, 3)), {}),
    ("vecdot", (n(2, 3), n(3)), {}),
    ("diagonal", (n(2, 3, 4),), {"offset": 1}),
    ("diagonal", (n(2, 3, 4),), {"offset": -1, "dim1": 0, "dim2": 2}),
    ("vander", (n(3),), {"N": 4}),
    ("tensorsolve", (n(2, 3, 6), n(2, 3)), {}),
    ("tensorinv", (n(2, 3, 6),), {}),
    ("norm", (S,), {}),
    ("norm", (S,), {"ord": "nuc"}),
    ("norm", (n(3),), {"ord": 3}),
    ("norm", (n(2, 3, 3),), {"ord": -2, "dim": (0, 2), "keepdim": True}),
    ("vector_norm", (SQUARE,), {"ord": 1, "dim": (0, 1)}),
    *(("matrix_norm", (TALL,), {"ord": ord}) for ord in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)),
    *(("cond", (S,), {"p": p}) for p in (None, 2, -2, "fro", "nuc", 1, -1, math.inf, -math.inf)),
]


def cond(x: Any, p: Any = None) -> Any:
    """torch's, whose own writes over what its gradient needs."""
    return TL.cond(x, p) if p in (None, 2, -2) else TL.norm(x, p) * TL.norm(TL.inv(x), p)


def parts(out: Any) -> list[Any]:
    return [out] if hasattr(out, "shape") else list(out)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(("name", "args", "options"), CALLS, ids=[f"{c[0]}-{i}" for i, c in enumerate(CALLS)])
def test_is_torchs(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    arrays = [a for a in args if is_array(a)]
    rest = args[len(arrays) :]
    xs, ts = [variable(a) for a in arrays], [torch.tensor(a, requires_grad=True) for a in arrays]
    out = parts(getattr(L, name)(*xs, *rest, **options))
    due = parts((cond if name == "cond" else getattr(TL, name))(*ts, *rest, **options))
    total, wanted = 0.0 * out[0].sum(), 0.0 * due[0].sum()
    for found, other in zip(out, due, strict=True):
        same(found.tolist(), other.tolist(), 1e-9)
        total, wanted = total + (found * found).sum(), wanted + (other * other).sum()
    for g, w in zip(eg.gradients(total, xs), torch.autograd.grad(wanted, ts)):
        assert g is not None
        same(g.tolist(), w.tolist(), 1e-7)


TOP: list[tuple[str, tuple[Any, ...]]] = [
    ("logdet", (POSITIVE,)),
    ("inverse", (S,)),
    ("pinverse", (TALL,)),
    ("cholesky_inverse", (np.linalg.cholesky(POSITIVE),)),
    ("cholesky_solve", (n(3, 2), FACTOR)),
    ("cholesky_solve", (n(3, 2), FACTOR.T.copy(), True)),
]


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(("name", "args"), TOP, ids=[f"{c[0]}-{i}" for i, c in enumerate(TOP)])
def test_top_level_is_torchs(name: str, args: tuple[Any, ...]) -> None:
    ours = [variable(a) if is_array(a) else a for a in args]
    its = [torch.tensor(a, requires_grad=True) if is_array(a) else a for a in args]
    out, due = getattr(eg, name)(*ours), getattr(torch, name)(*its)
    same(out.tolist(), due.tolist(), 1e-9)
    wanted = torch.autograd.grad(due.sum(), [t for t in its if isinstance(t, typed_torch.Tensor)])
    for g, w in zip(eg.gradients(out.sum(), [x for x in ours if isinstance(x, eg.Tensor)]), wanted):
        assert g is not None
        # torch gives a gradient to the triangle of a factor that is not read
        kept = (
            w
            if not name.startswith("cholesky_") or w.shape != (3, 3)
            else w.triu()
            if len(args) > 2
            else w.tril()
        )
        same(g.tolist(), kept.tolist(), 1e-8)


SIGNATURES = {
    "vander": "torch keeps x and N apart by keyword",
    "matmul": "torch.matmul's own",
    "cholesky_solve": "torch has it at its top level alone",
}


@pytest.mark.parametrize(
    "name", [f for f in public(L) if hasattr(TL, f) and inspect.isfunction(getattr(L, f))]
)
def test_arguments_are_those_torch_documents(name: str) -> None:
    words = (getattr(TL, name).__doc__ or "").strip().splitlines()[0]
    if name in SIGNATURES or "(" not in words:
        pytest.skip("nothing to compare")
    words = words.partition("->")[0]
    listed = words[words.index("(") + 1 : words.rindex(")")].split(",")
    documented = [
        w.split("=")[0].split()[-1] for w in listed if w.strip()
    ]  # some have their type before them
    known = {"*", "out", "dtype", "driver"}
    due = [w.strip("()") for w in documented if w.isidentifier() and w not in known]
    ours = [p for p in inspect.signature(getattr(L, name)).parameters if p not in known]
    assert ours == due


def close(x: Any, y: Any, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(x, y, atol=tolerance, rtol=tolerance)


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("array", [SQUARE, TALL, WIDE], ids=["square", "tall", "wide"])
def test_factors_give_the_matrix_back(array: Any) -> None:
    x = eg.tensor(array)
    for mode in ("reduced", "complete"):
        q, rr = L.qr(x, mode)
        close((q @ rr).tolist(), array)
        close(
            (q.transpose(-1, -2) @ q).tolist(), np.broadcast_to(np.eye(q.shape[-1]), (2, *q.shape[-1:] * 2))
        )
        assert (np.asarray(L.diagonal(rr).tolist()) >= 0).all()
    for full in (False, True):
        u, s, vh = L.svd(x, full)
        k = s.shape[-1]
        close(((u[..., :k] * s[:, None]) @ vh[:, :k]).tolist(), array)
        for v in (u, vh.transpose(-1, -2)):
            close(
                (v.transpose(-1, -2) @ v).tolist(),
                np.broadcast_to(np.eye(v.shape[-1]), (2, *v.shape[-1:] * 2)),
            )
    p, lower, upper = L.lu(x)
    close((p @ lower @ upper).tolist(), array)


@pytest.mark.parametrize("name", ["qr", "svd", "eigh", "lu"])
def test_both_libraries_give_the_same_factors(name: str) -> None:
    given: list[Any] = [S] if name == "eigh" else [S, n(4, 2), n(2, 4)]
    for array in [*given, np.array([[2.0, 1.0], [1.0, 2.0]])]:
        found: list[Any] = []
        for library in ("numpy", "torch"):
            options = {"full_matrices": False} if name == "svd" else {}
            found.append([v.tolist() for v in getattr(L, name)(eg.tensor(array, backend=library), **options)])
        for x, y in zip(*found):
            close(x, y)


@pytest.mark.usefixtures("library")
class TestSingular:
    def hessian(self, f: Callable[[Any], Any], x: Any) -> Any:
        size = np.size(x)
        return np.reshape(eg.hessian(f)(eg.tensor(np.asarray(x, np.float64))).tolist(), (size, size))

    def test_det_of_rank_n_minus_1(self) -> None:
        x = variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
        same(slopes(L.det(x), x), [[-3.0, 6.0, -3.0], [6.0, -12.0, 6.0], [-3.0, 6.0, -3.0]], 1e-9)

    def test_det_of_rank_n_minus_2_has_a_second_derivative(self) -> None:
        x = np.diag([2.0, 0.0, 0.0])
        found = self.hessian(L.det, x)
        due = np.zeros((9, 9))
        for i, j, sign in ((4, 8, 2.0), (5, 7, -2.0)):
            due[i, j] = due[j, i] = sign
        same(found, due, 1e-9)

    def test_det_of_zeros_has_a_third_derivative_only(self) -> None:
        x = variable(np.zeros((3, 3)))
        (g,) = eg.gradients(L.det(x), [x], create_graph=True)
        assert g is not None
        same(g.tolist(), np.zeros((3, 3)))
        (h,) = eg.gradients(g[0, 0], [x], create_graph=True)
        assert h is not None
        same(slopes(h[1, 1], x), np.diag([0.0, 0.0, 1.0]), 1e-9)

    def test_det_at_known_places_in_two_dims(self) -> None:
        for x in ([[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [0.0, 0.0]], [[1.0, 2.0], [3.0, 4.0]]):
            due = np.zeros((4, 4))
            due[0, 3] = due[3, 0] = 1
            due[1, 2] = due[2, 1] = -1
            same(self.hessian(L.det, x), due, 1e-9)

    def test_slogdet(self) -> None:
        sign, logarithm = L.slogdet(eg.tensor([[1.0, 2.0], [2.0, 4.0]]))
        assert (sign.item(), logarithm.item()) == (0.0, -math.inf)
        assert math.isnan(eg.logdet(eg.tensor([[0.0, 1.0], [1.0, 0.0]])).item())

    def test_no_answer_is_an_error(self) -> None:
        x = variable([[1.0, 2.0], [2.0, 4.0]])
        calls: Calls = L.inv, lambda v: L.solve(v, v), lambda v: slopes(L.slogdet(v).logabsdet, v)
        for call in calls:
            with pytest.raises(L.LinAlgError, match="singular"):
                call(x)
        with pytest.raises(L.LinAlgError, match="positive definite"):
            L.cholesky(-x)
        with pytest.raises(L.LinAlgError, match="diagonal"):
            L.lstsq(x, x)
        assert L.cond(x.detach(), 1).item() == math.inf
        assert L.matrix_rank(x).item() == 1

    def test_pinv_at_rank_one(self) -> None:
        x = variable(np.outer([1.0, 2.0], [3.0, 4.0]))
        out = L.pinv(x, rtol=1e-6)
        same(out.tolist(), np.outer([3.0, 4.0], [1.0, 2.0]) / 125, 1e-9)
        t = torch.tensor(np.outer([1.0, 2.0], [3.0, 4.0]), requires_grad=True)
        (due,) = torch.autograd.grad(TL.pinv(t, rtol=1e-6).sum(), t)
        same(slopes(out.sum(), x), due.tolist(), 1e-9)


@pytest.mark.usefixtures("library")
class TestDegenerate:
    def test_values_alone_have_their_gradient(self) -> None:
        x = variable(np.eye(3))
        same(slopes((L.eigvalsh(x) ** 2).sum(), x), 2 * np.eye(3), 1e-9)
        same(slopes(L.matrix_norm(x, "nuc"), x), np.eye(3), 1e-9)
        same(slopes(L.svdvals(x).sum(), x), np.eye(3), 1e-9)

    def test_vectors_have_none(self) -> None:
        x = variable(np.eye(2))
        assert not np.isfinite(slopes((L.eigh(x).eigenvectors ** 3).sum(), x)).all()

    def test_one_vector_apart_from_the_equal_ones(self) -> None:
        x = variable(np.diag([1.0, 1.0, 3.0]))
        top = L.eigh(x).eigenvectors[:, 2]
        found = slopes((top * eg.tensor(np.array([1.0, 2.0, 0.0]))).sum(), x)
        due = np.zeros((3, 3))  # d v3 = sum over j of v_j (v_j^T dA v3) / (3 - 1), the symmetric part
        due[0, 2] = due[2, 0] = 0.25
        due[1, 2] = due[2, 1] = 0.5
        same(found, due, 1e-9)

    def test_the_norm_of_zeros(self) -> None:
        for ord in ("fro", "nuc", 1, 2, math.inf):
            x = variable(np.zeros((2, 2)))
            same(slopes(L.matrix_norm(x, ord), x), np.zeros((2, 2)))

    def test_rest_of_a_square_basis(self) -> None:
        a = n(4, 2)

        def outside(v: Any) -> Any:  # the projection onto what the columns leave: I - A pinv(A)
            rest = L.svd(v).U[:, 2:]
            return ((rest @ rest.transpose(0, 1)) * eg.tensor(np.arange(16.0).reshape(4, 4))).sum()

        def known(v: Any) -> Any:
            return (
                (eg.eye(4, dtype=eg.float64) - v @ L.pinv(v)) * eg.tensor(np.arange(16.0).reshape(4, 4))
            ).sum()

        for f, g in ((outside, known), (outside_of_qr, known)):
            close(eg.grad(f)(eg.tensor(a)).tolist(), eg.grad(g)(eg.tensor(a)).tolist(), 1e-8)
            close(eg.hessian(f)(eg.tensor(a)).tolist(), eg.hessian(g)(eg.tensor(a)).tolist(), 1e-7)


def outside_of_qr(v: Any) -> Any:
    rest = L.qr(v, "complete").Q[:, 2:]
    return ((rest @ rest.transpose(0, 1)) * eg.tensor(np.arange(16.0).reshape(4, 4))).sum()


@pytest.mark.usefixtures("library")
def test_least_squares() -> None:
    for a, b in ((n(4, 2), n(4, 3)), (n(2, 4), n(2, 3)), (n(2, 4, 2), n(2, 4, 1))):
        found, due = L.lstsq(eg.tensor(a), eg.tensor(b)), TL.lstsq(torch.tensor(a), torch.tensor(b))
        same(found.solution.tolist(), due.solution.tolist(), 1e-9)
        x, y = variable(a), variable(b)
        direct = L.pinv(x) @ y
        weights = eg.tensor(n(*direct.shape))
        for g, h in zip(slopes(L.lstsq(x, y).solution * weights, x, y), slopes(direct * weights, x, y)):
            close(g, h, 1e-8)
    residuals = L.lstsq(eg.tensor([[1.0], [1.0]]), eg.tensor([[1.0], [3.0]])).residuals
    same(residuals.tolist(), [2.0], 1e-5)


@pytest.mark.usefixtures("library")
def test_one_triangle_is_read_and_the_gradient_is_symmetric() -> None:
    array = np.array([[4.0, 1e9], [2.0, 5.0]])
    x, t = variable(array), torch.tensor(array, requires_grad=True)
    for ours, its in (
        (L.cholesky(x), TL.cholesky(t)),
        (L.eigh(x).eigenvalues[1], TL.eigh(t).eigenvalues[1]),
    ):
        same(ours.tolist(), its.tolist(), 1e-9)
        (due,) = torch.autograd.grad(its.sum(), t)
        same(slopes(ours.sum(), x), due.tolist(), 1e-9)
    same(L.eigh(eg.tensor(array.T.copy()), "U").eigenvalues.tolist(), L.eigvalsh(x).tolist())


@pytest.mark.usefixtures("library")
def test_low_precision_goes_through_float32() -> None:
    x = eg.tensor([[4.0, 2.0], [2.0, 5.0]]).to(eg.float16)
    for call in (L.det, L.inv, L.cholesky, L.svdvals, L.matrix_exp, L.eigvalsh):
        out: Any = call(x)
        assert out.dtype is eg.float16
    assert L.solve(x, x).dtype is eg.float16


@pytest.mark.usefixtures("library")
def test_errors_name_what_was_given() -> None:
    for call in (L.det, L.inv, L.eigh, L.cholesky, L.slogdet, L.matrix_exp):
        with pytest.raises(eg.ShapeError, match=r"square.*\(2, 3\)"):
            call(eg.ones(2, 3))
        with pytest.raises(eg.DTypeError, match="floating point"):
            call(eg.tensor([[1]]))
    with pytest.raises(ValueError, match="mode"):
        L.qr(eg.ones(2, 2), "full")
    with pytest.raises(ValueError, match="UPLO"):
        L.eigh(eg.eye(2), "X")
    with pytest.raises(ValueError, match="ord"):
        L.matrix_norm(eg.eye(2), 3)
    with pytest.raises(eg.ShapeError, match="multi_dot"):
        L.multi_dot([eg.ones(2)])


@pytest.mark.usefixtures("library")
def test_methods() -> None:
    x = eg.tensor([[4.0, 0.0], [0.0, 2.0]])
    assert x.det().item() == pytest.approx(8.0)
    assert x.inverse().tolist() == [[0.25, 0.0], [0.0, 0.5]]
    assert x.qr().R.shape == x.svd().U.shape == x.kron(x)[:2, :2].shape == (2, 2)
    assert L.multi_dot([eg.ones(2), x, eg.ones(2)]).item() == 6.0
