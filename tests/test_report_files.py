"""The scorecard as a file: every outcome is in it, in words that survive the form."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typing_extensions import override

from everygrad.__main__ import main
from everygrad.conformance.report import Report
from everygrad.conformance.report_files import FORMS, as_html, as_json, as_markdown, write_report
from everygrad.conformance.runner import COLUMNS, Outcome

OUTCOMES = (
    Outcome("mul-m", "mul", "forward", "pass"),
    Outcome("mul-m", "mul", "dtypes", "fail", "expected <b>1</b>,\ngot 2 & more"),
    Outcome("neg-m", "neg", "forward", "missing", "no neg"),
    Outcome("exp-m", "exp", "order 1", "gap", "the reason"),
    Outcome("exp-m", "exp", "order 2", "skip", "nothing to check"),
)
REPORT = Report("library", OUTCOMES)


class Page(HTMLParser):
    """The text of each cell of the table, and every message."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.messages: list[str] = []
        self.open: list[str] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("meta",):
            return
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if tag == "pre":
            self.messages.append("")

    @override
    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"{tag} closes something else"

    @override
    def handle_data(self, data: str) -> None:
        if "th" in self.open or "td" in self.open:
            self.rows[-1][-1] += data
        elif "pre" in self.open:
            self.messages[-1] += data


def test_the_page_has_all_of_it_and_needs_no_other_file() -> None:
    text = as_html(REPORT)
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.rows[0] == ["op", *COLUMNS]
    assert page.rows[1:] == [list(row) for row in REPORT.rows()]
    assert page.messages == [o.message for o in OUTCOMES if o.status in ("fail", "missing", "gap")]
    assert "library does not conform" in text
    assert not re.search(r"(src|href)=|https?://|@import", text)


def test_json_has_all_of_it() -> None:
    whole = json.loads(as_json(REPORT))
    assert whole["backend"] == "library"
    assert whole["conforms"] is False
    assert whole["counts"] == {"pass": 1, "fail": 1, "missing": 1, "gap": 1, "skip": 1}
    assert whole["ops"]["mul"]["dtypes"] == "FAIL 0/1"
    assert [(e["case"], e["message"]) for e in whole["failures"]] == [
        ("mul-m", OUTCOMES[1].message),
        ("neg-m", "no neg"),
    ]
    assert [e["message"] for e in whole["gaps"]] == ["the reason"]


def test_markdown_keeps_a_message_on_its_line() -> None:
    lines = as_markdown(REPORT).splitlines()
    assert "- `mul-m` [dtypes] fail: expected <b>1</b>, got 2 & more" in lines
    assert "| `exp` | - | - | gap | - | - | - | - | - |" in lines


@pytest.mark.parametrize("suffix", FORMS)
def test_the_command_writes_it(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / f"scores{suffix}"
    assert main(["conformance", "numpy", "--op", "neg", "--fast", "--report", str(file)]) == 0
    assert "neg" in file.read_text(encoding="utf-8")
    assert f"written: {file}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["scores.pdf", "scores", "nowhere/scores.html"])
def test_a_file_that_cannot_be_written_is_refused_first(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conformance", "numpy", "--report", str(tmp_path / name)]) == 2
    assert "Received" in capsys.readouterr().err


def test_what_passed_says_so(tmp_path: Path) -> None:
    file = tmp_path / "scores.html"
    write_report(Report("library", OUTCOMES[:1]), file)
    assert '<h1 class="pass">library conforms</h1>' in file.read_text(encoding="utf-8")
