"""Padding in one to three dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from everygrad.functional.arrange import pad
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad_ops import ShapeError

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Module):
    """What all share: (left, right) of the last dim, then of the one before, ...; an integer for all."""

    rank: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: int | Sequence[int]) -> None:
        counts = (padding,) * (2 * self.rank) if isinstance(padding, int) else tuple(padding)
        if len(counts) != 2 * self.rank:
            raise ShapeError(
                f"{type(self).__name__}: padding must be an integer or {2 * self.rank}. Received: {padding}"
            )
        self.padding = counts

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements added at the ends of its last dims."""
        if input.ndim < self.rank:
            raise ShapeError(
                f"{type(self).__name__}: input must have at least {self.rank} dims. Received: shape {input.shape}"
            )
        return pad(input, self.padding, self.mode)

    @override
    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    """One value."""

    mode = "constant"

    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    @override
    def forward(self, input: Tensor) -> Tensor:
        """The input with the value added at the ends of its last dims."""
        return pad(input, self.padding, "constant", self.value)

    @override
    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """One value around the last dim.

    >>> import everygrad as eg
    >>> eg.nn.ConstantPad1d(1, 7.0)(eg.tensor([[[1.0, 2.0, 3.0]]]))[0, 0].tolist()
    [7.0, 1.0, 2.0, 3.0, 7.0]
    """

    rank = 1


class ConstantPad2d(_ConstantPad):
    """One value around the last two dims.

    >>> import everygrad as eg
    >>> eg.nn.ConstantPad2d(1, 7.0)(eg.ones(1, 1, 2, 3)).shape
    (1, 1, 4, 5)
    """

    rank = 2


class ConstantPad3d(_ConstantPad):
    """One value around the last three dims.

    >>> import everygrad as eg
    >>> eg.nn.ConstantPad3d(1, 7.0)(eg.ones(1, 1, 2, 3, 4)).shape
    (1, 1, 4, 5, 6)
    """

    rank = 3


class ZeroPad1d(_Pad):
    """Zeros around the last dim.

    >>> import everygrad as eg
    >>> eg.nn.ZeroPad1d(1)(eg.tensor([[[1.0, 2.0, 3.0]]]))[0, 0].tolist()
    [0.0, 1.0, 2.0, 3.0, 0.0]
    """

    rank = 1
    mode = "constant"


class ZeroPad2d(_Pad):
    """Zeros around the last two dims.

    >>> import everygrad as eg
    >>> eg.nn.ZeroPad2d(1)(eg.ones(1, 1, 2, 3)).shape
    (1, 1, 4, 5)
    """

    rank = 2
    mode = "constant"


class ZeroPad3d(_Pad):
    """Zeros around the last three dims.

    >>> import everygrad as eg
    >>> eg.nn.ZeroPad3d(1)(eg.ones(1, 1, 2, 3, 4)).shape
    (1, 1, 4, 5, 6)
    """

    rank = 3
    mode = "constant"


class ReflectionPad1d(_Pad):
    """Around the last dim its mirror image, the edges left out.

    >>> import everygrad as eg
    >>> eg.nn.ReflectionPad1d(1)(eg.tensor([[[1.0, 2.0, 3.0]]]))[0, 0].tolist()
    [2.0, 1.0, 2.0, 3.0, 2.0]
    """

    rank = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """Around the last two dims their mirror images, the edges left out.

    >>> import everygrad as eg
    >>> eg.nn.ReflectionPad2d(1)(eg.ones(1, 1, 2, 3)).shape
    (1, 1, 4, 5)
    """

    rank = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """Around the last three dims their mirror images, the edges left out.

    >>> import everygrad as eg
    >>> eg.nn.ReflectionPad3d(1)(eg.ones(1, 1, 2, 3, 4)).shape
    (1, 1, 4, 5, 6)
    """

    rank = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """Around the last dim its edges repeated.

    >>> import everygrad as eg
    >>> eg.nn.ReplicationPad1d(1)(eg.tensor([[[1.0, 2.0, 3.0]]]))[0, 0].tolist()
    [1.0, 1.0, 2.0, 3.0, 3.0]
    """

    rank = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """Around the last two dims their edges repeated.

    >>> import everygrad as eg
    >>> eg.nn.ReplicationPad2d(1)(eg.ones(1, 1, 2, 3)).shape
    (1, 1, 4, 5)
    """

    rank = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """Around the last three dims their edges repeated.

    >>> import everygrad as eg
    >>> eg.nn.ReplicationPad3d(1)(eg.ones(1, 1, 2, 3, 4)).shape
    (1, 1, 4, 5, 6)
    """

    rank = 3
    mode = "replicate"


class CircularPad1d(_Pad):
    """Around the last dim what is at its other end.

    >>> import everygrad as eg
    >>> eg.nn.CircularPad1d(1)(eg.tensor([[[1.0, 2.0, 3.0]]]))[0, 0].tolist()
    [3.0, 1.0, 2.0, 3.0, 1.0]
    """

    rank = 1
    mode = "circular"


class CircularPad2d(_Pad):
    """Around the last two dims what is at their other ends.

    >>> import everygrad as eg
    >>> eg.nn.CircularPad2d(1)(eg.ones(1, 1, 2, 3)).shape
    (1, 1, 4, 5)
    """

    rank = 2
    mode = "circular"


class CircularPad3d(_Pad):
    """Around the last three dims what is at their other ends.

    >>> import everygrad as eg
    >>> eg.nn.CircularPad3d(1)(eg.ones(1, 1, 2, 3, 4)).shape
    (1, 1, 4, 5, 6)
    """

    rank = 3
    mode = "circular"
