"""Reported faults, the second half: losses, norms, dtypes, graphs, training. See test_faults.py."""

from __future__ import annotations

import gc
import pickle
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import functional as F
from everygrad import nn, optim
from tests.fault_tools import INF, same, slopes, variable

pytestmark = pytest.mark.usefixtures("library")


class TestLosses:
    def test_b076_weights_smoothing_and_ignored_targets(self) -> None:
        logits, target = variable([[5.0, 5], [0, 2], [1, 0]]), eg.tensor([-100, 1, 0])
        weight = eg.tensor(np.array([1.0, 3.0]))
        same(F.cross_entropy(logits, target, weight, label_smoothing=0.2).item(), 0.307828, 1e-5)
        total = F.cross_entropy(logits, target, weight, label_smoothing=0.2, reduction="sum")
        same(total.item(), 1.231312, 1e-6)

    def test_b077_smoothing_over_all_classes(self) -> None:
        loss = F.cross_entropy(variable([[2.0, 0, 0]]), eg.tensor([0]), label_smoothing=0.3)
        same(loss.item(), 0.639545, 1e-6)

    def test_b079_a_target_that_is_no_class(self) -> None:
        with pytest.raises(
            IndexError, match=r"^cross_entropy: a target is neither a class nor ignore_index \(.*-4"
        ):
            F.cross_entropy(eg.zeros(2, 3), eg.tensor([-4, 1]), ignore_index=-1, reduction="none")


class TestNorms:
    def test_b082_cancellation(self) -> None:
        out = F.layer_norm(eg.tensor([4096.0, 4097, 4098, 4099]), 4, eps=1e-5)
        same(out.tolist(), [-1.341635, -0.447212, 0.447212, 1.341635], 1e-6)

    def test_b083_a_small_eps_in_float16(self) -> None:
        assert F.layer_norm(eg.zeros(4, dtype=eg.float16), 4, eps=1e-12).tolist() == [0, 0, 0, 0]

    def test_b085_equal_values(self) -> None:
        out = F.batch_norm(eg.full((4, 1), 1e10, dtype=eg.float32), None, None, training=True)
        assert out.tolist() == [[0]] * 4

    def test_b086_running_statistics(self) -> None:
        norm = nn.BatchNorm1d(1, momentum=0.1)
        same(norm(eg.tensor([[1.0], [3.0]])).tolist(), [[-0.999995], [0.999995]], 1e-6)
        assert norm.running_mean is not None and norm.running_var is not None
        same([norm.running_mean.item(), norm.running_var.item()], [0.2, 1.1], 1e-6)

    def test_b088_third_derivatives(self) -> None:
        weight = eg.tensor(np.array([1.0, 2.0]))

        def by_layer(t: Any) -> Any:
            return F.layer_norm(eg.stack([t, t * 0]), (2,), weight, None, 0.25).sum()

        def by_batch(t: Any) -> Any:
            rows = F.batch_norm(eg.stack([t, t * 0]).reshape(2, 1), None, None, training=True, eps=0.25)
            return (rows.reshape(2) * weight).sum()

        for f in (by_layer, by_batch):
            for due in (-0.549820, 0.774914, -0.713248):
                f = eg.grad(f)
                same(f(eg.tensor(np.array(0.7))).item(), due, 1e-6)


class TestDtypes:
    def test_b094_float16_sums(self) -> None:
        assert eg.ones(3000, 115, dtype=eg.float16).sum(0).tolist() == [3000] * 115
        assert eg.ones(3000, dtype=eg.float16).cumsum(0)[-1].item() == 3000

    def test_b097_integers_beyond_their_dtype(self) -> None:
        x = eg.tensor(np.array([2**31 - 1, 2**31 - 1], np.int32))
        assert x.sum().dtype is eg.int64 and x.sum().item() == 4294967294
        assert x.mean().item() == np.float32(2147483647.0)

    def test_b098_casts_that_overflow(self) -> None:
        x = eg.tensor(np.array([65536, 65519, 65520], np.float32))
        assert x.to(eg.float16).tolist() == [INF, 65504, INF]


