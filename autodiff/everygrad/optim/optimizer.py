"""What all optimizers share: parameter groups, the step over them, the state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from everygrad.gradients import Gradients
from everygrad.nn.parameter import Parameter
from everygrad.optim import state as states
from everygrad.optim.gradients import paired
from everygrad.optim.options import need, need_switches
from everygrad.optim.param_groups import add_group, as_groups
from everygrad.optim.slots import Slot, slot_of
from everygrad.optim.step import advance
from everygrad.tensor import Tensor
from everygrad_ops import Backend, GradientError
from everygrad_ops.multi_tensor import MultiTensor

__all__ = ["Optimizer"]

A = TypeVar("A")

State = dict[str, Any]
"""What an optimizer keeps: counts as numbers, the rest as arrays of the parameter's shape."""
Options = Mapping[str, Any]
Grads = Gradients | Sequence[Tensor | None] | Mapping[Parameter, Tensor | None]


class Optimizer(ABC):
    """Replaces the values of parameters, given their gradients.

    An optimizer says in `update` what one step makes of parameters, gradients and state. All three
    are lists of arrays, one for each parameter of a group; `b` computes with such lists, and its ops
    whose names end in `_` may write into their first argument. So the same lines run on any backend,
    and in place with multi-tensor kernels where a backend has them. `params` are parameters, or
    dictionaries {"params": parameters, option: value, ...} that form groups with options of their own.
    Parameters of low precision are updated, and their state is kept, in float32. With
    `maximize` the gradient's sign is turned.

    >>> import everygrad as eg
    >>> class SignDescent(eg.optim.Optimizer):
    ...     def __init__(self, params, lr=0.1):
    ...         super().__init__(params, {"lr": lr})
    ...     def update(self, b, x, g, state, options):
    ...         return b.add_(x, b.sign(g), -options["lr"]), state
    >>> p = eg.nn.Parameter([1.0, -1.0])
    >>> SignDescent([p]).step((p * p).sum().backward())
    >>> p
    Parameter containing:
    tensor([ 0.9, -0.9], shape=(2,), dtype=float32, backend=autodiff(numpy), requires_grad=True)
    """

    arrays: ClassVar[tuple[str, ...]] = ()
    """The entries of a state that are arrays of the parameter's shape."""
    counts: ClassVar[tuple[str, ...]] = ()
    """The entries of a state that are whole numbers; they start at 0."""
    numbers: ClassVar[tuple[str, ...]] = ()
    """The entries of a state that are other numbers."""
    elementwise: ClassVar[bool] = True
    """Whether each element is updated on its own, so that large arrays may be taken in portions."""
    fixed: ClassVar[Mapping[str, Any]] = {}
    """Options that other libraries save and that this optimizer cannot change."""

    def __init__(self, params: Any, defaults: Mapping[str, Any]) -> None:
        self.defaults: dict[str, Any] = {"maximize": False, **defaults}
        self.param_groups: list[dict[str, Any]] = []
        self.slots: dict[Parameter, Slot] = {}
        for group in as_groups(params):
            self.add_param_group(group)

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Take more parameters, with options of their own where given.

        >>> import everygrad as eg
        >>> p, q = eg.nn.Parameter([1.0]), eg.nn.Parameter([1.0])
        >>> optimizer = eg.optim.SGD([p], lr=0.1)
        >>> optimizer.add_param_group({"params": [q], "lr": 0.01})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.01]
        """
        add_group(self.param_groups, param_group, self.defaults)
        try:
            need_switches(self.param_groups[-1])
            self.check(self.param_groups[-1])
        except (TypeError, ValueError):
            self.param_groups.pop()
            raise

    def check(self, options: Options) -> None:
        """Refuse options that make no sense; raises `ValueError`, or `TypeError` for what is no number."""
        need("lr", options["lr"], 0)

    def kept(self, options: Options) -> tuple[str, ...]:
        """The arrays that a state has with these options."""
        return self.arrays

    def init(self, b: Backend[A], x: A, options: Options) -> State:
        """The state before the first step of a parameter of value `x`: zeros, unless it says otherwise."""
        return {**dict.fromkeys(self.counts, 0), **{key: b.zeros_like(x) for key in self.kept(options)}}

    @abstractmethod
    def update(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> tuple[list[A], State]:
        """(new values, new state) of parameters of values `x` and gradients `g`.

        `x` and the lists in `state` may be written by ops of `b` that end in an underscore; `g` may not.
        """

    def entry(self, b: MultiTensor[A], key: str, state: State, x: list[A]) -> list[A]:
        """The arrays of a state's entry: zeros where an option that needs it was only now switched on."""
        return state[key] if key in state else b.map(b.backend.zeros_like, x)

    def fused(
        self, b: MultiTensor[A], x: list[A], g: list[A], state: State, options: Options
    ) -> State | None:
        """The new state after one kernel made the whole step in place; None where there is no such kernel."""
        return None

    def step(self, grads: Grads | None = None) -> None:
        """Replace every parameter that has a gradient by its updated value.

        `grads` is what `backward()` returned, or one gradient (or None) per parameter in order, or a
        dictionary by parameter. All gradients are checked before anything changes; without any it raises.

        >>> import everygrad as eg
        >>> p = eg.nn.Parameter([1.0])
        >>> optimizer = eg.optim.SGD([p], lr=0.1)
        >>> optimizer.step((p * p).sum().backward())
        >>> p.tolist()
        [0.800000011920929]
        """
        advance(self, paired(self.param_groups, grads))

    @property
    def state(self) -> dict[Parameter, State]:
        """What is kept for each parameter, arrays as tensors. It is a copy: a later step leaves it alone."""
        return {p: slot.tensors(self.arrays) for p, slot in self.slots.items()}

    @property
    def params(self) -> list[Parameter]:
        """The parameters of all groups, in order."""
        return [p for group in self.param_groups for p in group["params"]]

    @property
    def lr(self) -> float:
        """The learning rate; setting it sets every group's."""
        rates: set[float] = {group["lr"] for group in self.param_groups}
        if len(rates) != 1:
            raise ValueError(
                f"lr: the groups differ. Received: {sorted(rates)}; write optimizer.param_groups[i]['lr']"
            )
        return rates.pop()

    @lr.setter
    def lr(self, value: float) -> None:
        need("lr", value, 0)
        for group in self.param_groups:
            group["lr"] = value

    def zero_grad(self, set_to_none: bool = True) -> None:
        """There is nothing to clear: gradients are values."""
        raise GradientError(
            "zero_grad: gradients are values, none are kept on parameters. Leave the call out, and "
            "write grads = loss.backward(); optimizer.step(grads)"
        )

    def state_dict(self) -> dict[str, Any]:
        """All that a resumed run needs, in torch's form: options, step counts, arrays. A later step leaves it alone.

        >>> import everygrad as eg
        >>> p = eg.nn.Parameter([1.0])
        >>> optimizer = eg.optim.SGD([p], lr=0.1, momentum=0.9)
        >>> optimizer.step([eg.ones(1)])
        >>> optimizer.state_dict()["state"][0]["momentum_buffer"].tolist()
        [1.0]
        """
        return states.save(self)

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Continue from a saved state (torch's too): the run goes on as if it had never stopped.

        Everything is checked before anything changes. Raises `StateDictError`.
        """
        states.load(self, state_dict)

    def __repr__(self) -> str:
        groups = [
            ", ".join(f"{key}={value}" for key, value in group.items() if key != "params")
            + f" for {len(group['params'])} parameters"
            for group in self.param_groups
        ]
        return f"{type(self).__name__}({'; '.join(groups)})"

    def __getstate__(self) -> dict[str, Any]:
        return {**{k: v for k, v in vars(self).items() if k != "slots"}, "state": self.state}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        state = kept.pop("state")
        vars(self).update(kept)
        self.slots = {p: slot_of(p, values) for p, values in state.items()}
