"""Optimizers: `optimizer.step(grads)` replaces the values of parameters."""

from everygrad.optim import lr_scheduler as lr_scheduler
from everygrad.optim.accumulation import *
from everygrad.optim.adadelta import *
from everygrad.optim.adafactor import *
from everygrad.optim.adagrad import *
from everygrad.optim.adam import *
from everygrad.optim.adamax import *
from everygrad.optim.adan import *
from everygrad.optim.asgd import *
from everygrad.optim.average import *
from everygrad.optim.clip import *
from everygrad.optim.lbfgs import *
from everygrad.optim.lion import *
from everygrad.optim.muon import *
from everygrad.optim.nadam import *
from everygrad.optim.optimizer import *
from everygrad.optim.patterns import *
from everygrad.optim.radam import *
from everygrad.optim.rmsprop import *
from everygrad.optim.rprop import *
from everygrad.optim.sgd import *
