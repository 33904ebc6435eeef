"""everygrad: differentiable programming on any array library; every op, every gradient, every order.

import everygrad as eg

x = eg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
grads = (x @ x).sin().sum().backward()
grads[x]
"""

import math as _math
from typing import TYPE_CHECKING as _TYPE_CHECKING

# isort: off
from everygrad.tensor import Tensor as Tensor  # first: the functions below make tensors

# isort: on
from everygrad import functional as functional
from everygrad.autocast import autocast as autocast
from everygrad.checkpoint import checkpoint as checkpoint
from everygrad.custom import custom_vjp as custom_vjp
from everygrad.edge import behind_the_edge as _behind_the_edge
from everygrad.edge import methods_behind_the_edge as _methods_behind_the_edge
from everygrad.engine import Autodiff as Autodiff
from everygrad.engine import enable_grad as enable_grad
from everygrad.engine import is_grad_enabled as is_grad_enabled
from everygrad.engine import no_grad as no_grad
from everygrad.functional.activation import log_softmax as log_softmax
from everygrad.functional.activation import relu as relu
from everygrad.functional.activation import sigmoid as sigmoid
from everygrad.functional.activation import softmax as softmax
from everygrad.functional.arithmetic import *
from everygrad.functional.arrange import *
from everygrad.functional.basics import *
from everygrad.functional.binary_loss import (
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
)
from everygrad.functional.binning import *
from everygrad.functional.bitwise import *
from everygrad.functional.choices import *
from everygrad.functional.closeness import *
from everygrad.functional.comparison import *
from everygrad.functional.conv import *
from everygrad.functional.conv_transpose import *
from everygrad.functional.counting import *
from everygrad.functional.creation import *
from everygrad.functional.creation_like import *
from everygrad.functional.decompose import *
from everygrad.functional.diagonals import *
from everygrad.functional.differences import *
from everygrad.functional.distance import bilinear as bilinear
from everygrad.functional.distance import cdist as cdist
from everygrad.functional.distance import cosine_similarity as cosine_similarity
from everygrad.functional.distance import pairwise_distance as pairwise_distance
from everygrad.functional.distance import pdist as pdist
from everygrad.functional.distinct import *
from everygrad.functional.distributions import *
from everygrad.functional.dropout import alpha_dropout as alpha_dropout
from everygrad.functional.dropout import dropout as dropout
from everygrad.functional.dropout import feature_alpha_dropout as feature_alpha_dropout
from everygrad.functional.einsum import *
from everygrad.functional.elementwise import *
from everygrad.functional.floats import *
from everygrad.functional.grids import *
from everygrad.functional.indexing import *
from everygrad.functional.joining import *
from everygrad.functional.linalg import *
from everygrad.functional.logarithm import *
from everygrad.functional.loss import kl_div as kl_div
from everygrad.functional.lowrank import *
from everygrad.functional.margin_loss import cosine_embedding_loss as cosine_embedding_loss
from everygrad.functional.margin_loss import hinge_embedding_loss as hinge_embedding_loss
from everygrad.functional.margin_loss import margin_ranking_loss as margin_ranking_loss
from everygrad.functional.margin_loss import triplet_margin_loss as triplet_margin_loss
from everygrad.functional.order import *
from everygrad.functional.order_statistics import *
from everygrad.functional.parts import *
from everygrad.functional.piecewise import celu as celu
from everygrad.functional.piecewise import hardshrink as hardshrink
from everygrad.functional.piecewise import prelu as prelu
from everygrad.functional.piecewise import rrelu as rrelu
from everygrad.functional.piecewise import selu as selu
from everygrad.functional.piecewise import threshold as threshold
from everygrad.functional.products import *
from everygrad.functional.quantiles import *
from everygrad.functional.random import *
from everygrad.functional.reduction import *
from everygrad.functional.regression_loss import poisson_nll_loss as poisson_nll_loss
from everygrad.functional.scan import *
from everygrad.functional.scattering import *
from everygrad.functional.search import *
from everygrad.functional.sequence_loss import ctc_loss as ctc_loss
from everygrad.functional.sequences import *
from everygrad.functional.shape import *
from everygrad.functional.slopes import *
from everygrad.functional.special import *
from everygrad.functional.spectrum import *
from everygrad.functional.statistics import *
from everygrad.functional.trigonometric import *
from everygrad.functional.unary import *
from everygrad.functional.vector_norms import dist as dist
from everygrad.functional.vector_norms import norm as norm
from everygrad.functional.vector_norms import renorm as renorm
from everygrad.functional.windows import *
from everygrad.functional.without_nan import *
from everygrad.generator import Generator as Generator
from everygrad.generator import manual_seed as manual_seed
from everygrad.generator import seeded as seeded
from everygrad.gradients import Gradients as Gradients
from everygrad.gradients import gradients as gradients
from everygrad.jacobians import hessian as hessian
from everygrad.jacobians import jacobian as jacobian
from everygrad.registry import backend as backend
from everygrad.registry import list_backends as list_backends
from everygrad.registry import set_default as set_default
from everygrad.registry import use as use
from everygrad.transforms import grad as grad
from everygrad.transforms import value_and_grad as value_and_grad
from everygrad.transforms import vjp as vjp
from everygrad_ops import BackendError as BackendError
from everygrad_ops import DeviceError as DeviceError
from everygrad_ops import DType as DType
from everygrad_ops import DTypeError as DTypeError
from everygrad_ops import EverygradError as EverygradError
from everygrad_ops import GradientError as GradientError
from everygrad_ops import MissingOp as MissingOp
from everygrad_ops import ShapeError as ShapeError

if _TYPE_CHECKING:
    from everygrad import data as data
    from everygrad import debug as debug
    from everygrad import fft as fft
    from everygrad import linalg as linalg
    from everygrad import nn as nn
    from everygrad import optim as optim
    from everygrad import signal as signal
    from everygrad import special as special
    from everygrad import store as store
    from everygrad import train as train

__version__ = "0.1.0"

float64, float32, float16, bfloat16 = DType.float64, DType.float32, DType.float16, DType.bfloat16
int64, int32, int16, int8, uint8 = DType.int64, DType.int32, DType.int16, DType.int8, DType.uint8
bool = DType.bool_
double, float, half = float64, float32, float16
long, int, short = int64, int32, int16
e, inf, nan, pi = _math.e, _math.inf, _math.nan, _math.pi

_behind_the_edge(functional.__dict__, "everygrad.functional")
_behind_the_edge(globals(), "everygrad")
_methods_behind_the_edge(Tensor)

_LATER = frozenset(["data", "debug", "fft", "linalg", "nn", "optim", "signal", "special", "store", "train"])
"""Packages that are imported when they are asked for: no program needs all of them."""


def __getattr__(name: str) -> object:
    if name in _LATER:
        import importlib

        return importlib.import_module(f"everygrad.{name}")
    raise AttributeError(f"module 'everygrad' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
