"""New tensors, on the backend of `everygrad.use`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from everygrad.registry import current, resolve
from everygrad.tensor.dims import plain
from everygrad.tensor.wrap import is_tensor, need_tensor, wrap
from everygrad_ops import Backend, DType, GradientError, ShapeError, as_dtype

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everygrad.tensor.tensor import Tensor

__all__ = [
    "arange",
    "eye",
    "from_numpy",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "tensor",
    "zeros",
    "zeros_like",
]

Like = str | Backend[Any] | None


def tensor(
    data: Any,
    dtype: DType | None = None,
    *,
    requires_grad: bool = False,
    backend: Like = None,
    copy: bool = True,
) -> Tensor:
    """A tensor with the values of nested lists, numbers, a NumPy array or anything with `__array__` or DLPack.

    Python floats become float32, integers int64; arrays keep their dtype. Data is copied unless
    `copy=False`.

    >>> import everygrad as eg
    >>> eg.tensor([[1.0, 2.0], [3.0, 4.0]]).shape, eg.tensor(np.ones(2)).dtype
    ((2, 2), everygrad.float64)
    """
    if is_tensor(data):
        raise TypeError("tensor: data is a Tensor already. Write x.detach(), x.to(...), or use x itself")
    array = _host(data)
    if dtype is None and array.dtype == np.float64 and not hasattr(data, "dtype"):
        array = array.astype(np.float32)
    b = current() if backend is None else resolve(backend)
    made = wrap(b.from_numpy(array, copy), b)
    if dtype is not None:
        made = made.to(as_dtype(dtype))
    return made.requires_grad_() if requires_grad else made


def _host(data: Any) -> NDArray[Any]:
    """The values on the host, in the dtype they have."""
    if _holds_tensors(data):
        raise TypeError(
            "tensor: data holds Tensors. Write eg.stack(...) or eg.cat(...), which keep their gradients"
        )
    if getattr(data, "requires_grad", False):
        raise GradientError(
            "tensor: a copy of data that carries another library's gradient would lose it. "
            f"Received: {type(data).__name__}; write data.detach()"
        )
    array: NDArray[Any] = _read(data)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype == np.uint64:
        as_dtype(array.dtype)  # raises: also Python integers from 2**63 on are read so
    if array.dtype.kind in "OSUMm":
        raise TypeError(
            f"tensor: data must be numbers. Received: {type(data).__name__} holding {array.dtype}"
        )
    return array


def _read(data: Any) -> Any:
    if str(getattr(data, "dtype", "")) == "torch.bfloat16":  # NumPy has no bfloat16 to read it into
        import ml_dtypes

        return np.asarray(data.float()).astype(ml_dtypes.bfloat16)
    if not hasattr(data, "__array__") and hasattr(data, "__dlpack__"):
        return np.from_dlpack(data)
    try:
        return np.asarray(data)
    except ValueError as error:
        raise ShapeError(f"tensor: nested lists must be equally long. Received: {error}") from None


def _holds_tensors(data: Any) -> bool:
    return isinstance(data, (list, tuple)) and any(is_tensor(v) or _holds_tensors(v) for v in data)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # any nesting


def from_numpy(array: NDArray[Any], *, backend: Like = None) -> Tensor:
    """A tensor with the values and dtype of a NumPy array, copied.

    >>> import everygrad as eg
    >>> eg.from_numpy(np.arange(3)).tolist()
    [0, 1, 2]
    """
    return tensor(array, backend=backend)


def shape_of(op: str, size: Sequence[Any]) -> tuple[int, ...]:
    """Sizes written as arguments or as one sequence."""
    size = [plain(s) for s in size]
    shape = tuple(map(plain, size[0])) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)
    odd = bool(size) and isinstance(size[0], (dict, set, str))
    if odd or not all(type(s) is int and 0 <= s < 2**63 for s in shape):
        raise ShapeError(f"{op}: sizes must be integers, none negative or beyond 64 bits. Received: {shape}")
    return shape


def full(
    size: Sequence[int], fill_value: float, *, dtype: DType | None = None, backend: Like = None
) -> Tensor:
    """A tensor filled with one value; its dtype is the value's unless given.

    >>> import everygrad as eg
    >>> eg.full((2,), 3.0).tolist()
    [3.0, 3.0]
    """
    b = current() if backend is None else resolve(backend)
    if dtype is None:
        kind = type(fill_value)
        dtype = DType.bool_ if kind is bool else DType.int64 if kind is int else DType.float32
    return wrap(b.full(shape_of("full", (size,)), fill_value, as_dtype(dtype)), b, as_dtype(dtype))


def zeros(size: Any = (), *more: int, dtype: DType | None = None, backend: Like = None) -> Tensor:
    """Zeros; sizes as arguments or one sequence.

    >>> import everygrad as eg
    >>> eg.zeros(2, 1).tolist()
    [[0.0], [0.0]]
    """
    return full(shape_of("zeros", (size, *more)), 0, dtype=dtype or DType.float32, backend=backend)


def ones(size: Any = (), *more: int, dtype: DType | None = None, backend: Like = None) -> Tensor:
    """Ones; sizes as arguments or one sequence.

    >>> import everygrad as eg
    >>> eg.ones((2,)).tolist()
    [1.0, 1.0]
    """
    return full(shape_of("ones", (size, *more)), 1, dtype=dtype or DType.float32, backend=backend)


def zeros_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Zeros of the shape, dtype and backend of a tensor.

    >>> import everygrad as eg
    >>> eg.zeros_like(eg.ones(2)).tolist()
    [0.0, 0.0]
    """
    need_tensor("zeros_like", "input", input)
    return full_like(input, 0, dtype=dtype)


