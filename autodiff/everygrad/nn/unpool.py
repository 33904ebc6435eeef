"""Pools by the p-norm and over drawn windows, and max pooling turned around."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from typing_extensions import override

from everygrad.functional.fractional import Ratio, fractional_max_pool2d, fractional_max_pool3d
from everygrad.functional.unpool import (
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad_ops.geometry import Ints, ints

__all__ = [
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _LPPool(Module):
    """What the ranks share."""

    function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self, norm_type: float, kernel_size: Ints, stride: Ints | None = None, ceil_mode: bool = False
    ) -> None:
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """One norm per window."""
        function = type(self).function
        return function(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)

    @override
    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """The `norm_type`-norm of each window of (N, C, L).

    >>> import everygrad as eg
    >>> eg.nn.LPPool1d(2, 2)(eg.tensor([[[3.0, 4.0, 0.0, 2.0]]])).tolist()
    [[[5.0, 2.0]]]
    """

    function = lp_pool1d


class LPPool2d(_LPPool):
    """The `norm_type`-norm of each window of (N, C, H, W).

    >>> import everygrad as eg
    >>> eg.nn.LPPool2d(2, 2)(eg.ones(1, 1, 4, 4))[0, 0].tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """

    function = lp_pool2d


class LPPool3d(_LPPool):
    """The `norm_type`-norm of each window of (N, C, D, H, W).

    >>> import everygrad as eg
    >>> eg.nn.LPPool3d(1, 2)(eg.ones(1, 2, 4, 4, 4)).shape
    (1, 2, 2, 2, 2)
    """

    function = lp_pool3d


class _MaxUnpool(Module):
    """What the ranks share."""

    rank: ClassVar[int]
    function: ClassVar[Callable[..., Tensor]]

    def __init__(self, kernel_size: Ints, stride: Ints | None = None, padding: Ints = 0) -> None:
        self.kernel_size = ints(kernel_size, self.rank, "kernel_size", 1)
        self.stride = self.kernel_size if stride is None else ints(stride, self.rank, "stride", 1)
        self.padding = ints(padding, self.rank, "padding", 0)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """The values of `input` at their places, in zeros of spatial `output_size`."""
        function = type(self).function
        return function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    @override
    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """`MaxPool1d` turned around: its values and indices to (N, C, L).

    >>> import everygrad as eg
    >>> x = eg.ones(1, 2, 4)
    >>> values, indices = eg.nn.MaxPool1d(2, return_indices=True)(x)
    >>> eg.nn.MaxUnpool1d(2)(values, indices).shape == x.shape
    True
    """

    rank = 1
    function = max_unpool1d


class MaxUnpool2d(_MaxUnpool):
    """`MaxPool2d` turned around: its values and indices to (N, C, H, W).

    >>> import everygrad as eg
    >>> x = eg.ones(1, 2, 4, 4)
    >>> values, indices = eg.nn.MaxPool2d(2, return_indices=True)(x)
    >>> eg.nn.MaxUnpool2d(2)(values, indices).shape == x.shape
    True
    """

    rank = 2
    function = max_unpool2d


class MaxUnpool3d(_MaxUnpool):
    """`MaxPool3d` turned around: its values and indices to (N, C, D, H, W).

    >>> import everygrad as eg
    >>> x = eg.ones(1, 2, 4, 4, 4)
    >>> values, indices = eg.nn.MaxPool3d(2, return_indices=True)(x)
    >>> eg.nn.MaxUnpool3d(2)(values, indices).shape == x.shape
    True
    """

    rank = 3
    function = max_unpool3d


class _FractionalMaxPool(Module):
    """What the ranks share."""

    function: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        kernel_size: Ints,
        output_size: Ints | None = None,
        output_ratio: Ratio | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        if (output_size is None) == (output_ratio is None):
            raise ValueError(
                f"{type(self).__name__}: needs one of output_size and output_ratio. "
                f"Received: output_size={output_size}, output_ratio={output_ratio}"
            )
        self.kernel_size = kernel_size
        self.output_size = output_size
        self.output_ratio = output_ratio
        self.return_indices = return_indices
        self._random_samples = _random_samples

    def forward(self, input: Tensor) -> Any:
        """The largest value of each window; with `return_indices`, its flat index in the plane too."""
        function = type(self).function
        return function(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            return_indices=self.return_indices,
            _random_samples=self._random_samples,
        )

    @override
    def extra_repr(self) -> str:
        asked = self.output_size if self.output_ratio is None else self.output_ratio
        name = "output_size" if self.output_ratio is None else "output_ratio"
        return f"kernel_size={self.kernel_size}, {name}={asked}"


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest values of windows drawn over (N, C, H, W).

    >>> import everygrad as eg
    >>> eg.nn.FractionalMaxPool2d(2, output_ratio=0.7)(eg.ones(1, 2, 9, 7)).shape
    (1, 2, 6, 4)
    """

    function = fractional_max_pool2d


class FractionalMaxPool3d(_FractionalMaxPool):
    """The largest values of windows drawn over (N, C, D, H, W).

    >>> import everygrad as eg
    >>> eg.nn.FractionalMaxPool3d(2, output_size=(2, 3, 4))(eg.ones(1, 2, 6, 9, 7)).shape
    (1, 2, 2, 3, 4)
    """

    function = fractional_max_pool3d
