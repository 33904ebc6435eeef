"""The state of an optimizer: saved whole, loaded only after everything was checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.nn.parameter import Buffer, Cell, Parameter
from everygrad.nn.state import StateDictError
from everygrad.optim.slots import bare, lift_of, precision, slot_of
from everygrad.tensor.wrap import wrap
from everygrad_ops import DTypeError, ShapeError

if TYPE_CHECKING:
    from everygrad.optim.optimizer import Optimizer


def save(optimizer: Optimizer) -> dict[str, Any]:
    """See `Optimizer.state_dict`."""
    params = optimizer.params
    place = {id(p): i for i, p in enumerate(params)}
    state = optimizer.state
    return {
        "state": {i: state[p] for i, p in enumerate(params) if p in state},
        "param_groups": [
            {**group, "params": [place[id(p)] for p in group["params"]]} for group in optimizer.param_groups
        ],
    }


def load(optimizer: Optimizer, state_dict: Mapping[str, Any]) -> None:
    """See `Optimizer.load_state_dict`."""
    if not isinstance(state_dict, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise TypeError(
            f"load_state_dict: state must be a dictionary. Received: {type(state_dict).__name__}; "
            "write optimizer.load_state_dict(other.state_dict())"
        )
    problems: list[str] = []
    saved: Mapping[Any, Any] = state_dict.get("state", {})
    groups: Sequence[Mapping[str, Any]] = state_dict.get("param_groups", [])
    if "state" not in state_dict or "param_groups" not in state_dict:
        problems.append(f"needs 'state' and 'param_groups', has {', '.join(map(str, state_dict))}")
    sizes = [len(group["params"]) for group in groups]
    expected = [len(group["params"]) for group in optimizer.param_groups]
    if sizes != expected:
        problems.append(f"parameters per group: expected {expected}, got {sizes}")
    options = [_options(optimizer, group, problems) for group in groups]
    numbers: list[Any] = [number for group in groups for number in group["params"]]
    params = dict(zip(numbers, optimizer.params))
    unexpected = [number for number in saved if number not in params]
    if unexpected and sizes == expected:
        problems.append(f"states of unknown parameters: {unexpected}")
    by_number = {n: given for group, given in zip(groups, options) for n in group["params"]}
    state = {
        p: _state(optimizer, n, p, saved[n], by_number[n], problems) for n, p in params.items() if n in saved
    }
    if problems:
        raise StateDictError(
            f"load_state_dict: the state does not fit this {type(optimizer).__name__}; nothing was changed.\n  "
            + "\n  ".join(problems)
        )
    for group, given in zip(optimizer.param_groups, options):
        group.update(given)
    optimizer.slots = {p: slot_of(p, values) for p, values in state.items()}


def _options(optimizer: Optimizer, group: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    """The options of a saved group."""
    known = {key: value for key, value in group.items() if key in optimizer.defaults}
    for key in (
        "maximize",
        "decoupled_weight_decay",
        "cautious_weight_decay",
    ):  # torch has them not everywhere, or not since ever
        if key in optimizer.defaults:
            known.setdefault(key, optimizer.defaults[key])
    problems.extend(f"option {key!r} is missing" for key in optimizer.defaults if key not in known)
    for key, value in group.items():
        if key in optimizer.fixed and value != optimizer.fixed[key]:
            problems.append(
                f"option {key!r} is always {optimizer.fixed[key]!r} in {type(optimizer).__name__}: {value!r}"
            )
        elif key != "params" and key not in known and value is not None and value is not False:
            known[key] = value  # what others keep in a group, such as a schedule's first rate
    return known


def _state(
    optimizer: Optimizer,
    number: Any,
    p: Parameter,
    saved: Mapping[str, Any],
    options: Mapping[str, Any],
    problems: list[str],
) -> dict[str, Any]:
    """One parameter's state, arrays as tensors next to it."""
    state: dict[str, Any] = {}
    start = optimizer.init(*bare(p), options)
    for key, value in saved.items():
        if key not in (*optimizer.arrays, *optimizer.counts, *optimizer.numbers):
            if value is not None:
                problems.append(
                    f"state of parameter {number}: {key!r} is not kept by {type(optimizer).__name__}"
                )
        elif key in optimizer.counts:
            state[key] = int(value)
        elif key in optimizer.numbers:
            state[key] = float(value)
        elif value is not None:
            try:
                state[key] = _like(p, start.get(key)).fitting(value, precision(p))
            except (ShapeError, DTypeError, TypeError) as error:
                problems.append(f"state of parameter {number}, {key!r}: {error}")
    lacking = [key for key in start if key not in saved]
    if lacking:
        problems.append(f"state of parameter {number}: {', '.join(lacking)} is missing")
    return state


def _like(p: Parameter, array: Any) -> Cell:
    """What an entry of the state has to fit: the parameter, or an array of another shape that it begins with."""
    if array is None or bare(p)[0].shape(array) == p.shape:
        return p
    return Buffer(wrap(lift_of(p.backend)(array), p.backend, p.dtype))
