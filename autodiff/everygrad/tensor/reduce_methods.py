"""The methods that reduce, sort or scan: the functions of the same name."""

from __future__ import annotations

from everygrad.functional import (
    counting,
    differences,
    distinct,
    order,
    order_statistics,
    quantiles,
    reduction,
    scan,
    search,
    statistics,
    vector_norms,
)


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
    kthvalue = order_statistics.kthvalue
    median = order_statistics.median
    mode = order_statistics.mode
    msort = order_statistics.msort
    nanmedian = order_statistics.nanmedian
    nanquantile = quantiles.nanquantile
    quantile = quantiles.quantile
    aminmax = statistics.aminmax
    corrcoef = statistics.corrcoef
    count_nonzero = statistics.count_nonzero
    cov = statistics.cov
    nanmean = statistics.nanmean
    nansum = statistics.nansum
    dist = vector_norms.dist
    norm = vector_norms.norm
    renorm = vector_norms.renorm
    cummax = scan.cummax
    cummin = scan.cummin
    cumprod = scan.cumprod
    cumsum = scan.cumsum
    logcumsumexp = scan.logcumsumexp
    diff = differences.diff
    bincount = counting.bincount
    histc = counting.histc
    histogram = counting.histogram
    isin = search.isin
    unique = distinct.unique
    unique_consecutive = distinct.unique_consecutive
