"""The scorecard as a file: HTML to read, Markdown to paste, JSON for programs. The suffix of its name chooses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from html import escape
from pathlib import Path

from everygrad.conformance.report import RANKS, Report
from everygrad.conformance.runner import COLUMNS, Outcome

MEANINGS = {
    "pass": "checks that passed",
    "fail": "checks that found something wrong",
    "missing": "checks of a primitive that is not there",
    "gap": "failures that are declared, with a reason",
    "skip": "checks with nothing to check",
}
"""What each status says, in the order of the summary."""


def check_name(path: Path) -> None:
    """Refuse a file that cannot be written, before the suite runs for minutes.

    >>> check_name(Path("scores.pdf"))
    Traceback (most recent call last):
    ...
    ValueError: --report writes .html, .json, .md. Received: scores.pdf; write scores.html
    """
    if path.suffix not in FORMS:
        raise ValueError(
            f"--report writes {', '.join(FORMS)}. Received: {path}; write {path.with_suffix('.html')}"
        )
    if not path.parent.is_dir():
        raise ValueError(f"--report needs a folder that exists. Received: {path}; write mkdir {path.parent}")


def write_report(report: Report, path: Path) -> None:
    """Write the scorecard in the form that the suffix of `path` names."""
    check_name(path)
    path.write_text(FORMS[path.suffix](report), encoding="utf-8")


def as_json(report: Report) -> str:
    """Everything, for programs: the verdict, the counts, a row per op, and what was not right."""
    whole = {
        "backend": report.backend,
        "conforms": report.passed,
        "counts": counts(report),
        "ops": {op: dict(zip(COLUMNS, cells)) for op, *cells in report.rows()},
        "failures": [_entry(o) for o in report.failures],
        "gaps": [_entry(o) for o in report.gaps],
    }
    return json.dumps(whole, indent=1) + "\n"


def counts(report: Report) -> dict[str, int]:
    """How many checks came to each status."""
    found = Counter(o.status for o in report.outcomes)
    return {status: found[status] for status in MEANINGS}


def _entry(o: Outcome) -> dict[str, str]:
    return {"op": o.op, "case": o.id, "column": o.column, "status": o.status, "message": o.message}


def as_markdown(report: Report) -> str:
    """Summary, what was not right, and a row per op."""
    lines = [f"# Conformance of {report.backend}", "", f"{report.summary()}.", ""]
    for title, outcomes in (("Failures", report.failures), ("Known gaps", report.gaps)):
        if outcomes:
            lines += [f"## {title}", ""]
            lines += [f"- `{o.id}` [{o.column}] {o.status}: {_one_line(o.message)}" for o in outcomes]
            lines.append("")
    lines += ["## Ops", "", _row(["op", *COLUMNS]), _row(["---"] * (len(COLUMNS) + 1))]
    lines += [_row([f"`{op}`", *cells]) for op, *cells in report.rows()]
    return "\n".join([*lines, ""])


def _one_line(message: str) -> str:
    return " ".join(message.split())


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def as_html(report: Report) -> str:
    """One page that needs no other file. Its table sorts by any column; without scripts it stays as it is."""
    verdict = "conforms" if report.passed else "does not conform"
    numbers = "".join(
        f'<li class="{status}" title="{MEANINGS[status]}"><b>{count}</b> {status}</li>'
        for status, count in counts(report).items()
    )
    heads = "".join(f'<th scope="col"><button>{escape(c)}</button></th>' for c in ("op", *COLUMNS))
    rows = "\n".join(
        f'<tr><th scope="row" data-rank="{i}">{escape(op)}</th>{"".join(map(_cell, cells))}</tr>'
        for i, (op, *cells) in enumerate(report.rows())
    )
    title = f"{escape(report.backend)} {verdict}"
    return _PAGE.format(
        title=title,
        style=_STYLE,
        verdict="pass" if report.passed else "fail",
        ops=len(report.rows()),
        numbers=numbers,
        details=_details("Failures", report.failures) + _details("Known gaps", report.gaps),
        heads=heads,
        rows=rows,
        script=_SCRIPT,
    )


def _cell(cell: str) -> str:
    status = RANKS[cell.split()[0]]
    return f'<td class="{status[1]}" data-rank="{status[0]}">{escape(cell)}</td>'


OPEN = 40
"""Up to this many messages are shown without a click."""


def _details(title: str, outcomes: list[Outcome]) -> str:
    if not outcomes:
        return ""
    entries = "\n".join(
        f'<dt class="{o.status}">{escape(o.id)} <small>{escape(o.column)}: {o.status}</small></dt>'
        f"<dd><pre>{escape(o.message)}</pre></dd>"
        for o in outcomes
    )
    state = " open" if len(outcomes) <= OPEN else ""
    return f"<details{state}><summary>{title}: {len(outcomes)}</summary><dl>\n{entries}\n</dl></details>\n"


FORMS: dict[str, Callable[[Report], str]] = {".html": as_html, ".json": as_json, ".md": as_markdown}
"""What the suffix of a file name chooses."""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1 class="{verdict}">{title}</h1>
<p>{ops} ops of the everygrad contract. Each cell is the worst outcome of an op's cases; a click on a
heading sorts by it.</p>
<ul>{numbers}</ul>
{details}<table>
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
<script>{script}</script>
</body>
</html>
"""

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --pass: #1a7f37; --fail: #cf222e; --gap: #0969da; --missing: #9a6700 }
@media (prefers-color-scheme: dark) { :root { --pass: #3fb950; --fail: #ff7b72; --gap: #58a6ff; --missing: #d29922 } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
ul { display: flex; flex-wrap: wrap; gap: 1.5rem; padding: 0; list-style: none }
li b { font-size: 1.5rem }
table { border-collapse: collapse; width: 100% }
thead th { position: sticky; top: 0; background: Canvas }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left }
tbody th { font: .9rem ui-monospace, monospace }
th button { all: unset; cursor: pointer; font-weight: bold }
th button:focus-visible { outline: 2px solid }
th[aria-sort=ascending] button::after { content: " \\2191" }
th[aria-sort=descending] button::after { content: " \\2193" }
dd { margin: 0 0 .6rem 1rem } pre { white-space: pre-wrap; margin: 0 }
.pass { color: var(--pass) } .gap { color: var(--gap) } .skip { opacity: .55 }
.fail { color: var(--fail); font-weight: bold } .missing { color: var(--missing); font-weight: bold }
"""

_SCRIPT = """
const body = document.querySelector("tbody");
document.querySelectorAll("thead th").forEach((head, column) => head.firstChild.onclick = () => {
  const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  document.querySelectorAll("thead th").forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
  const rank = row => Number(row.children[column].dataset.rank);
  body.append(...[...body.children].sort((a, b) => way * (rank(a) - rank(b))));
});
"""
