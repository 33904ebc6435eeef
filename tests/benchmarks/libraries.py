"""The same few words for each library that a workload is written in."""

# The same lines run on objects of several libraries, whose types have nothing in common.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import everygrad as eg

OURS = ("everygrad/torch", "everygrad/numpy")


class Everygrad:
    """everygrad over an array library."""

    nn: Any = eg.nn
    F: Any = eg.functional
    optim: Any = eg.optim

    def __init__(self, library: str) -> None:
        self.library = library

    def tensor(self, array: Any, variable: bool = False) -> Any:
        """An array of NumPy as a tensor."""
        made = eg.tensor(np.asarray(array), backend=eg.backend(f"autodiff({self.library})"))
        return made.requires_grad_() if variable else made

    def gradients(self, y: Any, xs: Sequence[Any], create_graph: bool = False) -> Sequence[Any]:
        """The gradients of y."""
        return eg.gradients(y, xs, create_graph=create_graph)

    def model(self, make: Callable[[], Any]) -> Any:
        """A model, on this library."""
        eg.manual_seed(0)
        with eg.use(self.library):
            return make()

    def load(self, model: Any, state: dict[str, Any]) -> None:
        """Give a model the weights of another."""
        model.load_state_dict(state)

    def step(self, optimizer: Any, loss: Any) -> None:
        """Backward, and one step of the optimizer."""
        optimizer.step(loss.backward())


class Torch:
    """torch by itself."""

    library = "torch"

    def __init__(self) -> None:
        import torch

        self.torch: Any = torch
        self.nn: Any = torch.nn
        self.F: Any = torch.nn.functional
        self.optim: Any = torch.optim

    def tensor(self, array: Any, variable: bool = False) -> Any:
        """An array of NumPy as a tensor."""
        return self.torch.tensor(array, requires_grad=variable)

    def gradients(self, y: Any, xs: Sequence[Any], create_graph: bool = False) -> Sequence[Any]:
        """The gradients of y."""
        found: Sequence[Any] = self.torch.autograd.grad(y, xs, create_graph=create_graph, allow_unused=True)
        return found

    def model(self, make: Callable[[], Any]) -> Any:
        """A model."""
        self.torch.manual_seed(0)
        return make()

    def step(self, optimizer: Any, loss: Any) -> None:
        """Backward, and one step of the optimizer."""
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def library_of(side: str) -> Any:
    """The library behind a side."""
    return Torch() if side == "torch" else Everygrad(side.removeprefix("everygrad/"))
