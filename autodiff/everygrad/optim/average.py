"""Averages of weights over the steps of a run."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any

from everygrad.nn.module import Module
from everygrad.nn.parameter import Cell
from everygrad.nn.state import StateDictError
from everygrad.optim.options import need
from everygrad.optim.slots import Slot, bare, precision
from everygrad.tensor import Tensor
from everygrad_ops import DTypeError, ShapeError
from everygrad_ops.multi_tensor import multi_tensor

__all__ = ["EMA"]


class EMA:
    """An exponential moving average of a model's weights: average = decay * average + (1 - decay) * weight.

    It starts at the weights themselves; call `update()` after each step. With `warmup` the decay is at
    most (1 + n) / (10 + n) at the n-th update, so that early weights are soon forgotten; `decay=None`
    gives the plain mean of all updates. `model` is a module, or parameters; `use_buffers` averages
    its floating-point buffers too. Averages of low-precision weights are kept in float32.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter([0.0])
    >>> ema = eg.optim.EMA([p], decay=0.75)
    >>> p.assign([8.0])
    >>> ema.update()
    >>> with ema.swapped():
    ...     print(p.tolist())
    [2.0]
    >>> p.tolist()
    [8.0]
    """

    def __init__(
        self,
        model: Module | Iterable[Cell],
        decay: float | None = 0.999,
        *,
        warmup: bool = False,
        use_buffers: bool = False,
    ) -> None:
        if decay is not None:
            need("decay", decay, 0)
            if decay > 1:
                raise ValueError(
                    f"decay: must be at most 1. Received: {decay!r}; write decay=0.999, for instance"
                )
        self.decay = decay
        self.warmup = warmup
        self.updates = 0
        self.cells: list[Any] = _cells(model, use_buffers)
        self._slots = [_slot(cell, cell.detach()) for cell in self.cells]

    def update(self) -> None:
        """Take the weights as they are now into the average."""
        self.updates += 1
        share = self._share()
        for i, cell in enumerate(self.cells):
            slot = self._slots[i]
            if slot.backend is not cell.backend or slot.dtype is not precision(cell):
                slot = self._slots[i] = _slot(cell, slot.tensors(("mean",))["mean"])
            b, x = bare(cell)
            kernels = multi_tensor(b)
            mean = slot.state["mean"] if slot.owned else kernels.copies([slot.state["mean"]])[0]
            x = x if slot.dtype is cell.dtype else b.cast(x, slot.dtype)
            if not kernels.in_place:
                slot.state["mean"] = kernels.lerp_([mean], [x], share)[0]
                continue
            for means, values in kernels.pieces([[mean], [x]]):
                kernels.lerp_(means, values, share)
            slot.state["mean"], slot.owned = mean, True

    def averages(self) -> list[Tensor]:
        """The average of each weight, in order."""
        return [slot.tensors(("mean",))["mean"] for slot in self._slots]

    def copy_to(self) -> None:
        """Replace the weights by their averages, for good."""
        for cell, average in zip(self.cells, self.averages()):
            cell.assign(average.to(cell.backend).to(cell.dtype))

    @contextmanager
    def swapped(self) -> Generator[None]:
        """Inside the block the model has the averages, after it its own weights again."""
        own = [cell.detach() for cell in self.cells]
        self.copy_to()
        try:
            yield
        finally:
            for cell, value in zip(self.cells, own):
                cell.assign(value)

    def state_dict(self) -> dict[str, Any]:
        """All that a resumed run needs.

        >>> import everygrad as eg
        >>> eg.optim.EMA([eg.nn.Parameter([1.0])], decay=0.5).state_dict()["updates"]
        0
        """
        return {
            "decay": self.decay,
            "warmup": self.warmup,
            "updates": self.updates,
            "averages": self.averages(),
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from a saved state. Everything is checked first; raises `StateDictError`."""
        lacking = [key for key in ("decay", "warmup", "updates", "averages") if key not in state_dict]
        saved: list[Any] = [] if lacking else list(state_dict["averages"])
        if lacking or len(saved) != len(self.cells):
            problem = f"without {', '.join(lacking)}" if lacking else f"of {len(saved)} weights"
            raise StateDictError(
                f"load_state_dict: the state does not fit this EMA of {len(self.cells)} weights. Received: a state "
                f"{problem}; nothing was changed"
            )
        try:
            slots = [_slot(cell, cell.fitting(v, precision(cell))) for cell, v in zip(self.cells, saved)]
        except (ShapeError, DTypeError, TypeError) as error:
            raise StateDictError(f"load_state_dict: {error}; nothing was changed") from None
        self._slots, self.updates = slots, int(state_dict["updates"])
        self.decay, self.warmup = state_dict["decay"], bool(state_dict["warmup"])

    def __getstate__(self) -> dict[str, Any]:
        return {**{k: v for k, v in vars(self).items() if k != "_slots"}, "averages": self.averages()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        averages = kept.pop("averages")
        vars(self).update(kept)
        self._slots = [_slot(cell, average) for cell, average in zip(self.cells, averages)]

    def _share(self) -> float:
        """What the newest weights count for."""
        if self.decay is None:
            return 1 / self.updates
        if self.warmup:
            return 1 - min(self.decay, (1 + self.updates) / (10 + self.updates))
        return 1 - self.decay


def _slot(cell: Any, value: Tensor) -> Slot:
    dtype = precision(cell)
    return Slot(cell.backend, dtype, {"mean": bare(value.to(cell.backend).to(dtype))[1]})


def _cells(model: Any, use_buffers: bool) -> list[Any]:
    if isinstance(model, Module):
        buffers = [b for b in model.buffers() if b.dtype.is_floating] if use_buffers else []
        return [*model.parameters(), *buffers]
    if not isinstance(model, Iterable):
        raise TypeError(
            f"EMA: takes a module, or parameters. Received: {type(model).__name__}; write EMA(model)"
        )
    given: list[Any] = list(model)  # pyright: ignore[reportUnknownArgumentType]  # checked next
    for cell in given:
        if not isinstance(cell, Cell):
            raise TypeError(
                f"EMA: takes a module, or parameters. Received: {type(cell).__name__}; write EMA(model)"
            )
    return given
