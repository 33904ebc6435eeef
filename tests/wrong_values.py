"""What stands in place of one argument: another type, another shape, another backend, numbers out of range."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from typing_extensions import override

import everygrad as eg

Make = Callable[[str], Any]
"""From the name of an array library to the value."""

Named = Iterator[tuple[str, Make]]


class Odd:
    """Nothing that anything takes."""

    @override
    def __repr__(self) -> str:
        return "an object"


def place(value: Any, library: str) -> Any:
    """The same argument on a library."""
    if isinstance(value, eg.Tensor):
        return eg.tensor(value.detach().numpy().copy(), backend=f"autodiff({library})")
    if type(value) in (list, tuple):
        return type(value)(place(item, library) for item in value)
    return {k: place(v, library) for k, v in value.items()} if type(value) is dict else value  # pyright: ignore[reportUnknownVariableType]  # of anything


def instead_of(value: Any) -> Named:
    """Each replacement of a value, by name."""
    yield from _anything()
    yield from _like(value)


def _always(value: Any) -> Make:
    return lambda library: value


def _anything() -> Named:
    odd: list[Any] = [
        None,
        "no such mode",
        2.5,
        float("nan"),
        {},
        [1.0, 2.0],
        (1, 2, 3, 4, 5),
        (),
        [None],
        ["a"],
    ]
    numbers: list[Any] = [0, -1, -100, 30, 2**70, True, 1j, np.ones((2, 2), np.float32)]
    for value in (*odd, *numbers, Odd()):
        yield repr(value), _always(value)
    yield "a tensor of torch", lambda library: _torch().ones(2, 2)
    yield "a tensor", lambda library: eg.tensor([[1.0, 2.0], [3.0, 4.0]], backend=library)
    yield "a tensor of rank 0", lambda library: eg.tensor(1, backend=library)


def _torch() -> Any:
    import torch

    return torch


def _like(value: Any) -> Named:
    if isinstance(value, eg.Tensor):
        yield from _of_tensor(value.detach().numpy().copy(), value.dtype)
    elif type(value) is int:
        yield "np.int64", lambda library: np.int64(value)
        yield "an array of rank 0", lambda library: np.array(value)
        yield "the same as a float", lambda library: float(value)
        yield "the same in a tuple", lambda library: (value,)
    elif type(value) is float:
        yield "np.float64", lambda library: np.float64(value)
        yield "the negative", lambda library: -value
        yield "inf", lambda library: float("inf")
    elif type(value) in (tuple, list):
        yield from _of_sequence(value)


def _of_tensor(host: Any, dtype: eg.DType) -> Named:
    def made(array: Any) -> Make:
        return lambda library: eg.tensor(np.ascontiguousarray(array), backend=f"autodiff({library})")

    yield "its array", lambda library: host
    yield "its list", lambda library: host.tolist()
    yield "on the other library", lambda library: place(made(host)(library), OTHER[library])
    yield "without the decorator", lambda library: eg.tensor(host, backend=eg.backend(library))
    for other in (eg.int64, eg.bool, eg.float16, eg.float64):
        if other is not dtype:
            yield f"as {other}", _cast(made(host), other)
    yield "rank + 1", made(host[None])
    yield "rank + 3", made(host[None, None, None])
    yield "flat", made(host.reshape(-1))
    if host.ndim:
        yield "longer", made(np.concatenate([host, host[:1]]))
        yield "wider", made(np.concatenate([host, host, host[..., :1]], -1))
        yield "shorter", made(host[:-1])
        yield "nothing", made(host[:0])
        yield "of width 0", made(host[..., :0])
    if host.dtype == np.int64:
        for index in (-100, -1, 100):
            yield f"all {index}", made(np.full_like(host, index))
    elif host.dtype.kind == "f":
        yield "all NaN", made(np.full_like(host, np.nan))


def _cast(make: Make, dtype: eg.DType) -> Make:
    return lambda library: make(library).to(dtype)


OTHER = {"numpy": "torch", "torch": "numpy"}


def _of_sequence(given: Any) -> Named:
    kind: Any = type(given)  # pyright: ignore[reportUnknownVariableType]  # a list or a tuple
    yield "as a list or tuple", lambda library: (list if kind is tuple else tuple)(place(given, library))
    yield "one less", lambda library: place(given, library)[:-1]
    yield "one more", lambda library: place(given, library) + place(given, library)[-1:]
    for i, item in enumerate(given[:2]):
        for name, make in itertools.chain(_anything(), _like(item)):
            yield f"item {i} {name}", _with_item(given, i, make)
    if all(type(item) is int for item in given):
        yield "np.int64 each", lambda library: kind(np.int64(item) for item in given)


def _with_item(given: Any, i: int, make: Make) -> Make:
    def made(library: str) -> Any:
        items = place(given, library)
        return type(given)([*items[:i], make(library), *items[i + 1 :]])

    return made
