"""The gradient of deformable convolution: its backward, which is differentiable as a composition."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import joint_gradient
from everygrad_ops import Backend
from everygrad_ops.deform_options import DeformOptions

A = TypeVar("A")


@joint_gradient("deform_conv2d", "x", "offset", "weight", "mask", "bias")
def deform_conv2d_all(
    b: Backend[A],
    g: A,
    x: A,
    offset: A,
    weight: A,
    mask: A | None,
    options: DeformOptions,
    needs: tuple[bool, bool, bool, bool, bool],
) -> tuple[A | None, A | None, A | None, A | None, A | None]:
    return b.deform_conv2d_backward(x, offset, weight, mask, g, options, needs)
