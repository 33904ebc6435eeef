"""Datasets, sources and samplers."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everygrad as eg
from everygrad import data


def test_tensor_dataset_batches_equal_its_items(library: str) -> None:
    x, y = eg.arange(12.0).reshape(4, 3), eg.tensor([3, 2, 1, 0])
    rows = data.TensorDataset(x, y)
    one = [[t.tolist() for t in rows[i]] for i in (2, -4)]
    whole = rows.batch([2, -4])
    assert [[t[i].tolist() for t in whole] for i in range(2)] == one
    assert all(t.backend.name == f"autodiff({library})" for t in whole)
    with pytest.raises(IndexError, match=r"index must be from -4 to 3\. Received: 4"):
        rows[4]
    with pytest.raises(eg.ShapeError, match="equally many rows"):
        data.TensorDataset(x, y[:3])


def test_tensors_of_one_library_arrive_on_the_current_one() -> None:
    pytest.importorskip("torch")
    rows = data.TensorDataset(eg.arange(4.0))
    with eg.use("torch"):
        for workers in (0, 1):
            (batch,) = next(iter(data.DataLoader(rows, 4, num_workers=workers)))
            assert batch.backend.name == "autodiff(torch)" and batch.tolist() == [0, 1, 2, 3]


def test_parts_of_datasets() -> None:
    joined = data.ConcatDataset([[1], [], [2, 3]])
    assert list(joined) == [1, 2, 3] and joined[-1] == 3
    assert list(data.MappedDataset(joined, str)) == ["1", "2", "3"]
    assert list(data.Subset(joined, [2, 2, 0])) == [3, 3, 1]
    with pytest.raises(IndexError, match="Received: 3"):
        data.Subset(joined, [3])
    for size, window, step, count in [(5, 3, 1, 3), (5, 3, 2, 2), (2, 3, 1, 0), (3, 3, 5, 1)]:
        windows = data.WindowsDataset(range(size), window, step)
        assert len(windows) == count
        assert list(windows) == [list(range(k * step, k * step + window)) for k in range(count)]
    assert [len(p) for p in data.PartialDataset.split(range(10), 3)] == [3, 3, 4]


@pytest.mark.parametrize(
    ("size", "lengths", "counts"),
    [(10, [7, 3], [7, 3]), (10, [0.7, 0.2, 0.1], [7, 2, 1]), (11, [0.5, 0.5], [6, 5]), (1, [1], [1]), (3, [1.0], [3]),
     (100, [0.29, 0.71], [29, 71]), (0, [0.5, 0.5], [0, 0]), (5, [5, 0], [5, 0])],
)  # fmt: skip
def test_random_split(size: int, lengths: list[float], counts: list[int]) -> None:
    parts = data.random_split(range(size), lengths, seed=1)
    assert [len(p) for p in parts] == counts
    assert sorted(i for p in parts for i in p) == list(range(size))
    assert [p.indices for p in parts] == [p.indices for p in data.random_split(range(size), lengths, seed=1)]


def test_random_split_refuses_what_does_not_add_up() -> None:
    with pytest.raises(
        ValueError, match=r"must sum to the 10 items, or to 1 as fractions. Received: \[7, 2\]"
    ):
        data.random_split(range(10), [7, 2])


def test_datasets_in_random_order() -> None:
    shuffled = data.ShuffledDataset(range(100), seed=0)
    assert sorted(shuffled) == list(range(100)) and list(shuffled) == list(shuffled) != list(range(100))
    assert set(Counter(data.SamplerDataset(range(10), 35, False, seed=0)).values()) == {3, 4}
    assert len(data.SamplerDataset(range(10), 0.5)) == 5
    assert len(set(data.SamplerDataset(range(1000), 1000, True, seed=0))) < 700


def test_samplers() -> None:
    random = data.RandomSampler(range(50), seed=2)
    first = list(random)
    random.set_epoch(1)
    assert sorted(first) == sorted(random) == list(range(50)) and first != list(random)
    assert Counter(data.RandomSampler(range(3), num_samples=7, seed=0)).keys() == {0, 1, 2}
    drawn = Counter(data.WeightedRandomSampler([1, 0, 3], 8000, seed=0))
    assert drawn[1] == 0 and drawn[2] / drawn[0] == pytest.approx(3, rel=0.1)
    assert sorted(data.WeightedRandomSampler([1, 2, 3], 3, replacement=False)) == [0, 1, 2]
    with pytest.raises(ValueError, match="only 2 numbers"):
        data.WeightedRandomSampler([1, 0, 3], 3, replacement=False)
    with pytest.raises(ValueError, match="not negative"):
        data.WeightedRandomSampler([1, -1], 3)


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('\ufeffid;size;"the name"\n1;2.5;"a;b"\n2;;c\n\n', encoding="utf-8")
    rows = data.CSVDataset(path, delimiter=";")
    assert rows[0] == {"id": 1, "size": 2.5, "the name": "a;b"}
    assert np.isnan(rows[1]["size"]) and len(rows) == 2
    assert data.CSVDataset(path, {"size": str, "id": float}, delimiter=";")[0] == {"size": "2.5", "id": 1.0}
    with pytest.raises(ValueError, match=r"column 'the name' in line 2 .* Received: 'a;b'"):
        data.CSVDataset(path, {"the name": int}, delimiter=";")
    with pytest.raises(ValueError, match=r"has the columns .* Received: \['x'\]"):
        data.CSVDataset(path, {"x": int}, delimiter=";")
    path.write_text("1,2\n3\n")
    with pytest.raises(ValueError, match=r"line 2 .* must have 2 fields. Received: 1"):
        data.CSVDataset(path, names=["a", "b"])
    path.write_text("")
    with pytest.raises(ValueError, match="the empty file"):
        data.CSVDataset(path)


def test_lines_of_json(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": "é"}\n\n[1, 2]\n{"torn\n', encoding="utf-8")
    rows = data.JSONLinesDataset(path)
    assert len(rows) == 3 and rows[0] == {"a": "é"} and rows[1] == [1, 2]
    with pytest.raises(ValueError, match=r"line 4 of .* is not JSON"):
        rows[2]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_numpy_files(tmp_path: Path, save: Any, library: str) -> None:
    x, y = np.arange(12, dtype=np.float32).reshape(4, 3), np.asfortranarray(np.arange(8).reshape(4, 2))
    path = tmp_path / "data.npz"
    save(path, x=x, y=y)
    rows = data.NumpyDataset(path, ["y", "x"])
    if save is np.savez:
        assert all(isinstance(a, np.memmap) for a in rows.arrays.values())
    for copy in (rows, pickle.loads(pickle.dumps(rows))):
        assert [a.tolist() for a in copy[1]] == [[2, 3], [3, 4, 5]]
        assert [t.tolist() for t in copy.batch([3, 0])] == [[[6, 7], [0, 1]], [[9, 10, 11], [0, 1, 2]]]
    assert list(data.NumpyDataset(path)[0]) == ["x", "y"]
    np.save(tmp_path / "x.npy", x)
    alone = data.NumpyDataset(tmp_path / "x.npy")
    assert isinstance(alone.arrays[""], np.memmap)
    got = [b.tolist() for b in data.DataLoader(alone, 3, num_workers=1)]
    assert got == [x[:3].tolist(), x[3:].tolist()]


def test_numpy_files_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "o.npy", np.array([object()]), allow_pickle=True)
    (tmp_path / "t.npy").write_text("text")
    for name in ("o.npy", "t.npy"):
        with pytest.raises(ValueError, match=r"is no \.npy or \.npz file of numbers"):
            data.NumpyDataset(tmp_path / name)
    np.savez(tmp_path / "u.npz", x=np.ones(3), y=np.ones(4))
    with pytest.raises(eg.ShapeError, match="equally many rows"):
        data.NumpyDataset(tmp_path / "u.npz")


def test_image_folder(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    for name in ("b", "a", "c"):
        (tmp_path / name).mkdir()
    for name, value in (("b/2.png", 255), ("b/1.png", 0), ("a/deep/x.PNG", 51)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        image.new("L", (3, 2), value).save(tmp_path / name)
    (tmp_path / "c" / "notes.txt").write_text("no image")
    folder = data.ImageFolder(tmp_path)
    assert folder.classes == ["a", "b", "c"] and folder.targets == [0, 1, 1]
    x, y = next(iter(data.DataLoader(folder, 3)))
    assert x.shape == (3, 3, 2, 3) and x.dtype is eg.float32 and y.tolist() == [0, 1, 1]
    assert x[:, 0, 0, 0].tolist() == pytest.approx([0.2, 0, 1])
    assert data.ImageFolder(tmp_path, mode="L")[0][0].shape == (1, 2, 3)
    assert data.ImageFolder(tmp_path, lambda i: i.size, mode=None)[0] == ((3, 2), 0)
    assert data.TextFolder(tmp_path)[0] == ("no image", 2)
    (tmp_path / "b" / "1.png").write_bytes(b"torn")
    with pytest.raises(data.ItemError, match=r"item 1 of ImageFolder failed: .*1\.png cannot be read"):
        list(data.DataLoader(folder, 1))


def test_what_is_no_dataset_is_refused() -> None:
    wrong: Any = 3
    with pytest.raises(TypeError, match=r"a dataset needs __getitem__ and __len__\. Received: int"):
        data.Subset(wrong, [0])
    with pytest.raises(TypeError, match="is a stream: it has no item"):
        data.IterableDataset[int]()[0]
    assert json.dumps(data.DataLoader(range(3), seed=4).state_dict()) == '{"seed": 4, "epoch": 0}'
