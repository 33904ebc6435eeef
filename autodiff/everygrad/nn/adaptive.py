"""Pools to a given output size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from typing_extensions import override

from everygrad.functional.adaptive import (
    Sizes,
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
)
from everygrad.nn.module import Module
from everygrad.tensor import Tensor

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
]


class _AdaptiveAvgPool(Module):
    """What the ranks share."""

    function: ClassVar[Callable[..., Tensor]]

    def __init__(self, output_size: Sizes) -> None:
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """One mean per window."""
        function = type(self).function
        return function(input, self.output_size)

    @override
    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """The means of `output_size` windows over (N, C, L).

    >>> import everygrad as eg
    >>> eg.nn.AdaptiveAvgPool1d(3)(eg.arange(5.0).reshape(1, 1, 5)).tolist()
    [[[0.5, 2.0, 3.5]]]
    """

    function = adaptive_avg_pool1d


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """The means of `output_size` windows over (N, C, H, W); None keeps an axis's size.

    >>> import everygrad as eg
    >>> eg.nn.AdaptiveAvgPool2d((None, 2))(eg.ones(1, 3, 7, 5)).shape
    (1, 3, 7, 2)
    """

    function = adaptive_avg_pool2d


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """The means of `output_size` windows over (N, C, D, H, W).

    >>> import everygrad as eg
    >>> eg.nn.AdaptiveAvgPool3d(1)(eg.ones(1, 3, 2, 7, 5)).shape
    (1, 3, 1, 1, 1)
    """

    function = adaptive_avg_pool3d


class _AdaptiveMaxPool(Module):
    """What the ranks share."""

    function: ClassVar[Callable[..., Any]]

    def __init__(self, output_size: Sizes, return_indices: bool = False) -> None:
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """The largest value of each window; with `return_indices`, its flat index in the plane too."""
        function = type(self).function
        return function(input, self.output_size, self.return_indices)

    @override
    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The largest values of `output_size` windows over (N, C, L).

    >>> import everygrad as eg
    >>> eg.nn.AdaptiveMaxPool1d(3)(eg.arange(5.0).reshape(1, 1, 5)).tolist()
    [[[1.0, 3.0, 4.0]]]
    """

    function = adaptive_max_pool1d


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest values of `output_size` windows over (N, C, H, W); None keeps an axis's size.

    >>> import everygrad as eg
    >>> values, indices = eg.nn.AdaptiveMaxPool2d(1, return_indices=True)(eg.tensor([[[[1.0, 4.0], [3.0, 2.0]]]]))
    >>> values.tolist(), indices.tolist()
    ([[[[4.0]]]], [[[[1]]]])
    """

    function = adaptive_max_pool2d


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The largest values of `output_size` windows over (N, C, D, H, W).

    >>> import everygrad as eg
    >>> eg.nn.AdaptiveMaxPool3d((1, None, 2))(eg.ones(1, 3, 2, 7, 5)).shape
    (1, 3, 1, 7, 2)
    """

    function = adaptive_max_pool3d
