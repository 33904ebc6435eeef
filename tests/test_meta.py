"""The suite under test: each check must fail where it should, and only there."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportIncompatibleMethodOverride=false
# (short lambdas and overrides that are wrong on purpose)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from typing_extensions import override

from everygrad.conformance.case import Array, BadCall, Case
from everygrad.conformance.forms import wrapped
from everygrad_numpy import NumpyBackend
from everygrad_ops import ShapeError
from tests.broken import ABS, MATMUL, MUL, NEG, NORM, SORT, SQUARE, TANH, rule, verdict

HONEST: list[Case | BadCall] = [ABS, MATMUL, MUL, NEG, NORM, SORT, SQUARE, TANH]
Change = Callable[[Array], Array]


@pytest.mark.parametrize("entry", HONEST, ids=lambda e: e.id)
def test_an_honest_backend_passes(entry: Case | BadCall) -> None:
    assert verdict(NumpyBackend(), entry) == {}


def altered(op: str, change: Callable[..., Any]) -> NumpyBackend:
    """NumPy, with `change(result, *args)` made to every result of one op."""

    def method(self: NumpyBackend, *args: Any) -> Any:
        return change(getattr(NumpyBackend, op)(self, *args), *args)

    made: NumpyBackend = type("Altered", (NumpyBackend,), {op: method})()
    return made


def first(value: float) -> Change:
    def put(out: Array) -> Array:
        out = out.copy()
        out.flat[0] = value
        return out

    return put


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda out, x, y: out * (1 + 1e-13), "elements differ"),
        (lambda out, x, y: out.astype(np.float64), "expected dtype"),
        (lambda out, x, y: out[None], "expected shape"),
        (lambda out, x, y: first(np.nan)(out), "got nan"),
        (lambda out, x, y: first(np.inf)(out), "got inf"),
        (lambda out, x, y: None, ""),
    ],
    ids=["value", "dtype", "shape", "nan", "inf", "none"],
)
def test_a_wrong_result(change: Callable[..., Any], words: str) -> None:
    found = verdict(altered("mul", change), MUL)
    column = "dtypes" if words == "expected dtype" else "forward"
    assert words in found[column], found


def test_a_number_where_nan_is_due() -> None:
    case = Case("mul", "nan", lambda r: (np.array([np.nan, 1.0]), np.ones(2)), lambda x, y: x * y, order=0)
    assert verdict(NumpyBackend(), case) == {}
    assert "expected nan" in verdict(altered("mul", lambda out, x, y: np.nan_to_num(out)), case)["forward"]


def test_the_last_bit_of_an_exact_case() -> None:
    found = verdict(altered("neg", lambda out, x: np.nextafter(out, out.dtype.type(9))), NEG)
    assert "elements differ" in found["forward"]


def test_an_error_in_a_low_dtype_alone() -> None:
    b = altered("mul", lambda out, x, y: out * out.dtype.type(1 + 2e-2) if out.dtype == np.float16 else out)
    assert "float16" in verdict(b, MUL)["dtypes"]
    assert "forward" not in verdict(b, MUL)


def test_wrong_integers() -> None:
    assert "indices" in verdict(altered("sort", lambda out, x, *_: (out[0], out[1][::-1])), SORT)["forward"]
    assert (
        "int32"
        in verdict(altered("sort", lambda out, x, *_: (out[0], out[1].astype(np.int32))), SORT)["forward"]
    )


def test_a_wrong_form_of_result() -> None:
    assert "expected a tuple" in verdict(altered("sort", lambda out, x, *_: list(out)), SORT)["forward"]
    assert "expected 2 results" in verdict(altered("sort", lambda out, x, *_: out[:1]), SORT)["forward"]


def test_an_argument_that_was_written_to() -> None:
    def mutate(out: Array, x: Array) -> Array:
        x += 1
        return out

    assert "changed its argument x" in verdict(altered("neg", mutate), NEG)["forward"]


def test_wrong_on_strided_arguments_alone() -> None:
    def change(out: Array, x: Array) -> Array:
        return out if x.flags.c_contiguous else out + 1

    assert "strided" in verdict(altered("neg", change), NEG)["forward"]


def test_an_upstream_gradient_that_was_written_to() -> None:
    def mutate(out: Array, grad: Array, y: Array) -> Array:
        grad *= 2
        return out

    assert "changed its upstream gradient" in verdict(altered("tanh_backward", mutate), TANH)["order 1"]


def test_a_rule_off_by_a_factor() -> None:
    with rule("mul", "y", lambda b, g, x: b.mul(b.mul(g, x), 1 + 1e-4)):
        found = verdict(NumpyBackend(), MUL)
    assert set(found) == {"order 1", "order 2"}
    assert "differences" in found["order 1"]


def test_a_lost_gradient() -> None:
    with rule("mul", "y", lambda b, g, x: None):
        found = verdict(NumpyBackend(), MUL)
    assert "in y is lost" in found["order 1"]


def test_a_gradient_of_another_dtype() -> None:
    with rule("neg", "x", lambda b, g: b.neg(b.cast(g, b.dtype(b.from_numpy(np.ones(1)))))):
        found = verdict(NumpyBackend(), NEG)
    assert set(found) == {"dtypes"}
    assert "from the rule of neg" in found["dtypes"]


def test_a_float32_gradient_that_is_garbage() -> None:
    def garbage(out: Array, grad: Array, y: Array) -> Array:
        return out if out.dtype == np.float64 else out + out.dtype.type(1)

    assert "far from that of float64" in verdict(altered("tanh_backward", garbage), TANH)["dtypes"]


@pytest.mark.parametrize("cut", ["out", "upstream"])
def test_wrong_at_order_two_alone(cut: str) -> None:
    def of_out(b: Any, g: Any, out: Any) -> Any:
        return b.tanh_backward(g, b.detach(out))

    def of_upstream(b: Any, g: Any, out: Any) -> Any:
        return b.tanh_backward(b.detach(g), out)

    with rule("tanh", "x", of_out if cut == "out" else of_upstream):
        found = verdict(NumpyBackend(), TANH)
    assert set(found) == {"order 2"}
    assert "order 2" in found["order 2"]


def test_wrong_at_order_three_alone() -> None:
    def cut(b: Any, g: Any, grad: Any, y: Any) -> Any:
        return b.mul(b.mul(b.mul(g, grad), b.detach(y)), -2)

    with rule("tanh_backward", "y", cut):
        assert "order 3" in verdict(NumpyBackend(), TANH)["order 2"]
        assert verdict(NumpyBackend(), replace(TANH, order=2)) == {}


def test_a_known_gradient_at_a_kink() -> None:
    with rule("abs", "x", lambda b, g, x: b.mul(g, b.where(b.lt(x, 0), b.full((), -1, b.dtype(x)), 1))):
        found = verdict(NumpyBackend(), ABS)
    assert "expected 0.0, got 1.0" in found["order 1"]


def test_wrong_where_the_gradient_records_itself_alone() -> None:
    def differs(b: Any, g: Any, x: Any) -> Any:
        return b.mul(g, b.sign(x) if b.name == "numpy" else x)

    with rule("abs", "x", differs):
        assert "create_graph" in verdict(NumpyBackend(), ABS)["order 1"]


def test_a_gradient_that_is_not_finite_is_not_passed_over() -> None:
    case = Case("sqrt", "zero", lambda r: (np.array([0.0, 1.0]),), lambda x: x)
    assert "not finite" in verdict(NumpyBackend(), case)["order 1"]


def test_tracked_differs_from_bare() -> None:
    class Residual(NumpyBackend):
        """Its form that keeps residuals rounds differently."""

        @override
        def layer_norm(self, *args: Any) -> Array:
            return NumpyBackend().layer_norm(*args)

        @override
        def layer_norm_with_stats(self, *args: Any) -> tuple[Array, Array, Array]:
            out, mean, rstd = super().layer_norm_with_stats(*args)
            return np.nextafter(out, out.dtype.type(9)), mean, rstd

    found = verdict(Residual(), replace(NORM, dtypes=NORM.dtypes[:2]))
    assert set(found) == {"wrapped = bare"}
    assert ", tracked against bare" in found["wrapped = bare"]


def test_untracked_differs_from_bare() -> None:
    b = NumpyBackend()
    ad = wrapped(b)
    honest = ad.neg
    ad.__dict__["neg"] = lambda x: honest(
        honest(honest(ad.lift(np.nextafter(x.value, x.value.dtype.type(9)))))
    )
    assert "untracked against bare" in verdict(b, NEG)["wrapped = bare"]


def test_an_override_that_means_something_else() -> None:
    case = replace(SQUARE, oracle=lambda x: x * x * (1 + 1e-12))
    found = verdict(altered("square", lambda out, x: out * out.dtype.type(1 + 1e-12)), case)
    assert set(found) == {"default = override"}
    assert "override against default" in found["default = override"]


class Errors(NumpyBackend):
    """Raises what it is told to instead of checking sizes."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__()
        self.error = error

    @override
    def matmul(self, x: Array, y: Array) -> Array:
        if self.error is not None:
            raise self.error
        return x


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("matmul: (4, 2)"), "expected ShapeError, got ValueError"),
        (None, "went through"),
        (ShapeError("sizes do not fit: (4, 2)"), "does not name the op"),
        (ShapeError("batch_matmul: (4, 2)"), "does not name the op"),
        (ShapeError("matmul: sizes do not fit"), "does not say"),
    ],
    ids=["class", "none", "name", "longer-name", "words"],
)
def test_a_wrong_error(error: Exception | None, words: str) -> None:
    assert words in verdict(Errors(error), MATMUL)["errors"]


def test_an_argument_that_a_refused_call_changed() -> None:
    class Mutates(NumpyBackend):
        @override
        def matmul(self, x: Array, y: Array) -> Array:
            x += 1
            return super().matmul(x, y)

    assert "changed its argument x" in verdict(Mutates(), MATMUL)["errors"]


def test_a_crash_is_an_outcome() -> None:
    def crash(out: Array, x: Array) -> Array:
        raise RuntimeError("boom")

    assert "RuntimeError: boom" in verdict(altered("neg", crash), NEG)["forward"]


def test_a_broken_case_fails_alone() -> None:
    case = Case("neg", "broken", lambda r: r.normal(size=3), lambda x: -x)  # type: ignore[arg-type, return-value]  # pyright: ignore[reportArgumentType]  # no tuple, on purpose
    assert "must return a tuple" in verdict(NumpyBackend(), case)["forward"]


def test_a_wrong_draw() -> None:
    def examine(out: Array) -> None:
        assert (out >= 0).all(), "negative"

    assert "negative" in verdict(NumpyBackend(), replace(NEG, examine=examine))["forward"]
