"""Normalisation layers."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from everygrad.functional.norm import layer_norm
from everygrad.nn.build import Place, parameter
from everygrad.nn.init import ones_
from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.tensor import Tensor
from everygrad_ops import DType

__all__ = ["LayerNorm"]


class LayerNorm(Module):
    """(x - mean) / sqrt(var + eps) * weight + bias over the trailing dims `normalized_shape`.

    >>> import everygrad as eg
    >>> eg.nn.LayerNorm(2, eps=0.0)(eg.tensor([[1.0, 3.0]])).tolist()
    [[-1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight: Parameter | None = None
        self.bias: Parameter | None = None
        if elementwise_affine:
            self.weight = ones_(parameter(shape, dtype, backend))
            self.bias = parameter(shape, dtype, backend) if bias else None

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalised."""
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    @override
    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )
