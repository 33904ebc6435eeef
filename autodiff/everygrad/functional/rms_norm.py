"""Normalisation by the root of the mean square and by neighbouring channels, under torch's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from everygrad.functional.arguments import ready
from everygrad.tensor.wrap import wrap
from everygrad_ops import DType

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = ["local_response_norm", "rms_norm"]


def rms_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """input / sqrt(mean(input^2) + eps) * weight over the trailing dims `normalized_shape`.

    Without `eps`, the spacing of numbers at 1 in the dtype that is computed in (float32 for the lower ones).

    >>> import everygrad as eg
    >>> eg.functional.rms_norm(eg.tensor([1.0, 7.0]), (2,), eps=0.0).tolist()
    [0.20000000298023224, 1.399999976158142]
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    b, dtype, (x, w) = ready("rms_norm", input, weight)
    if eps is None:
        eps = 2.0**-52 if dtype is DType.float64 else 2.0**-23
    return wrap(b.rms_norm(x, shape, w, eps), b, dtype)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """input (N, C, ...) divided by (k + alpha * mean square of `size` channels around)^beta.

    >>> import everygrad as eg
    >>> eg.functional.local_response_norm(eg.ones(1, 2, 1), 2, alpha=1.0, beta=1.0).reshape(-1).tolist()
    [0.6666666865348816, 0.5]
    """
    b, dtype, (x,) = ready("local_response_norm", input)
    return wrap(b.local_response_norm(x, size, alpha, beta, k), b, dtype)
