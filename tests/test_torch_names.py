"""Functions of torch that are compositions or kin of others: values against torch's or SciPy's, gradients by differences."""
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# Tables of lambdas: each gets what the test makes.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import everygrad as eg
from everygrad import functional as F
from tests.fault_tools import same
from tests.like_torch import both, twice

torch: Any = pytest.importorskip("torch", reason="the values are compared with its")

R = np.random.default_rng(8)
X = R.normal(size=(2, 5))
SQUARE, TALL, WIDE = R.normal(size=(2, 4, 4)), R.normal(size=(4, 2)), R.normal(size=(2, 3, 5))
RIGHT = R.normal(size=(2, 4, 3))
POINTS = R.normal(size=(9, 2))
TAU = R.normal(size=2)

LIKE: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {  # m is everygrad or torch
    "gradient": (lambda m, x: m.gradient(x), (X,)),
    "gradient-2": (lambda m, x: m.gradient(x, dim=1, edge_order=2), (X,)),
    "gradient-step": (lambda m, x: m.gradient(x, spacing=0.5), (X,)),
    "gradient-steps": (lambda m, x: m.gradient(x, spacing=[0.5, 2.0], dim=(1, 0)), (X,)),
    "gradient-places": (
        lambda m, x, at: m.gradient(x, spacing=(at,), dim=1, edge_order=2),
        (X, np.array([0.0, 1, 3, 4, 9])),
    ),
    "histogramdd": (lambda m, x: [m.histogramdd(x, [3, 2]).hist, *m.histogramdd(x, [3, 2]).bin_edges], (POINTS,)),
    "histogramdd-range": (
        lambda m, x, w: [m.histogramdd(x, bins=[2, 2], range=[-1, 1, 0, 2], weight=w, density=True).hist],
        (POINTS, POINTS[:, 0] ** 2),
    ),
    "histogramdd-edges": (lambda m, x, e: [m.histogramdd(x, (e, e)).hist], (POINTS, np.array([-1.0, 0, 0.5, 2]))),
    "unravel_index": (lambda m, i: m.unravel_index(i, (4, 3)), (np.array([[0, 5], [11, -1]]),)),
    "rsub": (lambda m, x: m.rsub(x, 2.0, alpha=3), (X,)),
    "frexp": (lambda m, x: m.frexp(x), (np.array([6.0, -0.1, 0.0, 1e-310, 2.0**40]),)),
    "frexp-float32": (lambda m, x: m.frexp(x), (np.array([6.0, -0.1, 1e-40], np.float32),)),
    "nextafter": (lambda m, x: m.nextafter(x, -x), (np.array([1.0, -1, 0], np.float32),)),
    "igamma": (lambda m, x: m.igamma(x, x + 1), (np.abs(X),)),
    "igammac": (lambda m, x: m.igammac(x + 1, x), (np.abs(X),)),
    "lu_factor": (lambda m, x: m.linalg.lu_factor(x), (SQUARE,)),
    "lu_factor-tall": (lambda m, x: m.linalg.lu_factor(x), (TALL,)),
    "lu_factor-wide": (lambda m, x: m.linalg.lu_factor(x), (WIDE,)),
    "lu_factor-empty": (lambda m, x: m.linalg.lu_factor(x), (np.zeros((0, 3, 5)),)),
    "lu_unpack": (lambda m, x: m.lu_unpack(*m.linalg.lu_factor(x)), (TALL,)),
    "lu_unpack-pivots": (lambda m, x: m.lu_unpack(*m.linalg.lu_factor(x), unpack_data=False)[:1], (WIDE,)),
    "lu_solve": (lambda m, x, y: m.linalg.lu_solve(*m.linalg.lu_factor(x), y), (SQUARE, RIGHT)),
    "lu_solve-adjoint": (lambda m, x, y: m.linalg.lu_solve(*m.linalg.lu_factor(x), y, adjoint=True), (SQUARE, RIGHT)),
    "lu_solve-right": (lambda m, x, y: m.linalg.lu_solve(*m.linalg.lu_factor(x), y.mT, left=False), (SQUARE, RIGHT)),
    "lu_solve-stretched": (lambda m, x, y: m.linalg.lu_solve(*m.linalg.lu_factor(x[0]), y), (SQUARE, RIGHT)),
    "householder_product": (lambda m, x, t: m.linalg.householder_product(x, t), (TALL, TAU)),
    "householder_product-few": (lambda m, x, t: m.linalg.householder_product(x, t[:1]), (TALL, TAU)),
    "vander": (lambda m, x: m.vander(x, 3), (X[0],)),
    "vander-increasing": (lambda m, x: m.vander(x, increasing=True), (X[0],)),
    "max-other": (lambda m, x: m.max(x, other=-x), (X,)),
    "min-other": (lambda m, x: m.min(x, other=-x), (X,)),
    "clone": (lambda m, x: m.clone(x), (X,)),
    "split_with_sizes": (lambda m, x: m.split_with_sizes(x, [2, 3], 1), (X,)),
    "as_tensor": (lambda m, x: m.as_tensor(x, dtype=m.float32), (X,)),
    **{
        f"{kind}-{n}": (lambda m, x, kind=kind, n=n: getattr(m.special, kind)(x, n), (X,))
        for kind in eg.special.__all__
        if "polynomial" in kind
        for n in (0, 1, 4, -1)
    },
    "polynomials-of-each": (lambda m, x, n: m.special.laguerre_polynomial_l(x, n), (X, np.arange(5))),
}  # fmt: skip


