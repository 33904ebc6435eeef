"""Layers of two inputs: a bilinear map, similarities and distances."""

from __future__ import annotations

from typing_extensions import override

from everygrad.functional import distance
from everygrad.nn.build import Place, parameter
from everygrad.nn.init import uniform_
from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.tensor import Tensor
from everygrad_ops import DType

__all__ = ["Bilinear", "CosineSimilarity", "PairwiseDistance"]


class Bilinear(Module):
    """input1^T weight[o] input2 + bias[o] for each o; weight is (out_features, in1_features, in2_features).

    >>> import everygrad as eg
    >>> layer = eg.nn.Bilinear(3, 4, 2)
    >>> layer(eg.ones(5, 3), eg.ones(5, 4)).shape, layer.weight.shape
    ((5, 2), (2, 3, 4))
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = parameter((out_features, in1_features, in2_features), dtype, backend)
        self.bias: Parameter | None = parameter((out_features,), dtype, backend) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values, as for a new layer."""
        bound = 1 / max(self.in1_features, 1) ** 0.5
        uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """(..., in1_features) and (..., in2_features) to (..., out_features)."""
        return distance.bilinear(input1, input2, self.weight, self.bias)

    @override
    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along `dim`.

    >>> import everygrad as eg
    >>> eg.nn.CosineSimilarity(dim=0)(eg.tensor([1.0, 0.0]), eg.tensor([0.0, 2.0])).item()
    0.0
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The similarity, without `dim`."""
        return distance.cosine_similarity(x1, x2, self.dim, self.eps)

    @override
    def extra_repr(self) -> str:
        return f"dim={self.dim}, eps={self.eps}"


class PairwiseDistance(Module):
    """The p-norm of x1 - x2 + eps over the last dim.

    >>> import everygrad as eg
    >>> eg.nn.PairwiseDistance(eps=0.0)(eg.tensor([[3.0, 4.0]]), eg.zeros(1, 2)).tolist()
    [5.0]
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The distances of the rows."""
        return distance.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)

    @override
    def extra_repr(self) -> str:
        return f"p={self.norm}, eps={self.eps}, keepdim={self.keepdim}"
