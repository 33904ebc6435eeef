"""Normalisation, under torch's names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from everygrad.functional.arguments import ready
from everygrad.tensor.operands import cast_to
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType, ShapeError, promote

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["batch_norm", "batch_norm_statistics", "layer_norm"]


def layer_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias over the trailing dims `normalized_shape`.

    Statistics are exact to rounding, also where the mean is large against the deviation.

    >>> import everygrad as eg
    >>> eg.functional.layer_norm(eg.tensor([1.0, 3.0]), (2,), eps=0.0).tolist()
    [-1.0, 1.0]
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    b, dtype, (x, w, added) = ready("layer_norm", input, weight, bias)
    return wrap(b.layer_norm(x, shape, w, added, eps), b, dtype)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """input (N, C, ...) normalised per channel: by the batch in `training`, else by the running statistics.

    In training, running statistics that are cells (`nn.Buffer`) take in the batch's mean and unbiased
    variance with weight `momentum`; plain tensors are values, and stay: see `batch_norm_statistics`.

    >>> import everygrad as eg
    >>> x = eg.tensor([[1.0], [3.0]])
    >>> eg.functional.batch_norm(x, None, None, training=True, eps=0.0).tolist()
    [[-1.0], [1.0]]
    """
    if not training:
        if running_mean is None or running_var is None:
            raise ValueError(
                "batch_norm: without training, running_mean and running_var must be given. Received: None; "
                "write training=True to use the batch's own"
            )
        b, dtype, (x, w, added, mean, var) = ready(
            "batch_norm", input, weight, bias, running_mean, running_var
        )
        normed = wrap(b.batch_norm(x, w, added, mean, var, eps), b, dtype)
        return cast_to(normed, _without_statistics(input, weight, bias))
    if running_mean is None and running_var is None:
        _several_values(input)
        b, dtype, (x, w, added) = ready("batch_norm", input, weight, bias)
        return wrap(b.batch_norm_by_batch(x, w, added, eps), b, dtype)
    out, batch_mean, batch_var = batch_norm_statistics(input, weight, bias, eps)
    news: list[tuple[Any, Tensor]] = []  # both are known before either cell is changed
    for name, running, batch in (
        ("running_mean", running_mean, batch_mean),
        ("running_var", running_var, batch_var),
    ):
        if running is None:
            continue
        need_tensor("batch_norm", name, running)
        if running.shape != batch.shape:
            raise ShapeError(
                f"batch_norm: {name} must have shape {batch.shape}. Received: shape {running.shape}"
            )
        assign = getattr(running, "assign", None)
        if assign is not None and input.numel():
            kept, new = running.detach(), cast_to(batch, running.dtype)
            news.append((assign, kept * (1 - momentum) + new * momentum))
    for assign, value in news:
        assign(value)
    return out


def _without_statistics(input: Tensor, *scales: Tensor | None) -> DType:
    """The dtype of the result: the one that training gives, where running statistics play no part."""
    dtype = input.dtype
    for scale in scales:
        dtype = dtype if scale is None else promote(dtype, scale.dtype)
    return dtype


def batch_norm_statistics(
    input: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """(batch norm of input in training, the batch's mean, its unbiased variance), the statistics as constants.

    The batch must have more than one value per channel, as in torch.

    >>> import everygrad as eg
    >>> _, mean, var = eg.functional.batch_norm_statistics(eg.tensor([[1.0], [3.0]]))
    >>> mean.tolist(), var.tolist()
    ([2.0], [2.0])
    """
    count = _several_values(input)
    b, dtype, (x, w, added) = ready("batch_norm", input, weight, bias)
    out, mean, var, _ = b.batch_norm_train(x, w, added, eps)
    wide = b.dtype(mean)
    unbiased = b.mul(b.detach(var), count / (count - 1) if count > 1 else 1.0)
    return wrap(out, b, dtype), wrap(b.detach(mean), b, wide), wrap(unbiased, b, wide)


def _several_values(input: Tensor) -> int:
    """The values per channel of a batch, which must be more than one; 0 for an empty one."""
    need_tensor("batch_norm", "input", input)
    shape = input.shape
    count = math.prod(shape) // max(shape[1], 1) if len(shape) > 1 else 0
    if count == 1:
        raise ShapeError(
            "batch_norm: in training, a batch must have more than one value per channel. "
            f"Received: input of shape {shape}"
        )
    return count
