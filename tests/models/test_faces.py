"""MTCNN's nets against facenet-pytorch's own modules: PReLU and ceil-mode pools."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# (the packages' own modules are untyped)

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from tests.models.faces import Face, onet, pnet, rnet
from tests.models.places import Array, package_file, photograph


def reference(name: str) -> Any:
    """The package's own module; the rest of its file needs torchvision, and is left out."""
    torch: Any = pytest.importorskip("torch", reason="the reference is facenet-pytorch")
    text = package_file("facenet_pytorch", "models/mtcnn.py").read_text("utf-8")
    found = re.search(rf"^class {name}\b.*?(?=^class |^def )", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    names: dict[str, Any] = {"nn": torch.nn, "torch": torch}
    exec(found[0], names)  # noqa: S102  # of an installed package
    return names[name](pretrained=False)


def crops(size: int) -> Array:
    """The astronaut's face, and three pieces without one."""
    picture = photograph("astronaut", 512, 512)
    places = ((60, 190, 110), (0, 0, 110), (300, 300, 110), (400, 30, 110))
    step = [np.linspace(0, extent - 1, size).astype(int) for _, _, extent in places]
    cut = [picture[:, y + s[:, None], x + s] for (y, x, _), s in zip(places, step, strict=True)]
    return (np.stack(cut) - np.float32(0.5)) * np.float32(2)


@pytest.mark.parametrize(
    ("name", "build", "size"), [("PNet", pnet, 75), ("RNet", rnet, 24), ("ONet", onet, 48)]
)
def test_faces(library: str, name: str, build: Callable[[], Face], size: int) -> None:
    torch: Any = pytest.importorskip("torch", reason="the reference is facenet-pytorch")
    path = package_file("facenet_pytorch", f"data/{name.lower()}.pt")
    theirs, ours = reference(name), build()
    theirs.load_state_dict(torch.load(path, weights_only=True))
    eg.store.load_model(ours, eg.store.load_torch(path))
    pictures = crops(size)
    *rest, chance = theirs(torch.from_numpy(pictures))
    found = ours(eg.tensor(pictures))
    for mine, its in zip(found, (chance, *rest), strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), its.detach().numpy(), rtol=1e-4, atol=1e-5)
    if name != "PNet":
        chances = found[0].detach().numpy()[:, 1]
        assert chances[0] > 0.9 and chances[1:].max() < 0.5, "one of the four is a face"

    # In float64 and with a little noise: of equal values in a pool, rounding says which is the largest.
    noise = np.random.default_rng(0).normal(size=pictures.shape)
    pictures = pictures + 1e-3 * noise
    given = torch.from_numpy(pictures).requires_grad_()
    theirs.double()(given)[-1][:, 1].log().sum().backward()
    x = eg.tensor(pictures).requires_grad_()
    grad = ours.double()(x)[0][:, 1].log().sum().backward()[x]
    np.testing.assert_allclose(grad.numpy(), given.grad.numpy(), rtol=1e-8, atol=1e-9)
