"""The methods elementwise: the functions of the same name."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from everygrad.functional import (
    activation,
    arithmetic,
    bitwise,
    closeness,
    comparison,
    elementwise,
    floats,
    logarithm,
    special,
    trigonometric,
    unary,
)

if TYPE_CHECKING:
    from everygrad.tensor.tensor import Tensor


class MathMethods:
    """Methods elementwise."""

    __slots__ = ()

    abs = unary.abs
    ceil = unary.ceil
    cos = unary.cos
    exp = unary.exp
    expm1 = unary.expm1
    floor = unary.floor
    log = unary.log
    log1p = unary.log1p
    neg = unary.neg
    reciprocal = unary.reciprocal
    round = unary.round
    rsqrt = unary.rsqrt
    sign = unary.sign
    frexp = floats.frexp
    nextafter = floats.nextafter
    igamma = special.igamma
    igammac = special.igammac
    sin = unary.sin
    sqrt = unary.sqrt
    square = unary.square
    tan = unary.tan
    tanh = unary.tanh
    trunc = unary.trunc
    add = elementwise.add
    clamp = elementwise.clamp
    div = elementwise.div
    floor_divide = elementwise.floor_divide
    maximum = elementwise.maximum
    minimum = elementwise.minimum
    mul = elementwise.mul
    pow = elementwise.pow
    remainder = elementwise.remainder
    sub = elementwise.sub
    eq = comparison.eq
    ge = comparison.ge
    gt = comparison.gt
    isfinite = comparison.isfinite
    isinf = comparison.isinf
    isnan = comparison.isnan
    le = comparison.le
    logical_and = comparison.logical_and
    logical_not = comparison.logical_not
    logical_or = comparison.logical_or
    logical_xor = comparison.logical_xor
    lt = comparison.lt
    ne = comparison.ne
    log_softmax = activation.log_softmax
    relu = activation.relu
    sigmoid = activation.sigmoid
    softmax = activation.softmax
    erf = special.erf
    bitwise_and = bitwise.bitwise_and
    bitwise_left_shift = bitwise.bitwise_left_shift
    bitwise_not = bitwise.bitwise_not
    bitwise_or = bitwise.bitwise_or
    bitwise_right_shift = bitwise.bitwise_right_shift
    bitwise_xor = bitwise.bitwise_xor
    gcd = bitwise.gcd
    lcm = bitwise.lcm
    addcdiv = arithmetic.addcdiv
    addcmul = arithmetic.addcmul
    copysign = arithmetic.copysign
    float_power = arithmetic.float_power
    fmod = arithmetic.fmod
    frac = arithmetic.frac
    heaviside = arithmetic.heaviside
    ldexp = arithmetic.ldexp
    lerp = arithmetic.lerp
    nan_to_num = arithmetic.nan_to_num
    positive = arithmetic.positive
    true_divide = arithmetic.true_divide
    allclose = closeness.allclose
    equal = closeness.equal
    isclose = closeness.isclose
    isneginf = closeness.isneginf
    isposinf = closeness.isposinf
    signbit = closeness.signbit
    exp2 = logarithm.exp2
    log10 = logarithm.log10
    log2 = logarithm.log2
    logaddexp = logarithm.logaddexp
    logaddexp2 = logarithm.logaddexp2
    xlogy = logarithm.xlogy
    acos = trigonometric.acos
    acosh = trigonometric.acosh
    arccos = trigonometric.arccos
    arccosh = trigonometric.arccosh
    arcsin = trigonometric.arcsin
    arcsinh = trigonometric.arcsinh
    arctan = trigonometric.arctan
    arctan2 = trigonometric.arctan2
    arctanh = trigonometric.arctanh
    asin = trigonometric.asin
    asinh = trigonometric.asinh
    atan = trigonometric.atan
    atan2 = trigonometric.atan2
    atanh = trigonometric.atanh
    cosh = trigonometric.cosh
    deg2rad = trigonometric.deg2rad
    hypot = trigonometric.hypot
    rad2deg = trigonometric.rad2deg
    sinc = trigonometric.sinc
    sinh = trigonometric.sinh
    digamma = special.digamma
    erfc = special.erfc
    erfinv = special.erfinv
    i0 = special.i0
    lgamma = special.lgamma
    logit = special.logit
    mvlgamma = special.mvlgamma
    clamp_max = elementwise.clamp_max
    clamp_min = elementwise.clamp_min
    clip = elementwise.clip
    divide = elementwise.divide
    multiply = elementwise.multiply
    subtract = elementwise.subtract
    absolute = unary.absolute
    fix = unary.fix
    negative = unary.negative
    sgn = unary.sgn
    greater = comparison.greater
    greater_equal = comparison.greater_equal
    less = comparison.less
    less_equal = comparison.less_equal
    not_equal = comparison.not_equal

    def polygamma(self, n: int) -> Tensor:
        """The n-th derivative of digamma."""
        return special.polygamma(n, cast("Tensor", self))

    def where(self, condition: Tensor, other: Tensor | float) -> Tensor:
        """This tensor where the condition holds, else other."""
        return comparison.where(condition, cast("Tensor", self), other)
