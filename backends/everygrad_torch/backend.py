"""PyTorch as a backend: each family from its own file."""

from __future__ import annotations

import torch

from everygrad_ops import Backend, DeviceError
from everygrad_torch.activation import TorchActivation
from everygrad_torch.adaptive import TorchAdaptive
from everygrad_torch.arithmetic import TorchArithmetic
from everygrad_torch.arrays import Array
from everygrad_torch.attention import TorchAttention
from everygrad_torch.bessel import TorchBessel
from everygrad_torch.bitwise import TorchBitwise
from everygrad_torch.comparison import TorchComparison
from everygrad_torch.conv import TorchConv
from everygrad_torch.conv_transpose import TorchConvTranspose
from everygrad_torch.creation import TorchCreation
from everygrad_torch.ctc import TorchCtc
from everygrad_torch.elementwise import TorchElementwise
from everygrad_torch.embedding import TorchEmbedding
from everygrad_torch.factor import TorchFactor
from everygrad_torch.fft import TorchFft
from everygrad_torch.gamma import TorchGamma
from everygrad_torch.gated import TorchGated
from everygrad_torch.grid_sample import TorchGridSample
from everygrad_torch.group_norm import TorchGroupNorm
from everygrad_torch.indexing import TorchIndexing
from everygrad_torch.linalg import TorchLinalg
from everygrad_torch.linear import TorchLinear
from everygrad_torch.logarithm import TorchLogarithm
from everygrad_torch.loss import TorchLoss
from everygrad_torch.multi_tensor import TorchMultiTensor
from everygrad_torch.norm import TorchNorm
from everygrad_torch.order import TorchOrder
from everygrad_torch.piecewise import TorchPiecewise
from everygrad_torch.pool import TorchPool
from everygrad_torch.product import TorchProduct
from everygrad_torch.random import TorchRandom
from everygrad_torch.recurrent import TorchRecurrent
from everygrad_torch.reduction import TorchReduction
from everygrad_torch.resample import TorchResample
from everygrad_torch.rms_norm import TorchRMSNorm
from everygrad_torch.scan import TorchScan
from everygrad_torch.scattering import TorchScatter
from everygrad_torch.shape import TorchShape
from everygrad_torch.solve import TorchSolve
from everygrad_torch.special import TorchSpecial
from everygrad_torch.strided import TorchStrided
from everygrad_torch.trigonometric import TorchTrigonometric
from everygrad_torch.unary import TorchUnary
from everygrad_torch.unpool import TorchUnpool
from everygrad_torch.vector_norm import TorchVectorNorm
from everygrad_torch.window import TorchWindow


class TorchBackend(
    TorchCreation,
    TorchElementwise,
    TorchUnary,
    TorchComparison,
    TorchReduction,
    TorchOrder,
    TorchScan,
    TorchVectorNorm,
    TorchShape,
    TorchIndexing,
    TorchScatter,
    TorchStrided,
    TorchLinalg,
    TorchRandom,
    TorchWindow,
    TorchConv,
    TorchConvTranspose,
    TorchPool,
    TorchUnpool,
    TorchAdaptive,
    TorchResample,
    TorchGridSample,
    TorchNorm,
    TorchGroupNorm,
    TorchRMSNorm,
    TorchLinear,
    TorchEmbedding,
    TorchActivation,
    TorchCtc,
    TorchAttention,
    TorchRecurrent,
    TorchPiecewise,
    TorchGated,
    TorchLoss,
    TorchBitwise,
    TorchTrigonometric,
    TorchLogarithm,
    TorchArithmetic,
    TorchGamma,
    TorchBessel,
    TorchSpecial,
    TorchFactor,
    TorchFft,
    TorchProduct,
    TorchSolve,
    Backend[Array],
):
    """Torch tensors that never require grad, on one device."""

    multi_tensor = TorchMultiTensor

    def __init__(self, device: str = "cpu") -> None:
        try:
            self._device = torch.device(device)
            torch.empty(0, device=self._device)
        except (RuntimeError, AssertionError) as error:
            raise DeviceError(
                f"torch cannot use device {device!r} ({str(error).splitlines()[0]}). "
                "Write a device it has, such as 'torch:cpu'"
            ) from None
        self.plain_signature = True
        self.name = "torch" if device == "cpu" else f"torch:{device}"
