"""Published networks written once, in the words that torch.nn and eg.nn share."""

# The same lines run on objects of two libraries, whose types have nothing in common.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from typing import Any

STAGES = ((1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320))  # fmt: skip
"""EfficientNet's: blocks, kernel, stride, expansion, channels."""


def same(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """TensorFlow's "same" padding of one dim: more of it behind, where it is odd."""
    needed = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return needed // 2, needed - needed // 2


def efficientnet_lite0(nn: Any, size: int) -> Any:
    """EfficientNet-Lite0 for square images, under the names of the published weights.

    Source: Tan, Le, "EfficientNet: rethinking model scaling for convolutional neural networks", 2019; the Lite
    models leave out squeeze-and-excitation and use ReLU6.
    """

    def norm(channels: int) -> Any:
        return nn.BatchNorm2d(channels, 1e-3, 0.01)

    class Block(nn.Module):  # type: ignore[misc]  # of either library
        def __init__(
            self, inside: int, outside: int, kernel: int, stride: int, expansion: int, size: int
        ) -> None:
            super().__init__()
            wide, (before, behind) = inside * expansion, same(size, kernel, stride)
            self.expands, self.adds = expansion > 1, stride == 1 and inside == outside
            if self.expands:
                self._expand_conv = nn.Conv2d(inside, wide, 1, bias=False)
                self._bn0 = norm(wide)
            self.pad = nn.ZeroPad2d((before, behind, before, behind))
            self._depthwise_conv = nn.Conv2d(wide, wide, kernel, stride, groups=wide, bias=False)
            self._bn1 = norm(wide)
            self._project_conv = nn.Conv2d(wide, outside, 1, bias=False)
            self._bn2 = norm(outside)
            self.relu = nn.ReLU6()

        def forward(self, x: Any) -> Any:
            y = self.relu(self._bn0(self._expand_conv(x))) if self.expands else x
            y = self.relu(self._bn1(self._depthwise_conv(self.pad(y))))
            y = self._bn2(self._project_conv(y))
            return y + x if self.adds else y

    class Lite0(nn.Module):  # type: ignore[misc]  # of either library
        def __init__(self) -> None:
            super().__init__()
            before, behind = same(size, 3, 2)
            self.pad = nn.ZeroPad2d((before, behind, before, behind))
            self._conv_stem = nn.Conv2d(3, 32, 3, 2, bias=False)
            self._bn0 = norm(32)
            blocks: list[Any] = []
            inside, side = 32, -(-size // 2)
            for count, kernel, stride, expansion, outside in STAGES:
                for number in range(count):
                    blocks.append(Block(inside, outside, kernel, 1 if number else stride, expansion, side))
                    inside, side = outside, side if number else -(-side // stride)
            self._blocks = nn.ModuleList(blocks)
            self._conv_head = nn.Conv2d(320, 1280, 1, bias=False)
            self._bn1 = norm(1280)
            self.relu = nn.ReLU6()
            self.pool = nn.AdaptiveAvgPool2d(1)
            self._fc = nn.Linear(1280, 1000)

        def forward(self, x: Any) -> Any:
            x = self.relu(self._bn0(self._conv_stem(self.pad(x))))
            for block in self._blocks:
                x = block(x)
            x = self.pool(self.relu(self._bn1(self._conv_head(x))))
            return self._fc(x.flatten(1))

    return Lite0()


def crepe_tiny(nn: Any) -> Any:
    """CREPE's tiny net: pitch out of 1,024 samples. Source: Kim, Salamon, Li, Bello, "CREPE", 2018."""
    channels = (1, 128, 16, 16, 16, 32, 64)

    class Crepe(nn.Module):  # type: ignore[misc]  # of either library
        def __init__(self) -> None:
            super().__init__()
            for i in range(1, 7):
                kernel, stride = ((512, 1), (4, 1)) if i == 1 else ((64, 1), (1, 1))
                setattr(self, f"conv{i}", nn.Conv2d(channels[i - 1], channels[i], kernel, stride))
                setattr(self, f"conv{i}_BN", nn.BatchNorm2d(channels[i], 0.0010000000474974513, 0.0))
            self.first, self.later = nn.ZeroPad2d((0, 0, 254, 254)), nn.ZeroPad2d((0, 0, 31, 32))
            self.relu, self.pool = nn.ReLU(), nn.MaxPool2d((2, 1), (2, 1))
            self.classifier = nn.Linear(256, 360)

        def forward(self, x: Any) -> Any:
            x = x[:, None, :, None]
            for i in range(1, 7):
                x = (self.first if i == 1 else self.later)(x)
                x = self.pool(getattr(self, f"conv{i}_BN")(self.relu(getattr(self, f"conv{i}")(x))))
            return self.classifier(x.permute(0, 2, 1, 3).reshape(-1, 256)).sigmoid()

    return Crepe()


def voice_encoder(nn: Any) -> Any:
    """Resemblyzer's: a voice as a vector. Source: Wan, Wang, Papir, Moreno, "Generalized end-to-end loss", 2018."""

    class VoiceEncoder(nn.Module):  # type: ignore[misc]  # of either library
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(40, 256, 3, batch_first=True)
            self.linear = nn.Linear(256, 256)

        def forward(self, mels: Any) -> Any:
            _, (hidden, _) = self.lstm(mels)
            raw = self.linear(hidden[-1]).relu()
            return raw / (raw * raw).sum(1, True).sqrt()

    return VoiceEncoder()
