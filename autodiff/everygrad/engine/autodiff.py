"""The decorator backend: any backend, with every gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar

from typing_extensions import TypeIs, override

from everygrad.engine.balanced import LazyNode, lazy_pick, remember
from everygrad.engine.compile import Source, inheriting, plain, recomputing, signature_of
from everygrad.engine.compile_forward import recording
from everygrad.engine.compile_pull import record_of
from everygrad.engine.node import LEAF, Node, Tracked, next_order, pick
from everygrad.engine.recompute import float_results, recompute_record
from everygrad.engine.recording import is_recording
from everygrad.engine.watch import decorators, wrappers
from everygrad.rules import RESIDUAL_FORMS, RULES
from everygrad_ops import Backend, BackendError, GradientError, Kind, OpSpec, Result, contract, is_overridden

if TYPE_CHECKING:
    from numpy.typing import NDArray

A = TypeVar("A")


class Autodiff(Backend[Tracked[A]], Generic[A]):
    """Wraps any backend, `Autodiff` included; its methods are generated from the contract on first use.

    With `checkpointing="balanced"` the results of cheap ops (elementwise functions, norms, reshapes) are not kept
    for backward where they can be computed again from what is kept anyway: the same gradients, bit for bit, in
    less memory and somewhat more time.
    """

    def __init__(self, inner: Backend[A], checkpointing: Literal["balanced"] | None = None) -> None:
        if checkpointing not in (None, "balanced"):
            raise BackendError(
                f"Autodiff: checkpointing must be None or 'balanced'. Received: {checkpointing!r}"
            )
        if Backend not in type(inner).__mro__:
            raise BackendError(
                f'Autodiff: needs a Backend. Received: {type(inner).__name__}; write eg.backend("autodiff(numpy)")'
            )
        self.inner = inner
        self.is_decorator = True
        self.checkpointing = checkpointing
        self.name = decorated(inner.name, checkpointing)
        decorators.add(self)

    def lift(self, value: A) -> Tracked[A]:
        """An array of the inner backend, as a constant here."""
        return Tracked(value, None)

    def variable(self, x: Tracked[A]) -> Tracked[A]:
        """The value of `x` as a new variable that gradients can be asked for."""
        return Tracked(x.value, Node(LEAF, (), None, self.inner.signature(x.value)))

    @override
    def detach(self, x: Tracked[A]) -> Tracked[A]:
        """`x` as a constant, cut from every graph."""
        return Tracked(self.inner.detach(x.value), None)

    @override
    def to_numpy(self, x: Tracked[A]) -> NDArray[Any]:
        """The values of an untracked array; a tracked one is refused, since its gradient would be lost."""
        if x.node is not None:
            raise GradientError(
                "reading the values of a tracked array would lose its gradient. "
                f"Received: {x.node.record.name} result; write detach() first"
            )
        return self.inner.to_numpy(x.value)

    def __copy__(self) -> Self:
        return self  # a place, not a value: arrays of a copy would not mix with those of this one

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return Autodiff, (self.inner, self.checkpointing)  # methods are generated, not sent

    @override
    def accumulate(self, x: Tracked[A], y: Tracked[A]) -> Tracked[A]:
        """x + y; never in place here, where a sum may be differentiated again."""
        return self.add(x, y)


class _Generated:
    """An op's method: written on first use, then found in the instance before this descriptor."""

    def __init__(self, spec: OpSpec) -> None:
        self.spec = spec

    def __get__(self, instance: Autodiff[Any] | None, owner: type) -> Callable[..., Any]:
        if instance is None:
            return self.spec.function
        method = _generate(instance, self.spec)
        for wrapper in wrappers:
            method = wrapper(self.spec, instance, method)
        instance.__dict__[self.spec.name] = method
        return method


