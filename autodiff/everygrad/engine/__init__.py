"""The Autodiff decorator, the graph it records and the walk back through it."""

from everygrad.engine.autodiff import Autodiff, is_autodiff
from everygrad.engine.backward import run
from everygrad.engine.move import move
from everygrad.engine.node import Node, Tracked
from everygrad.engine.recording import enable_grad, is_grad_enabled, no_grad

__all__ = [
    "Autodiff",
    "Node",
    "Tracked",
    "enable_grad",
    "is_autodiff",
    "is_grad_enabled",
    "move",
    "no_grad",
    "run",
]
