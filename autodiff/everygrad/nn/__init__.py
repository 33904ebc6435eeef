"""Layers and models. Names, arguments, defaults and state_dict layouts are torch.nn's."""

from everygrad.nn import init
from everygrad.nn.container import ModuleDict, ModuleList, Sequential
from everygrad.nn.module import Module
from everygrad.nn.parameter import Buffer, Parameter
from everygrad.nn.state import StateDictError

__all__ = [
    "Buffer",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "Sequential",
    "StateDictError",
    "init",
]
