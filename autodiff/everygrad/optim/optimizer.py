"""What all optimizers share: parameter groups, the step over them, the state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar, TypeVar

from everygrad.gradients import Gradients
from everygrad.nn.parameter import Parameter
from everygrad.optim import state as states
from everygrad.optim.gradients import Pairs, paired
from everygrad.optim.groups import add_group, as_groups
from everygrad.optim.state import arrays_on, bare, precision
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import wrap
from everygrad_ops import Backend, GradientError

__all__ = ["Optimizer"]

A = TypeVar("A")

State = dict[str, Any]
"""What an optimizer keeps for one parameter: counts as numbers, the rest as arrays of its shape."""
Options = Mapping[str, Any]
Grads = Gradients | Sequence[Tensor | None] | Mapping[Parameter, Tensor | None]


class Optimizer(ABC):
    """Replaces the values of parameters, given their gradients.

    An optimizer says in `init` what it keeps for a parameter and in `update` what one step makes of it;
    both are written with the ops of a backend that records nothing. `params` are parameters, or
    dictionaries {"params": parameters, option: value, ...} that form groups with options of their own.
    Parameters of low precision are updated, and their state is kept, in float32.

    >>> import everygrad as eg
    >>> from everygrad.optim.optimizer import Optimizer
    >>> class SignDescent(Optimizer):
    ...     def __init__(self, params, lr=0.1):
    ...         super().__init__(params, {"lr": lr})
    ...     def update(self, b, x, g, state, options):
    ...         return b.sub(x, b.mul(b.sign(g), options["lr"])), state
    >>> p = eg.nn.Parameter([1.0, -1.0])
    >>> SignDescent([p]).step((p * p).sum().backward())
    >>> p
    Parameter containing:
    tensor([ 0.9, -0.9], shape=(2,), dtype=float32, backend=autodiff(numpy), requires_grad=True)
    """

    arrays: ClassVar[tuple[str, ...]] = ()
    """The entries of a state that are arrays of the parameter's shape."""
    counts: ClassVar[tuple[str, ...]] = ()
    """The entries of a state that are whole numbers."""
    fixed: ClassVar[Mapping[str, Any]] = {"maximize": False}
    """Options that other libraries save and that this optimizer cannot change."""

    def __init__(self, params: Any, defaults: Mapping[str, Any]) -> None:
        self.defaults: dict[str, Any] = dict(defaults)
        self.param_groups: list[dict[str, Any]] = []
        self.state: dict[Parameter, State] = {}
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
            self.check(self.param_groups[-1])
        except (TypeError, ValueError):
            self.param_groups.pop()
            raise

    def check(self, options: Options) -> None:
        """Refuse options that make no sense; raises `ValueError`, or `TypeError` for what is no number."""
        need("lr", options["lr"], 0)

    def init(self, b: Backend[A], x: A) -> State:
        """The state before a parameter's first step."""
        return {}

    @abstractmethod
    def update(self, b: Backend[A], x: A, g: A, state: State, options: Options) -> tuple[A, State]:
        """(new value, new state) of a parameter of value `x` and gradient `g`; nothing is written in place."""

    def step(self, grads: Grads) -> None:
        """Replace every parameter that has a gradient by its updated value.

        `grads` is what `backward()` returned, or one gradient (or None) per parameter in order, or a
        dictionary by parameter. All gradients are checked before anything changes.

        >>> import everygrad as eg
        >>> p = eg.nn.Parameter([1.0])
        >>> optimizer = eg.optim.SGD([p], lr=0.1)
        >>> optimizer.step((p * p).sum().backward())
        >>> p.tolist()
        [0.800000011920929]
        """
        pairs: Pairs = paired(self.param_groups, grads)
        for p, gradient, options in pairs:
            self._step(p, gradient, options)

    def _step(self, p: Parameter, gradient: Tensor, options: Options) -> None:
        b, x = bare(p)
        g = bare(gradient)[1]
        dtype, kept = precision(p), self.state.get(p)
        if dtype is not p.dtype:
            x, g = b.cast(x, dtype), b.cast(g, dtype)
        old = self.init(b, x) if kept is None else arrays_on(p, kept)
        array, new = self.update(b, x, g, old, options)
        if dtype is not p.dtype:
            array = b.cast(array, p.dtype)
        decorated: Any = p.backend
        lift = _same if decorated is b else decorated.lift
        p.put_array(lift(array))
        self.state[p] = {
            key: wrap(lift(value), decorated, dtype) if key in self.arrays else value
            for key, value in new.items()
        }

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


def need(name: str, value: float, low: float, below: float = float("inf")) -> None:
    """Refuse an option that is no number, or outside low <= value < below."""
    if not isinstance(value, Real):
        raise TypeError(
            f"{name}: must be a number. Received: {type(value).__name__}; write a Python float, such as x.item()"
        )
    if not low <= value < below:
        limit = "" if below == float("inf") else f" and below {below}"
        raise ValueError(f"{name}: must be at least {low}{limit}. Received: {value!r}")


def _same(array: Any) -> Any:
    return array
