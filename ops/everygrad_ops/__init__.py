"""The contract of everygrad: what every backend's ops are called and mean."""

from everygrad_ops.attention_parts import AttentionOptions
from everygrad_ops.backend import Backend
from everygrad_ops.dtypes import DType, as_dtype, follow, promote, promote_scalar
from everygrad_ops.errors import (
    BackendError,
    DeviceError,
    DTypeError,
    EverygradError,
    GradientError,
    LinAlgError,
    MissingOp,
    ShapeError,
)
from everygrad_ops.geometry import (
    ConvOptions,
    PoolOptions,
    Window,
    conv_options,
    pool_options,
    window,
)
from everygrad_ops.marks import non_differentiable, optional, primitive, query
from everygrad_ops.spec import Kind, OpSpec, Param, Result, contract, inner_of, is_overridden
from everygrad_ops.transposed import ConvTransposeOptions, conv_transpose_options

__all__ = [
    "AttentionOptions",
    "Backend",
    "BackendError",
    "ConvOptions",
    "ConvTransposeOptions",
    "DType",
    "DTypeError",
    "DeviceError",
    "EverygradError",
    "GradientError",
    "Kind",
    "LinAlgError",
    "MissingOp",
    "OpSpec",
    "Param",
    "PoolOptions",
    "Result",
    "ShapeError",
    "Window",
    "as_dtype",
    "contract",
    "conv_options",
    "conv_transpose_options",
    "follow",
    "inner_of",
    "is_overridden",
    "non_differentiable",
    "optional",
    "pool_options",
    "primitive",
    "promote",
    "promote_scalar",
    "query",
    "window",
]
