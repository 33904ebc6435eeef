"""The error of files that cannot be read or written as asked."""

from __future__ import annotations

from everygrad_ops import EverygradError

__all__ = ["StoreError"]


class StoreError(EverygradError, ValueError):
    """A file that is damaged, hostile or of an unknown kind, or values that a format cannot hold."""


def short(path: object, name: str, wanted: int, found: int) -> StoreError:
    """The error for a tensor whose bytes are not all there.

    >>> short("a.pt", "fc.weight", 24, 8)
    StoreError("a.pt: the tensor 'fc.weight' is damaged: its storage needs 24 bytes. Received: 8 bytes; copy or \
download the file again. eg.store.lazy(path) still reads the other tensors")
    """
    return StoreError(
        f"{path}: the tensor {name!r} is damaged: its storage needs {wanted} bytes. Received: {found} bytes; "
        "copy or download the file again. eg.store.lazy(path) still reads the other tensors"
    )
