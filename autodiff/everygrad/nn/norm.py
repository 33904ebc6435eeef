"""Normalisation layers."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from everygrad.functional.norm import layer_norm
from everygrad.functional.rms_norm import local_response_norm, rms_norm
from everygrad.nn.build import Place, parameter, reset_scale_and_shift
from everygrad.nn.init import ones_
from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.tensor import Tensor
from everygrad_ops import DType

__all__ = ["LayerNorm", "LocalResponseNorm", "RMSNorm"]


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

    def reset_parameters(self) -> None:
        """As a new layer: ones and zeros."""
        reset_scale_and_shift(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalised."""
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    @override
    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """x / sqrt(mean(x^2) + eps) * weight over the trailing dims `normalized_shape`.

    Without `eps`, the spacing of numbers at 1 in the dtype that is computed in.

    >>> import everygrad as eg
    >>> eg.nn.RMSNorm(2)(eg.tensor([[3.0, 3.0]])).round().tolist()
    [[1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.weight: Parameter | None = None
        if elementwise_affine:
            self.weight = ones_(parameter(shape, dtype, backend))

    def reset_parameters(self) -> None:
        """As a new layer: ones and zeros."""
        reset_scale_and_shift(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalised."""
        return rms_norm(input, self.normalized_shape, self.weight, self.eps)

    @override
    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """Each channel of (N, C, ...) divided by (k + alpha * mean square of `size` channels around)^beta.

    >>> import everygrad as eg
    >>> eg.nn.LocalResponseNorm(2, alpha=1.0, beta=1.0)(eg.ones(1, 2, 1)).shape
    (1, 2, 1)
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """The input, damped where its neighbours are strong."""
        return local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    @override
    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
