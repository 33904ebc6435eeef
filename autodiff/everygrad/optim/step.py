"""One step of an optimizer over all parameters: in lists of those that share options, place, dtype and counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from everygrad.nn.parameter import Parameter
from everygrad.optim.gradients import Pairs
from everygrad.optim.slots import Slot, bare, free, lift_of, precision, slot_of
from everygrad_ops import inner_of
from everygrad_ops.multi_tensor import MultiTensor, multi_tensor

if TYPE_CHECKING:
    from everygrad.optim.optimizer import Optimizer

Member = tuple[Parameter, Any, Slot]
"""A parameter, its gradient as an array under the outermost decorator, its slot."""


def advance(optimizer: Optimizer, pairs: Pairs) -> None:
    """Replace the values of all parameters; see `Optimizer.step`."""
    together: dict[Any, tuple[Mapping[str, Any], list[Member]]] = {}
    kernels: dict[int, MultiTensor[Any]] = {}
    for p, g, options in pairs:
        slot = _slot(optimizer, p, options)
        counts = [slot.state.get(key) for key in (*optimizer.counts, *optimizer.numbers)]
        key = (id(options), id(p.backend), p.dtype, tuple(slot.state), *counts)
        together.setdefault(key, (options, []))[1].append((p, g, slot))
    for options, members in together.values():
        b = members[0][0].backend
        inner: Any = inner_of(b) or b
        if id(inner) not in kernels:
            kernels[id(inner)] = multi_tensor(inner)
        _advance(optimizer, kernels[id(inner)], members, options)


def _slot(optimizer: Optimizer, p: Parameter, options: Mapping[str, Any]) -> Slot:
    """The slot of a parameter: new at its first step, next to it wherever it was moved."""
    slot = optimizer.slots.get(p)
    if slot is None:
        b, x = bare(p)
        dtype = precision(p)
        slot = Slot(p.backend, dtype, optimizer.init(b, x if dtype is p.dtype else b.cast(x, dtype), options))
        optimizer.slots[p] = slot
    elif slot.backend is not p.backend or slot.dtype is not precision(p):
        slot = optimizer.slots[p] = slot_of(p, slot.tensors(optimizer.arrays))
    return slot


def _advance(
    optimizer: Optimizer, kernels: MultiTensor[Any], members: list[Member], options: Mapping[str, Any]
) -> None:
    b, outer = kernels.backend, members[0][0].backend
    low = members[0][2].dtype is not members[0][0].dtype
    x = [_value(p, slot, kernels) for p, _, slot in members]
    g = [g for _, g, _ in members]
    if low:
        g = [b.cast(one, members[0][2].dtype) for one in g]
    if options.get("maximize"):
        g = kernels.neg(g)
    for _, _, slot in members:
        if not slot.owned and kernels.in_place:
            keys = [key for key in optimizer.arrays if key in slot.state]
            slot.state.update(zip(keys, kernels.copies([slot.state[key] for key in keys])))
            slot.owned = True
    first = members[0][2].state
    state = {
        key: [slot.state[key] for _, _, slot in members] if key in optimizer.arrays else first[key]
        for key in first
    }
    values, state = _updated(optimizer, kernels, x, g, state, options)
    lift, dtype = lift_of(outer), members[0][0].dtype
    for i, (p, _, slot) in enumerate(members):
        array = b.cast(values[i], dtype) if low else values[i]
        slot.array = array if kernels.in_place and not low else None
        p.put_array(lift(array))
        slot.state = {key: value[i] if key in optimizer.arrays else value for key, value in state.items()}


def _value(p: Parameter, slot: Slot, kernels: MultiTensor[Any]) -> Any:
    """The value of a parameter as an array that `update` may write."""
    if slot.dtype is p.dtype and kernels.in_place and free(p, slot, kernels):
        return slot.array
    b, x = bare(p)
    if slot.dtype is not p.dtype:
        return b.cast(x, slot.dtype)
    return kernels.copies([x])[0]


def _updated(
    optimizer: Optimizer,
    kernels: MultiTensor[Any],
    x: list[Any],
    g: list[Any],
    state: dict[str, Any],
    options: Mapping[str, Any],
) -> tuple[list[Any], dict[str, Any]]:
    """(new values, new state): by one kernel, portion by portion in place, or all at once."""
    keys = [key for key in optimizer.arrays if key in state]
    settled = set(keys) == set(optimizer.kept(options))
    if kernels.in_place and settled:
        done = optimizer.fused(kernels, x, g, state, options)
        if done is not None:
            return x, done
    if not (kernels.in_place and settled and optimizer.elementwise):
        values, new = optimizer.update(kernels, x, g, state, options)
        return values, _unshared(optimizer, kernels, new, [*x, *g, *values]) if kernels.in_place else new
    after = state
    for some_x, some_g, *parts in kernels.pieces([x, g, *(state[key] for key in keys)]):
        values, after = optimizer.update(
            kernels, some_x, some_g, {**state, **dict(zip(keys, parts))}, options
        )
        kernels.store(some_x, values)
        for key, part in zip(keys, parts):
            kernels.store(part, after[key])
    return x, {key: state[key] if key in keys else value for key, value in after.items()}


def _unshared(
    optimizer: Optimizer, kernels: MultiTensor[Any], state: dict[str, Any], others: list[Any]
) -> dict[str, Any]:
    """The state with arrays of its own: what is also a value or a gradient would be written under it."""
    seen = {id(array) for array in others}
    new = dict(state)
    for key in optimizer.arrays:
        if key in new:
            new[key] = [kernels.copies([a])[0] if id(a) in seen else a for a in new[key]]
            seen.update(map(id, new[key]))
    return new
