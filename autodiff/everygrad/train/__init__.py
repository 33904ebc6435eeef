"""Training: a learner that can be left for a loop of one's own at any time, metrics, checkpoints, logs, pictures."""

from everygrad.train.accumulate import *
from everygrad.train.callbacks import *
from everygrad.train.checkpoints import *
from everygrad.train.evaluate import *
from everygrad.train.history import *
from everygrad.train.learner import *
from everygrad.train.logs import *
from everygrad.train.metrics import *
from everygrad.train.plots import *
from everygrad.train.progress import *
