"""Metrics of images (N, C, H, W)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from typing_extensions import override

from everygrad.train.metrics.base import Array, Metric, Quotient, floats, host, need_alike
from everygrad_ops import ShapeError

__all__ = ["SSIM", "Dice", "FrechetDistance", "MultiScaleSSIM", "PeakSignalNoiseRatio"]


class PeakSignalNoiseRatio(Quotient):
    """10 log10(data_range^2 / mean squared error) in decibels, the mean over images; an image without error is inf.

    >>> import everygrad as eg
    >>> metric = eg.train.PeakSignalNoiseRatio()
    >>> metric.update(eg.zeros(1, 1, 2, 2), eg.full((1, 1, 2, 2), 0.1))
    >>> round(metric.compute(), 4)
    20.0
    """

    def __init__(self, data_range: float = 1.0) -> None:
        self.data_range = data_range
        super().__init__()

    @override
    def update(self, prediction: Any, target: Any) -> None:
        x, y = floats(prediction), floats(target)
        need_alike("PeakSignalNoiseRatio", x, y)
        for error in (
            ((x - y) ** 2).mean(tuple(range(1, x.ndim))) if len(x) else ()
        ):  # the mean of no images is none
            self.total += 10 * math.log10(self.data_range**2 / error) if error else math.inf
        self.count += len(x)


class SSIM(Quotient):
    """Structural similarity in a Gaussian window, the mean over places, channels and images; 1 for equal images.

    Places whose window is cut by the border do not count.

    Source: Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment: from error visibility to structural similarity",
    2004, with their window of 11 and sigma 1.5.

    >>> import everygrad as eg
    >>> metric = eg.train.SSIM()
    >>> metric.update(eg.ones(1, 1, 12, 12), eg.ones(1, 1, 12, 12))
    >>> metric.compute()
    1.0
    """

    def __init__(
        self,
        data_range: float = 1.0,
        window: int = 11,
        sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        self.window, self.sigma = window, sigma
        self.constants = ((k1 * data_range) ** 2, (k2 * data_range) ** 2)
        super().__init__()

    def scores(self, x: Array, y: Array) -> Array:
        """The similarity of each image."""
        scores: Array = self.maps(x, y)[0].mean((1, 2, 3))
        return scores

    def maps(self, x: Array, y: Array) -> tuple[Array, Array]:
        """(similarity, its contrast and structure alone) at each place."""
        if x.ndim != 4 or min(x.shape[2:]) < self.window:
            raise ShapeError(
                f"{type(self).__name__}: needs images (N, C, H, W) of at least {self.window} pixels a side. Received: {x.shape}"
            )
        c1, c2 = self.constants
        mean_x, mean_y = self._blurred(x), self._blurred(y)
        var_x = self._blurred(x * x) - mean_x**2
        var_y = self._blurred(y * y) - mean_y**2
        shared = self._blurred(x * y) - mean_x * mean_y
        structure = (2 * shared + c2) / (var_x + var_y + c2)
        return structure * (2 * mean_x * mean_y + c1) / (mean_x**2 + mean_y**2 + c1), structure

    def _blurred(self, x: Array) -> Array:
        places = np.arange(self.window) - (self.window - 1) / 2
        weights = np.exp(-(places**2) / (2 * self.sigma**2))
        weights /= weights.sum()
        rows: Array = np.lib.stride_tricks.sliding_window_view(x, self.window, 2) @ weights
        blurred: Array = np.lib.stride_tricks.sliding_window_view(rows, self.window, 3) @ weights
        return blurred

    @override
    def update(self, prediction: Any, target: Any) -> None:
        x, y = floats(prediction), floats(target)
        need_alike(type(self).__name__, x, y)
        self.total += float(self.scores(x, y).sum())
        self.count += len(x)


class MultiScaleSSIM(SSIM):
    """SSIM at several scales, each half as large as the one before: contrast and structure at all, luminance at the last.

    Each scale's mean, floored at 0, is raised to its weight and multiplied in.

    Source: Wang, Simoncelli, Bovik, "Multiscale structural similarity for image quality assessment", 2003.

    >>> import everygrad as eg
    >>> metric = eg.train.MultiScaleSSIM(weights=(0.5, 0.5))
    >>> metric.update(eg.ones(1, 1, 24, 24), eg.ones(1, 1, 24, 24))
    >>> metric.compute()
    1.0
    """

    def __init__(
        self,
        data_range: float = 1.0,
        window: int = 11,
        sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
        weights: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    ) -> None:
        self.weights = tuple(weights)
        super().__init__(data_range, window, sigma, k1, k2)

    @override
    def scores(self, x: Array, y: Array) -> Array:
        whole: Array = np.ones(x.shape[:2])
        for scale, weight in enumerate(self.weights):
            if scale:
                x, y = _halved(x), _halved(y)
            similarity, structure = self.maps(x, y)
            part = similarity if scale == len(self.weights) - 1 else structure
            whole = whole * np.maximum(part.mean((2, 3)), 0) ** weight
        scores: Array = whole.mean(1)
        return scores


def _halved(x: Array) -> Array:
    """The means of blocks of two by two; an odd last row or column is left out."""
    h, w = (s // 2 * 2 for s in x.shape[2:])
    return (x[:, :, :h:2, :w:2] + x[:, :, 1:h:2, :w:2] + x[:, :, :h:2, 1:w:2] + x[:, :, 1:h:2, 1:w:2]) / 4


class Dice(Metric):
    """2 |A and B| / (|A| + |B|) of all pixels: of masks, a score of at least `threshold` against the truth.

    Two empty masks are alike: 1.

    >>> import everygrad as eg
    >>> metric = eg.train.Dice()
    >>> metric.update([[0.9, 0.8, 0.1]], [[1, 0, 0]])
    >>> round(metric.compute(), 6)
    0.666667
    """

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold
        super().__init__()

    @override
    def reset(self) -> None:
        self.shared = self.size = self.count = 0

    @override
    def update(self, prediction: Any, target: Any) -> None:
        x, y = floats(prediction) >= self.threshold, host(target).astype(np.bool_)
        need_alike("Dice", x, y)
        self.shared += int((x & y).sum())
        self.size += int(x.sum() + y.sum())
        self.count += x.size

    @override
    def compute(self) -> float:
        if not self.count:
            return float("nan")
        return 2 * self.shared / self.size if self.size else 1.0


class FrechetDistance(Metric):
    """The distance of two sets of features (N, D), each taken as a normal distribution; of Inception's features it is FID.

    |m1 - m2|^2 + trace(C1 + C2 - 2 (C1 C2)^(1/2)), the C of N - 1. `features` makes features of what is given.

    Source: Dowson, Landau, "The Fréchet distance between multivariate normal distributions", 1982.

    >>> import everygrad as eg
    >>> metric = eg.train.FrechetDistance()
    >>> metric.update([[0.0], [2.0]], [[1.0], [3.0]])
    >>> metric.compute()
    1.0
    """

    higher_is_better = False

    def __init__(self, features: Any = None) -> None:
        self.features = features
        super().__init__()

    @override
    def reset(self) -> None:
        self.sets: tuple[list[Array], list[Array]] = ([], [])

    @override
    def update(self, prediction: Any, target: Any) -> None:
        for rows, given in zip(self.sets, (prediction, target)):
            found = floats(given if self.features is None else self.features(given))
            if found.ndim != 2:
                raise ShapeError(f"FrechetDistance: needs features (N, D). Received: {found.shape}")
            rows.append(found)

    @override
    def compute(self) -> float:
        if sum(map(len, self.sets[0])) < 2 or sum(map(len, self.sets[1])) < 2:
            return float("nan")
        x, y = (np.concatenate(rows) for rows in self.sets)
        c1, c2 = (np.atleast_2d(np.cov(rows, rowvar=False)) for rows in (x, y))
        values, vectors = np.linalg.eigh(c1)
        root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
        both = np.sqrt(
            np.maximum(np.linalg.eigvalsh(root @ c2 @ root), 0)
        ).sum()  # the trace of (C1 C2)^(1/2)
        apart = ((x.mean(0) - y.mean(0)) ** 2).sum()
        return float(max(0.0, apart + np.trace(c1) + np.trace(c2) - 2 * both))
