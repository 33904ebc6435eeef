"""Functions that are called before and after a module's forward, and as gradients pass it in backward."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from everygrad.engine import is_grad_enabled
from everygrad.taps import joint, replaced
from everygrad.tree import leaves, replace

if TYPE_CHECKING:
    from everygrad.nn.module import Module

__all__ = ["RemovableHandle"]

_next_id = itertools.count().__next__


class Hook(NamedTuple):
    """One function, and how it wants to be called."""

    call: Callable[..., Any]
    keywords: bool = False
    always: bool = False


Group = dict[int, Hook]


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away, and so does the end of a `with` block."""

    def __init__(self, hooks: Group) -> None:
        self.hooks = hooks
        self.id = _next_id()

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        self.hooks.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class Hooks:
    """The hooks of one module."""

    def __init__(self) -> None:
        self.before: Group = {}
        self.after: Group = {}
        self.backward_before: Group = {}
        self.backward: Group = {}

    def call(self, module: Module, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """`module.forward(*args, **keywords)` with the hooks around it."""
        finished = False
        output: Any = None
        try:
            args, keywords = self._enter(module, args, keywords)
            taps = (
                _Taps(self, module) if is_grad_enabled() and (self.backward or self.backward_before) else None
            )
            if taps is not None:
                args = taps.inputs(args)
            output = self._leave(module, args, keywords, module.forward(*args, **keywords))
            if taps is not None:
                output = taps.outputs(output)
            finished = True
            return output
        finally:
            if not finished:
                for hook in self.after.values():
                    if hook.always:
                        _called(hook, module, args, keywords, output)

    def _enter(
        self, module: Module, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        for hook in list(self.before.values()):
            if hook.keywords:
                changed = hook.call(module, args, keywords)
                if changed is not None:
                    args, keywords = _pair(changed)
            else:
                changed = hook.call(module, args)
                if changed is not None:
                    args = _tuple(changed)
        return args, keywords

    def _leave(self, module: Module, args: tuple[Any, ...], keywords: dict[str, Any], output: Any) -> Any:
        for hook in list(self.after.values()):
            changed = _called(hook, module, args, keywords, output)
            output = output if changed is None else changed
        return output


def _called(hook: Hook, module: Module, args: tuple[Any, ...], keywords: dict[str, Any], output: Any) -> Any:
    return hook.call(module, args, keywords, output) if hook.keywords else hook.call(module, args, output)


def _tuple(changed: Any) -> tuple[Any, ...]:
    """What a hook returned as arguments: a tuple, or one alone."""
    return changed if isinstance(changed, tuple) else (changed,)  # pyright: ignore[reportUnknownVariableType]  # of anything


def _pair(changed: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if not isinstance(changed, tuple) or len(changed) != 2:  # pyright: ignore[reportUnknownArgumentType]  # of anything
        raise TypeError(
            "a forward pre-hook with_kwargs must return None, or (args, kwargs). "
            f"Received: {type(changed).__name__}"  # pyright: ignore[reportUnknownArgumentType]  # of anything
        )
    args, keywords = changed  # pyright: ignore[reportUnknownVariableType]  # the same
    return tuple(args), dict(keywords)  # pyright: ignore[reportUnknownArgumentType]  # the same


class _Taps:
    """The places before and behind one call, at which its backward hooks see the gradients."""

    def __init__(self, hooks: Hooks, module: Module) -> None:
        self.hooks = hooks
        self.module = module
        self.upstream: tuple[Any, ...] = ()
        self.count = 0
        self.tracked = False

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        given = leaves(args)
        self.count = len(given)
        self.tracked = any(x.requires_grad for x in given)
        tapped = iter(joint("backward hook", given, self._through))
        return tuple(replace(args, lambda _: next(tapped)))

    def outputs(self, output: Any) -> Any:
        tapped = iter(joint("backward hook", leaves(output), self._entered))
        return replace(output, lambda _: next(tapped))

    def _entered(self, gradients: Any) -> Any:
        """The gradients of the results arrive."""
        self.upstream = tuple(gradients)
        for hook in list(self.hooks.backward_before.values()):
            self.upstream = _changed(hook.call(self.module, self.upstream), self.upstream)
        if not self.tracked:
            self._through((None,) * self.count)
        return self.upstream

    def _through(self, gradients: Any) -> Any:
        """The gradients of the arguments leave."""
        found = tuple(gradients)
        for hook in list(self.hooks.backward.values()):
            found = _changed(hook.call(self.module, found, self.upstream), found)
        return found


def _changed(given: Any, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a backward hook returned in the place of `gradients`, or these."""
    if given is None:
        return gradients
    several: list[Any] = list(given) if isinstance(given, (tuple, list)) else [given]  # pyright: ignore[reportUnknownArgumentType]  # of anything
    if len(several) != len(gradients):
        raise TypeError(
            f"a backward hook must return None, or one gradient for each of {len(gradients)}. "
            f"Received: {len(several)}"
        )
    return tuple(g if g is None else replaced("backward hook", new, g) for new, g in zip(several, gradients))


def _registered(group: Group, hook: Hook, prepend: bool) -> RemovableHandle:
    if not callable(hook.call):
        raise TypeError(f"a hook must be a function. Received: {type(hook.call).__name__}")
    handle = RemovableHandle(group)
    others = dict(group) if prepend else {}
    if prepend:
        group.clear()
    group[handle.id] = hook
    group.update(others)
    return handle


def _hooks(module: Module) -> Hooks:
    found: Hooks | None = vars(module).get("_hooks")
    if found is None:
        found = Hooks()
        object.__setattr__(module, "_hooks", found)
    return found


def register_forward_pre_hook(
    module: Module, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
) -> RemovableHandle:
    """Call `hook(module, args)` before each forward; what it returns takes the arguments' place.

    With `with_kwargs`, `hook(module, args, kwargs)`, which returns None or (args, kwargs).

    >>> import everygrad as eg
    >>> layer = eg.nn.Identity()
    >>> handle = layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    >>> layer(eg.zeros(2)).tolist()
    [1.0, 1.0]
    >>> handle.remove()
    >>> layer(eg.zeros(2)).tolist()
    [0.0, 0.0]
    """
    return _registered(_hooks(module).before, Hook(hook, with_kwargs), prepend)


def register_forward_hook(
    module: Module,
    hook: Callable[..., Any],
    *,
    prepend: bool = False,
    with_kwargs: bool = False,
    always_call: bool = False,
) -> RemovableHandle:
    """Call `hook(module, args, output)` after each forward; what it returns takes the output's place.

    With `with_kwargs`, `hook(module, args, kwargs, output)`; with `always_call` also when forward raised, with output None.

    >>> import everygrad as eg
    >>> layer = eg.nn.Linear(3, 2)
    >>> with layer.register_forward_hook(lambda module, args, output: print(output.shape)):
    ...     _ = layer(eg.ones(4, 3))
    (4, 2)
    """
    return _registered(_hooks(module).after, Hook(hook, with_kwargs, always_call), prepend)


def register_full_backward_pre_hook(
    module: Module, hook: Callable[..., Any], prepend: bool = False
) -> RemovableHandle:
    """Call `hook(module, grad_output)` as the gradients of the results arrive; it may return others.

    >>> import everygrad as eg
    >>> layer = eg.nn.Identity()
    >>> _ = layer.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 2,))
    >>> x = eg.ones(2).requires_grad_()
    >>> layer(x).sum().backward()[x].tolist()
    [2.0, 2.0]
    """
    return _registered(_hooks(module).backward_before, Hook(hook), prepend)


def register_full_backward_hook(
    module: Module, hook: Callable[..., Any], prepend: bool = False
) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` as the gradients of the arguments leave; it may return others.

    `grad_input` has one for each tensor among the positional arguments, None for those that are not tracked.
    Under create_graph they are tracked.

    >>> import everygrad as eg
    >>> layer = eg.nn.Tanh()
    >>> _ = layer.register_full_backward_hook(lambda module, grad_input, grad_output: print(grad_input[0].item()))
    >>> x = eg.tensor(0.0, requires_grad=True)
    >>> _ = layer(x).backward()
    1.0
    """
    return _registered(_hooks(module).backward, Hook(hook), prepend)
