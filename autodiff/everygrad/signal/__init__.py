"""Signals: their windows."""

from everygrad.edge import behind_the_edge as _behind_the_edge
from everygrad.signal import windows as windows

_behind_the_edge(windows.__dict__, windows.__name__)
