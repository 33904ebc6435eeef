"""Normalisation of channels, in groups or one by one, under torch's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from everygrad.functional.arguments import ready
from everygrad.functional.norm import batch_norm
from everygrad.tensor.operands import cast_to
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import ShapeError

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["group_norm", "instance_norm"]


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """input (N, C, ...) normalised over each of `num_groups` runs of channels of each sample.

    (input - mean) / sqrt(var + eps) * weight + bias, with `weight` and `bias` (C,). Raises `ShapeError`
    where the channels do not divide by `num_groups`.

    >>> import everygrad as eg
    >>> eg.functional.group_norm(eg.tensor([[1.0, 3.0, 5.0, 5.0]]), 2, eps=1e-12).tolist()
    [[-1.0, 1.0, 0.0, 0.0]]
    """
    b, dtype, (x, w, added) = ready("group_norm", input, weight, bias)
    return wrap(b.group_norm(x, num_groups, w, added, eps), b, dtype)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """input (N, C, ...), each channel of each sample normalised by itself.

    Without `use_input_stats` the running statistics normalise; with it, running statistics that are cells
    (`nn.Buffer`) take in the mean over the samples of each channel's mean and unbiased variance.

    >>> import everygrad as eg
    >>> eg.functional.instance_norm(eg.tensor([[[1.0, 3.0], [4.0, 2.0]]]), eps=0.0).tolist()
    [[[-1.0, 1.0], [1.0, -1.0]]]
    """
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    b, dtype, (x, w, added) = ready("instance_norm", input, weight, bias)
    if math.prod(input.shape[2:]) == 1:
        raise ShapeError(
            "instance_norm: a channel must have more than one value. "
            f"Received: input of shape {input.shape}; write group_norm, or use_input_stats=False"
        )
    for name, running in (("running_mean", running_mean), ("running_var", running_var)):
        if running is not None:
            need_tensor("instance_norm", name, running)
    out = wrap(b.instance_norm(x, w, added, eps), b, dtype)
    plain, dims = input.detach(), tuple(range(2, input.ndim))
    news: list[tuple[Any, Tensor]] = []  # both are known before either cell is changed
    for running, square in ((running_mean, False), (running_var, True)):
        assign = getattr(running, "assign", None)
        if running is not None and assign is not None and input.numel():
            wide = cast_to(plain, running.dtype)
            new = (wide.var(dims) if square else wide.mean(dims)).mean(0)
            news.append((assign, running.detach() * (1 - momentum) + new * momentum))
    for assign, value in news:
        assign(value)
    return out
