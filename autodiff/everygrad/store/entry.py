"""Entry: a tensor in a file, known by shape and dtype before any of it is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everygrad.store.dtypes import ITEMSIZES, host_dtype
from everygrad.store.errors import StoreError, short

LARGEST_EXPANSION = 2**30
"""Bytes that a tensor may claim to have beyond those of its file: a stride of 0 costs a file nothing."""

MOST_DIMS = 32


@dataclass(eq=False)
class Entry:
    """A tensor in a file: `strides` count elements, `buffer()` gives its storage's bytes, all that are there."""

    path: Any
    name: str
    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...]
    offset: int
    storage: Hashable
    buffer: Callable[[], memoryview] = field(repr=False)
    swapped: bool = False
    file_size: int = 0

    @property
    def identity(self) -> Hashable:
        """Equal for entries that are one tensor under two names."""
        return (self.storage, self.offset, self.shape, self.strides, self.dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of the tensor, were it written out."""
        return math.prod(self.shape) * ITEMSIZES.get(self.dtype, 1)

    @property
    def repeated(self) -> int:
        """Bytes of the tensor beyond those of the storage that it covers: what a stride of 0 repeats."""
        if 0 in self.shape:
            return 0
        covered = 1 + sum((size - 1) * stride for size, stride in zip(self.shape, self.strides))
        return max(0, self.nbytes - covered * ITEMSIZES.get(self.dtype, 1))

    def read(self) -> NDArray[Any]:
        """The values: a read-only view of the file where that is safe."""
        dtype = host_dtype(self.dtype, self.path, self.name)
        self._check()
        if 0 in self.shape:
            return np.empty(self.shape, dtype)  # small: the sizes were checked
        last = self.offset + sum((size - 1) * stride for size, stride in zip(self.shape, self.strides))
        start, wanted = self.offset * dtype.itemsize, (last + 1) * dtype.itemsize
        buffer = self.buffer()
        if len(buffer) < wanted:
            raise short(self.path, self.name, wanted, len(buffer))
        if self.nbytes > max(self.file_size, LARGEST_EXPANSION):
            raise StoreError(
                f"{self.path}: the tensor {self.name!r} of shape {self.shape} claims {self.nbytes} bytes. Received: a "
                f"file of {self.file_size} bytes, which it would repeat. Save it without expand"
            )
        flat = np.frombuffer(buffer[start:wanted], np.uint8)
        if not _aligned(flat, dtype.itemsize):
            flat = flat.copy()
        values: NDArray[Any] = flat.view(np.uint8 if dtype == bool else dtype)
        if self.swapped:
            values = values.byteswap()
        steps = tuple(stride * dtype.itemsize for stride in self.strides)
        strided = np.lib.stride_tricks.as_strided(values, self.shape, steps, writeable=False)
        return _truth(strided) if dtype == bool else strided

    @property
    def valid(self) -> bool:
        """Sizes are whole numbers from 0 on, in a number that NumPy has dims for, and a stride for each."""
        numbers = (self.offset, *self.shape, *self.strides)
        whole = all(type(n) is int and 0 <= n < 2**59 for n in numbers)
        fits = len(self.shape) == len(self.strides) <= MOST_DIMS
        return whole and fits and math.prod(size for size in self.shape if size) < 2**59

    def _check(self) -> None:
        if not self.valid:
            raise StoreError(
                f"{self.path}: the tensor {self.name!r} is damaged: sizes, strides and offset must be whole numbers. "
                f"Received: shape {self.shape}, strides {self.strides}, offset {self.offset}"
            )


def check_expansion(path: object, entries: Iterable[Entry]) -> None:
    """Raise where tensors, each small enough, together repeat what is stored without bounds."""
    repeated = [entry.repeated for entry in entries if entry.valid]
    total = sum(size for size in repeated if size <= LARGEST_EXPANSION)  # a larger one is refused by its name
    if total > LARGEST_EXPANSION:
        raise StoreError(
            f"{path}: the tensors repeat what is stored. Received: {total} bytes more than the file has; save them without "
            "expand, or read them one by one with eg.store.lazy(path)"
        )


def _aligned(flat: NDArray[Any], itemsize: int) -> bool:
    return flat.ctypes.data % itemsize == 0


def _truth(bits: NDArray[Any]) -> NDArray[Any]:
    """Booleans from bytes; other bytes than 0 and 1 are true, and must not stay as they are."""
    return bits.view(bool) if bits.max(initial=0) <= 1 else bits != 0


def packed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides, in elements, of rows one after the other.

    >>> packed((2, 3, 4))
    (12, 4, 1)
    """
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
