"""Module: a callable that holds parameters. Its attributes are the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, NoReturn, Self

from everygrad.nn import copies, hooks, lookup, state, walk
from everygrad.nn.parameter import Buffer, Cell, Parameter
from everygrad.nn.summary import summary
from everygrad.nn.text import own_cells, shown
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import DType, GradientError

__all__ = ["Module"]


def _no_forward(self: Module, *args: Any, **keywords: Any) -> NoReturn:
    raise NotImplementedError(
        f"{type(self).__name__} has no forward. Write a method `def forward(self, x): ...` in the class"
    )


class Module:
    """The base of every layer and model.

    Assign parameters, buffers and other modules as attributes, on their own or in lists, tuples and
    dictionaries; nothing is registered, and `super().__init__()` is not needed. Calling the module
    calls its `forward`.

    >>> import everygrad as eg
    >>> from everygrad import nn
    >>> class Scale(nn.Module):
    ...     def __init__(self, size):
    ...         self.factor = nn.Parameter(eg.ones(size))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> scale = Scale(2)
    >>> scale
    Scale(factor=[2])
    >>> scale(eg.tensor([1.0, 2.0])).tolist(), list(scale.state_dict())
    ([1.0, 2.0], ['factor'])
    """

    training: bool = True
    forward: ClassVar[Callable[..., Any]] = _no_forward
    _hooks: hooks.Hooks | None = None

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """What `forward` returns, with the hooks around it."""
        if self._hooks is None:
            return self.forward(*args, **keywords)
        return self._hooks.call(self, args, keywords)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; a plain tensor in the place of a parameter or buffer raises, since training would stop."""
        if is_tensor(value) and not isinstance(value, Cell) and isinstance(vars(self).get(name), Cell):
            kind = type(vars(self)[name]).__name__
            raise TypeError(
                f"{type(self).__name__}.{name} is a {kind}, and a Tensor in its place would be neither trained nor "
                f"saved. Received: a Tensor of shape {value.shape}; write module.{name}.assign(value) for a new "
                f"value, or module.{name} = nn.{kind}(value) for a new {kind}"
            )
        object.__setattr__(self, name, value)

    # What it holds.

    def entries(self) -> Iterable[tuple[str, Any]]:
        """(name, value) of all that may hold parameters: the attributes."""
        return list(vars(self).items())

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """The same as `self.name = nn.Buffer(tensor, persistent)`: torch's form.

        >>> import everygrad as eg
        >>> layer = eg.nn.Linear(2, 3)
        >>> layer.register_buffer("steps", eg.zeros(()))
        >>> list(layer.state_dict())
        ['weight', 'bias', 'steps']
        """
        setattr(self, name, None if tensor is None else Buffer(tensor, persistent))

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """The same as `self.name = param`: torch's form."""
        setattr(self, name, param)

    def add_module(self, name: str, module: Module | None) -> None:
        """The same as `self.name = module`: torch's form."""
        setattr(self, name, module)

    register_module = add_module
    get_submodule = lookup.get_submodule
    set_submodule = lookup.set_submodule
    get_parameter = lookup.get_parameter
    get_buffer = lookup.get_buffer
    num_params = lookup.num_params
    summary = summary

    def members(self) -> Iterator[tuple[str, Any]]:
        """(name, value) of the parameters, buffers and modules held directly, in order."""
        return walk.held(Module, self.entries())

    def named_parameters(
        self,
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
        *,
        pattern: lookup.Pattern | Iterable[lookup.Pattern] | None = None,
    ) -> Iterator[tuple[str, Parameter]]:
        """(dotted name, parameter); a shared one once, under its first name. With `pattern` as in `parameters`."""
        if pattern is None:
            return walk.cells(self, Parameter, prefix, recurse, remove_duplicate)
        found = lookup.matching(self, "named_parameters", lookup.as_patterns(pattern), remove_duplicate)
        return ((walk.joined(prefix, name), p) for name, p in found)

    def parameters(
        self, recurse: bool = True, *, pattern: lookup.Pattern | Iterable[lookup.Pattern] | None = None
    ) -> Iterator[Parameter]:
        """Every parameter once: what an optimizer takes.

        With `pattern` (a string, a regular expression, a function of name and parameter, or a list of these) those
        that match: for groups of an optimizer. See `freeze`.

        >>> import everygrad as eg
        >>> net = eg.nn.Sequential(eg.nn.Linear(2, 3), eg.nn.Linear(3, 1))
        >>> [p.shape for p in net.parameters()], [p.shape for p in net.parameters(pattern="*.bias")]
        ([(3, 2), (3,), (1, 3), (1,)], [(3,), (1,)])
        """
        return (p for _, p in self.named_parameters(recurse=recurse, pattern=pattern))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Buffer]]:
        """(dotted name, buffer); a shared one once, under its first name."""
        return walk.cells(self, Buffer, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Buffer]:
        """Every buffer once."""
        return (b for _, b in self.named_buffers(recurse=recurse))

    def named_modules(self, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """(dotted name, module), this one first."""
        return walk.modules(self, prefix, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and every one below it, once."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """(name, module) of the modules held directly, each once."""
        seen: set[int] = set()
        for name, value in self.members():
            if not isinstance(value, Cell) and id(value) not in seen:
                seen.add(id(value))
                yield name, value

    def children(self) -> Iterator[Module]:
        """The modules held directly."""
        return (module for _, module in self.named_children())

    # What is done to all of it.

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call `fn` on every module below and then on this one."""
        for module in walk.bottom_up(self):
            fn(module)
        return self

    def train(self, mode: bool = True) -> Self:
        """Behave as in training (dropout drops, batch norm uses its batch), here and below.

        A module may define its own, to stay frozen in a model that is trained: it is called by the one above.
        """
        waiting: list[Module] = [self]
        seen = {id(self)}  # a module may hold itself, on a way round
        while waiting:
            module = waiting.pop()
            module.training = mode
            for child in module.children():
                if id(child) in seen:
                    continue
                seen.add(id(child))
                if type(child).train is Module.train:
                    waiting.append(child)
                else:
                    child.train(mode)
        return self

    def eval(self) -> Self:
        """Behave as in use, here and below."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Train every parameter, or freeze them all (False)."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    freeze = lookup.freeze
    unfreeze = lookup.unfreeze
    valid = copies.valid
    autodiff = copies.autodiff

    # Functions around its forward, and on the gradients that pass it.

    register_forward_pre_hook = hooks.register_forward_pre_hook
    register_forward_hook = hooks.register_forward_hook
    register_full_backward_pre_hook = hooks.register_full_backward_pre_hook
    register_full_backward_hook = hooks.register_full_backward_hook

    # Where it lies.

    def to(self, *targets: Any, device: str | None = None, dtype: DType | None = None) -> Self:
        """Move everything, in place: to a backend, a device, a floating-point dtype, or several of these.

        A backend's name keeps the decorators; a backend object is taken as it stands. Gradients of
        graphs recorded before belong to the old values.

        >>> import everygrad as eg
        >>> layer = eg.nn.Linear(2, 3).to(eg.float64)
        >>> layer.weight.dtype, layer.to(eg.backend("numpy")).weight.requires_grad
        (everygrad.float64, False)
        """
        cells: list[Cell] = [*self.parameters(), *self.buffers()]
        targets = (*targets, *(target for target in (device, dtype) if target is not None))
        moved = [cell.elsewhere(*targets) for cell in cells]
        for cell, value in zip(cells, moved):
            if value.backend is not cell.backend or value.dtype is not cell.dtype:
                cell.settle(value)
        return self

    def float(self) -> Self:
        """In float32."""
        return self.to(DType.float32)

    def double(self) -> Self:
        """In float64."""
        return self.to(DType.float64)

    def half(self) -> Self:
        """In float16."""
        return self.to(DType.float16)

    def bfloat16(self) -> Self:
        """In bfloat16."""
        return self.to(DType.bfloat16)

    def zero_grad(self, set_to_none: bool = True) -> NoReturn:
        """There is nothing to clear: gradients are values."""
        raise GradientError(
            "zero_grad: gradients are values, none are kept on parameters. Leave the call out, and "
            "write grads = loss.backward(); optimizer.step(grads)"
        )

    # Its state.

    def state_dict(self, *, prefix: str = "") -> dict[str, Tensor]:
        """The values of all parameters and persistent buffers, by dotted name, as constants.

        Names and layouts are torch's. Later steps do not change a state that was taken; a shared
        parameter is there under each of its names.

        >>> import everygrad as eg
        >>> list(eg.nn.Sequential(eg.nn.Linear(2, 3), eg.nn.ReLU()).state_dict())
        ['0.weight', '0.bias']
        """
        return {prefix + name: cell.detach() for name, cell in state.saved_cells(self).items()}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> state.LoadResult:
        """Take over the values of a state: tensors, NumPy arrays or torch tensors, in each parameter's dtype.

        Everything is checked before anything changes. Raises `StateDictError`, which names all that is
        missing, unexpected (if `strict`) or of the wrong shape.

        >>> import everygrad as eg
        >>> a, b = eg.nn.Linear(2, 3), eg.nn.Linear(2, 3)
        >>> b.load_state_dict(a.state_dict())
        LoadResult(missing_keys=[], unexpected_keys=[])
        >>> b.weight.tolist() == a.weight.tolist()
        True
        """
        return state.load(self, state_dict, strict)

    def extra_repr(self) -> str:
        """What stands between the brackets when the module is shown: its own parameters' shapes."""
        return own_cells(self)

    def __repr__(self) -> str:
        return shown(self)
