"""The Tensor: a value on some backend. No operation changes it; every method gives a new one."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, NoReturn

from everygrad.functional import bitwise, comparison, elementwise, linalg, unary
from everygrad.functional import shape as shapes
from everygrad.tensor import convert, indexing
from everygrad.tensor.about import AboutMethods
from everygrad.tensor.creation_methods import CreationMethods
from everygrad.tensor.math_methods import MathMethods
from everygrad.tensor.product_methods import ProductMethods
from everygrad.tensor.reduce_methods import ReduceMethods
from everygrad.tensor.shape_methods import ShapeMethods
from everygrad.tensor.variable import detach, is_leaf, requires_grad, set_requires_grad
from everygrad.tensor.wrap import register
from everygrad_ops import Backend, DType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from everygrad.gradients import Gradients


class Tensor(MathMethods, ReduceMethods, CreationMethods, ShapeMethods, ProductMethods, AboutMethods):
    """An array of a backend, with torch's names for its methods.

    `array` is the backend's own array and `backend` the backend; neither is ever replaced, except
    by the cells `nn.Parameter` and `nn.Buffer`.

    >>> import everygrad as eg
    >>> x = eg.tensor([1.0, 2.0], requires_grad=True)
    >>> x
    tensor([1., 2.], shape=(2,), dtype=float32, backend=autodiff(numpy), requires_grad=True)
    >>> (x * x).sum().backward()[x].tolist()
    [2.0, 4.0]
    """

    __slots__ = ("__weakref__", "array", "backend", "known_dtype")
    __array_ufunc__ = None  # so that ndarray + Tensor asks the Tensor

    def __init__(self, array: Any, backend: Backend[Any], dtype: DType | None = None) -> None:
        self.array = array
        self.backend = backend
        self.known_dtype = dtype

    # What it is.

    @property
    def shape(self) -> tuple[builtins.int, ...]:
        """The sizes."""
        return self.backend.shape(self.array)

    @property
    def dtype(self) -> DType:
        """The element type."""
        if self.known_dtype is None:
            self.known_dtype = self.backend.dtype(self.array)
        return self.known_dtype

    @property
    def device(self) -> str:
        """Where the values live, such as "cpu"."""
        return self.backend.device(self.array)

    @property
    def ndim(self) -> builtins.int:
        """The number of dims."""
        return len(self.shape)

    @property
    def requires_grad(self) -> builtins.bool:
        """Whether gradients flow to or through it; `x.requires_grad = True` is `x.requires_grad_()`."""
        return requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, value: builtins.bool) -> None:
        self.requires_grad_(value)

    @property
    def is_leaf(self) -> builtins.bool:
        """Whether it is a variable, or untracked: not the result of a recorded op."""
        return is_leaf(self)

    @property
    def grad(self) -> NoReturn:
        """There is none: gradients are values."""
        raise AttributeError(
            "tensors hold no gradient: backward() returns them. "
            "Write grads = loss.backward(); grads[x]  (or eg.gradients(loss, [x]))"
        )

    @property
    def T(self) -> Tensor:
        """The matrix transposed."""
        return (
            shapes.transpose(self, 0, 1)
            if self.ndim == 2
            else shapes.permute(self, *reversed(range(self.ndim)))
        )

    @property
    def mT(self) -> Tensor:
        """The last two dims swapped."""
        return shapes.transpose(self, -2, -1)

    @property
    def itemsize(self) -> builtins.int:
        """The bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> builtins.int:
        """The bytes of all elements."""
        return self.numel() * self.dtype.itemsize

    def dim(self) -> builtins.int:
        """The number of dims."""
        return self.ndim

    def size(self, dim: builtins.int | None = None) -> Any:
        """The sizes, or the size of one dim."""
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> builtins.int:
        """The number of elements."""
        total = 1
        for s in self.shape:
            total *= s
        return total

    ndimension = dim
    nelement = numel

    # Gradients.

    detach = detach
    requires_grad_ = set_requires_grad

    def backward(
        self,
        gradient: Tensor | None = None,
        *,
        retain_graph: builtins.bool = False,
        create_graph: builtins.bool = False,
        inputs: Sequence[Tensor] | None = None,
    ) -> Gradients:
        """The gradients of this scalar (or of sum(self * gradient)) at every variable, as values."""
        from everygrad.gradients import backward

        return backward(self, gradient, retain_graph=retain_graph, create_graph=create_graph, inputs=inputs)

    # To elsewhere.

    to = convert.to
    numpy = convert.numpy
    torch = convert.torch
    item = convert.item
    tolist = convert.tolist
    float = convert.to_float
    double = convert.to_double
    half = convert.to_half
    bfloat16 = convert.to_bfloat16
    int = convert.to_int
    long = convert.to_long
    bool = convert.to_bool
    __array__ = convert.as_array
    __dlpack__ = convert.dlpack
    __dlpack_device__ = convert.dlpack_device
    __copy__ = convert.same
    __deepcopy__ = convert.deep_copy
    __bool__ = convert.as_bool
    __float__ = convert.as_float
    __int__ = convert.as_int
    __index__ = convert.as_index

    # Python's operators.

    __add__ = __radd__ = elementwise.add
    __sub__ = elementwise.sub
    __rsub__ = elementwise.rsub
    __mul__ = __rmul__ = elementwise.mul
    __truediv__ = elementwise.div
    __rtruediv__ = elementwise.rdiv
    __floordiv__ = elementwise.floor_divide
    __rfloordiv__ = elementwise.rfloor_divide
    __mod__ = elementwise.remainder
    __rmod__ = elementwise.rremainder
    __pow__ = elementwise.pow
    __rpow__ = elementwise.rpow
    __matmul__ = linalg.matmul
    __rmatmul__ = linalg.rmatmul
    __neg__ = unary.neg
    __pos__ = convert.same
    __abs__ = unary.abs
    __eq__ = comparison.eq  # type: ignore[assignment]  # elementwise, as in NumPy and torch
    __ne__ = comparison.ne  # type: ignore[assignment]  # elementwise
    __lt__ = comparison.lt
    __le__ = comparison.le
    __gt__ = comparison.gt
    __ge__ = comparison.ge
    __and__ = __rand__ = bitwise.bitwise_and
    __or__ = __ror__ = bitwise.bitwise_or
    __xor__ = __rxor__ = bitwise.bitwise_xor
    __lshift__ = bitwise.bitwise_left_shift
    __rlshift__ = bitwise.rlshift
    __rshift__ = bitwise.bitwise_right_shift
    __rrshift__ = bitwise.rrshift
    __invert__ = bitwise.bitwise_not
    __hash__ = object.__hash__
    __getitem__ = indexing.getitem
    __setitem__ = indexing.setitem

    def __repr__(self) -> str:
        return convert.text(self)

    def __format__(self, format_spec: str) -> str:
        return convert.formatted(self, format_spec)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return convert.reduce(self)

    def __len__(self) -> builtins.int:
        if not self.shape:
            raise TypeError("len() of a rank-0 tensor. Write x.numel(), or index a tensor with dims")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return iter([self[i] for i in range(len(self))])

    slice_assign = indexing.slice_assign


register(Tensor)
