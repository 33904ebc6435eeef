"""Names of tensors, changed by patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from everygrad.store.errors import StoreError
from everygrad.store.kinds import is_dict, is_sequence, is_set

__all__ = ["add_prefix", "close_gaps", "remap_keys", "strip_prefix"]

Rule = Callable[[str], str | None]
Remap = Mapping[str, str | None] | Sequence[tuple[str, str | None] | Rule] | Rule
"""Patterns and their replacements, functions from a name to a name, or several of these."""


def strip_prefix(prefix: str) -> Rule:
    """A rule that takes a prefix off the names that have it, such as "module.".

    >>> strip_prefix("module.")("module.fc.weight"), strip_prefix("module.")("step")
    ('fc.weight', 'step')
    """
    return lambda name: name.removeprefix(prefix)


def add_prefix(prefix: str) -> Rule:
    """A rule that puts a prefix in front of every name.

    >>> add_prefix("encoder.")("fc.weight")
    'encoder.fc.weight'
    """
    return lambda name: prefix + name


def close_gaps(names: Iterable[str]) -> Rule:
    """A rule that numbers the parts of sequences anew, from 0 without gaps.

    A torch Sequential numbers activations as well, a list of layers does not.

    >>> rule = close_gaps(["net.0.weight", "net.2.weight", "net.10.weight"])
    >>> [rule(name) for name in ("net.0.weight", "net.2.weight", "net.10.weight")]
    ['net.0.weight', 'net.1.weight', 'net.2.weight']
    """
    numbers: dict[str, set[int]] = {}
    for name in names:
        parts = name.split(".")
        for i, part in enumerate(parts):
            if part.isdecimal():
                numbers.setdefault(".".join(parts[:i]), set()).add(int(part))
    places = {prefix: {n: i for i, n in enumerate(sorted(found))} for prefix, found in numbers.items()}

    def rule(name: str) -> str:
        parts = name.split(".")
        return ".".join(
            str(places[prefix].get(int(part), int(part)))
            if part.isdecimal() and (prefix := ".".join(parts[:i])) in places
            else part
            for i, part in enumerate(parts)
        )

    return rule


def remap_keys(state: Mapping[str, Any], remap: Remap | None) -> dict[str, Any]:
    """The values of a state under other names, in order.

    `remap` is a dictionary of regular expressions and replacements ("\\\\1" is the first group), a function from
    a name to a name, or a list of these, applied one after the other. A function that returns None drops the
    value, and so does None as the replacement. Raises `StoreError` if two names become one.

    >>> remap_keys({"module.ln.gamma": 1, "module.ln.beta": 2}, [strip_prefix("module."), ("gamma$", "weight")])
    {'ln.weight': 1, 'ln.beta': 2}
    """
    made: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name, new in new_names(state, remap).items():
        if new is None:
            continue
        if new in origins:
            raise StoreError(
                f"remap: two names become one. Received: {origins[new]!r} and {name!r}, both now {new!r}; write a "
                "pattern that tells them apart, or a function that returns None for the one to drop"
            )
        origins[new], made[new] = name, state[name]
    return made


def new_names(names: Iterable[str], remap: Remap | None) -> dict[str, str | None]:
    """The new name of each name, None for those that are dropped."""
    rules = rules_of(remap)
    made: dict[str, str | None] = {}
    for name in names:
        new: Any = name
        for rule in rules:
            new = None if new is None else rule(new)
        if new is not None and not isinstance(new, str):
            raise TypeError(f"remap: a function must return a name, or None. Received: {new!r} for {name!r}")
        made[name] = new
    return made


def rules_of(remap: Remap | None) -> list[Rule]:
    """Every kind of remapping as a list of functions."""
    given: Any = remap
    if given is None:
        return []
    if is_dict(given):
        return [_replacement(pattern, text) for pattern, text in given.items()]
    rules: list[Any] = list(given) if is_sequence(given) else [given]
    return [_rule(rule) for rule in rules]


def _rule(rule: Any) -> Rule:
    """A function from a name to a name, from one or from a pattern and its replacement."""
    if callable(rule):
        return cast(Rule, rule)
    if not is_sequence(rule) or len(rule) != 2:
        raise TypeError(
            "remap: must be a dictionary of patterns and replacements, a function, or a list of pairs and functions. "
            f"Received: {rule!r}; write remap=[('^old', 'new')], or eg.store.strip_prefix('module.')"
        )
    return _replacement(*rule)


def _replacement(pattern: Any, text: Any) -> Rule:
    """A rule that replaces a pattern, or with None in its place drops the names that have it."""
    compiled = _compiled(pattern, "remap")
    if text is None:
        return lambda name: None if compiled.search(name) else name
    if not isinstance(text, str):
        raise TypeError(
            f"remap: {pattern!r} must be replaced by a text, or by None to drop the names. Received: {text!r}"
        )

    def rule(name: str) -> str:
        try:
            return compiled.sub(text, name)
        except (re.error, IndexError) as error:
            raise ValueError(f"remap: {text!r} does not replace {pattern!r}: {error}") from None

    return rule


def _compiled(pattern: Any, where: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ValueError(
            f"{where}: {pattern!r} is no regular expression: {error}. Write re.escape(text) for a plain text"
        ) from None


def matcher(patterns: Any) -> Callable[[str], bool]:
    """Whether a name is meant: by a function, a regular expression that is found in it, or several."""
    if callable(patterns):
        return lambda name: bool(patterns(name))
    given = list(patterns) if is_sequence(patterns) or is_set(patterns) else [patterns]
    compiled = [_compiled(pattern, "the pattern of names") for pattern in given]
    return lambda name: any(pattern.search(name) for pattern in compiled)
