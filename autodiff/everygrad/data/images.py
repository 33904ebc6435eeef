"""Datasets from folders: a sub-folder for each class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad.data.dataset import Dataset, checked_index

__all__ = ["ImageFolder", "TextFolder"]

IMAGES = (".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")


class _Folder(Dataset[tuple[Any, int]]):
    """Files below `root`/class/..., each with the number of its class; the names of the classes are sorted."""

    endings: tuple[str, ...] = ()

    def __init__(
        self, root: str | Path, transform: Callable[[Any], Any] | None, endings: Iterable[str]
    ) -> None:
        self.root = Path(root)
        if not self.root.is_dir():
            raise FileNotFoundError(
                f"{type(self).__name__}: root must be a folder of folders, one for each class. Received: {self.root}"
            )
        self.transform = transform
        self.classes: list[str] = sorted(entry.name for entry in self.root.iterdir() if entry.is_dir())
        self.class_to_idx: dict[str, int] = {name: i for i, name in enumerate(self.classes)}
        wanted = tuple(ending.lower() for ending in endings)
        self.samples: list[tuple[Path, int]] = [
            (path, number)
            for number, name in enumerate(self.classes)
            for path in sorted((self.root / name).rglob("*"))
            if path.suffix.lower() in wanted and path.is_file()
        ]
        if not self.samples:
            raise FileNotFoundError(
                f"{type(self).__name__}: no files ending in {', '.join(wanted)} below {self.root}/<class>/. "
                f"Received: the classes {self.classes}"
            )

    @property
    def targets(self) -> list[int]:
        """The class of each item."""
        return [number for _, number in self.samples]

    def read(self, path: Path) -> Any:
        """The content of one file."""
        raise NotImplementedError

    @override
    def __getitem__(self, index: int) -> tuple[Any, int]:
        path, number = self.samples[checked_index(self, index, len(self.samples))]
        try:
            content = self.read(path)
        except (OSError, ValueError) as error:
            raise OSError(f"{type(self).__name__}: {path} cannot be read: {error}") from error
        return (content if self.transform is None else self.transform(content)), number

    @override
    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(_Folder):
    """Images below `root`/class/..., as (image, number of the class); needs Pillow.

    An image is a float32 array (C, H, W) from 0 to 1, with 3 channels for `mode="RGB"`, 1 for "L"; then `transform`
    is called on it. With `mode=None` transform gets Pillow's image. The names of the classes are sorted, the files too.

    >>> import everygrad as eg
    >>> import tempfile, pathlib
    >>> from PIL import Image
    >>> root = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("dog", "cat"):
    ...     (root / name).mkdir()
    ...     Image.new("RGB", (4, 2), "white").save(root / name / "1.png")
    >>> data = eg.data.ImageFolder(root)
    >>> data.classes, data[1][0].shape, data[1][1]
    (['cat', 'dog'], (3, 2, 4), 1)
    """

    def __init__(
        self,
        root: str | Path,
        transform: Callable[[Any], Any] | None = None,
        *,
        mode: str | None = "RGB",
        endings: Iterable[str] = IMAGES,
    ) -> None:
        try:
            import PIL.Image as _  # noqa: F401  # asked for before any work
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                "ImageFolder needs the package 'pillow', which is not installed. Write: pip install pillow"
            ) from None
        super().__init__(root, transform, endings)
        self.mode = mode

    @override
    def read(self, path: Path) -> Any:
        from PIL import Image

        with Image.open(path) as image:
            if self.mode is None:
                return image.copy()
            pixels = np.asarray(image.convert(self.mode), np.float32) / 255
        return np.ascontiguousarray(pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1))


class TextFolder(_Folder):
    """Text files below `root`/class/..., as (text, number of the class).

    >>> import everygrad as eg
    >>> import tempfile, pathlib
    >>> root = pathlib.Path(tempfile.mkdtemp())
    >>> (root / "good").mkdir()
    >>> _ = (root / "good" / "1.txt").write_text("fine")
    >>> eg.data.TextFolder(root)[0]
    ('fine', 0)
    """

    def __init__(
        self,
        root: str | Path,
        transform: Callable[[str], Any] | None = None,
        *,
        encoding: str = "utf-8",
        endings: Iterable[str] = (".txt",),
    ) -> None:
        super().__init__(root, transform, endings)
        self.encoding = encoding

    @override
    def read(self, path: Path) -> str:
        return path.read_text(self.encoding)
