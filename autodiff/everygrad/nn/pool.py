"""Pooling in one to three dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from typing_extensions import override

from everygrad.functional.pool import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad_ops.geometry import Ints

__all__ = ["AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d"]


class AvgPool1d(Module):
    """The mean of each window of (N, C, L).

    >>> import everygrad as eg
    >>> eg.nn.AvgPool1d(2)(eg.tensor([[[1.0, 3.0, 5.0, 7.0]]])).tolist()
    [[[2.0, 6.0]]]
    """

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        self.kernel_size = _single(kernel_size)
        self.stride = self.kernel_size if stride is None else _single(stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """One mean per window."""
        return avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )

    @override
    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPool(Module):
    """What the higher ranks share."""

    function: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """One mean per window."""
        function = type(self).function
        return function(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    @override
    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPool):
    """The mean of each window of (N, C, H, W); without `stride`, windows do not overlap.

    >>> import everygrad as eg
    >>> eg.nn.AvgPool2d(2)(eg.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).tolist()
    [[[[2.5]]]]
    """

    function = avg_pool2d


class AvgPool3d(_AvgPool):
    """The mean of each window of (N, C, D, H, W).

    >>> import everygrad as eg
    >>> eg.nn.AvgPool3d((1, 2, 2))(eg.ones(1, 1, 3, 4, 4)).shape
    (1, 1, 3, 2, 2)
    """

    function = avg_pool3d


class _MaxPool(Module):
    """What the ranks share."""

    function: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        kernel_size: Ints,
        stride: Ints | None = None,
        padding: Ints = 0,
        dilation: Ints = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """The largest value of each window; with `return_indices`, its flat index in the plane too."""
        function = type(self).function
        return function(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    @override
    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest value of each window of (N, C, L).

    >>> import everygrad as eg
    >>> eg.nn.MaxPool1d(2)(eg.tensor([[[1.0, 3.0, 7.0, 5.0]]])).tolist()
    [[[3.0, 7.0]]]
    """

    function = max_pool1d


class MaxPool2d(_MaxPool):
    """The largest value of each window of (N, C, H, W).

    >>> import everygrad as eg
    >>> values, indices = eg.nn.MaxPool2d(2, return_indices=True)(eg.tensor([[[[1.0, 2.0], [4.0, 3.0]]]]))
    >>> values.tolist(), indices.tolist()
    ([[[[4.0]]]], [[[[2]]]])
    """

    function = max_pool2d


class MaxPool3d(_MaxPool):
    """The largest value of each window of (N, C, D, H, W).

    >>> import everygrad as eg
    >>> eg.nn.MaxPool3d(2)(eg.ones(1, 1, 4, 4, 4)).shape
    (1, 1, 2, 2, 2)
    """

    function = max_pool3d


def _single(value: Ints) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)
