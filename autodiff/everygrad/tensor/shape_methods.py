"""The methods of shape and index: the functions of the same name."""

from __future__ import annotations

from everygrad.functional import indexing as indexed
from everygrad.functional import scattering as scattered
from everygrad.functional import shape as shapes


class ShapeMethods:
    """Methods of shape and index."""

    __slots__ = ()

    broadcast_to = shapes.broadcast_to
    chunk = shapes.chunk
    expand = shapes.expand
    flatten = shapes.flatten
    flip = shapes.flip
    movedim = shapes.movedim
    permute = shapes.permute
    repeat = shapes.repeat
    reshape = shapes.reshape
    roll = shapes.roll
    split = shapes.split
    squeeze = shapes.squeeze
    t = shapes.t
    tile = shapes.tile
    transpose = shapes.transpose
    tril = shapes.tril
    triu = shapes.triu
    unbind = shapes.unbind
    unsqueeze = shapes.unsqueeze
    view = shapes.reshape
    argwhere = indexed.argwhere
    gather = indexed.gather
    index_add = indexed.index_add
    index_select = indexed.index_select
    masked_fill = indexed.masked_fill
    masked_select = indexed.masked_select
    nonzero = indexed.nonzero
    take = indexed.take
    take_along_dim = indexed.take_along_dim
    gather_nd = scattered.gather_nd
    index_copy = scattered.index_copy
    index_fill = scattered.index_fill
    index_put = scattered.index_put
    index_reduce = scattered.index_reduce
    masked_scatter = scattered.masked_scatter
    put = scattered.put
    scatter = scattered.scatter
    scatter_add = scattered.scatter_add
    scatter_nd = scattered.scatter_nd
    scatter_reduce = scattered.scatter_reduce
