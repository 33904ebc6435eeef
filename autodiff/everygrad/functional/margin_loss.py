"""Losses that ask for a margin, under torch's names. The derivative on the margin itself is 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from everygrad.functional.activation import relu
from everygrad.functional.arguments import with_indices
from everygrad.functional.comparison import eq, ne, where
from everygrad.functional.distance import pairwise_distance
from everygrad.functional.elementwise import minimum, to_dtype
from everygrad.functional.loss_parts import known, need_floats, pair, reduced
from everygrad.functional.reduction import sum
from everygrad.functional.unary import square
from everygrad.tensor.operands import together
from everygrad.tensor.wrap import need_tensor, wrap
from everygrad_ops import DType, ShapeError
from everygrad_ops.dtypes import LOW_PRECISION
from everygrad_ops.loss import Reduction

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor

__all__ = [
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]

Distance = Callable[[Any, Any], Any]


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: Reduction = "mean"
) -> Tensor:
    """input where target is 1, max(0, margin - input) where it is -1.

    >>> import everygrad as eg
    >>> eg.functional.hinge_embedding_loss(eg.tensor([0.5, 0.25]), eg.tensor([1, -1]), reduction="none").tolist()
    [0.5, 0.75]
    """
    x, y = pair("hinge_embedding_loss", input, target)
    loss = where(ne(y, -1), x, 0.0) + where(ne(y, 1), relu(margin - x), 0.0)
    return reduced("hinge_embedding_loss", loss, reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: Reduction = "mean"
) -> Tensor:
    """max(0, -target * (input1 - input2) + margin): a target of 1 asks for a larger input1, -1 for a smaller.

    >>> import everygrad as eg
    >>> eg.functional.margin_ranking_loss(eg.tensor([1.0]), eg.tensor([3.0]), eg.tensor([1.0])).item()
    2.0
    """
    x, y = pair("margin_ranking_loss", input1, input2, ("input1", "input2"))
    x, sign = pair("margin_ranking_loss", x, target, ("input1", "target"))
    return reduced("margin_ranking_loss", relu(margin - sign * (x - y)), reduction)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: Reduction = "mean"
) -> Tensor:
    """With c the cosine of two vectors: 1 - c where target is 1, max(0, c - margin) where it is -1.

    Inputs are (N, D) with targets (N,), or (D,) with one target (). Squares get 1e-12 added, so that a zero
    vector has cosine 0.

    >>> import everygrad as eg
    >>> x, y = eg.tensor([[1.0, 0.0]]), eg.tensor([[0.0, 2.0]])
    >>> eg.functional.cosine_embedding_loss(x, y, eg.tensor([1])).item()
    1.0
    """
    op = "cosine_embedding_loss"
    x, y = pair(op, input1, input2, ("input1", "input2"))
    need_tensor(op, "target", target)
    if x.ndim not in (1, 2) or target.shape != x.shape[:-1]:
        raise ShapeError(
            f"{op}: needs inputs (N, D) and target (N,), or (D,) and (). "
            f"Received: inputs of shape {x.shape}, target of shape {target.shape}"
        )
    dtype = x.dtype
    if dtype in LOW_PRECISION:  # where 1e-12 is nothing
        x, y = to_dtype(x, DType.float32), to_dtype(y, DType.float32)
    lengths = (sum(square(x), -1) + 1e-12) * (sum(square(y), -1) + 1e-12)
    cosine = to_dtype(sum(x * y, -1) / lengths.sqrt(), dtype)
    cosine, sign = together(op, cosine, target)
    loss = where(eq(sign, 1), 1 - cosine, where(eq(sign, -1), relu(cosine - margin), 0.0))
    return reduced(op, loss, reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d being `pairwise_distance` with `p` and `eps`.

    `swap` takes d(positive, negative) where that is less than d(anchor, negative).

    >>> import everygrad as eg
    >>> a, p, n = eg.zeros(1, 2), eg.tensor([[3.0, 4.0]]), eg.tensor([[0.0, 1.0]])
    >>> round(eg.functional.triplet_margin_loss(a, p, n, eps=0.0).item(), 4)
    5.0
    """

    def distance(x: Tensor, y: Tensor) -> Tensor:
        return pairwise_distance(x, y, p, eps)

    return _triplet("triplet_margin_loss", (anchor, positive, negative), distance, margin, swap, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Distance | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: Reduction = "mean",
) -> Tensor:
    """`triplet_margin_loss` with a distance of one's own.

    >>> import everygrad as eg
    >>> a, p, n = eg.tensor([0.0]), eg.tensor([3.0]), eg.tensor([1.0])
    >>> far = lambda x, y: (x - y).abs().sum(-1)
    >>> eg.functional.triplet_margin_with_distance_loss(a, p, n, distance_function=far).item()
    3.0
    """
    far = pairwise_distance if distance_function is None else distance_function
    op = "triplet_margin_with_distance_loss"
    return _triplet(op, (anchor, positive, negative), far, margin, swap, reduction)


