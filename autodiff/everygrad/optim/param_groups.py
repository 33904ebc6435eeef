"""Parameter groups: who is trained with which options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.tensor.wrap import is_tensor


def as_groups(params: Any) -> list[dict[str, Any]]:
    """What the user passed, as groups."""
    if is_tensor(params) or isinstance(params, (Module, Mapping)):
        raise TypeError(
            f"params: must be parameters, or a list of groups. Received: {type(params).__name__}; "  # pyright: ignore[reportUnknownArgumentType]  # a mapping of anything
            "write model.parameters(), or [parameter]"
        )
    given = list(params)
    if not given:
        raise ValueError("params: an optimizer needs parameters. Received: none")
    if all(isinstance(item, Mapping) for item in given):
        return [dict(item) for item in given]
    return [{"params": given}]


def add_group(groups: list[dict[str, Any]], group: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Append a group: its parameters checked, the options it does not name taken from the defaults."""
    unknown = [key for key in group if key != "params" and key not in defaults]
    if "params" not in group or unknown:
        raise ValueError(
            f"a parameter group has 'params' and options of {', '.join(defaults)}. Received: {', '.join(group)}"
        )
    members = group["params"]
    params = [members] if is_tensor(members) else list(members)
    _check(params, [p for other in groups for p in other["params"]])
    groups.append({"params": params, **{key: group.get(key, value) for key, value in defaults.items()}})


def _check(params: Iterable[Any], others: Iterable[Any]) -> None:
    """Refuse what is not a parameter, or is there already."""
    seen = {id(p) for p in others}
    for p in params:
        if not isinstance(p, Parameter):
            raise TypeError(
                f"params: an optimizer takes Parameters, whose value can be replaced. Received: {type(p).__name__}; "
                + ("write model.parameters()" if isinstance(p, tuple) else "write eg.nn.Parameter(tensor)")
            )
        if id(p) in seen:
            raise ValueError(
                f"params: a parameter is there twice. Received: again one of shape {p.shape}; "
                "write each once, in one group"
            )
        seen.add(id(p))
