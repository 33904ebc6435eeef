"""nn.utils and the initialisers: against torch, or what defines them."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# (torch.nn.init and the modules under test are untyped)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import everygrad as eg
from everygrad import nn
from everygrad.nn import init, utils


def test_vectors(library: str) -> None:
    net, other = (
        nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)),
        nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)),
    )
    vector = utils.parameters_to_vector(net.parameters())
    assert vector.requires_grad and vector.shape == (13,)
    utils.vector_to_parameters(vector, other.parameters())
    assert [p.tolist() for p in net.parameters()] == [p.tolist() for p in other.parameters()]
    with pytest.raises(eg.ShapeError, match=r"\(13,\)"):
        utils.vector_to_parameters(vector[1:], other.parameters())
    with pytest.raises(ValueError, match="none"):
        utils.parameters_to_vector([])


@pytest.mark.parametrize("kind", ["conv", "transposed", "linear", "plain"])
def test_a_batch_norm_is_folded(library: str, kind: str) -> None:
    norm: nn.Module
    if kind == "linear":
        layer: nn.Module = nn.Linear(4, 6)
        norm, x = nn.BatchNorm1d(6), eg.rand(8, 4)
    elif kind == "transposed":
        layer = nn.ConvTranspose2d(4, 6, 3, groups=2)
        norm, x = nn.BatchNorm2d(6), eg.rand(2, 4, 5, 4)
    else:
        layer = nn.Conv2d(4, 6, 3, groups=2, bias=kind != "plain")
        norm, x = nn.BatchNorm2d(6, affine=kind != "plain"), eg.rand(2, 4, 5, 4)
    for p in norm.parameters():
        init.uniform_(p, 0.5, 2.0)
    norm(layer(x))
    layer.eval()
    norm.eval()
    fuse: Any = utils.fuse_linear_bn_eval if kind == "linear" else utils.fuse_conv_bn_eval
    made = fuse(layer, norm, True) if kind == "transposed" else fuse(layer, norm)
    assert torch.allclose(made(x).detach().torch(), norm(layer(x)).detach().torch(), atol=1e-5)
    with pytest.raises(eg.GradientError, match="eval"):
        fuse(layer.train(), norm)


def test_weight_norm_is_torchs(library: str) -> None:
    theirs = torch.nn.utils.parametrizations.weight_norm(torch.nn.Conv1d(2, 3, 2), dim=0)
    ours = utils.parametrizations.weight_norm(nn.Conv1d(2, 3, 2))
    ours.load_state_dict(theirs.state_dict())
    assert list(ours.state_dict()) == list(theirs.state_dict())
    values = np.linspace(-1, 1, 10, dtype=np.float32).reshape(1, 2, 5)
    out, expected = ours(eg.tensor(values)), theirs(torch.tensor(values))
    assert torch.allclose(out.detach().torch(), expected.detach(), atol=1e-6)
    grads = out.square().sum().backward()
    expected.square().sum().backward()
    for p, q in zip(ours.parameters(), theirs.parameters()):
        assert q.grad is not None and torch.allclose(grads[p].torch(), q.grad, atol=1e-5)
    assert eg.debug.check(ours, eg.tensor(values))


@pytest.mark.parametrize("dim", [None, 1, -1])
def test_weight_norm_keeps_the_value(dim: int | None) -> None:
    layer: Any = nn.Linear(3, 2)
    before = layer.weight.detach()
    utils.parametrizations.weight_norm(layer, dim=dim)
    assert bool(eg.allclose(layer.weight, before, atol=1e-6)) and type(layer).__name__ == "Linear"
    layer.weight = before * 2  # through right_inverse
    assert bool(eg.allclose(layer.weight, before * 2, atol=1e-6))
    utils.parametrize.remove_parametrizations(layer, "weight")
    assert list(layer.state_dict()) == ["bias", "weight"] and type(layer) is nn.Linear
    assert layer.weight.is_leaf and not utils.parametrize.is_parametrized(layer)


def test_spectral_norm(library: str) -> None:
    layer = utils.parametrizations.spectral_norm(nn.Linear(5, 4), n_power_iterations=30)
    weight = [layer.weight for _ in range(3)][-1]
    assert np.linalg.svd(weight.detach().numpy())[1][0] == pytest.approx(1, abs=1e-4)
    theirs: Any = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(5, 4)).eval()
    layer.load_state_dict(theirs.state_dict())
    layer.eval()
    assert torch.allclose(layer.weight.detach().torch(), theirs.weight.detach(), atol=1e-6)
    layer.weight.square().sum().backward()
    other: Any = utils.parametrizations.spectral_norm(nn.ConvTranspose1d(2, 3, 2))
    assert other.parametrizations.weight[0].dim == 1


def test_parametrizations_that_do_not_fit() -> None:
    class Half(nn.Module):
        def forward(self, x: eg.Tensor) -> Any:
            return x[:1]

    with pytest.raises(eg.ShapeError, match="unsafe"):
        utils.parametrize.register_parametrization(nn.Linear(2, 2), "weight", Half())
    layer: Any = utils.parametrize.register_parametrization(nn.Linear(2, 2), "weight", Half(), unsafe=True)
    assert layer.weight.shape == (1, 2)
    with pytest.raises(NotImplementedError, match="right_inverse"):
        layer.weight = eg.ones(1, 2)  # through right_inverse
    with pytest.raises(ValueError, match="gain"):
        utils.parametrize.register_parametrization(nn.Linear(2, 2), "gain", Half())
    with pytest.raises(ValueError, match="bias"):
        utils.parametrize.remove_parametrizations(layer, "bias")


def filled(fill: Callable[[nn.Parameter], Any], *shape: int) -> np.ndarray[Any, Any]:
    with eg.seeded(0):
        values: np.ndarray[Any, Any] = fill(nn.Parameter(eg.zeros(*shape))).detach().numpy()
    return values


def test_matrices_of_ones() -> None:
    assert (filled(init.eye_, 2, 3) == np.eye(2, 3)).all()
    for shape, groups in (((4, 2, 3), 2), ((3, 5, 2, 3), 1), ((4, 3, 1, 3, 2), 1)):
        theirs: Any = torch.nn.init.dirac_(torch.zeros(shape), groups)
        assert (filled(lambda p, g=groups: init.dirac_(p, g), *shape) == theirs.numpy()).all()  # type: ignore[misc]  # a default binds the loop's value


@pytest.mark.parametrize("shape", [(4, 7), (7, 4), (3, 2, 2), (5, 5), (0, 3)])
def test_orthogonal(shape: tuple[int, ...]) -> None:
    values = filled(lambda p: init.orthogonal_(p, gain=2.0), *shape).astype(float)
    values = values.reshape(shape[0], values[:1].size or 3)
    rows, columns = values.shape
    product = values @ values.T if rows <= columns else values.T @ values
    assert np.allclose(product, 4 * np.eye(min(rows, columns)), atol=1e-5)


@pytest.mark.parametrize(
    ("mean", "std", "a", "b"), [(0, 1, -2, 2), (1, 2, 0, 1.5), (0, 1, 5, 6), (0, 1, -9, -7)]
)
def test_truncated_normal(mean: float, std: float, a: float, b: float) -> None:
    from scipy.stats import truncnorm

    values = filled(lambda p: init.trunc_normal_(p, mean, std, a, b), 200, 100)
    expected: Any = truncnorm((a - mean) / std, (b - mean) / std, mean, std)
    assert values.min() >= np.float32(a) and values.max() <= np.float32(b)
    assert values.mean() == pytest.approx(expected.mean(), abs=0.02 * expected.std())
    assert values.std() == pytest.approx(expected.std(), rel=0.02)


def test_sparse() -> None:
    values = filled(lambda p: init.sparse_(p, 0.33, std=0.5), 100, 200)
    assert ((values == 0).sum(0) == 33).all() and len({tuple(c) for c in (values == 0).T}) > 190
    assert values[values != 0].std() == pytest.approx(0.5, rel=0.05)


def test_one_seed_gives_the_same_on_every_backend() -> None:
    found: list[Any] = []
    for library in ("numpy", "torch"):
        with eg.use(library), eg.seeded(5):
            p, w = nn.Parameter(eg.zeros(6, 5)), nn.Parameter(eg.zeros(6, 5))
            found.append(
                [init.orthogonal_(p).tolist(), init.trunc_normal_(p).tolist(), init.sparse_(w, 0.5).tolist()]
            )
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("fill", "shape", "words"),
    [
        (init.eye_, (3,), "matrix"),
        (init.dirac_, (3, 3), "3 to 5"),
        (lambda p: init.dirac_(p, 2), (3, 3, 3), "groups=2"),
        (init.orthogonal_, (3,), "2 dims"),
        (lambda p: init.sparse_(p, 2.0), (3, 3), "sparsity"),
        (lambda p: init.sparse_(p, 0.5), (3,), "matrix"),
        (lambda p: init.trunc_normal_(p, a=2, b=1), (3,), "a < b"),
    ],
)
def test_wrong_calls(fill: Any, shape: tuple[int, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fill(nn.Parameter(eg.zeros(*shape)))
