"""The benchmark's arithmetic, its report, and that its work can be built; never its times."""

# The same lines run on objects of several libraries, whose types have nothing in common.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the benchmark measures beside torch")
from tests.benchmarks import run
from tests.benchmarks.report import BEGIN, END, plot, table, write_json, write_page
from tests.benchmarks.timing import Case, Result, alternate, measure, pairs, ratio
from tests.benchmarks.works import chain, modules, networks, scalar

OVER, WITHIN = ratio([2.0, 2.0, 4.0], [1.0, 1.0, 1.0], 1.5), ratio([1.0, 1.0], [1.0, 1.0], 1.5)


def test_the_ratio_is_the_median_of_neighbours() -> None:
    assert OVER.median == 2.0 and OVER.missed
    assert WITHIN.median == 1.0 and not WITHIN.missed


def test_sides_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    monkeypatch.setattr("tests.benchmarks.timing.warm_up", lambda work: 1)
    works: dict[str, Callable[[], Any]] = {"a": lambda: order.append("a"), "b": lambda: order.append("b")}
    samples = alternate(works, 3)
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert all(len(times) == 3 for times in samples.values())


def test_ours_is_compared_with_each_other_library() -> None:
    assert pairs(["torch", "everygrad/torch", "jax"]) == [
        ("everygrad/torch", "torch"),
        ("everygrad/torch", "jax"),
    ]


def test_a_side_without_the_op_is_shown_as_lacking_it() -> None:
    case = Case(1, "work", {"everygrad/numpy": lambda: lambda: None, "mygrad": lambda: None})
    result = measure(case, 2, lambda side: True)
    assert result.seconds["mygrad"] is None and not result.ratios
    assert "lacks it" in table(
        [Result(1, "w", {"mygrad": None, "everygrad/numpy": 1.0}, {("everygrad/numpy", "torch"): WITHIN})]
    )


def test_the_report(tmp_path: Path) -> None:
    result = Result(1, "work", {"torch": 1.0, "everygrad/torch": 2.0}, {("everygrad/torch", "torch"): OVER})
    assert "**2.00 (≤ 1.5)**" in table([result])
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_page(str(page), "new")
    assert page.read_text() == f"before\n{BEGIN}\nnew\n{END}\nafter\n"
    write_json(str(tmp_path / "x.json"), [result], "a machine")
    kept = json.loads((tmp_path / "x.json").read_text())
    assert kept["results"][0]["ratios"]["everygrad/torch / torch"]["median"] == 2.0
    plot(str(tmp_path / "x.png"), [result])
    assert (tmp_path / "x.png").stat().st_size > 1000


def test_an_unknown_peer_is_refused() -> None:
    with pytest.raises(SystemExit, match="unknown tensorfroth"):
        run.choose(run.options_of(["--peers", "tensorfroth"]))


def values(side: Callable[[], Any]) -> list[Any]:
    work = side()
    return [np.asarray(g.detach()) for g in work()]


@pytest.mark.parametrize("number", range(4))
def test_all_sides_of_the_scalar_function_agree(number: int) -> None:
    case = scalar.cases()[number]
    if "1,000,000" in case.name:
        return
    expected = values(case.sides["torch"])
    for side in ("everygrad/torch", "everygrad/numpy"):
        np.testing.assert_allclose(values(case.sides[side]), expected, rtol=1e-6)


def test_all_sides_of_the_chain_agree() -> None:
    case = chain.cases()[0]
    expected = values(case.sides["torch"])
    for side in ("everygrad/torch", "everygrad/numpy"):
        np.testing.assert_allclose(values(case.sides[side]), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("case", networks.cases(), ids=lambda case: case.name)
@pytest.mark.parametrize("side", ["everygrad/torch", "everygrad/numpy"])
def test_the_networks_learn_alike(case: Case, side: str) -> None:
    theirs, ours = case.sides["torch"](), case.sides[side]()
    assert theirs is not None and ours is not None
    for _ in range(2):
        assert float(ours().item()) == pytest.approx(float(theirs().item()), rel=1e-3)


@pytest.mark.parametrize("module", modules.MODULES, ids=lambda module: module.name)
def test_all_sides_of_a_module_agree(module: modules.Module) -> None:
    expected = values(modules.part(module, "torch", module.sizes[0], 1))
    for side in ("everygrad/torch", "everygrad/numpy"):
        for found, due in zip(values(modules.part(module, side, module.sizes[0], 1)), expected, strict=True):
            np.testing.assert_allclose(found, due, rtol=1e-3, atol=1e-4)
