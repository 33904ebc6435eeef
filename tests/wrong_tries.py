"""One argument of a right call replaced, the call made on both libraries, and what is wrong with what came out."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.wrong_calls import Call
from tests.wrong_outcomes import Outcome, flat, outcome, same
from tests.wrong_values import Make, place

DRAWN = (
    "alpha_dropout bernoulli beta binomial categorical dirichlet dropout dropout1d dropout2d dropout3d exponential "
    "feature_alpha_dropout feature_dropout fractional_max_pool2d fractional_max_pool3d gamma gaussian_noise "
    "gumbel_softmax multinomial normal pca_lowrank poisson rand rand_like randint randint_like randn randn_like "
    "randperm rrelu scaled_dot_product_attention svd_lowrank uniform"
)
"""Whose values are drawn by the backend."""

UNLIKE = {
    "svd": "vectors of a null space are not unique",
    "pinverse": "its default cutoff keeps what is rounding alone",
    "slogdet": "the sign of NaN",
    "elu": "0 times an infinite alpha",
    "__repr__": "names the backend",
    "text": "names the backend",
}
"""Whose values may differ between the libraries, and why."""

DRAWS_FIRST = {"poisson": "means", "svd_lowrank": "values", "pca_lowrank": "values"}
"""What is found wrong on the host where it draws: a seed is taken by then."""


@dataclass(frozen=True)
class Slot:
    """An argument of a call, by its place or by its name."""

    name: str
    value: Any
    place: int | None = None


def slots(call: Call) -> Iterator[Slot]:
    """Each argument that was given, and each option that was left out."""
    parameters = inspect.signature(call.function).parameters
    names = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    method, operator = call.name.startswith("Tensor."), call.name.startswith("Tensor.__")
    for i, value in enumerate(call.args):
        if i or not method:
            yield Slot(names[i] if i < len(names) else f"*{i}", value, i)
    for name, value in () if operator else call.keywords.items():
        yield Slot(name, value)
    starred = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    given = {*names} if starred else {*names[: len(call.args)], *call.keywords}
    for p in parameters.values():
        if p.default is not p.empty and p.name not in given and not operator:
            yield Slot(p.name, p.default)


def tried(call: Call, slot: Slot, make: Make) -> str:
    """What is wrong with a call that has one wrong argument; nothing where it is as it should be."""
    found: list[Outcome] = []
    for library in ("numpy", "torch"):
        args, keywords = place(call.args, library), place(call.keywords, library)
        if slot.place is None:
            keywords[slot.name] = make(library)
        else:
            args[slot.place] = make(library)
        found.append(outcome(call.function, args, keywords, library))
    return verdict(call.name.split(".")[-1], *found)


def verdict(short: str, one: Outcome, other: Outcome) -> str:
    """What is wrong with two outcomes of one call, on two libraries."""
    for found in (one, other):
        if found.fault and not ("changed" in found.fault and short in DRAWS_FIRST):
            return f"{found.fault}: {found.error!r:.300}"
    if (one.error is None) is not (other.error is None):
        return f"taken by one library alone: {one.error!r:.200} and {other.error!r:.200}"
    if one.error is not None:
        alike = type(one.error) is type(other.error)
        return "" if alike else f"another class: {one.error!r:.200} and {other.error!r:.200}"
    bare = short in DRAWN.split() or short in UNLIKE
    return "" if same(flat(one.value, bare), flat(other.value, bare)) else "another answer on each library"
