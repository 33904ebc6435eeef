"""Training and eval mode for a while: what was set before comes back, module by module."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


class in_mode:
    """Inside the block the model is in training or in eval mode; after it each module is in the mode it was in."""

    def __init__(self, model: Any, training: bool) -> None:
        self.model, self.training = model, training
        self.modes: list[tuple[Any, bool]] = []

    def __enter__(self) -> None:
        self.modes = [(module, module.training) for module in self.model.modules()]
        self.model.train(self.training)

    def __exit__(self, *args: object) -> None:
        for module, mode in self.modes:
            module.training = mode
