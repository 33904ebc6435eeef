"""Tensors to other dtypes, backends, libraries and Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from everygrad.engine import move
from everygrad.registry import resolve
from everygrad.tensor.operands import cast_to, library
from everygrad.tensor.variable import detach, is_leaf, node_of
from everygrad.tensor.wrap import is_tensor, wrap
from everygrad_ops import Backend, DType, GradientError, as_dtype, inner_of

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


def to(
    input: Tensor,
    *targets: Any,
    device: Any = None,
    dtype: Any = None,
    non_blocking: bool = False,
    copy: bool = False,
) -> Tensor:
    """The tensor in another dtype, on another backend or device; differentiable, the gradient comes back.

    A target is a dtype (`eg.float16`, "float16"), a backend ("torch", "torch:cuda:0"; the decorators
    stay), a device of the backend it is on ("cuda:0"), or a tensor to be like; several are reached in turn.
    `non_blocking` and `copy`, also by place, are taken and have no effect: a tensor is a value.

    >>> import everygrad as eg
    >>> eg.tensor([1, 2]).to(eg.float64).dtype, eg.ones(2).to("numpy").backend.name
    (everygrad.float64, 'autodiff(numpy)')
    """
    for target in (*targets, device, dtype):
        if target is not None and not isinstance(target, bool):
            input = _to_one(input, target)
    return input


def _to_one(input: Tensor, target: Any) -> Tensor:
    if is_tensor(target):
        return cast_to(_to_backend(input, target.backend), target.dtype)
    if isinstance(target, str):
        if target in DType.__members__ or target == "bool":
            return cast_to(input, as_dtype(target))
        if target.partition(":")[0] in ("cpu", "cuda", "mps", "xpu"):
            name = library(input.backend).partition(":")[0]
            target = name if target == "cpu" else f"{name}:{target}"
        return _to_backend(input, resolve(target, input.backend))
    if isinstance(target, (DType, type)) or type(target).__name__.lower().endswith("dtype"):
        return cast_to(input, as_dtype(target))  # also of NumPy or torch
    return _to_backend(input, resolve(target))


def _to_backend(x: Tensor, target: Backend[Any]) -> Tensor:
    if x.backend is target:
        return x
    return wrap(move(x.array, x.backend, target), target, x.known_dtype)


def to_float(input: Tensor) -> Tensor:
    """In float32."""
    return cast_to(input, DType.float32)


def to_double(input: Tensor) -> Tensor:
    """In float64."""
    return cast_to(input, DType.float64)


def to_half(input: Tensor) -> Tensor:
    """In float16."""
    return cast_to(input, DType.float16)


def to_bfloat16(input: Tensor) -> Tensor:
    """In bfloat16."""
    return cast_to(input, DType.bfloat16)


def to_int(input: Tensor) -> Tensor:
    """In int32."""
    return cast_to(input, DType.int32)


def to_long(input: Tensor) -> Tensor:
    """In int64."""
    return cast_to(input, DType.int64)


def to_bool(input: Tensor) -> Tensor:
    """True where not 0."""
    from everygrad.functional.comparison import truth

    return truth(input)


def numpy(input: Tensor) -> np.ndarray[Any, Any]:
    """The values as a NumPy array, a read-only view where that is safe; a tracked tensor raises.

    >>> import everygrad as eg
    >>> eg.ones(2).numpy()
    array([1., 1.], dtype=float32)
    """
    if node_of(input) is not None:
        raise GradientError(
            "numpy(): a tracked tensor would lose its gradient. Received: a tensor that requires grad; "
            "write x.detach().numpy()"
        )
    return input.backend.to_numpy(input.array)


def values(input: Tensor) -> np.ndarray[Any, Any]:
    """The values on the host, tracked or not: for showing, never for computing on."""
    return input.backend.to_numpy(input.backend.detach(input.array))


def innermost(input: Tensor) -> Any:
    """The array of the array library, without the decorators; a tracked tensor raises."""
    if node_of(input) is not None:
        raise GradientError("a tracked tensor would lose its gradient. Write x.detach() first")
    array, level = input.array, input.backend
    while (inner := inner_of(level)) is not None:
        array, level = array.value, inner
    return array


def torch(input: Tensor) -> Any:
    """The values as a torch tensor of its own; a tracked tensor raises."""
    import importlib

    level: Any = resolve("torch", input.backend)  # first: it says what to install
    library_torch = importlib.import_module("torch")
    array = innermost(input)
    if isinstance(array, library_torch.Tensor):
        return array.clone()
    while (inner := inner_of(level)) is not None:
        level = inner
    return level.from_numpy(np.asarray(array))


def as_array(input: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
    """NumPy's protocol; a tracked tensor raises."""
    found = numpy(input)
    return np.array(found, dtype, copy=copy)


