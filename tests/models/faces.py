"""MTCNN's three nets, written with eg.nn under the names of facenet-pytorch's weights.

Source: Zhang, Zhang, Li, Qiao, "Joint face detection and alignment using multitask cascaded convolutional
networks", 2016.
"""

from __future__ import annotations

from collections.abc import Sequence

import everygrad as eg
from everygrad import nn


class Face(nn.Module):
    """Convolutions with PReLU and ceil-mode pools, a dense layer, and one or more heads."""

    def __init__(
        self,
        channels: Sequence[int],
        kernels: Sequence[int],
        pools: Sequence[int],
        dense: tuple[int, int] | None,
        heads: dict[str, int],
    ) -> None:
        self.convs, self.kinds = len(kernels), list(heads)
        for i, kernel in enumerate(kernels, 1):
            setattr(self, f"conv{i}", nn.Conv2d(channels[i - 1], channels[i], kernel))
            setattr(self, f"prelu{i}", nn.PReLU(channels[i]))
        for i, size in enumerate(pools, 1):
            setattr(self, f"pool{i}", nn.MaxPool2d(size, 2, ceil_mode=True))
        self.pools = len(pools)
        last = self.convs + 1
        self.dense = None if dense is None else last
        if dense is not None:
            setattr(self, f"dense{last}", nn.Linear(*dense))
            setattr(self, f"prelu{last}", nn.PReLU(dense[1]))
        for name, outside in heads.items():
            setattr(
                self,
                name,
                nn.Conv2d(channels[-1], outside, 1) if dense is None else nn.Linear(dense[1], outside),
            )

    def forward(self, x: eg.Tensor) -> tuple[eg.Tensor, ...]:
        """What each head says; the first, whether there is a face, as chances."""
        for i in range(1, self.convs + 1):
            x = getattr(self, f"prelu{i}")(getattr(self, f"conv{i}")(x))
            x = getattr(self, f"pool{i}")(x) if i <= self.pools else x
        if self.dense is not None:
            x = x.permute(0, 3, 2, 1).flatten(1)
            x = getattr(self, f"prelu{self.dense}")(getattr(self, f"dense{self.dense}")(x))
        first, *rest = (getattr(self, name)(x) for name in self.kinds)
        return (first.softmax(1), *rest)


def pnet() -> Face:
    """Proposes faces all over a picture."""
    return Face((3, 10, 16, 32), (3, 3, 3), (2,), None, {"conv4_1": 2, "conv4_2": 4})


def rnet() -> Face:
    """Refines proposals of 24x24."""
    return Face((3, 28, 48, 64), (3, 3, 2), (3, 3), (576, 128), {"dense5_1": 2, "dense5_2": 4})


def onet() -> Face:
    """Decides on 48x48, and finds eyes, nose and mouth."""
    heads = {"dense6_1": 2, "dense6_2": 4, "dense6_3": 10}
    return Face((3, 32, 64, 64, 128), (3, 3, 3, 2), (3, 3, 2), (1152, 256), heads)
