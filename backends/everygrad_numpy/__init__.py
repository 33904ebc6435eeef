"""The NumPy backend of everygrad."""

from everygrad_numpy.backend import NumpyBackend

__all__ = ["NumpyBackend"]
