"""Random programs: value, gradient and gradient of a gradient against torch's own autograd, on every backend."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false
# (lambdas under test take and give whatever tensors they meet)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import everygrad as eg
import everygrad.functional as F

torch = pytest.importorskip("torch", reason="the reference is torch's autograd")


SHAPE = (2, 3, 4)
CONFIGURATIONS = (
    "autodiff(numpy)",
    "autodiff(torch)",
    "autodiff(autodiff(numpy))",
    "autodiff(tests.minimal:MinimalBackend)",
)

Step = tuple[str, int, int, int]
Op = Callable[..., Any]

OPS: dict[str, tuple[Op, Op]] = {}
"""Each takes registers x and y of one shape and a small number k, and gives a register of that shape: with us, in torch."""


def op(name: str, ours: Op, theirs: Op | None = None) -> None:
    """An op; the same text for both where the methods are the same."""
    OPS[name] = (ours, theirs or ours)


def dim(k: int) -> int:
    return k % 3 - 3 if k > 2 else k


def _fit(x: Any) -> Any:
    """The 24 elements in the registers' shape."""
    return x.reshape(SHAPE)


TF = torch.nn.functional

op("add", lambda x, y, k: x + y)
op("sub", lambda x, y, k: k - x - y)
op("mul", lambda x, y, k: x * y)
op("div", lambda x, y, k: x / (y * y + 1))
op("rdiv", lambda x, y, k: (k + 1) / (x.exp() + 1))
op("pow", lambda x, y, k: x**k)
op("rpow", lambda x, y, k: (k + 1.5) ** x)
op("pow tensor", lambda x, y, k: (x * x + 0.5) ** y)
op("maximum", lambda x, y, k: x.maximum(y + 0.1))
op("minimum", lambda x, y, k: x.minimum(y - 0.1))
op("remainder", lambda x, y, k: (x * 3).remainder(y * y + 0.7))
op("floor_divide", lambda x, y, k: x + (x * 3) // 0.7, lambda x, y, k: x + (x * 3 / 0.7).floor())
op("clamp", lambda x, y, k: x.clamp(-0.6, 0.7 + k))
op("where", lambda x, y, k: F.where(x > 0.2, x, y), lambda x, y, k: torch.where(x > 0.2, x, y))
op(
    "where sqrt",
    lambda x, y, k: F.where(x > 0.2, x.abs().sqrt(), y.square()),
    lambda x, y, k: torch.where(x > 0.2, x.abs().sqrt(), y.square()),
)
op("masked_fill", lambda x, y, k: x.masked_fill(y > 0.1, 0.5) + y)
op("abs", lambda x, y, k: (x + 0.01).abs())
op("exp", lambda x, y, k: x.exp())
op("expm1", lambda x, y, k: x.expm1())
op("log", lambda x, y, k: (x.abs() + 0.3).log())
op("log1p", lambda x, y, k: (x * x).log1p())
op("sqrt", lambda x, y, k: (x * x + 0.2).sqrt())
op("rsqrt", lambda x, y, k: (x * x + 0.2).rsqrt())
op("reciprocal", lambda x, y, k: (x * x + 0.7).reciprocal())
op("sin", lambda x, y, k: x.sin() * y.cos())
op("tan", lambda x, y, k: (x.tanh() * 0.9).tan())
op("tanh", lambda x, y, k: x.tanh())
op("erf", lambda x, y, k: x.erf())
op("sign", lambda x, y, k: x.sign() * y)
op("round", lambda x, y, k: (x * 3).round() + y)
op("detach", lambda x, y, k: x * y.detach())
op("sum", lambda x, y, k: y + 0.3 * x.sum(dim(k), keepdim=True))
op("sum all", lambda x, y, k: y + 0.1 * x.sum())
op("mean", lambda x, y, k: x - x.mean(dim(k), keepdim=True))
op("prod", lambda x, y, k: y + x.prod(dim(k), keepdim=True))
op("amax", lambda x, y, k: x - y.amax(dim(k), keepdim=True))
op("amin", lambda x, y, k: x - y.amin((0, 2), keepdim=True))
op("max dim", lambda x, y, k: x * y.max(dim(k), keepdim=True)[0])
op("min dim", lambda x, y, k: x * y.min(dim(k), keepdim=True).values)
op("var", lambda x, y, k: x + y.var(dim=(1, 2), keepdim=True, correction=k % 2))
op("std", lambda x, y, k: x + y.std(dim=dim(k), keepdim=True))
op("logsumexp", lambda x, y, k: x - y.logsumexp(dim(k), keepdim=True))
op("softmax", lambda x, y, k: x.softmax(dim(k)) * y)
op("log_softmax", lambda x, y, k: x.log_softmax(dim(k)))
op("cumsum", lambda x, y, k: x.cumsum(dim(k)))
op("cumprod", lambda x, y, k: x.cumprod(dim(k)))
op("sort", lambda x, y, k: x.sort(dim(k))[0] * y)
op("sort down", lambda x, y, k: x.sort(dim=dim(k), descending=True)[0] * y)
op("topk", lambda x, y, k: y * x.topk(1 + k % 2, 1 + k % 2)[0].sum(1 + k % 2, keepdim=True))
op(
    "cat",
    lambda x, y, k: F.cat([x, y, x], dim(k))[
        tuple([slice(None)] * (dim(k) % 3) + [slice(1, 1 + SHAPE[dim(k)])])
    ],
    lambda x, y, k: torch.cat([x, y, x], dim(k))[
        tuple([slice(None)] * (dim(k) % 3) + [slice(1, 1 + SHAPE[dim(k)])])
    ],
)
op(
    "stack",
    lambda x, y, k: F.stack([x, y], k % 4).sum(k % 4),
    lambda x, y, k: torch.stack([x, y], k % 4).sum(k % 4),
)
op("reshape", lambda x, y, k: _fit(x.permute(2, 0, 1)))
op("transpose", lambda x, y, k: _fit(x.transpose(0, 2).reshape(4, 6).t() * 1.5))
op("flip", lambda x, y, k: x.flip(0, 2) * y)
op("roll", lambda x, y, k: x.roll(k, dim(k)) - y)
op("expand", lambda x, y, k: x + y[:, :1].expand(2, 3, 4))
op("triu", lambda x, y, k: x.triu(k - 2) + y.tril(k - 3))
op("split", lambda x, y, k: x * y.split(2, 2)[k % 2].sum(2, keepdim=True))
op("unbind", lambda x, y, k: x * y.unbind(1)[k % 3].reshape(2, 1, 4))
op("index int", lambda x, y, k: x + y[k % 2] * y[..., k % 4 - 2, None])
op("index slice", lambda x, y, k: x[:, :, :] * y[:, 1:2, -1:])
op("index list", lambda x, y, k: x[:, [2, 0, 2]] * y)
op("index two", lambda x, y, k: x + y[[0, 1, 0], :, [3, 0, 1]].sum(0).reshape(1, 3, 1))
op("index mask", lambda x, y, k: x + y[y > 0.3].sum())
op(
    "gather",
    lambda x, y, k: x.gather(2, (y.detach() > 0).to(eg.int64) * 2),
    lambda x, y, k: x.gather(2, (y.detach() > 0).long() * 2),
)
op(
    "index_select",
    lambda x, y, k: x.index_select(1, eg.tensor([1, 1, 0])) * y,
    lambda x, y, k: x.index_select(1, torch.tensor([1, 1, 0])) * y,
)
op(
    "index_add",
    lambda x, y, k: x.index_add(1, eg.tensor([1, 1, 0]), y * x),
    lambda x, y, k: x.index_add(1, torch.tensor([1, 1, 0]), y * x),
)
op(
    "scatter_add",
    lambda x, y, k: x.scatter_add(2, (y.detach() > 0).to(eg.int64), y),
    lambda x, y, k: x.scatter_add(2, (y.detach() > 0).long(), y),
)
op(
    "index_put",
    lambda x, y, k: x.index_put((eg.tensor([0, 1]), eg.tensor([2, 0])), y[:, 0] * y[0, 0], accumulate=k > 2),
    lambda x, y, k: x.index_put(
        (torch.tensor([0, 1]), torch.tensor([2, 0])), y[:, 0] * y[0, 0], accumulate=k > 2
    ),
)
op(
    "pad",
    lambda x, y, k: F.pad(x, (1, k), value=0.5)[..., : SHAPE[2]] * y,
    lambda x, y, k: TF.pad(x, (1, k), value=0.5)[..., : SHAPE[2]] * y,
)
op("matmul", lambda x, y, k: x @ (y.transpose(1, 2) @ y))
op("matvec", lambda x, y, k: x * (y @ x[0, 0]).reshape(2, 3, 1))
op(
    "linear",
    lambda x, y, k: F.linear(x, y[0].t() @ y[1], y[0, 0]),
    lambda x, y, k: TF.linear(x, y[0].t() @ y[1], y[0, 0]),
)
op(
    "conv1d",
    lambda x, y, k: F.conv1d(
        x, y.reshape(8, 3)[:3, :, None] * F.cat([x[:1, :, :1], y[:1, :, :2]], 2), y[0, :, 0], padding=1
    ),
    lambda x, y, k: TF.conv1d(
        x, y.reshape(8, 3)[:3, :, None] * torch.cat([x[:1, :, :1], y[:1, :, :2]], 2), y[0, :, 0], padding=1
    ),
)
op(
    "conv2d groups",
    lambda x, y, k: F.conv2d(x[None], y.reshape(2, 1, 3, 4)[..., :3], padding=(1, 1), groups=2)[0],
    lambda x, y, k: TF.conv2d(x[None], y.reshape(2, 1, 3, 4)[..., :3], padding=(1, 1), groups=2)[0],
)
op(
    "conv stride",
    lambda x, y, k: y + F.conv1d(x, y[:, :, :2], stride=2, dilation=1 + k % 2).sum(),
    lambda x, y, k: y + TF.conv1d(x, y[:, :, :2], stride=2, dilation=1 + k % 2).sum(),
)
op(
    "avg_pool1d",
    lambda x, y, k: y * F.avg_pool1d(x, 3, 1, 1, count_include_pad=k > 2),
    lambda x, y, k: y * TF.avg_pool1d(x, 3, 1, 1, count_include_pad=k > 2),
)
op(
    "avg_pool2d",
    lambda x, y, k: y + F.avg_pool2d(x, 2, 2, ceil_mode=True).sum(),
    lambda x, y, k: y + TF.avg_pool2d(x, 2, 2, ceil_mode=True).sum(),
)
op("max_pool1d", lambda x, y, k: y * F.max_pool1d(x, 3, 1, 1), lambda x, y, k: y * TF.max_pool1d(x, 3, 1, 1))
op(
    "max_pool2d",
    lambda x, y, k: y * F.max_pool2d(x[None], (3, 2), (1, 2), (1, 0))[0].mean(2, keepdim=True),
    lambda x, y, k: y * TF.max_pool2d(x[None], (3, 2), (1, 2), (1, 0))[0].mean(2, keepdim=True),
)
op(
    "layer_norm",
    lambda x, y, k: F.layer_norm(x, (3, 4), y[0], y[1]),
    lambda x, y, k: _layer_norm(x, y[0], y[1]),
)
op(
    "layer_norm plain",
    lambda x, y, k: F.layer_norm(x, (4,), eps=0.1) * y,
    lambda x, y, k: TF.layer_norm(x, (4,), eps=0.1) * y,
)
op(
    "batch_norm",
    lambda x, y, k: F.batch_norm(x, None, None, y[0, :, 0], y[1, :, 1], training=True),
    lambda x, y, k: _batch_norm(x, y[0, :, 0], y[1, :, 1]),
)
op(
    "gelu",
    lambda x, y, k: F.gelu(x, "tanh" if k % 2 else "none"),
    lambda x, y, k: TF.gelu(x, approximate="tanh" if k % 2 else "none"),
)
for _name in ("relu", "sigmoid", "silu", "mish", "softplus", "logsigmoid", "softsign", "elu", "leaky_relu"):
    op(_name, lambda x, y, k, n=_name: getattr(F, n)(x) + y, lambda x, y, k, n=_name: getattr(TF, n)(x) + y)
op(
    "glu",
    lambda x, y, k: y * F.glu(x).sum(-1, keepdim=True),
    lambda x, y, k: y * TF.glu(x).sum(-1, keepdim=True),
)
op(
    "cross_entropy",
    lambda x, y, k: y + F.cross_entropy(x[0], eg.tensor([0, 3, 1]), label_smoothing=0.1 * k),
    lambda x, y, k: y + TF.cross_entropy(x[0], torch.tensor([0, 3, 1]), label_smoothing=0.1 * k),
)
op("mse", lambda x, y, k: x * F.mse_loss(x, y), lambda x, y, k: x * TF.mse_loss(x, y))
op(
    "huber",
    lambda x, y, k: x * F.huber_loss(x, y, delta=0.3),
    lambda x, y, k: x * TF.huber_loss(x, y, delta=0.3),
)
op(
    "bce",
    lambda x, y, k: x + F.binary_cross_entropy_with_logits(x, y.sigmoid()),
    lambda x, y, k: x + TF.binary_cross_entropy_with_logits(x, y.sigmoid()),
)
op(
    "embedding",
    lambda x, y, k: x + F.embedding(eg.tensor([[1, 0, 1], [2, 2, 0]]), y[0]),
    lambda x, y, k: x + TF.embedding(torch.tensor([[1, 0, 1], [2, 2, 0]]), y[0]),
)
op(
    "unfold",
    lambda x, y, k: y + F.unfold(x[None], (2, 2), padding=1).square().mean(),
    lambda x, y, k: y + TF.unfold(x[None], (2, 2), padding=1).square().mean(),
)


def _layer_norm(x: Any, weight: Any, bias: Any) -> Any:
    """By its definition: torch's own kernel loses higher orders."""
    centred = x - x.mean((1, 2), keepdim=True)
    return centred / (centred.square().mean((1, 2), keepdim=True) + 1e-5).sqrt() * weight + bias


def _batch_norm(x: Any, weight: Any, bias: Any) -> Any:
    centred = x - x.mean((0, 2), keepdim=True)
    deviation = (centred.square().mean((0, 2), keepdim=True) + 1e-5).sqrt()
    return centred / deviation * weight.reshape(3, 1) + bias.reshape(3, 1)


def run_program(steps: list[Step], inputs: list[Any], side: int) -> Any:
    """The scalar that a program computes from its inputs; every register stays in use."""
    registers = list(inputs)
    for name, i, j, k in steps:
        x, y = registers[i % len(registers)], registers[j % len(registers)]
        made = OPS[name][side](x, y, k)
        assert tuple(made.shape) == SHAPE, (name, made.shape)
        registers.append(made / (made * made + 4).sqrt() * 3)  # bounded, and never saturated
    total = registers[-1].sum()
    for weight, r in enumerate(registers[:-1]):
        total = total + (r * r * 0.1 * (weight + 1)).sum()
    return total


def reference(steps: list[Step], data: list[Any], directions: list[Any]) -> list[Any]:
    """[value, gradients..., gradients of their product with the directions...] by torch's autograd."""
    inputs = [torch.tensor(d, requires_grad=True) for d in data]
    out = run_program(steps, inputs, 1)
    first = torch.autograd.grad(out, inputs, create_graph=True)
    slope = sum((g * torch.tensor(v)).sum() for g, v in zip(first, directions))
    second = torch.autograd.grad(slope, inputs, allow_unused=True, materialize_grads=True)
    return [t.detach().numpy() for t in (out, *first, *second)]


def ours(spec: str, steps: list[Step], data: list[Any], directions: list[Any]) -> list[Any]:
    """The same by everygrad on one backend."""
    with eg.use(eg.backend(spec)):
        inputs = [eg.tensor(d, requires_grad=True) for d in data]
        out = run_program(steps, inputs, 0)
        first = eg.gradients(out, inputs, create_graph=True)
        slope = eg.tensor(np.array(0.0))
        for g, v in zip(first, directions):
            assert g is not None
            slope = slope + (g * eg.tensor(v)).sum()
        second = eg.gradients(slope, inputs, materialize_grads=True)
        return [t.detach().numpy() for t in (out, *first, *second) if t is not None]


def check(steps: list[Step], seed: int) -> None:
    """Compare one program on every configuration."""
    generator = np.random.default_rng(seed)
    data = [generator.standard_normal(SHAPE) for _ in range(2)]
    directions = [generator.standard_normal(SHAPE) for _ in range(2)]
    expected = reference(steps, data, directions)
    scale = max(1.0, *(float(np.abs(e).max()) for e in expected))
    if not np.isfinite(scale) or scale > 1e6:
        return
    for spec in CONFIGURATIONS:
        found = ours(spec, steps, data, directions)
        assert len(found) == len(expected)
        for f, e, what in zip(found, expected, ("value", *["gradient"] * 2, *["second"] * 2)):
            assert f.shape == e.shape and f.dtype == e.dtype, (spec, what)
            np.testing.assert_allclose(f, e, rtol=1e-7, atol=1e-9 * scale, err_msg=f"{what} on {spec}")


STEP = st.tuples(st.sampled_from(sorted(OPS)), st.integers(0, 9), st.integers(0, 9), st.integers(0, 4))


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEP, min_size=2, max_size=7), st.integers(0, 2**16))
def test_random_programs(steps: list[Step], seed: int) -> None:
    check(steps, seed)


@pytest.mark.parametrize("name", sorted(OPS))
def test_each_op_after_another(name: str) -> None:
    check([("sin", 0, 1, 0), (name, 2, 1, 1), ("mul", 3, 2, 0), (name, 1, 4, 4)], 7)


def test_the_comparison_fails_on_a_wrong_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPS, "mul", (lambda x, y, k: x * y.detach(), lambda x, y, k: x * y))
    with pytest.raises(AssertionError, match="gradient on"):
        check([("mul", 0, 1, 0)], 0)
