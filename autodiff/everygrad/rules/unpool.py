"""The gradient of max_unpool: what was written is read again, for those that were not written over."""

from __future__ import annotations

import math
from typing import TypeVar

from everygrad.rules.pool import read
from everygrad.rules.registry import gradient
from everygrad_ops import Backend, DType

A = TypeVar("A")


@gradient("max_unpool", "x")
def max_unpool_x(b: Backend[A], g: A, indices: A, output_size: tuple[int, ...]) -> A:
    shape = b.shape(indices)
    number = b.reshape(b.arange(0, math.prod(shape[2:]), 1, DType.int64), shape[2:])
    number = b.broadcast_to(number, shape)
    last = read(b, b.max_unpool(number, indices, output_size), indices)
    return b.where(b.eq(last, number), read(b, g, indices), 0)
