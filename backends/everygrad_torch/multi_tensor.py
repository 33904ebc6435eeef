"""Lists of tensors on torch: multi-tensor kernels that write in place, and the fused steps of optimizers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from typing_extensions import override

from everygrad_ops.multi_tensor import MultiTensor, Other, portions
from everygrad_torch.arrays import Array

Arrays = list[Array]

_aten: Any = torch
_uses: Any = getattr(torch._C, "_storage_Use_Count", None)  # pyright: ignore[reportPrivateUsage]  # nothing public counts the holders of memory

PORTION = 1 << 16
"""Elements that one portion has at most: a few arrays of float32 that long fit a core's own cache."""


class TorchMultiTensor(MultiTensor[Array]):
    """The kernels behind torch's own optimizers."""

    in_place = True

    @override
    def copies(self, x: Arrays) -> Arrays:
        return [p.clone(memory_format=torch.contiguous_format) for p in x]

    @override
    def sole(self, x: Array) -> bool:
        tensor: Any = x
        if _uses is None or not hasattr(tensor, "_use_count") or not tensor.is_contiguous():
            return False
        return bool(tensor._use_count() == 1 and _uses(tensor.untyped_storage()._cdata) == 2)

    @override
    def neg(self, x: Arrays) -> Arrays:
        return list(_aten._foreach_neg(x))

    @override
    def abs(self, x: Arrays) -> Arrays:
        return list(_aten._foreach_abs(x))

    @override
    def sign(self, x: Arrays) -> Arrays:
        return list(_aten._foreach_sign(x))

    @override
    def sqrt(self, x: Arrays) -> Arrays:
        return list(_aten._foreach_sqrt(x))

    @override
    def add(self, x: Arrays, y: Other[Array], alpha: float = 1) -> Arrays:
        if isinstance(y, list):
            return list(_aten._foreach_add(x, y, alpha=alpha))
        return list(_aten._foreach_add(x, alpha * y))

    @override
    def sub(self, x: Arrays, y: Other[Array]) -> Arrays:
        return list(_aten._foreach_sub(x, y))

    @override
    def mul(self, x: Arrays, y: Other[Array]) -> Arrays:
        return list(_aten._foreach_mul(x, y))

    @override
    def div(self, x: Arrays, y: Other[Array]) -> Arrays:
        return list(_aten._foreach_div(x, y))

    @override
    def add_(self, x: Arrays, y: Other[Array], alpha: float = 1) -> Arrays:
        if isinstance(y, list):
            _aten._foreach_add_(x, y, alpha=alpha)
        else:
            _aten._foreach_add_(x, alpha * y)
        return x

    @override
    def mul_(self, x: Arrays, y: Other[Array]) -> Arrays:
        _aten._foreach_mul_(x, y)
        return x

    @override
    def div_(self, x: Arrays, y: Other[Array]) -> Arrays:
        _aten._foreach_div_(x, y)
        return x

    @override
    def sqrt_(self, x: Arrays) -> Arrays:
        _aten._foreach_sqrt_(x)
        return x

    @override
    def maximum_(self, x: Arrays, y: Arrays) -> Arrays:
        _aten._foreach_maximum_(x, y)
        return x

    @override
    def replace_(self, x: Arrays, y: Arrays) -> Arrays:
        self.store(x, y)
        return x

    @override
    def lerp_(self, x: Arrays, y: Arrays, weight: float) -> Arrays:
        _aten._foreach_lerp_(x, y, weight)
        return x

    @override
    def addcmul_(self, x: Arrays, y: Arrays, z: Arrays, value: float = 1) -> Arrays:
        _aten._foreach_addcmul_(x, y, z, value)
        return x

    @override
    def addcdiv_(self, x: Arrays, y: Arrays, z: Arrays, value: float = 1) -> Arrays:
        _aten._foreach_addcdiv_(x, y, z, value)
        return x

    @override
    def kernel(self, name: str) -> Callable[..., None] | None:
        return _FUSED.get(name)

    @override
    def pieces(self, columns: list[Arrays]) -> Iterator[list[Arrays]]:
        flat = [[a.reshape(-1) for a in column] for column in columns]
        for positions, cut in portions([a.numel() for a in flat[0]], PORTION):
            picked = [[column[i] for i in positions] for column in flat]
            yield picked if cut is None else [[a[cut[0] : cut[1]] for a in column] for column in picked]

    @override
    def store(self, into: Arrays, values: Arrays) -> None:
        for old, new in zip(into, values, strict=True):
            if new is not old:
                old.copy_(new)


def _adam(
    x: Arrays, g: Arrays, mean: Arrays, square: Arrays, largest: Arrays, step: int, **options: Any
) -> None:
    decoupled = options.pop("decoupled")
    kernel = _aten._fused_adamw_ if decoupled else _aten._fused_adam_
    steps = [torch.tensor(float(step), device=x[0].device)] * len(x)
    kernel(x, g, mean, square, largest, steps, amsgrad=bool(largest), maximize=False, **options)


def _adagrad(x: Arrays, g: Arrays, total: Arrays, step: int, **options: Any) -> None:
    steps = [torch.tensor(float(step))] * len(x)
    _aten._fused_adagrad_(x, g, total, steps, maximize=False, **options)


def _sgd(x: Arrays, g: Arrays, buffers: Arrays, **options: Any) -> None:
    _aten._fused_sgd_(x, g, buffers, maximize=False, is_first_step=False, **options)


_FUSED: dict[str, Callable[..., None]] = {"adam": _adam, "adagrad": _adagrad, "sgd": _sgd}
