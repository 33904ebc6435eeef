"""The census of the suite: no op without its corners, judges that can fail, and what corners found once."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import everygrad as eg
from everygrad.conformance.calls import Failure, items
from everygrad.conformance.case import Array, Case
from everygrad.conformance.cases import all_cases
from everygrad.conformance.census import absent, shown
from everygrad.conformance.compare import Blur
from everygrad.conformance.corner_rules import Rule, matches, read_table, table
from everygrad.conformance.corners import check_corner, corners
from everygrad.registry import backend
from everygrad_ops import DType, contract

NUMPY = backend("numpy")
CASES: dict[str, list[Case]] = {}
for _case in all_cases():
    CASES.setdefault(_case.op, []).append(_case)
LIBRARIES = pytest.mark.parametrize("name", ["numpy", "torch"])


def test_every_op_shows_every_corner_or_says_why_not() -> None:
    lacking, unused = absent(contract().values(), CASES)
    assert lacking == {}, "write a case, or an entry of corners.toml with the reason"
    assert unused == [], "these entries of corners.toml excuse nothing: remove them"


def test_the_census_misses_what_is_taken_away() -> None:
    spec = contract()["exp"]
    flat = [replace(c, order=1) for c in CASES["exp"] if c.name == "plain"]
    assert {"nan", "inf", "rank-0", "size-0", "bfloat16", "order 1"} <= shown(spec, flat)
    assert "order 2" not in shown(spec, flat)
    lacking, _ = absent([contract()["matmul"]], {"matmul": CASES["matmul"][:1]}, ())
    assert "rank-0" in lacking["matmul"], "no reason given, none accepted"


def test_every_rule_covers_something() -> None:
    def is_used(rule: Rule) -> bool:
        anywhere = replace(rule, operands=("*",))
        named = (c for c in all_cases() if anywhere.covers(c, "", rule.values[0]))
        return any(matches(rule.operands, p.name) for c in named for p in contract()[c.op].arrays)

    assert [rule for rule in table().rules if not is_used(rule)] == []


@pytest.mark.parametrize(
    "text",
    [
        '[[rule]]\nops = ["a"]\njudge = "no"\nreason = "x"',
        '[[absent]]\nfeatures = []\nops = []\nreason = " "',
    ],
)
def test_entries_need_a_judge_and_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"judged by one of|needs a reason"):
        read_table(text)


def _silent(x: Array) -> Array:
    return np.where(np.isfinite(x), -x, 0.0)


@pytest.mark.parametrize("feature", ["nan", "inf"])
def test_a_lost_nan_is_found(feature: str) -> None:
    case = Case("neg", "m", lambda r: (r.normal(size=(2, 3)),), _silent)
    mine = [c for c in corners(case) if c.feature == feature]
    assert mine
    for corner in mine:
        with pytest.raises(Failure, match="1 of 6 elements differ"):
            check_corner(NUMPY, corner, DType.float64)


def test_a_blurred_judge_still_asks_for_what_depends() -> None:
    numbers, due = np.array([1.0, 2.0, 3.0]), np.array([math.nan, math.inf, 3.0])
    free = np.array([math.nan, 2.0, 3.0])
    found, wanted = Blur([free], False).applied(np.array([math.inf, 2.0, 3.0]), due, 0)
    assert np.array_equal(found, wanted, equal_nan=True)
    found, wanted = Blur([free], False).applied(numbers, due, 0)
    assert found[0] == 1
    assert math.isnan(wanted[0]), "a number where NaN is due, and nothing else may stand"
    leaking = np.array([math.nan, 2.0, math.nan])
    found, wanted = Blur([free], False).applied(leaking, due, 0)
    assert wanted[2] == 3
    found, wanted = Blur([free], True).applied(leaking, due, 0)
    assert math.isnan(wanted[2])


# What the corners found; each a kind of fault of its own.


@LIBRARIES
@pytest.mark.parametrize("op", ["inv", "solve", "det", "slogdet", "cofactors", "matrix_exp"])
def test_nan_in_a_matrix_makes_nan_of_its_result_alone(name: str, op: str) -> None:
    b = backend(name)
    for place in range(9):
        for base in (np.eye(3), np.diag([1.0, 0, 2]), np.triu(np.arange(1.0, 10).reshape(3, 3))):
            x = np.stack([base, 2 * np.eye(3)])
            x[0].flat[place] = np.nan
            out = getattr(b, op)(b.from_numpy(x), *([b.from_numpy(np.ones((3, 1)))] * (op == "solve")))
            for part in items(out):
                assert np.isnan(b.to_numpy(part)[0]).all()
                assert np.isfinite(b.to_numpy(part)[1]).all()


@LIBRARIES
@pytest.mark.parametrize("keys", [3, 40])
def test_nan_in_a_query_stays_in_its_row(name: str, keys: int) -> None:
    r = np.random.default_rng(0)
    q, k = r.normal(size=(1, 2, 3, 4)), r.normal(size=(1, 2, keys, 4))
    q[0, 1, 2, 0] = np.nan
    query, key = eg.tensor(q, backend=name), eg.tensor(k, backend=name)
    out = eg.functional.scaled_dot_product_attention(query, key, key).numpy()
    assert np.isnan(out[0, 1, 2]).all()
    assert np.isfinite(np.delete(out.reshape(6, 4), 5, 0)).all()


@LIBRARIES
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_tap_without_weight_is_not_read(name: str, value: float) -> None:
    x = eg.tensor([[[1.0, value, 3.0]]], backend=name)
    found = eg.functional.interpolate(x, size=5, mode="linear", align_corners=True)
    assert found.tolist()[0][0][::4] == [1.0, 3.0]
    flat = x.reshape(1, 1, 1, 3)
    grid = eg.tensor([[[[-1.0, 0.0], [1.0, 0.0]]]], backend=name)
    read = eg.functional.grid_sample(flat, grid, padding_mode="border", align_corners=True)
    assert read.tolist() == [[[[1.0, 3.0]]]]


@LIBRARIES
@pytest.mark.parametrize("groups", [1, 2])
def test_nan_in_a_weight_stays_in_its_reach(name: str, groups: int) -> None:
    """A tap at the left end reaches only the first three of the four places."""
    weight = np.ones((2, 2 // groups, 2))
    weight[0, 0, 0] = np.nan
    x = eg.tensor(np.ones((1, 2, 3)), backend=name)
    out = eg.functional.conv_transpose1d(x, eg.tensor(weight, backend=name), groups=groups).numpy()
    assert np.isnan(out[0, 0]).tolist() == [True, True, True, False]


@LIBRARIES
def test_inf_in_one_image_stays_out_of_the_taps_that_do_not_read_it(name: str) -> None:
    x = np.ones((3, 1, 4, 4))
    x[1, 0, 0, 0] = np.inf
    g = np.ones((3, 2, 2, 2))
    b = backend(name)
    options = eg.backend(name).conv2d_weight_backward(
        b.from_numpy(x), b.from_numpy(np.ones((2, 1, 3, 3))), b.from_numpy(g)
    )
    found = b.to_numpy(options)
    assert np.isinf(found[:, 0, 0, 0]).all()
    assert np.isfinite(np.delete(found.reshape(2, 9), 0, 1)).all()
