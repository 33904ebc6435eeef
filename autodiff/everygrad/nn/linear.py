"""Affine maps."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from everygrad.functional.linear import linear
from everygrad.nn.build import Place, draw_weight_and_bias, weight_and_bias
from everygrad.nn.module import Module
from everygrad.tensor import Tensor
from everygrad_ops import DType

__all__ = ["Identity", "Linear"]


class Identity(Module):
    """Returns its input; whatever it is made with is ignored.

    >>> import everygrad as eg
    >>> eg.nn.Identity()(eg.ones(2)).tolist()
    [1.0, 1.0]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


class Linear(Module):
    """x @ weight.T + bias over the last dim; weight is (out_features, in_features).

    >>> import everygrad as eg
    >>> layer = eg.nn.Linear(3, 2)
    >>> layer(eg.ones(5, 3)).shape, layer.weight.shape
    ((5, 2), (2, 3))
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        dtype: DType | None = None,
        backend: Place = None,
    ) -> None:
        self.in_features = in_features
        self.out_features = out_features
        self.weight, self.bias = weight_and_bias((out_features, in_features), bias, dtype, backend)

    def reset_parameters(self) -> None:
        """Draw new values, as for a new layer."""
        draw_weight_and_bias(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """(..., in_features) to (..., out_features)."""
        return linear(input, self.weight, self.bias)

    @override
    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )
