"""Datasets that lie in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from typing_extensions import override

from everygrad.data.dataset import Dataset, checked_index
from everygrad.functional.creation import tensor
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import ShapeError

__all__ = ["InMemoryDataset", "TensorDataset"]

T = TypeVar("T")


class InMemoryDataset(Dataset[T]):
    """The items of a list.

    >>> import everygrad as eg
    >>> eg.data.InMemoryDataset(["a", "b"])[1]
    'b'
    """

    def __init__(self, items: Iterable[T]) -> None:
        self.items: Sequence[T] = list(items)

    @override
    def __getitem__(self, index: int) -> T:
        return self.items[checked_index(self, index, len(self.items))]

    @override
    def __len__(self) -> int:
        return len(self.items)


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors (or NumPy arrays) of equal first dim: item i is the tuple of their rows i.

    A loader takes whole batches of rows at once. Raises `ShapeError` where the first dims differ.

    >>> import everygrad as eg
    >>> data = eg.data.TensorDataset(eg.tensor([[1.0], [2.0]]), eg.tensor([0, 1]))
    >>> len(data), [t.tolist() for t in data[1]]
    (2, [[2.0], 1])
    """

    def __init__(self, *tensors: Any) -> None:
        if not tensors:
            raise ValueError("TensorDataset: needs at least one tensor. Received: none")
        self.tensors: tuple[Tensor, ...] = tuple(t if is_tensor(t) else tensor(t) for t in tensors)
        shapes = [t.shape for t in self.tensors]
        if any(not shape or shape[0] != shapes[0][0] for shape in shapes):
            raise ShapeError(f"TensorDataset: the tensors must have equally many rows. Received: {shapes}")

    @override
    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        position = checked_index(self, index, len(self))
        return tuple(t[position] for t in self.tensors)

    @override
    def __len__(self) -> int:
        return self.tensors[0].shape[0]

    def batch(self, indices: Sequence[int]) -> tuple[Tensor, ...]:
        """The rows of several numbers, each tensor's together."""
        for i in indices:
            checked_index(self, i, len(self))
        rows = list(map(int, indices))
        return tuple(t[rows] for t in self.tensors)
