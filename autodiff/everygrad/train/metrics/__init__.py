"""Metrics: updated batch by batch, and over an epoch equal to the metric over all its items."""

from everygrad.train.metrics.base import *
from everygrad.train.metrics.classification import *
from everygrad.train.metrics.image import *
from everygrad.train.metrics.ranking import *
from everygrad.train.metrics.regression import *
from everygrad.train.metrics.system import *
from everygrad.train.metrics.text import *
from everygrad.train.metrics.translation import *