def _generate(autodiff: Autodiff[Any], spec: OpSpec) -> Callable[..., Any]:
    """The method of one op for one decorator."""
    inner, source = autodiff.inner, Source()
    lazy = autodiff.checkpointing is not None
    source.names.update(
        Tracked=Tracked,
        Node=Node,
        new=object.__new__,
        next_order=next_order,
        LazyNode=LazyNode,
        remember=remember,
        lazy=lazy,
        inner=getattr(inner, spec.name),
        autodiff=autodiff,
        signature=inner.signature,
        plain_signature=inner.plain_signature,
        shape_of=inner.shape,
        dtype_of=inner.dtype,
        is_recording=is_recording,
        record_outputs=functools.partial(_record_outputs, inner.signature, spec, lazy_pick if lazy else pick),
        explain=functools.partial(_explain, autodiff, spec),
    )
    source.add(f"def {spec.name}({signature_of(spec, source)}):", 0)
    source.add("try:")
    if spec.name in RULES:
        source.bind("record", record_of(spec.name, lazy))
        if spec.name in RESIDUAL_FORMS:
            source.bind("inner_form", getattr(inner, RESIDUAL_FORMS[spec.name]))
        recording(spec, source)
    elif not spec.marks.differentiable or not spec.arrays:
        plain(spec, source)
    elif is_overridden(inner, spec.name):
        source.bind("record", recompute_record(autodiff, spec))
        recomputing(spec, source)
    else:
        source.bind("default", spec.function)
        inheriting(spec, source)
    source.add("except AttributeError as error:")
    source.add(f"raise explain(error, ({', '.join(p.name for p in spec.params)},)) from None", 2)
    method = source.build(spec.name, "method")
    method.__doc__ = spec.function.__doc__
    method.__qualname__ = f"Autodiff.{spec.name}"
    method.__annotations__ = dict(spec.function.__annotations__)
    return method


def _record_outputs(
    signature: Callable[[Any], Any], spec: OpSpec, pick: Callable[..., Tracked[Any]], out: Any, node: Node
) -> tuple[Tracked[Any] | None, ...] | list[Tracked[Any] | None] | Tracked[Any]:
    """Tracked results of a recorded op: the node itself where one is differentiable, else picks of it."""
    if spec.result is Result.ARRAY:
        node.signature = signature(out)
        return Tracked(out, node)
    names = spec.outputs if spec.result is Result.TUPLE else tuple(f"out{i}" for i in range(len(out)))
    live = float_results(spec, out)
    if len(live) == 1:
        node.signature = signature(live[0])
    else:
        node.signature = len(live)
    results: list[Tracked[Any] | None] = []
    position = 0
    for value, name in zip(out, names):
        if name in spec.marks.integer_outputs:
            results.append(Tracked(value, None))
            continue
        if value is None:
            results.append(None)
        elif len(live) == 1:
            results.append(Tracked(value, node))
        else:
            results.append(pick(value, node, position, signature(value)))
        position += 1
    return tuple(results) if spec.result is Result.TUPLE else results


def _explain(
    autodiff: Autodiff[Any], spec: OpSpec, error: AttributeError, args: tuple[Any, ...]
) -> Exception:
    """What an AttributeError in a method means: mostly an array that is not of this level."""
    for p, value in zip(spec.params, args):
        items: list[Any] = list(value) if p.kind is Kind.SEQUENCE else [value]
        if p.is_array and any(not isinstance(v, (Tracked, int, float, type(None))) for v in items):
            return TypeError(
                f"{spec.name}: {p.name} must be an array of {autodiff.name}. "
                f"Received: {type(value).__name__}; write backend.lift(array) for an array of the inner backend"
            )
    return error


def decorated(inner: str, checkpointing: str | None) -> str:
    """How a decorator around the backend called `inner` is spelled."""
    return (
        f"autodiff({inner})" if checkpointing is None else f"autodiff({inner},checkpointing={checkpointing})"
    )


def is_autodiff(backend: object) -> TypeIs[Autodiff[Any]]:
    """Whether a backend records."""
    return isinstance(backend, Autodiff)


def _install() -> None:
    for name, spec in contract().items():
        if name not in vars(Autodiff):
            setattr(Autodiff, name, _Generated(spec))


_install()