def _triplet(
    op: str, triplet: tuple[Tensor, ...], far: Distance, margin: float, swap: bool, reduction: Reduction
) -> Tensor:
    for name, given in zip(("anchor", "positive", "negative"), triplet):
        need_tensor(op, name, given)
    anchor, positive, negative = together(op, *triplet)
    need_floats(op, anchor)
    if not anchor.shape == positive.shape == negative.shape:
        raise ShapeError(
            f"{op}: anchor, positive and negative must have one shape. "
            f"Received: {anchor.shape}, {positive.shape} and {negative.shape}"
        )
    known(op, reduction)
    if margin <= 0:
        raise ValueError(f"{op}: margin must be above 0. Received: margin={margin}")
    near, away = far(anchor, positive), far(anchor, negative)
    if swap:
        away = minimum(away, far(positive, negative))
    return reduced(op, relu(near - away + margin), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: Reduction = "mean",
) -> Tensor:
    """weight[y] * the sum over the other classes of max(0, margin - input[y] + input[i])^p, over C; p is 1 or 2.

    input is (N, C) with classes (N,), or (C,) with one class ().

    >>> import everygrad as eg
    >>> eg.functional.multi_margin_loss(eg.tensor([[1.0, 0.5]]), eg.tensor([0])).item()
    0.25
    """
    op = "multi_margin_loss"
    if p not in (1, 2):
        raise ValueError(f"{op}: p must be 1 or 2. Received: p={p!r}")
    known(op, reduction)
    x, w, index = with_indices(op, target, "target", input, weight)
    need_floats(op, x)
    b, single = x.backend, x.ndim < 2
    if x.ndim > 2 or (b.shape(index) != x.shape[:-1] and not (single and b.shape(index) == (1,))):
        raise ShapeError(
            f"{op}: needs input (N, C) and target (N,), or (C,) and (). "
            f"Received: input of shape {x.shape}, target of shape {b.shape(index)}"
        )
    rows = x.reshape(1, -1) if single else x
    classes = rows.shape[1]
    if w is not None and w.shape != (classes,):
        raise ShapeError(f"{op}: weight must have shape ({classes},). Received: shape {w.shape}")
    column = b.reshape(index, (rows.shape[0], 1))
    own = wrap(b.gather(rows.array, 1, column), b, x.known_dtype)
    gap = relu(margin - own + rows)
    place = b.arange(0, classes, 1, DType.int64)
    other = wrap(b.ne(column, b.reshape(place, (1, classes))), b, DType.bool_)
    each = sum(where(other, gap if p == 1 else square(gap), 0.0), 1) / classes
    if w is not None:
        each = each * wrap(b.index_select(w.array, 0, b.reshape(index, (rows.shape[0],))), b)
    return reduced(op, each.reshape(()) if single else each, reduction)


def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: Reduction = "mean") -> Tensor:
    """The sum over targets j and other classes i of max(0, 1 - input[j] + input[i]), over C.

    target, of the shape of input, (N, C) or (C,), lists the classes that are right; -1 ends the list.

    >>> import everygrad as eg
    >>> eg.functional.multilabel_margin_loss(eg.tensor([[1.0, 0.5]]), eg.tensor([[0, -1]])).item()
    0.25
    """
    op = "multilabel_margin_loss"
    known(op, reduction)
    x, _, index = with_indices(op, target, "target", input)
    need_floats(op, x)
    b, single = x.backend, x.ndim < 2
    if x.ndim > 2 or b.shape(index) != x.shape:
        raise ShapeError(
            f"{op}: target must have the shape of input, (N, C) or (C,). "
            f"Received: {b.shape(index)} and {x.shape}"
        )
    rows = x.reshape(1, -1) if single else x
    n, classes = rows.shape
    index = b.reshape(index, (n, classes))
    listed = b.cumprod(b.cast(b.ne(index, -1), DType.int64), 1)
    label = b.where(b.eq(listed, 1), index, 0)
    own = b.gather(rows.array, 1, label)
    right = b.gt(b.scatter_add(b.full((n, classes), 0, DType.int64), 1, label, listed), 0)
    counts = b.logical_and(
        b.reshape(b.eq(listed, 1), (n, classes, 1)), b.reshape(b.logical_not(right), (n, 1, classes))
    )
    gaps = relu(1 - wrap(b.reshape(own, (n, classes, 1)), b) + rows.reshape(n, 1, classes))
    each = sum(where(wrap(counts, b), gaps, 0.0), (1, 2)) / classes
    return reduced(op, each.reshape(()) if single else each, reduction)
