"""A pickle of tensors, as pickle.dump writes them: each storage is a small file of torch inside of it."""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

from everygrad.store.errors import StoreError
from everygrad.store.pickles import Name
from everygrad.store.torch_names import Storage, TorchMeaning

Inner = Callable[[memoryview, Any, TorchMeaning], Any]
"""Opens (bytes, a file that reads them, the meaning of names), as `open_torch` opens a whole file."""


class PickleMeaning(TorchMeaning):
    """The names of torch's files, and the one by which pickle.dump writes a storage."""

    def __init__(self, path: Path, opaque: bool, inner: Inner) -> None:
        super().__init__(path, opaque)
        self.inner = inner
        self.held: dict[Hashable, memoryview] = {}

    def call(self, name: Name, args: tuple[Any, ...]) -> Any:
        """What a call of a known name gives."""
        if str(name) != "torch.storage._load_from_bytes":
            return super().call(name, args)
        if len(args) != 1 or not isinstance(args[0], bytes):
            raise StoreError(f"{self.path}: the arguments of {name} are damaged")
        content = args[0]
        file = self.inner(memoryview(content), io.BytesIO(content), TorchMeaning(self.path, False))
        found = file.tree
        if not isinstance(found, Storage):
            raise StoreError(f"{self.path}: a storage is a {type(found).__name__}")
        key = ("pickled", len(self.held))
        self.held[key] = file.bytes_of(found.key)
        return Storage(key, found.dtype, found.numel, found.first)


class PickledTorch:
    """A pickle that is no file of torch.save: its objects, and the bytes of the storages in it."""

    swapped = False

    def __init__(self, tree: Any, meaning: PickleMeaning) -> None:
        self.tree, self.meaning = tree, meaning

    def bytes_of(self, key: Hashable) -> memoryview:
        """A storage's bytes, all that are there."""
        return self.meaning.held.get(key, memoryview(b""))
