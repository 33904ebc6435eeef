"""What the names in a torch file stand for: tensors, parameters, storages and plain containers. All else is refused."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from everygrad.store.dtypes import STORAGES
from everygrad.store.errors import StoreError
from everygrad.store.kinds import is_dict, is_sequence, is_tuple
from everygrad.store.opaque import Opaque
from everygrad.store.pickles import Name
from everygrad_ops import DType


@dataclass(frozen=True)
class Storage:
    """Elements of one dtype in a row, stored under a key; `first` is where a view of it begins."""

    key: Hashable
    dtype: str
    numel: int
    first: int = 0


@dataclass(frozen=True, eq=False)
class Record:
    """A tensor as torch describes it: a view of a storage, in elements."""

    storage: Storage
    offset: Any
    shape: tuple[Any, ...]
    strides: tuple[Any, ...]
    dtype: str


class TorchMeaning:
    """The names a torch file may use. With `opaque`, others become placeholders; TorchScript's classes always do."""

    def __init__(self, path: object, opaque: bool) -> None:
        self.path, self.opaque = path, opaque
        self.storages: dict[Hashable, Storage] = {}

    def call(self, name: Name, args: tuple[Any, ...]) -> Any:
        """What a call of a known name gives."""
        known = _KNOWN.get(str(name))
        if known is not None:
            try:
                return known(*args)
            except StoreError:
                raise
            except (ValueError, TypeError, KeyError, AttributeError, OverflowError, MemoryError) as error:
                raise StoreError(f"{self.path}: the arguments of {name} are damaged: {error}") from None
        if self.opaque or name.module == "__torch__" or name.module.startswith("__torch__."):
            return Opaque(str(name), args)
        raise StoreError(
            f"{self.path}: the file asks to call {name}, which is neither a tensor nor a plain container; nothing was "
            "called. Write load_torch(path, opaque=True) for a placeholder in its place, or save the model's "
            "state_dict() instead of the model"
        )

    def build(self, thing: Any, state: Any) -> None:
        """Keep the attributes of a placeholder; those of a dictionary or a tensor are not needed."""
        if isinstance(thing, Opaque):
            thing.attributes.update(state if is_dict(state) else {"state": state})
        elif isinstance(thing, (HostArray, HostDType)):
            thing.fill(state)

    def persistent(self, key: Any) -> Any:
        """The storage that a persistent id describes: ("storage", class, key, place, size[, view])."""
        if is_tuple(key) and key[:1] == ("module",) and len(key) > 1:
            return key[1]  # a class, with its source, which nobody runs
        if not is_tuple(key) or len(key) < 5 or key[0] != "storage":
            raise StoreError(f"{self.path}: the storage {str(key)[:100]!r} is of an unknown kind")
        kind, number, numel = key[1], key[2], key[4]
        dtype = storage_dtype(kind)
        if type(numel) is not int or numel < 0:
            raise ValueError(f"the storage {number!r} has {numel!r} elements")
        view = key[5] if len(key) > 5 else None
        whole = Storage(number, dtype, numel)
        self.storages.setdefault(number, whole)
        return whole if view is None else Storage(number, dtype, numel, int(view[1]))


def storage_dtype(kind: Any) -> str:
    """What a storage class of torch holds."""
    dtype = STORAGES.get(kind.name) if isinstance(kind, Name) else None
    if dtype is None:
        raise ValueError(f"a storage is of an unknown kind: {kind}")
    return dtype


class HostDType:
    """A dtype of NumPy inside a pickle."""

    def __init__(self, name: str) -> None:
        self.name, self.order = name, "="

    def fill(self, state: Any) -> None:
        """Take (version, byte order, ...)."""
        self.order = ">" if state[1] == ">" else "<"


class HostArray:
    """A NumPy array inside a pickle, until its state is there."""

    def __init__(self) -> None:
        self.values: np.ndarray[Any, Any] | None = None

    def fill(self, state: Any) -> None:
        """Take (version, shape, dtype, Fortran order, bytes)."""
        _, shape, dtype, fortran, data = state
        self.values = _values(dtype, data).reshape(shape, order="F" if fortran else "C")


