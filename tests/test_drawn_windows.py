"""Drawn windows, norms and resizings: every parameter at once, against loops, on both libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from everygrad_ops import ShapeError, conv_options, conv_transpose_options, pool_options
from everygrad_ops.resize import resize_options
from tests.drawn import compare, distinct, drawn_often, pairs, shapes


def _ints(data: st.DataObject, least: int, most: int, rank: int) -> tuple[int, ...]:
    return tuple(data.draw(st.integers(least, most)) for _ in range(rank))


@drawn_often
@given(st.sampled_from(("conv", "conv_transpose")), st.integers(1, 3), st.data())
def test_convolutions(op: str, rank: int, data: st.DataObject) -> None:
    groups = data.draw(st.sampled_from((1, 1, 2)))
    wide, each = groups * data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2))
    kernel, stride, dilation = (_ints(data, 1, 3 if rank < 3 else 2, rank) for _ in range(3))
    padding = data.draw(pairs(0, 2, rank))
    spatial = _ints(data, 1, 5 if rank < 3 else 3, rank)
    shape = (data.draw(st.integers(0, 2)), wide, *spatial)
    try:
        if op == "conv":
            options: Any = conv_options(stride, padding, dilation, groups, rank=rank)
            weight, out = (groups * each, wide // groups, *kernel), groups * each
            options.output_size(op, shape, weight)
        else:
            extra = tuple(data.draw(st.integers(0, max(s, d) - 1)) for s, d in zip(stride, dilation))
            options = conv_transpose_options(stride, padding, extra, dilation, groups, rank=rank)
            weight, out = (wide, each, *kernel), groups * each
            options.output_size(op, shape, weight)
    except ShapeError:
        assume(False)  # no window fits: refused, as other tests say
        raise
    bias = data.draw(st.booleans())

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        return r.normal(size=shape), r.normal(size=weight), r.normal(size=out) if bias else None, options

    compare(f"{op}-2d", sample)


@drawn_often
@given(st.sampled_from(("avg_pool", "max_pool")), st.integers(1, 3), st.data())
def test_pools(op: str, rank: int, data: st.DataObject) -> None:
    kernel, stride = _ints(data, 1, 3, rank), _ints(data, 1, 3, rank)
    dilation = _ints(data, 1, 2, rank)
    padding = tuple((p, p) for p in (data.draw(st.integers(0, k // 2)) for k in kernel))
    shape = (data.draw(st.integers(0, 2)), 2, *_ints(data, 1, 6 if rank < 3 else 4, rank))
    mean: dict[str, Any] = {"ceil_mode": data.draw(st.booleans())}
    if op == "avg_pool":
        mean["count_include_pad"] = data.draw(st.booleans())
        mean["divisor_override"] = data.draw(st.sampled_from((None, 3)))
    try:
        options = pool_options(kernel, stride, padding, dilation, rank=rank, **mean)
        options.output_size(op, shape)
    except ShapeError:
        assume(False)
        raise
    compare(f"{op}-2d", lambda r: (distinct(r, shape), options))


@drawn_often
@given(
    st.sampled_from(("linear", "cubic", "lanczos3", "nearest", "nearest-exact", "area")),
    st.integers(1, 3),
    st.data(),
)
def test_resizing(mode: str, rank: int, data: st.DataObject) -> None:
    size = _ints(data, 1, 5, rank)
    smooth = mode in ("linear", "cubic", "lanczos3")
    aligned = smooth and data.draw(st.booleans())
    antialias = smooth and not aligned and data.draw(st.booleans())
    options = resize_options(size, mode, aligned, antialias)
    shape = (data.draw(st.integers(0, 2)), 1, *_ints(data, 1, 5, rank))
    compare("interpolate-nearest-2d", lambda r: (r.normal(size=shape), options))


@drawn_often
@given(
    st.sampled_from(("layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm_train")), st.data()
)
def test_norms(op: str, data: st.DataObject) -> None:
    affine = data.draw(st.sampled_from(((False, False), (True, False), (True, True))))
    options: tuple[Any, ...] = ()
    eps = data.draw(st.sampled_from((1e-5, 1e-3, 0.1)))
    if op in ("layer_norm", "rms_norm"):
        shape = data.draw(shapes(1, 4, 1))
        normalised = shape[data.draw(st.integers(0, len(shape) - 1)) :]
        groups, channels, options = 1, normalised, (normalised,)
    else:
        groups = data.draw(st.integers(1, 2)) if op == "group_norm" else 1
        shape = (
            data.draw(st.integers(1, 2)),
            groups * data.draw(st.integers(1, 2)),
            *data.draw(shapes(1, 2, 1)),
        )
        normalised, channels = shape[2:], (shape[1],)
        options = (groups,) * (op == "group_norm")
    per = shape[0] if op == "batch_norm_train" else shape[1] // groups if op == "group_norm" else 1
    assume(per * int(np.prod(normalised)) > 1)  # a single value has no spread

    def sample(r: np.random.Generator) -> tuple[Any, ...]:
        given = [r.normal(size=channels) if has else None for has in affine]
        if op == "rms_norm":
            given = given[:1]
        return distinct(r, shape), *options, *given, eps

    like = {"group_norm": "2d", "instance_norm": "2d", "batch_norm_train": "2d"}.get(op, "matrix")
    compare(f"{op}-{like}", sample)
