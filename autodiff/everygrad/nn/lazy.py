"""Layers that learn the size of their input at the first call, under torch's names."""

from __future__ import annotations

import threading
from inspect import Signature, signature
from typing import Any, ClassVar

from typing_extensions import override

from everygrad.nn.batch_norm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from everygrad.nn.conv import Conv1d, Conv2d, Conv3d
from everygrad.nn.conv_transpose import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from everygrad.nn.group_norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from everygrad.nn.linear import Linear
from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter, UninitializedParameter
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import need_tensor
from everygrad_ops import ShapeError

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]

_becoming = threading.RLock()
"""Held while a layer becomes another, so that one of several threads makes its parameters."""

AFFINE = {"affine": True, "track_running_stats": True}


class _Lazy(Module):
    """Keeps its arguments until an input tells the one before them; then it becomes the layer `kind`.

    Its parameters wait in their places: they are the very ones that get the values.
    """

    kind: ClassVar[Any]
    """The class of the layer that it becomes."""
    channels: ClassVar[int]
    """The dim of the input whose size is asked for."""

    defaults: ClassVar[dict[str, Any]] = {}
    """torch's, where they are not those of the layer."""
    __signature__: ClassVar[Signature]

    def __init_subclass__(cls) -> None:
        _, *more = signature(cls.kind).parameters.values()
        shown = [p.replace(default=cls.defaults.get(p.name, p.default)) for p in more]
        cls.__signature__ = Signature(shown)  # for help(): all but the size that is asked for

    def __init__(self, *args: Any, **options: Any) -> None:
        chosen = signature(self.kind).bind(None, *args, **options)  # wrong arguments are told at once
        self._waiting = {self._asked(): None, **self.defaults, **chosen.arguments}
        chosen.apply_defaults()
        final: dict[str, Any] = {**chosen.arguments, **self._waiting}
        if final.get("affine", True):
            self.weight: Parameter = UninitializedParameter()
            self.bias: Parameter | None = UninitializedParameter() if final["bias"] else None

    def forward(self, input: Tensor, *args: Any, **keywords: Any) -> Any:
        """What the layer returns that this one becomes."""
        with _becoming:
            if "_waiting" in vars(self):  # else another thread was first
                self._become(input)
        return self.forward(input, *args, **keywords)

    def _become(self, input: Tensor) -> None:
        need_tensor(type(self).__name__, "input", input)
        if not -input.ndim <= self.channels < input.ndim:
            raise ShapeError(
                f"{type(self).__name__}: input must have a dim {self.channels}. Received: shape {input.shape}"
            )
        own: dict[str, Any] = vars(self)
        options = {"backend": input.backend, **self._waiting, self._asked(): input.shape[self.channels]}
        made: Module = self.kind(**options)
        for name, value in vars(made).items():
            cell = own.get(name)
            if isinstance(cell, UninitializedParameter):
                cell.become(value)
            else:
                setattr(self, name, value)
        del self._waiting
        self.__class__ = self.kind  # mode and hooks stay

    def _asked(self) -> str:
        """The name of the argument that the input tells: the first."""
        return next(iter(signature(self.kind).parameters))

    @override
    def extra_repr(self) -> str:
        return ", ".join(
            f"{name}=?" if name == self._asked() else f"{name}={value!r}"
            for name, value in self._waiting.items()
        )


class LazyLinear(_Lazy):
    """A `Linear` whose `in_features` the first input tells: LazyLinear(out_features, bias=True).

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyLinear(3)
    >>> y = layer(eg.ones(2, 5))
    >>> layer
    Linear(in_features=5, out_features=3, bias=True)
    """

    kind = Linear
    channels = -1


class LazyConv1d(_Lazy):
    """A `Conv1d` whose `in_channels` the first sequences tell: LazyConv1d(out_channels, kernel_size, ...).

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyConv1d(4, 3)
    >>> y = layer(eg.ones(2, 6, 9))
    >>> layer
    Conv1d(6, 4, kernel_size=(3,), stride=(1,))
    """

    kind = Conv1d
    channels = -2


class LazyConv2d(_Lazy):
    """A `Conv2d` whose `in_channels` the first images tell: LazyConv2d(out_channels, kernel_size, ...).

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyConv2d(4, 3)
    >>> y = layer(eg.ones(2, 6, 9, 9))
    >>> layer
    Conv2d(6, 4, kernel_size=(3, 3), stride=(1, 1))
    """

    kind = Conv2d
    channels = -3


