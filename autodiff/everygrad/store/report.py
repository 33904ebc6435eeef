"""What a load into a model did, and what it left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["LoadReport"]

SHOWN = 20
"""Names per line: a report is read by people."""


@dataclass
class LoadReport:
    """What `load_model` loaded, left out, cast and renamed; shown as a text.

    >>> print(LoadReport("a.pt", "Net", loaded=["fc.weight"], missing=["fc.bias"]))
    a.pt -> Net: 1 loaded
      missing (1): fc.bias
    """

    source: str
    model: str
    loaded: list[str] = field(default_factory=list[str])
    """Names of the model that have their value from the file."""
    missing: list[str] = field(default_factory=list[str])
    """Names of the model that the file does not hold."""
    unexpected: list[str] = field(default_factory=list[str])
    """Names of the file (renamed) that the model does not have."""
    mismatched: dict[str, str] = field(default_factory=dict[str, str])
    """Why a value was not taken, by name of the model."""
    cast: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """(dtype in the file, dtype in the model) of values that were cast, by name of the model."""
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    """The name in the model by the name in the file, where they differ."""
    dropped: list[str] = field(default_factory=list[str])
    """Names of the file that `remap` dropped."""
    skipped: list[str] = field(default_factory=list[str])
    """Names of the model that `only` left out."""
    hint: str = ""
    """What to write instead, where that can be guessed."""

    @property
    def complete(self) -> bool:
        """Whether every value of the file went to the model, and every value of the model came from the file."""
        return not (self.missing or self.unexpected or self.mismatched)

    def __str__(self) -> str:
        casts: dict[str, list[str]] = {}
        for name, (old, new) in self.cast.items():
            casts.setdefault(f"cast from {old} to {new}", []).append(name)
        lines = [f"{self.source} -> {self.model}: {len(self.loaded)} loaded"]
        for title, names in (
            ("missing", self.missing), ("unexpected", self.unexpected), *casts.items(), ("dropped", self.dropped),
            ("left as they were", self.skipped),
        ):  # fmt: skip
            if names:
                lines.append(f"  {title} ({len(names)}): {listed(names)}")
        for title, pairs, between in (
            ("not taken", self.mismatched, ": "),
            ("renamed", self.renamed, " -> "),
        ):
            if pairs:
                lines.append(f"  {title} ({len(pairs)}):")
                lines += [f"    {name}{between}{text}" for name, text in list(pairs.items())[:SHOWN]]
                lines += [f"    ... and {len(pairs) - SHOWN} more"] if len(pairs) > SHOWN else []
        return "\n".join([*lines, f"  {self.hint}"] if self.hint else lines)

    __repr__ = __str__


def listed(names: Iterable[str]) -> str:
    """Names in a line, the first ones if they are many."""
    found = list(names)
    more = f" ... and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(found[:SHOWN]) + more
