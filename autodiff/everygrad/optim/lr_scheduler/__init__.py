"""Schedules of the learning rate, under torch's names."""

from everygrad.optim.lr_scheduler.composed import *
from everygrad.optim.lr_scheduler.cosine import *
from everygrad.optim.lr_scheduler.cycle import *
from everygrad.optim.lr_scheduler.factors import *
from everygrad.optim.lr_scheduler.functions import *
from everygrad.optim.lr_scheduler.one_cycle import *
from everygrad.optim.lr_scheduler.plateau import *
from everygrad.optim.lr_scheduler.scheduler import *
