"""The methods elementwise: the functions of the same name."""

from __future__ import annotations

from everygrad.functional import activation, bitwise, comparison, elementwise, special, unary


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
