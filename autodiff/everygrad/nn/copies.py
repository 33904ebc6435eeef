"""Copies of a module without its decorators, and back."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from everygrad.engine import is_autodiff
from everygrad.registry import autodiff_of
from everygrad_ops import Backend, inner_of

if TYPE_CHECKING:
    from everygrad.nn.module import Module

M = TypeVar("M", bound="Module")


def valid(module: M) -> M:
    """A copy for use: on the backend inside the decorator, which records nothing, and in eval mode.

    The values are shared, not copied; later steps of the one do not change the other. `autodiff()` is the way back.

    >>> import everygrad as eg
    >>> net = eg.nn.Sequential(eg.nn.Linear(2, 3), eg.nn.Dropout())
    >>> used = net.valid()
    >>> used[0].weight.backend.name, used.training, net.training
    ('numpy', False, True)
    """
    return _on(copy.deepcopy(module), lambda b: inner_of(b) or b).eval()


def autodiff(module: M) -> M:
    """A copy for training: on the decorator around its backend, and in training mode; frozen parameters stay frozen.

    >>> import everygrad as eg
    >>> net = eg.nn.Linear(2, 3).freeze("bias").valid().autodiff()
    >>> net.weight.requires_grad, net.bias.requires_grad, net.training
    (True, False, True)
    """
    return _on(copy.deepcopy(module), lambda b: b if is_autodiff(b) else autodiff_of(b)).train()


def _on(module: M, target: Callable[[Backend[Any]], Backend[Any]]) -> M:
    for cell in (*module.parameters(), *module.buffers()):
        cell.settle(cell.elsewhere(target(cell.backend)))
    return module
