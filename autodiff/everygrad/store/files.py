"""save and load: the ending of the file says the format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from everygrad.nn.module import Module
from everygrad.store.atomic import replacing
from everygrad.store.contents import Contents, contents_of
from everygrad.store.names import check_names
from everygrad.store.npz_file import write_npz
from everygrad.store.safetensors_file import write_safetensors
from everygrad.store.tensor_file import floating, lazy, unknown_ending
from everygrad_ops import Backend

__all__ = ["load", "save"]

WRITERS: dict[str, Callable[[Path, Contents], None]] = {".safetensors": write_safetensors, ".npz": write_npz}


def save(state: Any, path: Any, *, metadata: Mapping[str, str] | None = None) -> None:
    """Write a model, a dictionary of tensors, or any structure of tensors and plain values to a file.

    `state` is a module (its `state_dict()` is written), or lists, tuples and dictionaries of tensors, arrays,
    numbers and texts, such as an optimizer's state. `path` ends in .safetensors or .npz. A tensor that is there
    under several names is written once. An older file is replaced only when the new one is whole. `metadata`
    are texts by name, kept in the file.

    Raises `StoreError` for another ending and `TypeError` for values that cannot be written, before any file is made.

    >>> import everygrad as eg, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.npz"
    >>> eg.store.save({"step": 3, "mean": eg.tensor([1.0, 2.0])}, path)
    >>> eg.store.load(path)["step"], eg.store.load(path)["mean"].tolist()
    (3, [1.0, 2.0])
    """
    place = Path(path)
    writer = WRITERS.get(place.suffix.lower())
    if writer is None:
        raise unknown_ending("save", place, tuple(WRITERS))
    contents = contents_of(state.state_dict() if isinstance(state, Module) else state, metadata)
    check_names(contents.arrays, place.suffix.lower())
    with replacing(place) as part:
        writer(part, contents)


def load(
    path: Any, backend: str | Backend[Any] | None = None, *, dtype: Any = None, copy: bool = False
) -> Any:
    """What was saved to a .safetensors or .npz file, or by torch to a .pt or .pth file (see `load_torch`).

    The tensors are on `backend` (default: the current one). `dtype` casts those that are floating point. On
    NumPy they are read-only views of the file where that is safe, so that nothing is read before it is used;
    `copy=True` reads all of it now and lets go of the file.

    Raises `StoreError` for a damaged file, naming the tensor.

    >>> import everygrad as eg, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "layer.npz"
    >>> layer = eg.nn.Linear(2, 3)
    >>> eg.store.save(layer, path)
    >>> {name: x.shape for name, x in eg.store.load(path).items()}
    {'weight': (3, 2), 'bias': (3,)}
    """
    cast = floating(dtype)
    return lazy(path, backend).load(cast, copy)