def dlpack(input: Tensor, **options: Any) -> Any:
    """The DLPack protocol: other libraries share the memory of an untracked tensor."""
    array = innermost(input)
    if isinstance(array, np.ndarray):  # NumPy exports no read-only memory, and a shared value must not change
        array = np.array(array)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # of any dtype
    return array.__dlpack__(**options)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # of any library


def dlpack_device(input: Tensor) -> Any:
    """The DLPack protocol: where the memory is."""
    return innermost(detach(input)).__dlpack_device__()


def item(input: Tensor) -> Any:
    """The one element as a Python number (without a gradient).

    >>> import everygrad as eg
    >>> eg.tensor([2.5]).item()
    2.5
    """
    if input.numel() != 1:
        raise ValueError(
            f"item(): the tensor must have one element. Received: shape {input.shape}; write x.tolist()"
        )
    return values(input).item()


def tolist(input: Tensor) -> Any:
    """The values as nested lists of Python numbers."""
    return values(input).tolist()


def text(input: Tensor) -> str:
    """Values, shape, dtype, backend and gradient state."""
    body = np.array2string(values(input), separator=", ", prefix="tensor(")
    state = ""
    node = node_of(input)
    if node is not None:
        state = ", requires_grad=True" if is_leaf(input) else f", grad_fn={node.record.name}"
    return (
        f"tensor({body}, shape={input.shape}, dtype={input.dtype.value}, backend={input.backend.name}{state})"
    )


def same(input: Tensor) -> Tensor:
    """A tensor is a value: its copy is itself."""
    return input


def deep_copy(input: Tensor, memo: dict[int, Any]) -> Tensor:
    """A variable with the same values; the result of a recorded op cannot be copied."""
    rebuild, args = reduce(input)
    copied: Tensor = rebuild(*args)
    return copied


def reduce(input: Tensor) -> tuple[Any, tuple[Any, ...]]:
    """For pickle and copy: values, backend and whether it is a variable; never a graph."""
    node = node_of(input)
    if node is not None and not is_leaf(input):
        raise GradientError(
            f"copying or pickling a tensor with a graph behind it. Received: the result of {node.record.name}; "
            "write x.detach() first"
        )
    return rebuild, (np.array(values(input)), input.backend.name, node is not None)


def rebuild(array: np.ndarray[Any, Any], backend: str, requires_grad: bool) -> Tensor:
    """A tensor from what `reduce` gave."""
    b = resolve(backend) if backend.startswith("autodiff(") else _literal(backend)
    made = wrap(b.from_numpy(array), b)
    return made.requires_grad_() if requires_grad else made


def _literal(spec: str) -> Backend[Any]:
    from everygrad.registry import backend

    return backend(spec)


def as_bool(input: Tensor) -> bool:
    """The truth of the one element."""
    return bool(item(input))


def as_float(input: Tensor) -> float:
    """The one element."""
    return float(item(input))


def formatted(input: Tensor, spec: str) -> str:
    """A scalar as a number, so that f"{loss:.3f}" can be written; others as they are shown, for which no spec fits."""
    if input.ndim == 0:
        return format(item(input), spec)
    if spec:
        raise TypeError(
            f"format: only a tensor of rank 0 is formatted as a number. Received: shape {input.shape}, {spec!r}; "
            "write x.tolist() or x.numpy() and format its elements"
        )
    return str(input)


def as_int(input: Tensor) -> int:
    """The one element, truncated."""
    return int(item(input))


def as_index(input: Tensor) -> int:
    """The one integer element."""
    if input.dtype.is_floating:
        raise TypeError(f"only an integer tensor can be an index. Received: {input.dtype}")
    return int(item(input))
