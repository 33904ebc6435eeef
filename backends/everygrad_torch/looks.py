"""Calling kernels, and looking at what they gave, at the least cost around them."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch

from everygrad_torch.arrays import Array, kernel

_C: Any = vars(torch)["_C"]
_FEW = 16384
"""Up to here torch's max is quicker than its sum."""


def binding(name: str) -> Any:
    """The function of an ATen op that torch binds to Python, which is a third quicker to call; else its `kernel`."""
    for home in (_C._nn, torch):
        found = getattr(home, name, None)
        if found is not None:
            return found
    return kernel(getattr(torch.ops.aten, name).default)


def may_hold_nan(x: Array) -> bool:
    """False only where no element is NaN: one look at a reduction, of the kind that is quick at this size."""
    if x.numel() > _FEW:
        return math.isnan(x.sum().item())  # of inf - inf too
    return x.numel() > 0 and math.isnan(x.max().item())


def has_no_nan(x: Array) -> bool:
    """Whether it is known that no element is NaN. Elsewhere than on a CPU asking waits."""
    return x.is_cpu and not may_hold_nan(x)


@functools.lru_cache(maxsize=1024)
def shape_only(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Array:
    """Something for an argument of which a kernel reads the shape alone; it takes no memory."""
    return torch.empty(1, dtype=dtype, device=device).expand(shape)


def vouch(x: Any, what: object) -> None:
    """Note on a tensor what was found out about its values, so that the way back need not look again."""
    try:
        x.everygrad_known = what, id(x), x._version
    except RuntimeError:  # a tensor of inference mode counts no changes
        return


def is_vouched(x: Any, what: object) -> bool:
    """Whether just this was noted on just this tensor, and torch has not written into it since."""
    known = getattr(x, "everygrad_known", None)
    return known is not None and bool(known == (what, id(x), x._version))
