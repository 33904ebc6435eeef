"""Resizing as layers."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from everygrad.functional.resample import interpolate
from everygrad.nn.module import Module
from everygrad.tensor import Tensor

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """(N, C, spatial...) resized to `size`, or by `scale_factor`; see `functional.interpolate`.

    >>> import everygrad as eg
    >>> eg.nn.Upsample(scale_factor=2)(eg.tensor([[[1.0, 2.0]]])).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The input, resized."""
        return interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    @override
    def extra_repr(self) -> str:
        sizes = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{sizes}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images (N, C, H, W) resized by the nearest pixel.

    >>> import everygrad as eg
    >>> eg.nn.UpsamplingNearest2d(scale_factor=2)(eg.ones(1, 1, 2, 3)).shape
    (1, 1, 4, 6)
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__(size, scale_factor)


class UpsamplingBilinear2d(Upsample):
    """Images (N, C, H, W) resized bilinearly, with aligned corners.

    >>> import everygrad as eg
    >>> eg.nn.UpsamplingBilinear2d((1, 3))(eg.tensor([[[[0.0, 2.0]]]])).tolist()
    [[[[0.0, 1.0, 2.0]]]]
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, "bilinear", align_corners=True)
