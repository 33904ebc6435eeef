"""Functions into functions: gradients as functional forms, which nest to any order.

Each call makes its arguments variables of their own, runs the function, and walks back to them.
When the result also depends on other variables (an outer transform's, a parameter's) the walk is
recorded, so that it can be differentiated again; when not, nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from everygrad.engine import Node, enable_grad, is_autodiff, is_grad_enabled, run
from everygrad.engine.backward import leading_to
from everygrad.engine.node import ALIAS, LEAF, Tracked
from everygrad.registry import autodiff_of
from everygrad.tensor.operands import cast_to, is_inside, lift_to, need_floating
from everygrad.tensor.variable import node_of
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad.tree import leaves, replace
from everygrad_ops import GradientError, ShapeError, inner_of

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


class Variables:
    """The arguments of a differentiated function, as variables of their own."""

    def __init__(self, op: str, tree: Any) -> None:
        self.originals = leaves(tree)
        if not self.originals:
            raise TypeError(
                f"{op}: the differentiated argument must hold Tensors. Received: {type(tree).__name__}"
            )
        self.inner: list[Tensor] = []
        self.tree = replace(tree, lambda x: self._make(op, x))
        self.recording = is_grad_enabled()
        self.connected = self.recording and any(node_of(x) is not None for x in self.originals)

    def _make(self, op: str, x: Tensor) -> Tensor:
        need_floating(op, x)
        array: Any = x.array
        b = x.backend if is_autodiff(x.backend) else autodiff_of(x.backend)
        if b is not x.backend:
            array = b.lift(array)
        parents = () if array.node is None else (array.node,)
        node = Node(ALIAS if parents else LEAF, parents, None, b.inner.signature(array.value))
        variable = wrap(Tracked(array.value, node), b, x.known_dtype)
        self.inner.append(variable)
        return variable

    def settle(self, op: str, output: Tensor) -> Tensor:
        """The output on the decorator of the variables, where it met constants of one further outside."""
        if not is_tensor(output):
            raise TypeError(
                f"{op}: the function must return a Tensor. Received: {type(output).__name__}; write eg.tensor(...)"
            )
        while output.backend is not self.inner[0].backend and is_inside(
            self.inner[0].backend, output.backend
        ):
            array, outer = output.array, output.backend
            if array.node is not None:
                raise GradientError(
                    f"{op}: the result also depends on variables of an outer decorator, whose gradient would be lost. "
                    f"Received: a result on {outer.name!r} of arguments on {self.inner[0].backend.name!r}; "
                    f"write x.to({outer.name!r}) on the arguments"
                )
            output = wrap(array.value, inner_of(outer), output.known_dtype)
        return output

    def outlives(self, output: Tensor) -> bool:
        """Whether the output also depends on variables outside of the function: its graph must stay."""
        root = node_of(output)
        if root is None or not self.recording:
            return False
        return self.connected or leading_to([v.array.node for v in self.inner], [root])[1]

    def gradients(self, output: Tensor, upstream: Any, graph: bool, retain: bool = False) -> list[Tensor]:
        """The gradient at each variable, on its original's backend; zeros where not connected."""
        nodes: list[Node] = [v.array.node for v in self.inner]
        root = node_of(output)
        if root is None:
            return [self._zeros(x) for x in self.originals]
        b: Any = output.backend
        seed = b.ones_like(b.detach(output.array)) if upstream is None else upstream
        found = run(
            b, [(root, seed if graph else seed.value)], inputs=nodes, create_graph=graph, retain_graph=retain
        )
        return [self._back(x, v, found.get(n), graph) for x, v, n in zip(self.originals, self.inner, nodes)]

    def _back(self, x: Tensor, variable: Tensor, gradient: Any, graph: bool) -> Tensor:
        if gradient is None:
            return self._zeros(x)
        b: Any = variable.backend
        if x.backend is b:
            return wrap(gradient if graph else Tracked(gradient, None), b, x.known_dtype)
        if graph:  # the function met variables of a decorator that the argument does not have
            return wrap(gradient, b, x.known_dtype)
        return wrap(gradient, x.backend, x.known_dtype)

    @staticmethod
    def _zeros(x: Tensor) -> Tensor:
        return wrap(x.backend.full(x.shape, 0, x.dtype), x.backend, x.known_dtype)


def lower(output: Tensor, original: Tensor) -> Tensor:
    """An output without the decorator that was put on for differentiating, and without its variables."""
    if output.backend is original.backend:
        return output.detach()
    plain = output.detach()
    level: Any = plain.backend
    if inner_of(level) is original.backend:
        return wrap(plain.array.value, original.backend, plain.known_dtype)
    return plain


def value_and_grad(
    function: Callable[..., Any], argnums: int | Sequence[int] = 0, *, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """A function that returns (value, gradient) of a scalar function.

    The gradient has the form of the argument `argnums` (a tensor, or a nest of tuples, lists and
    dictionaries), or is a tuple for several. An argument that is not connected gets zeros. With
    `has_aux` the function returns (scalar, anything), and so does the value.

    >>> import everygrad as eg
    >>> value, gradient = eg.value_and_grad(lambda t: (t * t).sum())(eg.tensor([1.0, 2.0]))
    >>> value.item(), gradient.tolist()
    (5.0, [2.0, 4.0])
    """

    def differentiated(*args: Any, **keywords: Any) -> tuple[Any, Any]:
        which = (argnums,) if isinstance(argnums, int) else tuple(argnums)
        if not all(-len(args) <= i < len(args) for i in which):
            raise TypeError(
                f"grad: argnums must count arguments given by place. Received: argnums={argnums}, {len(args)} arguments; "
                f"write a number from 0 to {len(args) - 1}"
            )
        variables = Variables("grad", [args[i] for i in which])
        given = list(args)
        for i, variable in zip(which, variables.tree):
            given[i] = variable
        with enable_grad():
            result = function(*given, **keywords)
        output, aux = _parts(result) if has_aux else (result, None)
        _need_scalar(output)
        settled = variables.settle("grad", output)
        graph = variables.outlives(settled)
        grads = iter(variables.gradients(settled, None, graph))
        forms = replace([args[i] for i in which], lambda _: next(grads))
        value = output if graph else lower(output, variables.originals[0])
        return ((value, aux) if has_aux else value), (forms[0] if isinstance(argnums, int) else tuple(forms))

    return differentiated


def _parts(result: Any) -> tuple[Any, Any]:
    """(scalar, more) of a function with `has_aux`."""
    try:
        output, aux = result
    except (TypeError, ValueError):
        raise TypeError(
            f"grad: with has_aux the function must return (scalar, more). Received: {type(result).__name__}; "
            "write has_aux=False"
        ) from None
    return output, aux


def _need_scalar(output: Any) -> None:
    if not is_tensor(output):
        raise GradientError(
            f"grad: the function must return a scalar Tensor. Received: {type(output).__name__}; write has_aux=True "
            "if it returns (scalar, more)"
        )
    if output.numel() != 1:
        raise ShapeError(
            f"grad: the function must return a scalar. Received: shape {output.shape}; write .sum()"
        )


def grad(
    function: Callable[..., Any], argnums: int | Sequence[int] = 0, *, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that returns the gradient of a scalar function; it nests to any order.

    >>> import everygrad as eg
    >>> third = eg.grad(eg.grad(eg.grad(lambda t: t**4)))
    >>> third(eg.tensor(2.0)).item()
    48.0
    """
    both = value_and_grad(function, argnums, has_aux=has_aux)

    def differentiated(*args: Any, **keywords: Any) -> Any:
        value, gradient = both(*args, **keywords)
        return (gradient, value[1]) if has_aux else gradient

    return differentiated


def vjp(function: Callable[..., Tensor], *primals: Any) -> tuple[Tensor, Callable[[Tensor], tuple[Any, ...]]]:
    """(value, pull): pull(v) gives the products of v with the Jacobian in each primal, as often as wanted.

    >>> import everygrad as eg
    >>> value, pull = eg.vjp(lambda t: t * t, eg.tensor([1.0, 3.0]))
    >>> pull(eg.tensor([1.0, 10.0]))[0].tolist()
    [2.0, 60.0]
    """
    variables = Variables("vjp", list(primals))
    with enable_grad():
        output = variables.settle("vjp", function(*variables.tree))
    graph = variables.outlives(output)

    def pull(cotangent: Tensor) -> tuple[Any, ...]:
        need_tensor("vjp", "cotangent", cotangent)
        if cotangent.shape != output.shape:
            raise ShapeError(
                f"vjp: needs a cotangent of shape {output.shape}. Received: shape {cotangent.shape}"
            )
        upstream = cast_to(lift_to("vjp", cotangent, output.backend), output.dtype).array
        grads = iter(variables.gradients(output, upstream, graph, retain=True))
        return tuple(replace(list(primals), lambda _: next(grads)))

    return (output if graph else lower(output, variables.originals[0])), pull
