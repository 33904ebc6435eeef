"""Checkpoints: whole or not at all, the last and the best kept."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from everygrad import store
from everygrad.optim.options import need_count
from everygrad.train.checks import check_folder
from everygrad.train.history import History, checked_mode
from everygrad_ops import EverygradError

__all__ = ["CheckpointError", "Checkpoints"]

_NAME = re.compile(r"epoch-(\d+)\.safetensors")


class CheckpointError(EverygradError, OSError):
    """A checkpoint that cannot be written."""


class Checkpoints:
    """The checkpoints of a folder, a file for each epoch.

    A file appears under its name only when it is whole and on the disk. After a save those of the `keep_last` newest
    epochs stay, and of the `keep_best` epochs in which the number `monitor` was best.

    >>> import everygrad as eg, tempfile
    >>> kept = eg.train.Checkpoints(tempfile.mkdtemp(), keep_last=1, keep_best=1, monitor="loss")
    >>> history = eg.train.History()
    >>> for epoch, loss in enumerate([0.5, 0.2, 0.4, 0.3], 1):
    ...     history.append({"epoch": epoch, "loss": loss})
    ...     kept.save(epoch, {"weight": eg.tensor([loss])}, history)
    >>> kept.epochs(), kept.load(2)["weight"].shape
    ([2, 4], (1,))
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        keep_last: int = 2,
        keep_best: int = 1,
        monitor: str = "valid/loss",
        mode: str = "min",
    ) -> None:
        check_folder(folder)
        need_count("keep_last", keep_last)  # at least one, for a resume
        need_count("keep_best", keep_best, 0)
        self.folder = Path(folder)
        self.keep_last, self.keep_best = keep_last, keep_best
        self.monitor, self.mode = monitor, checked_mode(mode)

    def path(self, epoch: int) -> Path:
        """The file of an epoch."""
        return self.folder / f"epoch-{epoch:05d}.safetensors"

    def epochs(self) -> list[int]:
        """The epochs that there are files of, in order."""
        names = (_NAME.fullmatch(path.name) for path in self.folder.glob("epoch-*"))
        return sorted(int(name[1]) for name in names if name is not None)

    def save(self, epoch: int, state: Any, history: History) -> None:
        """Write the state after an epoch, then remove what need not be kept."""
        self._write(epoch, state)
        kept = set(self.epochs()[-self.keep_last :])
        if any(self.monitor in row for row in history):
            there = [
                r["epoch"] for r in history.ranked(self.monitor, self.mode) if self.path(r["epoch"]).exists()
            ]
            kept |= set(there[: self.keep_best])
        for other in self.epochs():
            if other not in kept and other < epoch:
                self.path(other).unlink(missing_ok=True)

    def begin(self, state: Any) -> None:
        """Write the state before the first epoch, as that of epoch 0: what a run that is broken off there goes on from.

        Raises `FileExistsError` where there are epochs of another run: they would be mixed with those to come.
        """
        if any(self.epochs()):
            raise FileExistsError(
                f"{self.folder} has checkpoints of epochs {self.epochs()} of another run. Received: a run that begins; write "
                "fit(..., resume=True) to go on from them, or another folder"
            )
        self._write(0, state)

    def _write(self, epoch: int, state: Any) -> None:
        path = self.path(epoch)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            store.save(state, path)
        except OSError as error:
            raise CheckpointError(
                f"the checkpoint {path} cannot be written: {error}. Those before it are as they were: make room or write "
                "another folder, and go on with fit(..., resume=True)"
            ) from error
        for part in self.folder.glob(".epoch-*.part"):  # left by a process that was killed as it wrote
            part.unlink(missing_ok=True)

    def load(self, epoch: int) -> Any:
        """The state after an epoch."""
        if not self.path(epoch).exists():
            raise FileNotFoundError(
                f"no checkpoint of epoch {epoch} in {self.folder}. There are: {self.epochs()}"
            )
        return store.load(self.path(epoch), copy=True)

    def latest(self) -> Any:
        """The newest state that can be read, or None; a damaged file is passed over with a warning."""
        for epoch in reversed(self.epochs()):
            try:
                return self.load(epoch)
            except (store.StoreError, OSError) as error:
                warnings.warn(f"the checkpoint {self.path(epoch)} is passed over: {error}", stacklevel=2)
        return None
