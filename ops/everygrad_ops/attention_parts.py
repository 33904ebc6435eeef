"""What the attention ops share: their options, what they refuse, and the steps from scores to weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from everygrad_ops.dtypes import DType
from everygrad_ops.errors import DTypeError, ShapeError
from everygrad_ops.precision import wide

if TYPE_CHECKING:
    from everygrad_ops.backend import Backend

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class AttentionOptions:
    """How queries look at keys.

    `is_causal`: query i looks at keys 0 to i (also where there are more keys than queries), and as the
    mask says. `scale`: the factor of the scores, 1 / sqrt(E) by default. `softcap`: c * tanh(scores / c)
    in the place of the scores. `enable_gqa`: the heads (dim -3) of k and v serve equal groups of q's.

    >>> AttentionOptions(softcap=0.0)
    Traceback (most recent call last):
    ...
    everygrad_ops.errors.ShapeError: attention: softcap must be above 0. Received: softcap=0.0; write None for none
    """

    is_causal: bool = False
    scale: float | None = None
    softcap: float | None = None
    enable_gqa: bool = False

    def __post_init__(self) -> None:
        if self.softcap is not None and not self.softcap > 0:
            raise ShapeError(
                f"attention: softcap must be above 0. Received: softcap={self.softcap!r}; write None for none"
            )

    def scale_for(self, width: int) -> float:
        """The factor of the scores for queries of this width."""
        return 1 / math.sqrt(max(width, 1)) if self.scale is None else self.scale


def check_attention(
    op: str, b: Backend[A], q: A, k: A, v: A, mask: A | None, options: AttentionOptions
) -> None:
    """Refuse shapes and dtypes that do not fit, before any work."""
    sq, sk, sv = b.shape(q), b.shape(k), b.shape(v)
    dtype = b.dtype(q)
    if not dtype.is_floating or b.dtype(k) is not dtype or b.dtype(v) is not dtype:
        raise DTypeError(
            f"{op}: q, k and v must have one floating-point dtype. "
            f"Received: {dtype}, {b.dtype(k)}, {b.dtype(v)}; write cast(...) on some of them"
        )
    fits = len(sq) == len(sk) == len(sv) >= 2 and sq[-1] == sk[-1] and sk[:-1] == sv[:-1]
    if fits and options.enable_gqa:
        fits = len(sq) > 2 and sq[:-3] == sk[:-3] and sk[-3] > 0 and sq[-3] % sk[-3] == 0
    elif fits:
        fits = sq[:-2] == sk[:-2]
    if not fits:
        raise ShapeError(
            f"{op}: q must be (..., L, E), k (..., S, E) and v (..., S, D), with equal leading sizes, or with "
            f"enable_gqa a multiple of k's heads in q. Received: q of shape {sq}, k of shape {sk}, v of shape {sv}, "
            f"enable_gqa={options.enable_gqa}"
        )
    if mask is not None:
        _check_mask(op, b, mask, (*sq[:-1], sk[-2]), dtype)


def _check_mask(op: str, b: Backend[A], mask: A, scores: tuple[int, ...], dtype: DType) -> None:
    kind, shape = b.dtype(mask), b.shape(mask)
    if kind is not DType.bool_ and kind is not dtype:
        raise DTypeError(
            f"{op}: a mask is boolean (True: look) or of q's dtype {dtype} (added to the scores). Received: {kind}; "
            "write mask.bool() for 0 and 1"
        )
    extra = len(scores) - len(shape)
    if extra < 0 or any(s not in (1, scores[extra + d]) for d, s in enumerate(shape)):
        raise ShapeError(
            f"{op}: the mask must broadcast to the scores, (..., L, S). Received: mask of shape {shape}, "
            f"scores of shape {scores}"
        )


def allowed_pairs(b: Backend[A], q: A, k: A, mask: A | None, options: AttentionOptions) -> A | None:
    """Which query may look at which key, of q's rank and broadcasting to the scores; None: each at all.

    A float mask forbids where it is -inf.
    """
    rank, allowed = len(b.shape(q)), None
    if mask is not None:
        shape = b.shape(mask)
        allowed = mask if b.dtype(mask) is DType.bool_ else b.ne(b.detach(mask), -math.inf)
        allowed = b.reshape(allowed, (*(1,) * (rank - len(shape)), *shape))
    if options.is_causal:
        rows, columns = b.shape(q)[-2], b.shape(k)[-2]
        i = b.reshape(b.arange(0, rows, 1, DType.int64), (*(1,) * (rank - 2), rows, 1))
        j = b.reshape(b.arange(0, columns, 1, DType.int64), (*(1,) * (rank - 1), columns))
        past = b.ge(i, j)
        allowed = past if allowed is None else b.logical_and(allowed, past)
    return allowed


def only_seen(b: Backend[A], x: A, allowed: A | None) -> A:
    """k or v (..., S, E) with zeros where no query looks: nothing that stands there may leak."""
    if allowed is None:
        return x
    rank = len(b.shape(allowed))
    seen = b.any(allowed, (rank - 2,), True)
    return b.where(b.permute(seen, (*range(rank - 2), rank - 1, rank - 2)), x, 0)


def masked_scores(
    b: Backend[A], q: A, k: A, mask: A | None, allowed: A | None, options: AttentionOptions
) -> tuple[A, A | None]:
    """(the scores, -inf where they are forbidden; the slope of the softcap, if there is one)."""
    rank = len(b.shape(q))
    turned = (*range(rank - 2), rank - 1, rank - 2)
    scores = b.matmul(b.mul(q, options.scale_for(b.shape(q)[-1])), b.permute(k, turned))
    bend = None
    if options.softcap is not None:
        bent = b.tanh(b.div(scores, options.softcap))
        scores, bend = b.mul(bent, options.softcap), b.sub(b.full((), 1, b.dtype(q)), b.mul(bent, bent))
    if mask is not None and b.dtype(mask).is_floating:
        scores = b.add(scores, wide(b, mask))
    if allowed is not None:
        scores = b.where(allowed, scores, -math.inf)
    return scores, bend


def weights_of(b: Backend[A], scores: A, allowed: A | None) -> A:
    """The softmax over the keys, and zeros for a query that may look nowhere."""
    last = len(b.shape(scores)) - 1
    if allowed is None:
        return b.softmax(scores, last)
    alive = b.any(allowed, (last,), True)
    return b.where(alive, b.softmax(b.where(alive, scores, 0), last), 0)


def per_query_head(b: Backend[A], q: A, x: A) -> A:
    """k or v (..., heads, S, E), each head repeated for the queries' heads that it serves."""
    *lead, heads, length, width = b.shape(x)
    group = b.shape(q)[-3] // heads
    wide_shape = (*lead, heads, group, length, width)
    x = b.broadcast_to(b.reshape(x, (*lead, heads, 1, length, width)), wide_shape)
    return b.reshape(x, (*lead, heads * group, length, width))


def to_key_heads(b: Backend[A], grad: A, shape: tuple[int, ...]) -> A:
    """The adjoint of `per_query_head`: summed over the heads that one of k or v served."""
    if b.shape(grad) == shape:
        return grad
    *lead, heads, length, width = shape
    group = b.shape(grad)[-3] // heads
    return b.sum(b.reshape(grad, (*lead, heads, group, length, width)), (len(lead) + 1,))
