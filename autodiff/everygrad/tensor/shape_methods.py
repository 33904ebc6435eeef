"""The methods of shape and index: the functions of the same name."""

from __future__ import annotations

from everygrad.functional import arrange, diagonals, joining, parts
from everygrad.functional import indexing as indexed
from everygrad.functional import scattering as scattered
from everygrad.functional import shape as shapes
from everygrad.tensor import conveniences


class ShapeMethods:
    """Methods of shape and index."""

    __slots__ = ()

    broadcast_to = shapes.broadcast_to
    chunk = shapes.chunk
    expand = shapes.expand
    flatten = shapes.flatten
    flip = arrange.flip
    movedim = shapes.movedim
    permute = shapes.permute
    repeat = arrange.repeat
    reshape = shapes.reshape
    roll = arrange.roll
    split = shapes.split
    squeeze = shapes.squeeze
    t = shapes.t
    tile = arrange.tile
    transpose = shapes.transpose
    tril = arrange.tril
    triu = arrange.triu
    unbind = shapes.unbind
    unsqueeze = shapes.unsqueeze
    view = shapes.reshape
    dsplit = joining.dsplit
    hsplit = joining.hsplit
    tensor_split = joining.tensor_split
    vsplit = joining.vsplit
    fliplr = parts.fliplr
    flipud = parts.flipud
    moveaxis = parts.moveaxis
    narrow = parts.narrow
    ravel = parts.ravel
    repeat_interleave = parts.repeat_interleave
    rot90 = parts.rot90
    select = parts.select
    select_scatter = parts.select_scatter
    slice_scatter = parts.slice_scatter
    swapaxes = parts.swapaxes
    swapdims = parts.swapdims
    unflatten = parts.unflatten
    unfold = parts.windows
    diag = diagonals.diag
    diag_embed = diagonals.diag_embed
    diagflat = diagonals.diagflat
    diagonal = diagonals.diagonal
    diagonal_scatter = diagonals.diagonal_scatter
    trace = diagonals.trace
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
    clone = conveniences.clone
    contiguous = conveniences.contiguous
    cpu = conveniences.cpu
    cuda = conveniences.cuda
    element_size = conveniences.element_size
    expand_as = conveniences.expand_as
    is_contiguous = conveniences.is_contiguous
    is_floating_point = conveniences.is_floating_point
    new_full = conveniences.new_full
    new_ones = conveniences.new_ones
    new_zeros = conveniences.new_zeros
    reshape_as = conveniences.view_as
    type = conveniences.as_type
    type_as = conveniences.type_as
    view_as = conveniences.view_as
    where = conveniences.where
