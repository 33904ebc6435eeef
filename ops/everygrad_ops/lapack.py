"""The host's part of factorizations and transforms: functions of NumPy arrays, for `everygrad_ops.host`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def qr(x: Any) -> tuple[Any, ...]:
    """(q, r), reduced."""
    import numpy as np

    return tuple(np.linalg.qr(x))


def complement(x: Any) -> Any:
    """Orthonormal columns orthogonal to those of x."""
    import numpy as np

    q: Any = np.linalg.qr(x, mode="complete")[0]
    return q[..., x.shape[-1] :]


def eigh(x: Any) -> tuple[Any, ...]:
    """(values, vectors) of a symmetric matrix."""
    import numpy as np

    return tuple(np.linalg.eigh(x))


def svd(x: Any) -> tuple[Any, ...]:
    """(u, s, vh), reduced."""
    import numpy as np

    return tuple(np.linalg.svd(x, full_matrices=False))


def lu(x: Any) -> tuple[Any, ...]:
    """(lower, upper, the row of x that each row of their product is)."""
    import numpy as np
    from scipy.linalg import lu

    *lead, m, n = x.shape
    if x.size == 0:  # of which SciPy gives a permutation of nothing, whatever the rows
        k, order = min(m, n), np.arange(m, dtype=np.int64)
        return (
            np.zeros((*lead, m, k), x.dtype),
            np.zeros((*lead, k, n), x.dtype),
            np.broadcast_to(order, (*lead, m)).copy(),
        )
    factors: Any = lu  # whose stubs leave the results open
    permutation, lower, upper = factors(x, p_indices=True, check_finite=False)
    return lower, upper, np.argsort(permutation, axis=-1).astype(np.int64)


def slogdet(x: Any) -> tuple[Any, ...]:
    """(sign, logarithm of the size) of the determinant."""
    import numpy as np

    return tuple(nan_apart(np.linalg.slogdet, x, matrices=False, several=True))


def solve(x: Any, y: Any) -> Any:
    """The (..., n, k) with x times it equal to y."""
    import numpy as np

    def of(matrices: Any) -> Any:
        linalg: Any = np.linalg
        return linalg.solve(matrices, y)

    return nan_apart(of, x)


def expm(x: Any) -> Any:
    """The exponential of each matrix."""
    from scipy.linalg import expm as of_matrices

    return nan_apart(of_matrices, x)


def nan_apart(f: Callable[[Any], Any], x: Any, matrices: bool = True, several: bool = False) -> Any:
    """f(x), and NaN for each matrix that holds one: LAPACK makes finite numbers of some, and of others singular ones.

    `matrices`: whether the results are matrices, rather than numbers; `several`: whether there are several.
    """
    import numpy as np

    with np.errstate(over="ignore", invalid="ignore"):
        clean = not np.isnan(x.sum())
    if clean:
        return f(x)
    bad: Any = np.isnan(x).any((-2, -1))
    found = f(np.where(bad[..., None, None], np.eye(x.shape[-1], dtype=x.dtype), x))
    mask = bad[..., None, None] if matrices else bad
    nan = np.asarray(np.nan, x.dtype)
    return [np.where(mask, nan, part) for part in found] if several else np.where(mask, nan, found)


def rfft(x: Any, dim: int) -> tuple[Any, ...]:
    """(real, imaginary) parts of the transform of a real signal."""
    import numpy as np

    z: Any = np.fft.rfft(x, axis=dim)
    return z.real, z.imag


def irfft(re: Any, im: Any, n: int, dim: int) -> Any:
    """The signal with these coefficients; those that must be real are taken so."""
    import numpy as np

    z: Any = np.moveaxis(re + 1j * im, dim, -1)
    z[..., 0] = z[..., 0].real
    if n % 2 == 0:
        z[..., -1] = z[..., -1].real
    return np.moveaxis(np.fft.irfft(z, n, axis=-1), -1, dim)


def fft(re: Any, im: Any, dim: int, inverse: bool) -> tuple[Any, ...]:
    """(real, imaginary) parts of the transform of a complex signal, not scaled either way."""
    import numpy as np

    z: Any = re + 1j * im
    z = np.fft.ifft(z, axis=dim, norm="forward") if inverse else np.fft.fft(z, axis=dim)
    return z.real, z.imag
