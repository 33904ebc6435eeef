"""The Tensor: an array of some backend, with operators, methods and gradients."""

from everygrad.tensor.tensor import Tensor

__all__ = ["Tensor"]
