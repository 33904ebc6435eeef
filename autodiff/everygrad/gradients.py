"""Backward passes on tensors: gradients come back as values, nothing is kept on tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self

from typing_extensions import override

from everygrad.engine import Autodiff, Node, is_autodiff, run
from everygrad.tensor.operands import cast_to, lift_to
from everygrad.tensor.variable import node_of
from everygrad.tensor.wrap import wrap
from everygrad_ops import GradientError, ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


class Gradients:
    """The gradients of one backward pass, by tensor.

    >>> import everygrad as eg
    >>> x, y = eg.tensor(3.0, requires_grad=True), eg.tensor(1.0, requires_grad=True)
    >>> grads = (x * x).backward()
    >>> grads[x].item(), grads.get(y), x in grads, y in grads
    (6.0, None, True, False)
    """

    def __init__(self, backend: Autodiff[Any], found: dict[Node, Any], tracked: bool = False) -> None:
        self.backend = backend
        self._found = found
        self._tracked = tracked

    def __getitem__(self, x: Tensor) -> Tensor:
        gradient = self.get(x)
        if gradient is None:
            state = "is not tracked" if node_of(x) is None else "is not connected to the result"
            raise GradientError(
                f"no gradient for this tensor: it {state}. Received: a tensor of shape {x.shape}; "
                "write grads.get(x) for None instead, or requires_grad=True where it is made"
            )
        return gradient

    def get(self, x: Tensor, default: Tensor | None = None) -> Tensor | None:
        """The gradient at `x`, or `default` where it is not connected."""
        node = node_of(x)
        if node is None or node not in self._found:
            return default
        return _as_tensor(self._found[node], x, self._tracked)

    def at(self, x: Tensor) -> Any:
        """The gradient at `x` as a constant array under the decorator; None where it is not connected."""
        node = node_of(x)
        found = None if node is None else self._found.get(node)
        return found.value if self._tracked and found is not None else found

    def tensors(self) -> dict[Node, Tensor]:
        """All gradients, by the node of the variable they are for."""
        b = self.backend
        return {node: wrap(g if self._tracked else b.lift(g), b) for node, g in self._found.items()}

    def like(self, tensors: dict[Node, Tensor]) -> Gradients:
        """Other gradients for variables, such as these scaled."""
        found = {node: g.array if self._tracked else g.array.value for node, g in tensors.items()}
        return Gradients(self.backend, found, self._tracked)

    @property
    def tracked(self) -> bool:
        """Whether they can be differentiated again."""
        return self._tracked

    def __contains__(self, x: Tensor) -> bool:
        return node_of(x) in self._found

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Tensor]:
        raise TypeError(
            "gradients are looked up by tensor. Write grads[x], or [grads[p] for p in parameters]"
        )

    def __copy__(self) -> Self:
        return self  # a value

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @override
    def __reduce__(self) -> NoReturn:
        raise GradientError(
            f"gradients are looked up by the tensors they are for, which are others in another process. Received: {self!r}; "
            "write [grads.get(p) for p in optimizer.params], which optimizer.step takes too, to send or save them"
        )

    def __repr__(self) -> str:
        return f"Gradients of {len(self)} tensors"


def _as_tensor(gradient: Any, x: Tensor, tracked: bool) -> Tensor:
    backend: Any = x.backend
    return wrap(gradient if tracked else backend.lift(gradient), backend, x.known_dtype)


def backward(
    output: Tensor,
    gradient: Tensor | None,
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
    inputs: Sequence[Tensor] | None = None,
) -> Gradients:
    """See `Tensor.backward`."""
    nodes = None if inputs is None else [_wanted(x) for x in inputs]
    autodiff, root = _root(output, gradient, create_graph)
    found = run(autodiff, [root], inputs=nodes, create_graph=create_graph, retain_graph=retain_graph)
    return Gradients(autodiff, found, create_graph)


def _wanted(x: Tensor) -> Node:
    node = node_of(x)
    if node is None:
        raise GradientError(
            f"a gradient was asked for at a tensor that is not tracked. Received: shape {x.shape} on "
            f"{x.backend.name!r}; write requires_grad=True where it is made"
        )
    return node


def _root(
    output: Tensor, upstream: Tensor | None, create_graph: bool
) -> tuple[Autodiff[Any], tuple[Node, Any]]:
    """The decorator, and (node, upstream gradient) to start from."""
    node = node_of(output)
    b = output.backend
    if node is None or not is_autodiff(b):
        raise GradientError(
            f"backward on a tensor that is not tracked. Received: shape {output.shape} on {b.name!r}; it must come "
            "from tensors with requires_grad=True, outside of no_grad, on a backend such as 'autodiff(numpy)'"
        )
    if upstream is None:
        if node.signature[0] and output.numel() != 1:
            raise GradientError(
                f"backward needs a scalar, or the upstream gradient. Received: shape {output.shape}; "
                "write y.sum().backward() or y.backward(gradient)"
            )
        one = b.inner.ones_like(output.array.value)
        return b, (node, b.lift(one) if create_graph else one)
    if upstream.shape != output.shape:
        raise ShapeError(
            f"gradient: must have the shape {output.shape} of the output. Received: {upstream.shape}"
        )
    array = cast_to(lift_to("backward", upstream, b), output.dtype).array
    return b, (node, array if create_graph else array.value)


def gradients(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of (the sum of) outputs at each input, like torch.autograd.grad.

    An input that is not connected gets None, or zeros with `materialize_grads`. With `create_graph`
    the gradients can be differentiated again.

    >>> import everygrad as eg
    >>> x = eg.tensor(2.0, requires_grad=True)
    >>> (g,) = eg.gradients(x**3, [x], create_graph=True)
    >>> (h,) = eg.gradients(g, [x])
    >>> g.item(), h.item()
    (12.0, 12.0)
    """
    outs, ins = _several(outputs), _several(inputs)
    ups: list[Tensor | None] = [None] * len(outs) if grad_outputs is None else list(_several(grad_outputs))
    if len(ups) != len(outs):
        raise ShapeError(f"grad_outputs: one for each of {len(outs)} outputs. Received: {len(ups)}")
    nodes = [_wanted(x) for x in ins]
    started = [_root(o, u, create_graph) for o, u in zip(outs, ups)]
    autodiff = started[0][0]
    roots = [root for _, root in started]
    if len(roots) > 1 and any(other is not autodiff for other, _ in started):
        raise GradientError(
            "outputs of different backends in one backward pass. Write y.to(...) to bring them together"
        )
    found = run(autodiff, roots, inputs=nodes, create_graph=create_graph, retain_graph=retain_graph)
    return tuple(
        [
            _as_tensor(found[node], x, create_graph)
            if node in found
            else _zeros(x)
            if materialize_grads
            else None
            for x, node in zip(ins, nodes)
        ]
    )


def _several(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # of Any


def _zeros(x: Tensor) -> Tensor:
    return wrap(x.backend.full(x.shape, 0, x.dtype), x.backend, x.known_dtype)