class TestGraphs:
    def test_b100_broadcasting_to_nothing(self) -> None:
        x, y = variable(np.zeros((2, 0))), variable(np.zeros((2, 1)))
        out = x + y
        assert out.shape == (2, 0) and slopes(out, y) == [[0], [0]]

    def test_b101_the_gradient_of_what_was_stretched_to_nothing(self) -> None:
        b = variable([1.0, 2, 3, 4])
        assert slopes(eg.zeros(4, 0, dtype=eg.float64) + b[:, None], b) == [0, 0, 0, 0]

    def test_b103_gradients_of_broadcast_operands(self) -> None:
        x, y = variable([[1.0, 2, 3]]), variable([[10.0], [20]])
        assert slopes(x * y, x, y) == [[[30, 30, 30]], [[6], [6]]]

    def test_b104_a_diamond(self) -> None:
        a, b = variable(3.0), variable(5.0)
        y = (a + b) * a
        assert y.item() == 24 and slopes(y, a, b) == [11, 3]

    def test_b106_a_deep_graph(self) -> None:
        for backwards in (True, False):
            x = variable(1.0)
            y = x
            for _ in range(100_000):
                y = y * 1.00001
            if backwards:
                same(slopes(y, x), 2.71827, 1e-5)
            with pytest.raises(eg.GradientError, match="detach"):
                pickle.dumps(y)
            del y

    def test_b107_nothing_is_kept_alive(self) -> None:
        x = variable([1.0])
        y = x.tanh()
        grads = y.sum().backward(create_graph=True)
        assert grads[x].requires_grad
        watched = weakref.ref(x)
        del x, y, grads
        gc.collect()
        assert watched() is None

    def test_b110_threads(self, library: str) -> None:
        wrong: list[tuple[int, float]] = []

        def work(k: int) -> None:
            for _ in range(1000):
                x = eg.tensor(3.0, requires_grad=True, backend=f"autodiff({library})")
                g = ((k * x) ** 2).backward()[x].item()
                if g != 6 * k * k:
                    wrong.append((k, g))

        threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []

    def test_b112_no_grad_is_of_its_own_thread(self) -> None:
        x, found = variable(1.0), list[bool]()
        with eg.no_grad():
            thread = threading.Thread(target=lambda: found.append((x * 2).requires_grad))
            thread.start()
            thread.join()
            assert not (x * 2).requires_grad
        assert found == [True]
        with pytest.raises(ZeroDivisionError), eg.no_grad():
            _ = 1 // 0
        assert (x * 2).requires_grad

    def test_b113_no_saved_value_changes(self) -> None:
        a = variable([0.0, 0.0])
        s = F.sigmoid(a)
        with pytest.raises(TypeError, match="slice_assign"):
            s[1] = 2
        assert slopes(s, a) == [0.25, 0.25]

    def test_b115_data_is_copied_on_entry(self) -> None:
        data = np.array([3.0, 4.0])
        t, w = eg.tensor(data), variable([1.0, 1.0])
        loss = (w * t).sum()
        data[:] = 100
        assert slopes(loss, w) == [3, 4]


class TestTraining:
    def test_b121_adam(self) -> None:
        def path(kind: Any, g: float, **options: Any) -> list[float]:
            p = nn.Parameter(eg.tensor(np.array(1.0)))
            optimizer, found = kind([p], **options), list[float]()
            for _ in range(2):
                optimizer.step((p * g).backward())
                found.append(p.item())
            return found

        same(path(optim.AdamW, 0.5, lr=0.1, weight_decay=0.1), [0.89, 0.7811], 1e-6)
        same(path(optim.Adam, 0.5, lr=0.1, weight_decay=0.1), [0.9, 0.8000473], 1e-6)
        same(path(optim.Adam, 1e-3, lr=0.1, eps=1e-3), [0.95, 0.9], 1e-6)

    def test_b122_a_resumed_run(self) -> None:
        def made() -> tuple[nn.Linear, optim.Adam]:
            eg.manual_seed(1)
            model = nn.Linear(3, 2)
            return model, optim.Adam(model.parameters(), lr=0.1)

        def train(model: nn.Linear, optimizer: optim.Adam, steps: range) -> None:
            for k in steps:
                optimizer.step((model(eg.full((4, 3), 1.0 + k)) ** 2).mean().backward())

        unbroken, first, second = made(), made(), made()
        train(*unbroken, range(5))
        train(*first, range(3))
        saved = pickle.dumps([part.state_dict() for part in first])
        weights, moments = pickle.loads(saved)
        second[0].load_state_dict(weights)
        second[1].load_state_dict(moments)
        train(*second, range(3, 5))
        assert second[0].weight.tolist() == unbroken[0].weight.tolist()
        assert second[0].bias is not None and unbroken[0].bias is not None
        assert second[0].bias.tolist() == unbroken[0].bias.tolist()

    def test_b124_dropout(self) -> None:
        x = variable(np.ones(4))
        out = nn.Dropout(1.0)(x)
        assert out.tolist() == [0, 0, 0, 0] and slopes(out, x) == [0, 0, 0, 0]
        layer = nn.Dropout(0.5).eval()
        assert layer(x).tolist() == [1, 1, 1, 1]
        assert {*layer.train()(eg.ones(100)).tolist()} == {0, 2}

    def test_b133_a_weight_is_loaded_as_it_lies(self) -> None:
        square, layer = np.array([[1.0, 2], [3, 4]], np.float32), nn.Linear(2, 2, bias=False)
        layer.load_state_dict({"weight": square})
        assert layer(eg.tensor([1.0, 0.0])).tolist() == [1, 3]
        with pytest.raises(ValueError, match=r"weight.*\(2, 3\)"):
            nn.Linear(2, 3, bias=False).load_state_dict({"weight": np.zeros((2, 3), np.float32)})
