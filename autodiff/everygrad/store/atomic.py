"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """A path to write to, in the same folder: at the end of the block it takes the place of `path`.

    If the block raises, or the process dies, an older file at `path` is as it was.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"{path}: there is no such folder. Received: {path.parent}; write Path({str(path.parent)!r}).mkdir(parents=True)"
        )
    if path.is_dir():
        raise IsADirectoryError(
            f"{path}: a file cannot take the place of a folder. Write the name of a file in it"
        )
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    part = Path(name)
    os.close(handle)
    try:
        yield part
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        part.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the new name is on the disk, too
        finally:
            os.close(folder)


def _umask() -> int:
    """What the process takes away from the rights of new files."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
