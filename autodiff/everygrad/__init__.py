"""everygrad: differentiable programming on any array library; every op, every gradient, every order.

    import everygrad as eg

    x = eg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    grads = (x @ x).sin().sum().backward()
    grads[x]
"""

from everygrad.engine import Autodiff, enable_grad, is_grad_enabled, no_grad
from everygrad.generator import Generator, manual_seed, seeded
from everygrad.gradients import Gradients, gradients
from everygrad.registry import backend, list_backends, set_default, use
from everygrad.tensor import Tensor
from everygrad_ops import (
    BackendError,
    DeviceError,
    DType,
    DTypeError,
    EverygradError,
    GradientError,
    ShapeError,
)

__version__ = "0.1.0"

float64, float32, float16, bfloat16 = DType.float64, DType.float32, DType.float16, DType.bfloat16
int64, int32, int16, int8, uint8 = DType.int64, DType.int32, DType.int16, DType.int8, DType.uint8
bool = DType.bool_
