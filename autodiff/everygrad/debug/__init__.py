"""Looking into a program while it runs: where a NaN comes from, whether a gradient is right, what memory holds."""

from everygrad.debug.anomalies import *
from everygrad.debug.derivatives import *
from everygrad.debug.graph_memory import *
from everygrad.debug.ranges import *
from everygrad.taps import tap as tap