def ones_like(input: Tensor, *, dtype: DType | None = None) -> Tensor:
    """Ones of the shape, dtype and backend of a tensor.

    >>> import everygrad as eg
    >>> eg.ones_like(eg.zeros(2)).tolist()
    [1.0, 1.0]
    """
    return full_like(input, 1, dtype=dtype)


def full_like(input: Tensor, fill_value: float, *, dtype: DType | None = None) -> Tensor:
    """One value, in the shape, dtype and backend of a tensor.

    >>> import everygrad as eg
    >>> eg.full_like(eg.zeros(2), 7).tolist()
    [7.0, 7.0]
    """
    need_tensor("full_like", "input", input)
    chosen = dtype or input.dtype
    return wrap(input.backend.full(input.shape, fill_value, chosen), input.backend, chosen)


def arange(
    start: float,
    end: float | None = None,
    step: float = 1,
    *,
    dtype: DType | None = None,
    backend: Like = None,
) -> Tensor:
    """start, start + step, ... below end; with one argument, from 0.

    >>> import everygrad as eg
    >>> eg.arange(3).tolist(), eg.arange(1, 2, 0.5).tolist()
    ([0, 1, 2], [1.0, 1.5])
    """
    low, high = (0, start) if end is None else (start, end)
    if step == 0 or (high - low) / step < 0:
        raise ShapeError(
            f"arange: step must lead from start to end. Received: start={low}, end={high}, step={step}"
        )
    whole = all(isinstance(v, int) for v in (low, high, step))
    chosen = as_dtype(dtype) if dtype is not None else DType.int64 if whole else DType.float32
    b = current() if backend is None else resolve(backend)
    return wrap(b.arange(low, high, step, chosen), b, chosen)


def eye(n: int, m: int | None = None, *, dtype: DType = DType.float32, backend: Like = None) -> Tensor:
    """Ones on the diagonal of an n by m matrix, else zeros.

    >>> import everygrad as eg
    >>> eg.eye(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    shape_of("eye", (n,) if m is None else (n, m))
    return tensor(np.eye(n, m, dtype=np.float32), dtype, backend=backend)
