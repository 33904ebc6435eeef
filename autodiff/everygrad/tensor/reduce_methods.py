"""The methods that reduce, sort or scan: the functions of the same name."""

from __future__ import annotations

from everygrad.functional import order, reduction, scan


class ReduceMethods:
    """Methods that reduce, sort or scan."""

    __slots__ = ()

    all = reduction.all
    amax = reduction.amax
    amin = reduction.amin
    any = reduction.any
    logsumexp = reduction.logsumexp
    mean = reduction.mean
    prod = reduction.prod
    std = reduction.std
    sum = reduction.sum
    var = reduction.var
    argmax = order.argmax
    argmin = order.argmin
    argsort = order.argsort
    max = order.max
    min = order.min
    sort = order.sort
    topk = order.topk
    cumprod = scan.cumprod
    cumsum = scan.cumsum