class LazyConv3d(_Lazy):
    """A `Conv3d` whose `in_channels` the first volumes tell: LazyConv3d(out_channels, kernel_size, ...).

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyConv3d(4, 3)
    >>> y = layer(eg.ones(2, 6, 9, 9, 9))
    >>> layer
    Conv3d(6, 4, kernel_size=(3, 3, 3), stride=(1, 1, 1))
    """

    kind = Conv3d
    channels = -4


class LazyConvTranspose1d(_Lazy):
    """A `ConvTranspose1d` whose `in_channels` the first sequences tell: LazyConvTranspose1d(out_channels, kernel_size, ...).

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyConvTranspose1d(4, 3)
    >>> y = layer(eg.ones(2, 6, 9))
    >>> layer
    ConvTranspose1d(6, 4, kernel_size=(3,), stride=(1,))
    """

    kind = ConvTranspose1d
    channels = -2


class LazyConvTranspose2d(_Lazy):
    """A `ConvTranspose2d` whose `in_channels` the first images tell: LazyConvTranspose2d(out_channels, kernel_size, ...).

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyConvTranspose2d(4, 3)
    >>> y = layer(eg.ones(2, 6, 9, 9))
    >>> layer
    ConvTranspose2d(6, 4, kernel_size=(3, 3), stride=(1, 1))
    """

    kind = ConvTranspose2d
    channels = -3


class LazyConvTranspose3d(_Lazy):
    """A `ConvTranspose3d` whose `in_channels` the first volumes tell: LazyConvTranspose3d(out_channels, kernel_size, ...).

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyConvTranspose3d(4, 3)
    >>> y = layer(eg.ones(2, 6, 9, 9, 9))
    >>> layer
    ConvTranspose3d(6, 4, kernel_size=(3, 3, 3), stride=(1, 1, 1))
    """

    kind = ConvTranspose3d
    channels = -4


class LazyBatchNorm1d(_Lazy):
    """A `BatchNorm1d` whose `num_features` the first sequences tell.

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyBatchNorm1d(eps=0.1)
    >>> y = layer(eg.ones(2, 6, 9))
    >>> layer
    BatchNorm1d(6, eps=0.1, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    kind = BatchNorm1d
    channels = 1


class LazyBatchNorm2d(_Lazy):
    """A `BatchNorm2d` whose `num_features` the first images tell.

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyBatchNorm2d(eps=0.1)
    >>> y = layer(eg.ones(2, 6, 9, 9))
    >>> layer
    BatchNorm2d(6, eps=0.1, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    kind = BatchNorm2d
    channels = 1


class LazyBatchNorm3d(_Lazy):
    """A `BatchNorm3d` whose `num_features` the first volumes tell.

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyBatchNorm3d(eps=0.1)
    >>> y = layer(eg.ones(2, 6, 9, 9, 9))
    >>> layer
    BatchNorm3d(6, eps=0.1, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    kind = BatchNorm3d
    channels = 1


class LazyInstanceNorm1d(_Lazy):
    """A `InstanceNorm1d` whose `num_features` the first sequences tell.

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyInstanceNorm1d(eps=0.1)
    >>> y = layer(eg.ones(2, 6, 9))
    >>> layer
    InstanceNorm1d(6, eps=0.1, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    kind = InstanceNorm1d
    defaults = AFFINE
    channels = -2


class LazyInstanceNorm2d(_Lazy):
    """A `InstanceNorm2d` whose `num_features` the first images tell.

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyInstanceNorm2d(eps=0.1)
    >>> y = layer(eg.ones(2, 6, 9, 9))
    >>> layer
    InstanceNorm2d(6, eps=0.1, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    kind = InstanceNorm2d
    defaults = AFFINE
    channels = -3


class LazyInstanceNorm3d(_Lazy):
    """A `InstanceNorm3d` whose `num_features` the first volumes tell.

    >>> import everygrad as eg
    >>> layer = eg.nn.LazyInstanceNorm3d(eps=0.1)
    >>> y = layer(eg.ones(2, 6, 9, 9, 9))
    >>> layer
    InstanceNorm3d(6, eps=0.1, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    kind = InstanceNorm3d
    defaults = AFFINE
    channels = -4
