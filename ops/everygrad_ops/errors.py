"""The errors of the contract: what is wrong, what was received, what to write instead."""

from __future__ import annotations


class EverygradError(Exception):
    """Base of every error that the library raises on purpose."""


class ShapeError(EverygradError, ValueError):
    """Sizes, dims or geometry that do not fit.

    >>> raise ShapeError("matmul: x has 3 columns and y has 4 rows")
    Traceback (most recent call last):
    ...
    everygrad_ops.errors.ShapeError: matmul: x has 3 columns and y has 4 rows
    """


class DTypeError(EverygradError, TypeError):
    """A dtype that the op or the backend does not take."""


class LinAlgError(EverygradError, ValueError, RuntimeError):
    """A matrix without the inverse, the factors or the gradient that were asked for."""


class DeviceError(EverygradError, RuntimeError):
    """A device that does not exist, or arrays on different devices."""


class BackendError(EverygradError, RuntimeError):
    """An unknown backend, or tensors of different array libraries mixed."""


class GradientError(EverygradError, RuntimeError):
    """A gradient that would be lost, or a graph that was already used."""


class MissingOp(EverygradError, NotImplementedError):
    """A backend lacks a primitive; it can still be built, run in part, and scored."""


def missing(backend: object, op: str) -> Exception:
    """The error a primitive's body raises; a function, so that partial backends are not abstract."""
    return MissingOp(
        f"{type(backend).__name__} does not implement the primitive {op!r}: "
        f"define a method {op} with the contract's signature"
    )


def misfit(op: str, error: Exception, **operands: object) -> ShapeError:
    """What a library's own complaint about sizes means: the op, each operand's shape, the library's words.

    Call the library first and explain on failure, so that a right call pays nothing.

    >>> import numpy as np
    >>> misfit("add", ValueError("could not broadcast"), x=np.ones((2, 3)), y=np.ones(4))
    ShapeError('add: shapes do not fit. Received: x of shape (2, 3), y of shape (4,) (could not broadcast)')
    """
    shapes: list[str] = []
    for name, value in operands.items():
        shape = getattr(value, "shape", None)
        shapes.append(f"{name}={value!r}" if shape is None else f"{name} of shape {tuple(shape)}")
    reason = str(error).partition("\n")[0].strip() or type(error).__name__
    return ShapeError(f"{op}: shapes do not fit. Received: {', '.join(shapes)} ({reason})")


def bad_index(op: str, low: int, high: int, size: int) -> IndexError:
    """The error for indices outside 0 <= i < size, naming one of them."""
    index = low if low < 0 else high
    return IndexError(
        f"{op}: index {index} is out of range for size {size}. Write indices from 0 to {size - 1}"
    )


class DimError(ShapeError, IndexError):
    """A dim that the tensor does not have."""


def mixed_dtypes(op: str, **operands: object) -> DTypeError:
    """The error for operands of unequal dtypes: the ops of the contract never promote."""
    given = ", ".join(f"{name} of {getattr(value, 'dtype', value)}" for name, value in operands.items())
    return DTypeError(
        f"{op}: operands must have one dtype. Received: {given}; write cast(...) on one of them"
    )


def no_extremum(op: str, shape: tuple[int, ...], dims: object) -> ShapeError:
    """The error for a largest or smallest value of nothing.

    >>> no_extremum("amax", (0, 2), (0,))
    ShapeError('amax: there is no extremum of nothing. Received: x of shape (0, 2), over dims (0,)')
    """
    return ShapeError(
        f"{op}: there is no extremum of nothing. Received: x of shape {tuple(shape)}, over dims {dims}"
    )


def unfit(op: str, value: object, dtype: str) -> DTypeError:
    """The error for a Python number that an integer dtype cannot hold.

    >>> unfit("full", 300, "int8")
    DTypeError('full: the dtype int8 cannot hold 300. Write a number in its range, or a wider dtype')
    """
    return DTypeError(
        f"{op}: the dtype {dtype} cannot hold {value!r}. Write a number in its range, or a wider dtype"
    )


def renamed(op: str, error: Exception) -> Exception:
    """The complaint of an inner op in the name of the one that was called.

    >>> renamed("one_hot", IndexError("scatter_add: index 7 is out of range"))
    IndexError('one_hot: index 7 is out of range')
    """
    inner, colon, rest = str(error).partition(":")
    return type(error)(f"{op}:{rest}") if colon and inner.isidentifier() else error


def by_zero(op: str) -> ZeroDivisionError:
    """The error for integers divided by 0, which have no infinity to give."""
    return ZeroDivisionError(
        f"{op}: integers cannot be divided by 0. Received: a 0 in y; write other divisors, or floats"
    )
