"""The methods of shape and index: the functions of the same name."""

from __future__ import annotations

from everygrad.functional import indexing as indexed
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
    gather = indexed.gather
    index_add = indexed.index_add
    index_put = indexed.index_put
    index_select = indexed.index_select
    masked_fill = indexed.masked_fill
    masked_select = indexed.masked_select
    nonzero = indexed.nonzero
    scatter = indexed.scatter
    scatter_add = indexed.scatter_add
    take = indexed.take
    take_along_dim = indexed.take_along_dim
