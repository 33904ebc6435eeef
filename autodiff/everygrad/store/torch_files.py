"""load_torch: files of torch, without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from everygrad.registry import current, resolve
from everygrad.store.tensor_file import TensorFile, floating
from everygrad.store.torch_load import torch_tree
from everygrad_ops import Backend

__all__ = ["load_torch"]


def load_torch(
    path: Any,
    backend: str | Backend[Any] | None = None,
    *,
    dtype: Any = None,
    opaque: bool = False,
    copy: bool = False,
) -> Any:
    """What `torch.save` wrote, whatever the file's ending; torch is not needed, and nothing of the file is run.

    Tensors (parameters, too), numbers, texts and containers of these are read, from zip files, the form before
    them, and TorchScript archives, whose modules become dictionaries of their attributes. Strides, offsets and
    shared storages are as they were; tensors that are one are one again. A file that asks for anything else is
    refused by the name of what it asks for; with `opaque` a placeholder that holds name, arguments and
    attributes stands in its place.

    >>> import everygrad as eg, tempfile, pathlib, torch
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "layer.pt"
    >>> torch.save({"weight": torch.arange(6).reshape(2, 3).T, "epoch": 3}, path)
    >>> eg.store.load_torch(path)["weight"].tolist(), eg.store.load_torch(path)["epoch"]
    ([[0, 3], [1, 4], [2, 5]], 3)
    """
    cast = floating(dtype)
    chosen = current() if backend is None else resolve(backend)
    place = Path(path)
    return TensorFile(place, torch_tree(place, opaque), {}, chosen).load(cast, copy)