@pytest.mark.parametrize("name", LIKE)
def test_values_are_torchs(library: str, name: str) -> None:
    call, arrays = LIKE[name]
    both(call, *arrays)


@pytest.mark.parametrize("name", ["hfft", "hfft2", "hfftn"])
@pytest.mark.parametrize("norm", [None, "forward", "ortho"])
def test_hermitian_transforms(library: str, name: str, norm: str | None) -> None:
    re, im = R.normal(size=(3, 4)), R.normal(size=(3, 4))
    ours = getattr(eg.fft, name)((eg.tensor(re), eg.tensor(im)), norm=norm)
    due = getattr(torch.fft, name)(torch.complex(torch.tensor(re), torch.tensor(im)), norm=norm)
    same(ours.tolist(), due.tolist(), 1e-9)
    back = getattr(eg.fft, "i" + name)(eg.tensor(re), norm=norm)
    due = getattr(torch.fft, "i" + name)(torch.tensor(re), norm=norm)
    same(back.re.tolist(), due.real.tolist(), 1e-9)
    same(back.im.tolist(), due.imag.tolist(), 1e-9)
    twice(lambda t: getattr(eg.fft, name)((t, 2 * t), norm=norm), re)


BESSEL: dict[str, Callable[[Any], Any]] = {
    "bessel_y0": scipy.special.y0,
    "bessel_y1": scipy.special.y1,
    "modified_bessel_i0": scipy.special.i0,
    "modified_bessel_i1": scipy.special.i1,
    "modified_bessel_k0": scipy.special.k0,
    "modified_bessel_k1": scipy.special.k1,
    "scaled_modified_bessel_k0": scipy.special.k0e,
    "scaled_modified_bessel_k1": scipy.special.k1e,
    "airy_ai": lambda x: scipy.special.airy(x)[0],
}


@pytest.mark.parametrize("name", BESSEL)
def test_bessel_functions(library: str, name: str) -> None:
    call, x = getattr(eg.special, name), np.array([0.3, 1.5, 7.0])
    same(call(eg.tensor(x)).tolist(), BESSEL[name](x), 1e-12)
    twice(call, x)


GRADIENTS: dict[str, tuple[Callable[[eg.Tensor], eg.Tensor], Any]] = {
    "gradient": (lambda x: eg.cat(eg.gradient(x, edge_order=2, dim=1), 0), X),
    "gradient-spacing": (lambda t: eg.gradient(eg.tensor(X[0]), spacing=(t,))[0], np.array([0.0, 1, 3, 4, 9])),
    "histogramdd": (lambda w: eg.histogramdd(eg.tensor(POINTS), [2, 2], weight=w).hist, POINTS[:, 0]),
    "frexp": (lambda x: eg.frexp(x).mantissa, np.array([5.5, -0.3])),
    "nextafter": (lambda x: eg.nextafter(x, 2 * x), X),
    "igamma": (lambda x: eg.igamma(eg.tensor(2.0, dtype=eg.float64), x), np.abs(X)),
    "lu_factor": (lambda x: eg.linalg.lu_factor(x).LU, SQUARE[0]),
    "lu_solve": (lambda x: eg.linalg.lu_solve(*eg.linalg.lu_factor(x), eg.tensor(RIGHT)), SQUARE),
    "lu_solve-b": (lambda y: eg.linalg.lu_solve(*eg.linalg.lu_factor(eg.tensor(SQUARE)), y, adjoint=True), RIGHT),
    "householder": (lambda x: eg.linalg.householder_product(x, eg.tensor(TAU)), TALL),
    "householder-tau": (lambda t: eg.linalg.householder_product(eg.tensor(TALL), t), TAU),
    "hermite": (lambda x: eg.special.hermite_polynomial_h(x, 4), X[0]),
    "legendre-each": (lambda x: eg.special.legendre_polynomial_p(x, eg.arange(5)), X),
    "vander": (lambda x: eg.vander(x, 3), X[0]),
}  # fmt: skip


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(library: str, name: str) -> None:
    twice(*GRADIENTS[name])


def test_low_rank_is_exact_where_the_rank_is_low(library: str) -> None:
    low = TALL @ R.normal(size=(2, 5))
    for matrix in (low, low.T.copy()):
        u, s, v = eg.svd_lowrank(eg.tensor(matrix), q=3)
        same((u @ s.diag() @ v.mT).tolist(), matrix, 1e-9)
        same(s.tolist()[:2], np.linalg.svd(matrix)[1][:2], 1e-9)
    centred = low - low.mean(0)
    u, s, v = eg.pca_lowrank(eg.tensor(low), q=2)
    same((u @ s.diag() @ v.mT).tolist(), centred, 1e-9)
    same(eg.svd_lowrank(eg.tensor(low), q=2, M=eg.tensor(low - centred)).S.tolist(), s.tolist(), 1e-9)


