"""The contract that a backend implements: the op families in one Protocol."""

from __future__ import annotations

from typing import Protocol, TypeVar

from everygrad_ops.activation import ActivationOps
from everygrad_ops.adaptive import AdaptivePoolOps
from everygrad_ops.adaptive_named import AdaptiveNamedOps
from everygrad_ops.arithmetic import ArithmeticOps
from everygrad_ops.attention import AttentionOps
from everygrad_ops.avg_pool_named import AvgPoolNamedOps
from everygrad_ops.bessel import BesselOps
from everygrad_ops.bitwise import BitwiseOps
from everygrad_ops.comparison import ComparisonOps
from everygrad_ops.conv import ConvOps
from everygrad_ops.conv_named import ConvNamedOps
from everygrad_ops.conv_transpose import ConvTransposeOps
from everygrad_ops.conv_transpose_named import ConvTransposeNamedOps
from everygrad_ops.creation import CreationOps
from everygrad_ops.ctc import CtcOps
from everygrad_ops.deform import DeformOps
from everygrad_ops.dropout import DropoutOps
from everygrad_ops.elementwise import ElementwiseOps
from everygrad_ops.embedding import EmbeddingOps
from everygrad_ops.factor import FactorOps
from everygrad_ops.fft import FftOps
from everygrad_ops.floats import FloatOps
from everygrad_ops.gamma import GammaOps
from everygrad_ops.gated import GatedOps
from everygrad_ops.grid_sample import GridSampleOps
from everygrad_ops.group_norm import GroupNormOps
from everygrad_ops.indexing import IndexingOps
from everygrad_ops.linalg import LinalgOps
from everygrad_ops.linear import LinearOps
from everygrad_ops.logarithm import LogarithmOps
from everygrad_ops.loss import LossOps
from everygrad_ops.max_pool_named import MaxPoolNamedOps
from everygrad_ops.norm import NormOps
from everygrad_ops.order import OrderOps
from everygrad_ops.piecewise import PiecewiseOps
from everygrad_ops.pool import PoolOps
from everygrad_ops.product import ProductOps
from everygrad_ops.random import RandomOps
from everygrad_ops.recurrent import RecurrentOps
from everygrad_ops.recurrent_scan import RecurrentScanOps
from everygrad_ops.reduction import ReductionOps
from everygrad_ops.resample import ResampleOps
from everygrad_ops.rms_norm import RMSNormOps
from everygrad_ops.scan import ScanOps
from everygrad_ops.scattering import ScatterOps
from everygrad_ops.shape import ShapeOps
from everygrad_ops.solve import SolveOps
from everygrad_ops.special import SpecialOps
from everygrad_ops.strided import StridedOps
from everygrad_ops.transducer import TransducerOps
from everygrad_ops.trigonometric import TrigonometricOps
from everygrad_ops.unary import UnaryOps
from everygrad_ops.unpool import UnpoolOps
from everygrad_ops.vector_norm import VectorNormOps
from everygrad_ops.window import WindowOps

A = TypeVar("A")


class Backend(
    CreationOps[A],
    ElementwiseOps[A],
    UnaryOps[A],
    ComparisonOps[A],
    ReductionOps[A],
    OrderOps[A],
    ScanOps[A],
    VectorNormOps[A],
    ShapeOps[A],
    IndexingOps[A],
    ScatterOps[A],
    StridedOps[A],
    LinalgOps[A],
    RandomOps[A],
    WindowOps[A],
    ConvOps[A],
    ConvNamedOps[A],
    ConvTransposeOps[A],
    ConvTransposeNamedOps[A],
    DeformOps[A],
    PoolOps[A],
    AvgPoolNamedOps[A],
    MaxPoolNamedOps[A],
    AdaptivePoolOps[A],
    AdaptiveNamedOps[A],
    UnpoolOps[A],
    ResampleOps[A],
    GridSampleOps[A],
    NormOps[A],
    GroupNormOps[A],
    RMSNormOps[A],
    LinearOps[A],
    EmbeddingOps[A],
    ActivationOps[A],
    PiecewiseOps[A],
    GatedOps[A],
    LossOps[A],
    TransducerOps[A],
    CtcOps[A],
    DropoutOps[A],
    AttentionOps[A],
    RecurrentOps[A],
    RecurrentScanOps[A],
    BitwiseOps[A],
    FloatOps[A],
    TrigonometricOps[A],
    LogarithmOps[A],
    ArithmeticOps[A],
    SpecialOps[A],
    GammaOps[A],
    BesselOps[A],
    FactorOps[A],
    FftOps[A],
    ProductOps[A],
    SolveOps[A],
    Protocol[A],
):
    """Every op, on arrays of type `A`. Primitives must be implemented; the rest has a default here."""

    name: str = "backend"
    """How this backend is spelled to `everygrad.backend`: "numpy", "torch:cuda:0", "autodiff(numpy)"."""

    def __repr__(self) -> str:
        return f"<backend {self.name!r}>"

    plain_signature: bool = False
    """Whether `signature(x)` is just (x.shape, x.dtype): the engine then reads them without a call."""

    is_decorator: bool = False
    """Whether this is a differentiating decorator around the backend `inner`."""
