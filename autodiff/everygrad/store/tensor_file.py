"""A file of tensors as a dictionary that reads a tensor when it is asked for."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

from everygrad.registry import current, resolve
from everygrad.store.contents import TIED, TREE
from everygrad.store.entry import Entry, check_expansion
from everygrad.store.errors import StoreError
from everygrad.store.npz_file import read_npz
from everygrad.store.safetensors_file import read_safetensors
from everygrad.store.torch_load import torch_tree
from everygrad.store.tree import leaves, mapped_leaves, restored
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import wrap
from everygrad_ops import Backend, DType, as_dtype

__all__ = ["TensorFile", "lazy"]

ENDINGS = {".safetensors": read_safetensors, ".npz": read_npz}
TORCH_ENDINGS = (".pt", ".pth", ".bin", ".ckpt", ".jit", ".th", ".pkl", ".pickle")


class TensorFile(Mapping[str, Tensor]):
    """The tensors of a file by dotted name; each is read when it is asked for, so a damaged one fails alone.

    `metadata` are the file's texts by name.
    """

    def __init__(self, path: Path, tree: Any, metadata: Mapping[str, str], backend: Backend[Any]) -> None:
        self.path, self.tree, self.metadata, self.backend = path, tree, dict(metadata), backend
        self.entries: dict[str, Entry] = leaves(tree, lambda value: isinstance(value, Entry))

    def __getitem__(self, name: str) -> Tensor:
        if name not in self.entries:
            raise KeyError(
                f"{self.path} holds no tensor {name!r}. It holds {', '.join(list(self.entries)[:10])} ..."
            )
        return self.tensor(self.entries[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def tensor(self, entry: Entry, copy: bool = False) -> Tensor:
        """The tensor of an entry, on the backend."""
        return wrap(self.backend.from_numpy(entry.read(), copy), self.backend)

    def load(self, dtype: DType | None = None, copy: bool = False) -> Any:
        """The whole structure, every tensor read; what is one tensor under two names is one again."""
        done: dict[Hashable, Tensor] = {}
        distinct = {entry.identity: entry for entry in self.entries.values()}
        check_expansion(self.path, distinct.values())

        def read(entry: Entry) -> Tensor:
            made = done.get(entry.identity)
            if made is None:
                made = self.tensor(entry, copy)
                if dtype is not None and made.dtype.is_floating:
                    made = made.to(dtype)
                done[entry.identity] = made
            return made

        return mapped_leaves(self.tree, Entry, read)

    def __repr__(self) -> str:
        width = max((len(name) for name in self.entries), default=0)
        lines = [f"{name:{width}}  {e.dtype:9} {list(e.shape)}" for name, e in self.entries.items()]
        total = sum(entry.nbytes for entry in {e.identity: e for e in self.entries.values()}.values())
        return "\n".join([f"{self.path}: {len(self)} tensors, {total:,} bytes", *lines])


def lazy(path: Any, backend: str | Backend[Any] | None = None, *, opaque: bool = False) -> TensorFile:
    """The tensors of a .safetensors, .npz, .pt or .pth file by name, none of them read yet.

    >>> import everygrad as eg, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "layer.npz"
    >>> eg.store.save_model(eg.nn.Linear(2, 3), path)
    >>> file = eg.store.lazy(path)
    >>> list(file), file["weight"].shape, file.entries["bias"].dtype
    (['weight', 'bias'], (3, 2), 'float32')
    """
    place = Path(path)
    chosen = current() if backend is None else resolve(backend)
    if not place.is_file():
        raise FileNotFoundError(
            f"{place}: there is no such file. It is looked for in {place.absolute().parent}"
        )
    reader = ENDINGS.get(place.suffix.lower())
    if reader is None:
        if place.suffix.lower() not in TORCH_ENDINGS:
            raise unknown_ending("load", place, (*ENDINGS, *TORCH_ENDINGS))
        return TensorFile(place, torch_tree(place, opaque), {}, chosen)
    entries, metadata = reader(place)
    return TensorFile(place, _structure(place, entries, metadata), metadata, chosen)


def unknown_ending(action: str, path: Path, known: tuple[str, ...]) -> StoreError:
    """The error for a file whose ending says nothing."""
    return StoreError(
        f"{action}: the ending of a file says its format. Received: {path.name!r}; write one of {', '.join(known)}"
    )


def _structure(path: Path, entries: dict[str, Entry], metadata: dict[str, str]) -> Any:
    """What was saved: the entries in the structure that the metadata keep, which are then the user's alone."""
    tree, tied = metadata.pop(TREE, None), metadata.pop(TIED, "{}")
    try:
        if tree is not None:
            return restored(json.loads(tree), lambda name: entries[name])
        further = {alias: entries[name] for alias, name in json.loads(tied).items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{path}: the structure in the metadata is damaged: {error!r}") from None
    return {**entries, **further}


def floating(dtype: object) -> DType | None:
    """The dtype to cast to, checked before anything is read."""
    found = None if dtype is None else as_dtype(dtype)
    if found is not None and not found.is_floating:
        raise TypeError(
            f"load: dtype must be a floating-point one. Received: {found}; write dtype=eg.float32, say"
        )
    return found