def test_dtypes_that_meet() -> None:
    kinds = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"]
    for a in kinds:
        for b in kinds:
            found = eg.promote_types(getattr(eg, a), getattr(eg, b))
            assert str(torch.promote_types(getattr(torch, a), getattr(torch, b))) == f"torch.{found.value}"
            assert eg.can_cast(getattr(eg, a), getattr(eg, b)) == torch.can_cast(
                getattr(torch, a), getattr(torch, b)
            )
    assert eg.result_type(0.5, eg.tensor([1])) is eg.float32
    assert eg.numel(eg.ones(2, 3)) == 6
    x = eg.ones(2)
    assert eg.asarray(x) is x


def test_what_a_dtype_holds() -> None:
    for name in ("float64", "float32", "float16", "bfloat16"):
        ours, due = eg.finfo(getattr(eg, name)), torch.finfo(getattr(torch, name))
        for field in ours._fields:
            same(getattr(ours, field), getattr(due, field), 1e-12)
    for name in ("int64", "int32", "int16", "int8", "uint8"):
        whole, due = eg.iinfo(getattr(eg, name)), torch.iinfo(getattr(torch, name))
        assert (whole.bits, whole.min, whole.max) == (due.bits, due.min, due.max)
    for name in ("double", "float", "half", "long", "int", "short"):
        assert f"torch.{getattr(eg, name).value}" == str(getattr(torch, name))
    assert (eg.pi, eg.e, eg.inf) == (torch.pi, torch.e, torch.inf) and eg.nan != eg.nan
    assert eg.is_tensor(eg.ones(1)) and not eg.is_tensor([1]) and not eg.is_floating_point(eg.arange(2))


REFUSED: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "gradient-short": (lambda: eg.gradient(eg.ones(1)), eg.ShapeError, "eg.gradients"),
    "gradient-scalar": (lambda: eg.gradient(eg.tensor(1.0)), eg.ShapeError, "eg.gradients"),
    "gradient-spacing": (lambda: eg.gradient(eg.ones(3), spacing=[1.0, 2.0]), eg.ShapeError, "spacing"),
    "gradient-edge": (lambda: eg.gradient(eg.ones(3), edge_order=3), ValueError, "edge_order"),
    "histogramdd-bins": (lambda: eg.histogramdd(eg.ones(3, 2), [1, 2, 3]), eg.ShapeError, "bins"),
    "histogramdd-range": (lambda: eg.histogramdd(eg.ones(3, 2), 2, range=[0, 1]), eg.ShapeError, "range"),
    "histogramdd-halves": (lambda: eg.histogramdd(eg.ones(3, 2), [1, 2.5]), TypeError, "bins"),
    "histogramdd-none": (lambda: eg.histogramdd(eg.ones(3, 2), None), TypeError, "bins"),
    "histogram-falling": (lambda: eg.histogram(eg.ones(3), eg.tensor([2.0, 1.0])), eg.ShapeError, "fall"),
    "histogramdd-points": (lambda: eg.histogramdd(eg.ones(3), 2), eg.ShapeError, "points"),
    "histogramdd-weight": (lambda: eg.histogramdd(eg.ones(3, 2), 2, weight=eg.ones(2)), eg.ShapeError, "weight"),
    "unravel_index": (lambda: eg.unravel_index(eg.tensor([6]), (2, 3)), IndexError, "6 is out of range"),
    "unravel_index-float": (lambda: eg.unravel_index(eg.tensor([1.0]), (2, 3)), eg.DTypeError, "integers"),
    "lu_solve-pivots": (lambda: eg.linalg.lu_solve(eg.eye(3), eg.tensor([1, 2]), eg.eye(3)), eg.ShapeError, "pivots"),
    "lu_solve-range": (lambda: eg.linalg.lu_solve(eg.eye(2), eg.tensor([1, 5]), eg.eye(2)), IndexError, "1 to 2"),
    "lu_solve-rows": (lambda: eg.linalg.lu_solve(eg.eye(2), eg.tensor([1, 2]), eg.eye(3)), eg.ShapeError, "B must"),
    "householder": (lambda: eg.linalg.householder_product(eg.ones(2, 3), eg.ones(2)), eg.ShapeError, "m >= n"),
    "degree": (lambda: eg.special.chebyshev_polynomial_t(eg.ones(2), 1.5), eg.DTypeError, "integer"),
    "degrees": (lambda: eg.special.chebyshev_polynomial_t(eg.ones(2), eg.ones(2) / 2), eg.DTypeError, "integers"),
    "finfo": (lambda: eg.finfo(eg.int8), eg.DTypeError, "iinfo"),
    "iinfo": (lambda: eg.iinfo(eg.float32), eg.DTypeError, "integer"),
    "low-rank": (lambda: eg.svd_lowrank(eg.ones(2, 3), q=3), eg.ShapeError, "q must"),
    "nextafter": (lambda: F.nextafter(eg.ones(2), eg.ones(3)), eg.ShapeError, "nextafter"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(library: str, name: str) -> None:
    call, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        call()
