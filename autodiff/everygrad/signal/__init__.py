"""Signals: their windows."""

from everygrad.signal import windows as windows
