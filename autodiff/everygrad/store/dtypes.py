"""The names that formats give to dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from everygrad.store.errors import StoreError

SAFETENSORS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
    "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
"""The safetensors format's names for the dtypes of the contract."""

STORAGES = {
    "DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "BFloat16Storage": "bfloat16",
    "LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8",
    "ByteStorage": "uint8", "BoolStorage": "bool", "UntypedStorage": "uint8",
    "ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128",
    "QInt8Storage": "qint8", "QUInt8Storage": "quint8", "QInt32Storage": "qint32",
}  # fmt: skip
"""What each storage class of torch holds."""

ITEMSIZES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2, "int8": 1,
    "uint8": 1, "bool": 1, "complex64": 8, "complex128": 16, "qint8": 1, "quint8": 1, "qint32": 4,
    "uint16": 2, "uint32": 4, "uint64": 8, "complex32": 4, "float8_e4m3fn": 1, "float8_e5m2": 1,
    "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1,
}  # fmt: skip
"""Bytes per element, also of dtypes that can only be named."""

READABLE = frozenset(SAFETENSORS.values())


def host_dtype(name: str, path: object, tensor: str) -> np.dtype[Any]:
    """NumPy's dtype (with ml_dtypes) of that name; one that everygrad lacks raises, naming the tensor."""
    if name not in READABLE:
        raise StoreError(
            f"{path}: the tensor {tensor!r} has the dtype {name}, which everygrad does not have. Write it as one of "
            f"{', '.join(sorted(READABLE))}, or read the other tensors with eg.store.lazy(path)"
        )
    kind: Any = name
    if name == "bfloat16":
        import ml_dtypes

        kind = ml_dtypes.bfloat16
    found: np.dtype[Any] = np.dtype(kind)
    return found
