"""The weights in an ONNX file: a few lines of protocol buffers.

Source of the field numbers: onnx.proto3 (ModelProto 7 graph, GraphProto 5 initializer, TensorProto 1, 2, 8, 9).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

GRAPH, INITIALIZER, DIMS, TYPE, NAME, RAW = 7, 5, 1, 2, 8, 9
FLOAT = 1


def weights(path: Path) -> dict[str, NDArray[Any]]:
    """The float32 initializers of the graph, by name."""
    found: dict[str, NDArray[Any]] = {}
    for graph in parts(path.read_bytes(), GRAPH):
        for tensor in parts(graph, INITIALIZER):
            shape = [value for field, value in fields(tensor) if field == DIMS and isinstance(value, int)]
            if FLOAT in (value for field, value in fields(tensor) if field == TYPE):
                data, name = next(parts(tensor, RAW)), next(parts(tensor, NAME)).decode()
                assert len(data) == 4 * prod(shape), f"{name}: dims that are packed are not read here"
                found[name] = np.frombuffer(data, "<f4").reshape(shape)
    return found


def parts(message: bytes, wanted: int) -> Iterator[bytes]:
    """The messages, texts or bytes in one field."""
    for field, value in fields(message):
        if field == wanted and isinstance(value, bytes):
            yield value


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Field numbers and values in order."""
    at = 0
    while at < len(message):
        key, at = number(message, at)
        if key & 7 == 0:
            value, at = number(message, at)
            yield key >> 3, value
            continue
        size, at = number(message, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
        yield key >> 3, message[at : at + size]
        at += size


def number(message: bytes, at: int) -> tuple[int, int]:
    """A whole number of seven bits per byte, and the place behind it."""
    value = shift = 0
    while True:
        byte = message[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at
