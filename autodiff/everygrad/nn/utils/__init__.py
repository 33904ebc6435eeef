"""Helpers for models, under torch.nn.utils' names. Gradient clipping is in `eg.optim`."""

from everygrad.nn.utils import parametrizations as parametrizations
from everygrad.nn.utils import parametrize as parametrize
from everygrad.nn.utils import rnn as rnn
from everygrad.nn.utils.fusion import *
from everygrad.nn.utils.vectors import *
