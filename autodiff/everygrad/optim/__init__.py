"""Optimizers: `optimizer.step(grads)` replaces the values of parameters."""

from everygrad.optim.adam import Adam, AdamW
from everygrad.optim.optimizer import Optimizer
from everygrad.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
