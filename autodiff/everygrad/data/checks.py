"""What a loader is given, checked before any work."""

from __future__ import annotations

import math
import multiprocessing
from typing import Any

import numpy as np

__all__: list[str] = []


def check_kinds(
    shuffle: Any, drop_last: Any, persistent_workers: Any, collate_fn: Any, worker_init_fn: Any, context: Any
) -> None:
    """Refuse switches that are neither on nor off, functions that are none, and unknown ways to start a process."""
    switches = {"shuffle": shuffle, "drop_last": drop_last, "persistent_workers": persistent_workers}
    for name, value in switches.items():
        if not isinstance(value, (bool, np.bool_, type(None))):  # "no" would mean yes
            raise TypeError(
                f"DataLoader: {name} must be True or False. Received: {value!r}; write {name}=True"
            )
    for name, function in (("collate_fn", collate_fn), ("worker_init_fn", worker_init_fn)):
        if function is not None and not callable(function):
            raise TypeError(
                f"DataLoader: {name} must be a function. Received: {function!r}; leave it out for none"
            )
    known = multiprocessing.get_all_start_methods()
    if context is not None and context not in known:
        raise ValueError(
            f"DataLoader: multiprocessing_context must be one of {', '.join(known)}. Received: {context!r}; leave it out for "
            "the usual one"
        )


def listed(indices: Any) -> Any:
    """The indices of a batch, if they are several."""
    if not hasattr(indices, "__iter__"):
        raise TypeError(
            f"DataLoader: batch_sampler must give lists of indices. Received: {indices!r}; write batch_sampler=[[0, 1], [2]], "
            "or sampler=... for single ones"
        )
    return indices


def check_order(
    streamed: bool, batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool
) -> None:
    """Refuse an order that is none, or two at once."""
    for name, order in (("sampler", sampler), ("batch_sampler", batch_sampler)):
        if order is not None and (not hasattr(order, "__iter__") or hasattr(order, "__next__")):
            raise TypeError(
                f"DataLoader: {name} must be gone through anew in each epoch. Received: {type(order).__name__}; "
                f"write a list of indices, or an eg.data.Sampler"
            )
    if streamed and (shuffle or sampler is not None or batch_sampler is not None):
        raise ValueError(
            "DataLoader: a stream has an order of its own. Received: an iterable dataset with shuffle, sampler or "
            "batch_sampler; leave them out, or read the items into eg.data.InMemoryDataset(list(stream))"
        )
    if shuffle and (sampler is not None or batch_sampler is not None):
        raise ValueError(
            "DataLoader: the sampler decides the order. Received: shuffle=True too; leave one of them out"
        )
    if batch_sampler is not None and (batch_size != 1 or sampler is not None or drop_last):
        raise ValueError(
            "DataLoader: batch_sampler decides what is in a batch. Received: batch_size, sampler or drop_last too; "
            "leave them out"
        )
    if batch_size is None and drop_last:
        raise ValueError(
            "DataLoader: without batches none can be dropped. Received: batch_size=None, drop_last=True"
        )
    if batch_size is not None and (
        type(batch_size) is bool or not isinstance(batch_size, int) or batch_size < 1
    ):
        raise ValueError(f"DataLoader: batch_size must be a whole number from 1 up. Received: {batch_size!r}")


def check_workers(num_workers: Any, timeout: float, prefetch_factor: int | None, persistent: bool) -> None:
    """Refuse numbers of workers that cannot be."""
    if type(num_workers) is bool or not isinstance(num_workers, int) or num_workers < 0:
        raise ValueError(
            f"DataLoader: num_workers must be a whole number from 0 up. Received: {num_workers!r}"
        )
    if not isinstance(timeout, (int, float)) or math.isnan(timeout):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise TypeError(
            f"DataLoader: timeout must be a number of seconds. Received: {timeout!r}; write 0 for none"
        )
    if timeout < 0:
        raise ValueError(f"DataLoader: timeout must be at least 0 seconds. Received: {timeout}")
    if prefetch_factor is not None and (not isinstance(prefetch_factor, int) or prefetch_factor < 1):  # pyright: ignore[reportUnnecessaryIsInstance]  # the same
        raise ValueError(
            f"DataLoader: prefetch_factor must be a whole number from 1 up. Received: {prefetch_factor}"
        )
    if not num_workers and (persistent or prefetch_factor is not None):
        raise ValueError(
            "DataLoader: there are no workers. Received: num_workers=0 with persistent_workers or prefetch_factor; "
            "write num_workers=2, or leave them out"
        )
