"""NumPy as a backend: each family from its own file."""

from __future__ import annotations

from everygrad_numpy.activation import NumpyActivation
from everygrad_numpy.adaptive import NumpyAdaptive
from everygrad_numpy.arithmetic import NumpyArithmetic
from everygrad_numpy.arrays import Array, ignore_warnings
from everygrad_numpy.attention import NumpyAttention
from everygrad_numpy.bitwise import NumpyBitwise
from everygrad_numpy.comparison import NumpyComparison
from everygrad_numpy.conv import NumpyConv
from everygrad_numpy.creation import NumpyCreation
from everygrad_numpy.elementwise import NumpyElementwise
from everygrad_numpy.embedding import NumpyEmbedding
from everygrad_numpy.gamma import NumpyGamma
from everygrad_numpy.grid_sample import NumpyGridSample
from everygrad_numpy.group_norm import NumpyGroupNorm
from everygrad_numpy.indexing import NumpyIndexing
from everygrad_numpy.linalg import NumpyLinalg
from everygrad_numpy.linear import NumpyLinear
from everygrad_numpy.logarithm import NumpyLogarithm
from everygrad_numpy.multi_tensor import NumpyMultiTensor
from everygrad_numpy.norm import NumpyNorm
from everygrad_numpy.order import NumpyOrder
from everygrad_numpy.piecewise import NumpyPiecewise
from everygrad_numpy.pool import NumpyPool
from everygrad_numpy.random import NumpyRandom
from everygrad_numpy.recurrent import NumpyRecurrent
from everygrad_numpy.reduction import NumpyReduction
from everygrad_numpy.resample import NumpyResample
from everygrad_numpy.rms_norm import NumpyRMSNorm
from everygrad_numpy.scan import NumpyScan
from everygrad_numpy.scattering import NumpyScatter
from everygrad_numpy.shape import NumpyShape
from everygrad_numpy.solve import NumpySolve
from everygrad_numpy.special import NumpySpecial
from everygrad_numpy.strided import NumpyStrided
from everygrad_numpy.trigonometric import NumpyTrigonometric
from everygrad_numpy.unary import NumpyUnary
from everygrad_numpy.unpool import NumpyUnpool
from everygrad_numpy.vector_norm import NumpyVectorNorm
from everygrad_numpy.window import NumpyWindow
from everygrad_ops import Backend


class NumpyBackend(
    NumpyCreation,
    NumpyElementwise,
    NumpyUnary,
    NumpyComparison,
    NumpyReduction,
    NumpyOrder,
    NumpyScan,
    NumpyVectorNorm,
    NumpyShape,
    NumpyIndexing,
    NumpyScatter,
    NumpyStrided,
    NumpyLinalg,
    NumpyRandom,
    NumpyWindow,
    NumpyConv,
    NumpyPool,
    NumpyAdaptive,
    NumpyUnpool,
    NumpyLinear,
    NumpyEmbedding,
    NumpyActivation,
    NumpyAttention,
    NumpyRecurrent,
    NumpyPiecewise,
    NumpyResample,
    NumpyGridSample,
    NumpyNorm,
    NumpyGroupNorm,
    NumpyRMSNorm,
    NumpyBitwise,
    NumpyTrigonometric,
    NumpyLogarithm,
    NumpyArithmetic,
    NumpyGamma,
    NumpySpecial,
    NumpySolve,
    Backend[Array],
):
    """NumPy arrays on the CPU."""

    multi_tensor = NumpyMultiTensor

    def __init__(self, device: str = "cpu") -> None:
        self.name = "numpy"
        self.plain_signature = True
        ignore_warnings()
        if device != "cpu":
            from everygrad_ops import DeviceError

            raise DeviceError(
                f"the NumPy backend runs on the CPU only. Received: device {device!r}; write 'numpy'"
            )
