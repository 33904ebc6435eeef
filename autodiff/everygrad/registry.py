"""Backends by name: found through entry points, lazily, a stranger's exactly as our own."""

from __future__ import annotations

import copyreg
import importlib
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from everygrad.engine import Autodiff
from everygrad.engine.autodiff import decorated as spelled
from everygrad_ops import Backend, BackendError, inner_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "everygrad.backends"
PACKAGES = {"torch": "everygrad[torch]"}
"""What to install for a backend whose array library is missing."""

_interned: dict[str, Backend[Any]] = {}
_chosen: ContextVar[Backend[Any] | None] = ContextVar("everygrad_backend", default=None)


def backend(spec: str | Backend[Any]) -> Backend[Any]:
    """The backend that `spec` spells, literally; the same spec always gives the same object.

    `spec` is a name, "numpy" or "torch:cuda:0", a class of your own, "mypkg:MyBackend" (with a device:
    "mypkg:MyBackend:gpu"), or "autodiff(...)" around any of these, to any depth;
    "autodiff(numpy,checkpointing=balanced)" keeps less memory for backward.

    Raises `BackendError` for an unknown name, with the known ones.

    >>> import everygrad as eg
    >>> eg.backend("autodiff(numpy)").name, eg.backend("numpy") is eg.backend("numpy")
    ('autodiff(numpy)', True)
    """
    if not isinstance(spec, str):
        if Backend not in type(spec).__mro__:
            raise TypeError(
                f"a backend must be a name or a Backend. Received: {type(spec).__name__}; "
                'write "numpy", or what eg.backend("numpy") gives'
            )
        return spec
    spec = spec.replace(" ", "")
    found = _interned.get(spec)
    if found is None:
        made: Backend[Any]
        if spec.startswith("autodiff(") and spec.endswith(")"):
            made = _decorator(spec[len("autodiff(") : -1])
        else:
            made = _make(spec)
            if type(_interned.get(made.name, made)) is not type(made):
                made.name = spec  # two classes that call themselves the same
        found = _interned.setdefault(spec, _intern(made))
    return found


def _intern(made: Backend[Any]) -> Backend[Any]:
    """The one backend of a name, from now on copied and pickled by it: a second object of the same name would be another place."""
    copyreg.pickle(type(made), _by_name)
    return _interned.setdefault(made.name, made)


def _by_name(made: Backend[Any]) -> Any:
    """How pickle finds a backend again."""
    return (backend, (made.name,)) if _interned.get(made.name) is made else made.__reduce_ex__(4)


def _decorator(inside: str) -> Autodiff[Any]:
    """The decorator spelled "autodiff(inside)"."""
    plain = inside.removesuffix(",checkpointing=balanced")
    return Autodiff(backend(plain), None if plain == inside else "balanced")


def autodiff_of(inner: Backend[Any]) -> Autodiff[Any]:
    """The decorator around a backend: always the same one for a backend that has a name here."""
    found: Any
    if _interned.get(inner.name) is inner:
        found = backend(f"autodiff({inner.name})")
    else:
        found = vars(inner).get("_decorator") or vars(inner).setdefault("_decorator", Autodiff(inner))
    decorator: Autodiff[Any] = found
    return decorator


def _remember(chosen: Backend[Any]) -> None:
    """Let a backend that came as an object be found by its name again, unless that is the name of another one."""
    level: Any = chosen
    while (inner := inner_of(level)) is not None:
        level = inner
    if chosen.name not in _interned and level.name not in _entries():
        _intern(chosen)


def _make(spec: str) -> Backend[Any]:
    name, _, device = spec.partition(":")
    entry = _entries().get(name)
    try:
        if entry is not None:
            make: Callable[..., Backend[Any]] = entry.load()
        else:
            class_name, _, device = device.partition(":")
            if not (name and class_name):
                raise _unknown(spec)
            make = getattr(importlib.import_module(name), class_name)
    except ModuleNotFoundError as error:
        raise _not_installed(spec, name, error) from None
    except AttributeError as error:
        raise BackendError(
            f"backend {spec!r}: {error}. Write 'module:Class' with a class of that module"
        ) from None
    if entry is None and not (isinstance(make, type) and Backend in make.__mro__):
        raise BackendError(
            f"backend {spec!r}: must name a class that derives from everygrad_ops.Backend. "
            f"Received: {getattr(make, '__name__', type(make).__name__)}; write class MyBackend(Backend[MyArray])"
        )
    made = make(device) if device else make()
    if entry is None and made.name in ("backend", *_entries()):
        made.name = spec
    return made


def _unknown(spec: str) -> BackendError:
    return BackendError(
        f"unknown backend {spec!r}: known are {', '.join(list_backends())}. "
        "Write one of these, 'module:Class' for a class of your own, or 'autodiff(...)' around either"
    )


def _not_installed(spec: str, name: str, error: ModuleNotFoundError) -> BackendError:
    missing = str(error.name)
    if name not in _entries():
        return BackendError(
            f"backend {spec!r}: no module named {missing!r}. Known backends are {', '.join(list_backends())}"
        )
    return BackendError(
        f"backend {spec!r} needs the package {missing!r}, which is not installed. "
        f"Write: pip install '{PACKAGES.get(name, missing)}'"
    )


def _entries() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, and not needed to import the library

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def list_backends() -> list[str]:
    """The names of the backends that are registered, whether or not their library is installed.

    >>> import everygrad as eg
    >>> eg.list_backends()
    ['numpy', 'torch']
    """
    return sorted(_entries())


def resolve(spec: str | Backend[Any], decorated: Backend[Any] | None = None) -> Backend[Any]:
    """The backend meant by a name of an array library: with the decorators of `decorated` around it.

    A full spec such as "autodiff(torch)" is taken as it stands.
    """
    if not isinstance(spec, str) or spec.replace(" ", "").startswith("autodiff("):
        return backend(spec)
    outer = current() if decorated is None else decorated
    inner = inner_of(outer)
    if inner is None:
        return backend(spec)
    return backend(spelled(resolve(spec, inner).name, getattr(outer, "checkpointing", None)))


def current() -> Backend[Any]:
    """The backend that new tensors are made on: `use`, else `set_default`, else EVERYGRAD_BACKEND, else NumPy."""
    return _chosen.get() or _default()


_process_default: list[Backend[Any]] = []


def _default() -> Backend[Any]:
    if not _process_default:
        named = os.environ.get("EVERYGRAD_BACKEND", "numpy")
        _process_default.append(resolve(named, backend("autodiff(numpy)")))
    return _process_default[0]


def set_default(spec: str | Backend[Any]) -> None:
    """Make new tensors on this array library, in every thread; the decorators stay.

    >>> import everygrad as eg
    >>> eg.set_default("numpy")
    """
    chosen = resolve(spec, _default())
    _remember(chosen)
    _process_default[:] = [chosen]


@contextmanager
def use(spec: str | Backend[Any]) -> Generator[Backend[Any]]:
    """Make new tensors on this array library inside the block; the decorators stay.

    >>> import everygrad as eg
    >>> with eg.use("numpy"):
    ...     eg.zeros(2).backend.name
    'autodiff(numpy)'
    """
    chosen = resolve(spec)
    _remember(chosen)
    token = _chosen.set(chosen)
    try:
        yield chosen
    finally:
        _chosen.reset(token)
