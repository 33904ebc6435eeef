"""8: each module op alone at three sizes: forward, backward, double backward."""

# The same lines run on objects of several libraries, whose types have nothing in common.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.benchmarks.libraries import OURS, library_of
from tests.benchmarks.timing import Builder, Case, Work

Sizes = tuple[tuple[int, ...], ...]
"""The shapes of the operands at one size."""


@dataclass(frozen=True)
class Module:
    """An op, its operands at three sizes, and how much of torch's time it may take over NumPy."""

    name: str
    call: Callable[..., Any]
    """(functional, operands...) -> result."""
    sizes: tuple[Sizes, Sizes, Sizes]
    over_numpy: float = 3.0
    twice: bool = True
    """Whether torch has a double backward."""


def conv(batch: int, channels: int, size: int, kernel: int = 3) -> Sizes:
    """Images and weights that keep the channels."""
    return ((batch, channels, size, size), (channels, channels, kernel, kernel), (channels,))


def images(*sizes: tuple[int, int, int]) -> tuple[Any, Any, Any]:
    """Images alone."""
    small, middle, large = (((b, c, s, s),) for b, c, s in sizes)
    return small, middle, large


IMAGES = images((2, 8, 16), (8, 16, 32), (8, 64, 56))


def rows(*sizes: tuple[int, int], extra: int = 0) -> Any:
    """Rows, and vectors of their width."""
    return tuple(((n, d), *[(d,)] * extra) for n, d in sizes)


def heads(*sizes: tuple[int, int]) -> Any:
    """Queries, keys and values of 4 heads of 32."""
    return tuple([((b, 4, n, 32),) * 3 for b, n in sizes])


MODULES = (
    Module("conv2d 3x3", lambda F, x, w, b: F.conv2d(x, w, b, padding=1), (conv(2, 8, 16), conv(8, 32, 32), conv(8, 128, 28)), 1.8),
    Module("conv2d 1x1", lambda F, x, w, b: F.conv2d(x, w, b), (conv(2, 8, 16, 1), conv(8, 32, 32, 1), conv(8, 128, 28, 1)), 1.8),
    Module("conv2d depthwise", lambda F, x, w, b: F.conv2d(x, w, b, padding=1, groups=x.shape[1]),
           tuple((x[0], (x[1][0], 1, 3, 3), x[2]) for x in (conv(2, 8, 16), conv(8, 32, 32), conv(8, 128, 28))), 1.8),  # type: ignore[arg-type]  # three of them
    Module("conv_transpose2d", lambda F, x, w, b: F.conv_transpose2d(x, w, b, 2, 1, 1), (conv(2, 8, 8), conv(8, 32, 16), conv(8, 64, 28)), 1.8),
    Module("conv1d", lambda F, x, w: F.conv1d(x, w, padding=1), (((2, 8, 64), (8, 8, 3)), ((8, 32, 256), (32, 32, 3)), ((8, 128, 512), (128, 128, 3))), 1.8),
    Module("avg_pool2d", lambda F, x: F.avg_pool2d(x, 2), IMAGES, 2.5),
    Module("max_pool2d", lambda F, x: F.max_pool2d(x, 3, 2, 1), IMAGES, 2.5),
    Module("adaptive_avg_pool2d", lambda F, x: F.adaptive_avg_pool2d(x, 4), IMAGES, 2.5),
    Module("layer_norm", lambda F, x, w, b: F.layer_norm(x, w.shape, w, b), rows((16, 64), (256, 256), (4096, 512), extra=2)),
    Module("group_norm", lambda F, x: F.group_norm(x, 4), IMAGES),
    Module("batch_norm", lambda F, x: F.batch_norm(x, None, None, training=True), IMAGES),
    Module("linear", lambda F, x, w: F.linear(x, w), (((16, 64), (64, 64)), ((256, 256), (256, 256)), ((4096, 512), (512, 512)))),
    Module("softmax", lambda F, x: F.softmax(x, -1), rows((16, 64), (256, 256), (4096, 512))),
    Module("gelu", lambda F, x: F.gelu(x), rows((16, 64), (256, 256), (4096, 512))),
    Module("relu", lambda F, x: F.relu(x), rows((16, 64), (256, 256), (4096, 512))),
    Module("attention", lambda F, q, k, v: F.scaled_dot_product_attention(q, k, v), heads((1, 16), (4, 64), (8, 256)), twice=False),
    Module("interpolate bilinear", lambda F, x: F.interpolate(x, scale_factor=2, mode="bilinear"), images((2, 8, 8), (8, 16, 16), (8, 32, 32))),
)  # fmt: skip


def part(module: Module, side: str, sizes: Sizes, orders: int) -> Builder:
    """The op, with gradients up to an order."""

    def build() -> Work | None:
        if orders == 2 and side == "torch" and not module.twice:
            return None
        lib = library_of(side)
        random = np.random.default_rng(0)
        xs = [lib.tensor(random.normal(size=s).astype(np.float32), variable=True) for s in sizes]
        upstream = random.normal(size=module.call(lib.F, *xs).shape).astype(np.float32)
        weight = lib.tensor(upstream, variable=orders == 2)  # a linear op has no other second derivative

        def work() -> Any:
            y = module.call(lib.F, *xs)
            if orders == 0:
                return y
            first = lib.gradients((y * weight).sum(), xs, create_graph=orders == 2)
            if orders == 1:
                return first
            return lib.gradients(sum((g * g).sum() for g in first), [*xs, weight])

        return work

    return build


def cases() -> list[Case]:
    """Each op, each size, each order."""
    found: list[Case] = []
    for module in MODULES:
        for label, sizes in zip(("small", "middle", "large"), module.sizes):
            for orders, what in enumerate(("forward", "backward", "double backward")):
                sides = {side: part(module, side, sizes, orders) for side in ("torch", *OURS)}
                targets = {("everygrad/torch", "torch"): 1.0 if orders == 2 else 1.05}
                if orders < 2:
                    targets["everygrad/numpy", "torch"] = module.over_numpy
                found.append(Case(8, f"{module.name}, {label}, {what}", sides, targets))
    return found
