"""Gradients of the scans of recurrent layers; the layers themselves are compositions."""

from __future__ import annotations

from typing import TypeVar

from everygrad.rules.registry import joint_gradient, residual_form
from everygrad_ops import Backend
from everygrad_ops.recurrent import Nonlinearity

A = TypeVar("A")

residual_form("lstm_scan", "lstm_scan_with_gates")
residual_form("gru_scan", "gru_scan_with_gates")


@joint_gradient("lstm_scan", "gates", "h0", "c0", "w_hh", "w_hr")
def lstm_scan_all(
    b: Backend[A],
    g_out: A | None,
    g_cells: A | None,
    gates: A,
    h0: A,
    c0: A,
    w_hh: A,
    w_hr: A | None,
    out_out: A,
    out_cells: A,
    active: A | None,
) -> tuple[A | None, ...]:
    return b.lstm_scan_backward(g_out, g_cells, gates, h0, c0, w_hh, w_hr, out_out, out_cells, active)


@joint_gradient("gru_scan", "gates", "h0", "w_hh", "b_hh")
def gru_scan_all(
    b: Backend[A], g: A, gates: A, h0: A, w_hh: A, b_hh: A | None, out: A, active: A | None
) -> tuple[A | None, ...]:
    return b.gru_scan_backward(g, gates, h0, w_hh, b_hh, out, active)


@joint_gradient("rnn_scan", "gates", "h0", "w_hh")
def rnn_scan_all(
    b: Backend[A], g: A, gates: A, h0: A, w_hh: A, nonlinearity: Nonlinearity, out: A
) -> tuple[A, A, A]:
    return b.rnn_scan_backward(g, gates, h0, w_hh, nonlinearity, out)
