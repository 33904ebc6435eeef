"""Names that a format cannot hold: they are refused before a file is made, since what they name would be lost."""

from __future__ import annotations

from collections.abc import Iterable

from everygrad.store.errors import StoreError

LONGEST = 2**16 - 1 - len(".npy")
"""Bytes of a name in a zip file."""


def check_names(names: Iterable[str], ending: str) -> None:
    """Raise for a tensor's name that files of that ending would lose, or take for another.

    >>> check_names(["fc.weight"], ".npz")
    """
    for name in names:
        fault = _fault(name, ending)
        if fault:
            raise StoreError(
                f"save: a file {ending} cannot hold this name: {fault}. Received: {name[:60]!r}; write "
                "eg.store.remap_keys(state, ...) to change it"
            )


def _fault(name: str, ending: str) -> str:
    size = text_size(name)
    if size is None:
        return "half of a surrogate pair is no text"
    if ending == ".safetensors" and name == "__metadata__":
        return "it is the place of the metadata"
    if ending == ".npz" and "\0" in name:
        return "names in zip files end at a null character"
    if ending == ".npz" and size > LONGEST:
        return f"names in zip files have at most {LONGEST} bytes, this one has {size}"
    return ""


def text_size(text: str) -> int | None:
    """Bytes of a text in a file, None if it is not one."""
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        return None
