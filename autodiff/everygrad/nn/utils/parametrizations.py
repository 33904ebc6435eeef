"""Weight and spectral normalisation."""

from __future__ import annotations

from typing import Any, TypeVar

from everygrad.engine import no_grad
from everygrad.functional.random import randn
from everygrad.nn.module import Module
from everygrad.nn.parameter import Buffer
from everygrad.nn.utils.parametrize import register_parametrization
from everygrad.tensor import Tensor

M = TypeVar("M", bound=Module)


class _WeightNorm(Module):
    """g * v / |v|, the norm over all dims but one."""

    def __init__(self, dim: int | None) -> None:
        self.dim = dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / self._norm(weight_v))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return self._norm(weight), weight

    def _norm(self, v: Tensor) -> Tensor:
        if self.dim is None:
            return v.norm()
        others = [d for d in range(v.ndim) if d != self.dim % v.ndim]
        return v.norm(dim=others, keepdim=True) if others else v.abs()


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Let a weight be g * v / |v|: its length g and its direction v train apart. The norm leaves out `dim`.

    Source: Salimans, Kingma, "Weight normalization", 2016.

    >>> import everygrad as eg
    >>> layer = eg.nn.utils.parametrizations.weight_norm(eg.nn.Linear(2, 3))
    >>> list(layer.state_dict())
    ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    """weight / sigma, sigma its largest singular value by power iteration."""

    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        self.dim = dim % weight.ndim
        self.eps = eps
        self.n_power_iterations = n_power_iterations
        if weight.ndim > 1:
            matrix = self._matrix(weight.detach())
            rows, columns = matrix.shape
            self._u = Buffer(self._unit(randn(rows, dtype=weight.dtype, backend=_plain(weight))))
            self._v = Buffer(self._unit(randn(columns, dtype=weight.dtype, backend=_plain(weight))))
            self._iterate(matrix, 15)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return self._unit(weight)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix.detach(), self.n_power_iterations)
        sigma = (self._u.detach() * (matrix @ self._v.detach())).sum()
        return weight / sigma

    def right_inverse(self, value: Tensor) -> Tensor:
        return value

    def _matrix(self, weight: Tensor) -> Tensor:
        if self.dim:
            weight = weight.permute(self.dim, *(d for d in range(weight.ndim) if d != self.dim))
        return weight.reshape(weight.shape[0], -1)

    def _unit(self, x: Tensor) -> Tensor:
        return x / x.norm().clamp(min=self.eps)

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with no_grad():
            for _ in range(times):
                self._u.assign(self._unit(matrix @ self._v))
                self._v.assign(self._unit(matrix.mT @ self._u))


def _plain(x: Tensor) -> Any:
    return x.backend


def spectral_norm(
    module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> M:
    """Divide a weight by its largest singular value, found by power iteration that goes on with each use in training.

    Source: Miyato et al., "Spectral normalization for generative adversarial networks", 2018.

    >>> import everygrad as eg
    >>> layer = eg.nn.utils.parametrizations.spectral_norm(eg.nn.Linear(4, 4)).eval()
    >>> list(layer.state_dict())
    ['bias', 'parametrizations.weight.original', 'parametrizations.weight.0._u', 'parametrizations.weight.0._v']
    """
    if dim is None:
        transposed = any(kind.__name__ == "_ConvTranspose" for kind in type(module).__mro__)
        dim = 1 if transposed else 0
    weight: Any = getattr(module, name)
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
