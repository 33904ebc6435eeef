"""The gradient of every op that needs one: a file per family, one function per op and argument."""

from everygrad.rules import (
    comparison,
    conv,
    creation,
    elementwise,
    indexing,
    linalg,
    norm,
    pool,
    reduction,
    shape,
    window,
)
from everygrad.rules.registry import (
    RESIDUAL_FORMS,
    RULES,
    Rule,
    check_complete,
    gradient,
    joint_gradient,
    residual_form,
)

check_complete()

__all__ = [
    "RESIDUAL_FORMS",
    "RULES",
    "Rule",
    "check_complete",
    "comparison",
    "conv",
    "creation",
    "elementwise",
    "gradient",
    "indexing",
    "joint_gradient",
    "linalg",
    "norm",
    "pool",
    "reduction",
    "residual_form",
    "shape",
    "window",
]
