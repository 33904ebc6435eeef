"""Batch norms folded into the layer before them, for use."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.tensor import Tensor
from everygrad_ops import GradientError

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]

M = TypeVar("M", bound=Module)


def fuse_conv_bn_eval(conv: M, bn: Module, transpose: bool = False) -> M:
    """A copy of a convolution (or transposed one) that does what it and the batch norm behind it do in eval mode.

    >>> import everygrad as eg
    >>> conv, norm = eg.nn.Conv2d(1, 2, 3).eval(), eg.nn.BatchNorm2d(2).eval()
    >>> x = eg.rand(1, 1, 4, 4)
    >>> bool(eg.allclose(eg.nn.utils.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)), atol=1e-6))
    True
    """
    return _fused("fuse_conv_bn_eval", conv, bn, transpose, int(getattr(conv, "groups", 1)))


def fuse_linear_bn_eval(linear: M, bn: Module) -> M:
    """A copy of a Linear that does what it and the batch norm behind it do in eval mode.

    >>> import everygrad as eg
    >>> layer, norm = eg.nn.Linear(3, 2).eval(), eg.nn.BatchNorm1d(2).eval()
    >>> x = eg.rand(4, 3)
    >>> bool(eg.allclose(eg.nn.utils.fuse_linear_bn_eval(layer, norm)(x), norm(layer(x)), atol=1e-6))
    True
    """
    return _fused("fuse_linear_bn_eval", linear, bn, False, 1)


def _fused(where: str, layer: M, bn: Module, transpose: bool, groups: int) -> M:
    norm: Any = bn
    if layer.training or bn.training:
        raise GradientError(
            f"{where}: both must be in eval mode. Received: one in training; write model.eval()"
        )
    if norm.running_mean is None:
        raise ValueError(f"{where}: the batch norm must have running statistics. Received: one without")
    made: Any = copy.deepcopy(layer)
    statistics = norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias
    made.weight, made.bias = fuse_conv_bn_weights(made.weight, made.bias, *statistics, transpose, groups)
    return made  # type: ignore[no-any-return]  # a copy of the layer


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
    groups: int = 1,
) -> tuple[Parameter, Parameter]:
    """(weight, bias) of a convolution with the batch norm behind it; `groups` matters with `transpose` only.

    >>> import everygrad as eg
    >>> one = eg.ones(1)
    >>> w, b = eg.nn.utils.fuse_conv_bn_weights(eg.ones(1, 1, 1), None, one, 4 * one, 0.0, 3 * one, one)
    >>> w.item(), b.item()
    (1.5, -0.5)
    """
    factor = (bn_rv.detach() + bn_eps).rsqrt()
    factor = factor if bn_w is None else factor * bn_w.detach()
    weight = conv_w.detach()
    if (
        transpose
    ):  # (in, out / groups, ...): the out channels of a group stand beside those of its in channels
        parts = weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])
        rest = (1,) * (weight.ndim - 2)
        scaled = (parts * factor.reshape(groups, 1, weight.shape[1], *rest)).reshape(weight.shape)
    else:
        scaled = weight * factor.reshape(-1, *(1,) * (weight.ndim - 1))
    offset = (-bn_rm.detach() if conv_b is None else conv_b.detach() - bn_rm.detach()) * factor
    offset = offset if bn_b is None else offset + bn_b.detach()
    return Parameter(scaled.to(weight.dtype)), Parameter(offset.to(weight.dtype))


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """(weight, bias) of a Linear with the batch norm behind it. See `fuse_conv_bn_weights`."""
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