def _tensor(
    storage: Any,
    offset: Any,
    shape: Any,
    strides: Any,
    grad: Any = None,
    hooks: Any = None,
    notes: Any = None,
) -> Record:
    if not isinstance(storage, Storage):
        raise TypeError("a tensor without a storage")
    if is_dict(notes) and (notes.get("neg") or notes.get("conj")):
        raise ValueError(
            "a view that negates or conjugates what is stored. Write x.resolve_neg().resolve_conj()"
        )
    return Record(storage, offset + storage.first, tuple(shape), tuple(strides), storage.dtype)


def _tensor_of_dtype(
    storage: Any,
    offset: Any,
    shape: Any,
    strides: Any,
    grad: Any,
    hooks: Any,
    dtype: Any,
    notes: Any = None,
) -> Record:
    made = _tensor(storage, offset, shape, strides, grad, hooks, notes)
    return replace(made, dtype=str(dtype).removeprefix("torch."))


def _parameter(data: Any, *rest: Any) -> Any:
    return data


def _from_type(function: Any, kind: Any, args: Any, state: Any) -> Any:
    if str(kind) not in (
        "torch.Tensor",
        "torch._tensor.Tensor",
        "torch.nn.parameter.Parameter",
        "torch.nn.Parameter",
    ):
        raise ValueError(f"a tensor of the class {kind}")
    return _KNOWN[str(function)](*args)


def _values(dtype: HostDType, data: Any) -> np.ndarray[Any, Any]:
    found = np.frombuffer(data.encode("latin-1") if isinstance(data, str) else data, dtype.order + dtype.name)
    return found.astype(found.dtype.newbyteorder("="))


def _host_array(data: Any, dtype: Any, shape: Any, order: Any) -> HostArray:
    made = HostArray()
    made.fill((1, shape, dtype, order == "F", data))
    return made


def _host_scalar(dtype: Any, data: Any) -> Any:
    return _values(dtype, data)[0].item()


def _host_dtype(name: Any, *rest: Any) -> Any:
    if name not in _HOST_DTYPES:
        raise ValueError(f"an array of the dtype {name!r}")
    return HostDType(name)


def _dictionary(*args: Any) -> dict[Any, Any]:
    return dict(*[arg for arg in args if is_dict(arg) or is_sequence(arg)])


def _encode(text: str, encoding: str = "latin1") -> bytes:
    return text.encode("latin-1" if encoding in ("latin1", "latin-1") else "utf-8")


def _first(value: Any, *rest: Any) -> Any:
    return value


_HOST_DTYPES = frozenset(("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1"))

_KNOWN: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor_v3": _tensor_of_dtype,
    "torch._utils._rebuild_parameter": _parameter,
    "torch._utils._rebuild_parameter_with_state": _parameter,
    "torch._tensor._rebuild_from_type_v2": _from_type,
    "torch.Size": lambda *sizes: tuple(*sizes),
    "torch.device": lambda *parts: ":".join(map(str, parts)),
    "torch.serialization._get_layout": _first,
    "torch.jit._pickle.build_intlist": list,
    "torch.jit._pickle.build_doublelist": list,
    "torch.jit._pickle.build_boollist": list,
    "torch.jit._pickle.build_tensorlist": list,
    "torch.jit._pickle.restore_type_tag": _first,
    "collections.OrderedDict": _dictionary,
    "collections.defaultdict": _dictionary,
    "collections.Counter": _dictionary,
    "builtins.set": set,
    "builtins.frozenset": frozenset,
    "builtins.list": list,
    "builtins.dict": _dictionary,
    "builtins.complex": complex,
    "builtins.slice": slice,
    "_codecs.encode": _encode,
    "numpy.dtype": _host_dtype,
}
for _package in ("numpy.core", "numpy._core"):
    _KNOWN[f"{_package}.multiarray.scalar"] = _host_scalar
    _KNOWN[f"{_package}.multiarray._reconstruct"] = lambda *_: HostArray()
    _KNOWN[f"{_package}.numeric._frombuffer"] = _host_array

DTYPES = {f"torch.{dtype.value}": dtype for dtype in DType} | {
    "torch.double": DType.float64, "torch.float": DType.float32, "torch.half": DType.float16,
    "torch.long": DType.int64, "torch.int": DType.int32, "torch.short": DType.int16,
}  # fmt: skip
"""Dtypes that a file holds as values."""
