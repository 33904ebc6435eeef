"""Networks written once, in the words that torch.nn and eg.nn share."""

# The same lines run on objects of several libraries, whose types have nothing in common.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from typing import Any


def mlp(nn: Any) -> Any:
    """784-256-10."""
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))


def lenet(nn: Any) -> Any:
    """LeNet with average pooling, for 28x28 images."""
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip


def resnet18(nn: Any) -> Any:
    """ResNet-18 (He et al., "Deep residual learning for image recognition", 2016), for ten classes."""

    class Block(nn.Module):  # type: ignore[misc]  # of either library
        def __init__(self, inside: int, outside: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(outside)
            self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(outside)
            self.short = nn.Identity()
            if stride > 1 or inside != outside:
                conv = nn.Conv2d(inside, outside, 1, stride, bias=False)
                self.short = nn.Sequential(conv, nn.BatchNorm2d(outside))
            self.relu = nn.ReLU()

        def forward(self, x: Any) -> Any:
            y = self.relu(self.bn1(self.conv1(x)))
            return self.relu(self.bn2(self.conv2(y)) + self.short(x))

    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    blocks: list[Any] = []
    width = 64
    for number, outside in enumerate((64, 128, 256, 512)):
        blocks += [Block(width, outside, 1 + (number > 0)), Block(outside, outside, 1)]
        width = outside
    return nn.Sequential(*stem, *blocks, nn.AvgPool2d(2), nn.Flatten(), nn.Linear(512, 10))


def encoder(nn: Any) -> Any:
    """A transformer encoder: 4 layers, width 256, 8 heads."""
    layer = nn.TransformerEncoderLayer(256, 8, 1024, dropout=0.0, activation="gelu", batch_first=True)
    return nn.TransformerEncoder(layer, 4)


def lstm(nn: Any) -> Any:
    """2 layers of 256, whose first result is used."""

    class Last(nn.Module):  # type: ignore[misc]  # of either library
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(256, 256, 2, batch_first=True)

        def forward(self, x: Any) -> Any:
            return self.lstm(x)[0]

    return Last()
