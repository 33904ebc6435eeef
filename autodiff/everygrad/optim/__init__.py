"""Optimizers: `optimizer.step(grads)` replaces the values of parameters."""

from everygrad.optim.adam import *
from everygrad.optim.optimizer import *
from everygrad.optim.sgd import *
