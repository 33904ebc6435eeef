"""The runner, its scorecard, the known gaps and the command."""

from __future__ import annotations

import fnmatch
import subprocess
import sys
from pathlib import Path

import pytest

from everygrad.__main__ import main
from everygrad.conformance.gaps import apply_gaps, known_gaps, read_gaps
from everygrad.conformance.report import Report
from everygrad.conformance.runner import COLUMNS, Outcome, run, selected
from everygrad_ops import ShapeError
from tests.broken import MATMUL, MUL, NEG
from tests.minimal import MinimalBackend

GAP = """
[[gap]]
backend = "mini*"
id = "mul-*"
column = "forward"
reason = "a test"
"""


def outcome(status: str, column: str = "forward", id: str = "mul-m") -> Outcome:
    return Outcome(id, id.partition("-")[0], column, status, "message")


class Partial(MinimalBackend):
    """Lacks a primitive."""

    name = "partial"

    def __getattribute__(self, name: str) -> object:
        if name == "mul":
            from everygrad_ops.errors import missing

            raise missing(self, "mul")
        return super().__getattribute__(name)


def test_a_missing_primitive_is_scored_not_a_crash() -> None:
    report = Report("partial", run(Partial(), [MUL, NEG, MATMUL]))
    assert report.cell("mul", "forward") == "missing"
    assert report.cell("neg", "forward") == "ok"
    assert report.cell("matmul", "errors") == "ok"
    assert not report.passed
    assert "does not implement the primitive 'mul'" in report.text()


def test_a_missing_primitive_is_not_the_error_that_a_wrong_call_wants() -> None:
    class NoMatmul(MinimalBackend):
        def matmul(self, x: object, y: object) -> object:
            from everygrad_ops.errors import missing

            raise missing(self, "matmul")

    report = Report("partial", run(NoMatmul(), [MATMUL]))
    assert report.cell("matmul", "errors") == "missing"
    assert not issubclass(ShapeError, NotImplementedError)


def test_the_scorecard() -> None:
    report = Report(
        "numpy", [outcome("pass"), outcome("fail"), outcome("skip", "dtypes"), outcome("pass", "order 1")]
    )
    assert report.rows() == [("mul", "FAIL 1/2", "-", "ok", *["-"] * (len(COLUMNS) - 3))]
    assert "message" in report.text()
    assert report.summary().endswith("does not conform")
    assert Report("numpy", [outcome("pass"), outcome("gap"), outcome("skip")]).passed


def test_nothing_checked_is_not_a_pass() -> None:
    assert not Report("numpy", []).passed
    assert not Report("numpy", [outcome("skip")]).passed


def test_known_gaps() -> None:
    gaps = read_gaps(GAP)
    assert [o.status for o in apply_gaps("minimal", [outcome("fail")], gaps)] == ["gap"]
    assert [o.status for o in apply_gaps("numpy", [outcome("fail")], gaps)] == ["fail"]
    assert [o.status for o in apply_gaps("minimal", [outcome("fail", "order 1")], gaps)] == ["fail"]
    assert [o.status for o in apply_gaps("minimal", [outcome("fail", id="neg-m")], gaps)] == ["fail"]


def test_a_gap_that_no_longer_fails_is_an_error() -> None:
    (stale,) = apply_gaps("minimal", [outcome("pass")], read_gaps(GAP))
    assert stale.status == "fail"
    assert "remove the entry" in stale.message


def test_a_pattern_is_stale_only_when_nothing_it_covers_fails() -> None:
    both = [outcome("pass"), outcome("fail", id="mul-other")]
    assert [o.status for o in apply_gaps("minimal", both, read_gaps(GAP))] == ["pass", "gap"]


@pytest.mark.parametrize("change", [('"a test"', '" "'), ('"forward"', '"forwards"')])
def test_a_gap_without_a_reason_or_of_no_column(change: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="needs a reason"):
        read_gaps(GAP.replace(*change))


def test_each_known_gap_is_about_a_case() -> None:
    ids = [entry.id for entry in selected()]
    for gap in known_gaps():
        assert any(fnmatch.fnmatch(id, gap.id) for id in ids), gap


def test_selection() -> None:
    assert {e.op for e in selected("matmul")} == {"matmul"}
    assert [e.id for e in selected("matmul-plain")] == ["matmul-plain"]
    assert selected("no-such-op") == []


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "numpy", "--op", "matmul"]) == 0
    assert "numpy: 1 ops" in capsys.readouterr().out
    assert main(["conformance", "numpy", "--op", "no-such-op"]) == 2
    assert main(["conformance", "nunpy"]) == 2
    assert "known are" in capsys.readouterr().err
    assert main(["conformance", "tests.test_runner:Partial", "--op", "mul", "--fast", "--quiet"]) == 1
    assert "missing" in capsys.readouterr().out
    assert main([]) == 2
    assert main(["--help"]) == 0
    assert main(["conformence"]) == 2


def test_the_suite_under_pytest_from_elsewhere(tmp_path: Path) -> None:
    def pytest_run(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "everygrad_pytest", *args]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    suite = ["--pyargs", "everygrad.conformance", "-k", "matmul-plain"]
    done = pytest_run(*suite, "--backend", "autodiff(numpy)", "--fast")
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    done = pytest_run(*suite, "--backend=nunpy")
    assert "unknown backend" in done.stdout

    conftest = "def pytest_addoption(parser): parser.addoption('--backend', default='theirs')"
    test = "import sys\ndef test(request):\n  assert request.config.getoption('--backend') == 'ours'\n"
    (tmp_path / "conftest.py").write_text(conftest)
    (tmp_path / "test_own.py").write_text(test + "  assert 'everygrad' not in sys.modules\n")
    done = pytest_run("--backend", "ours")
    assert "1 passed" in done.stdout, done.stdout + done.stderr
