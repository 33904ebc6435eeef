"""Data: datasets, where they come from, the order they are read in, and the loader that makes batches of them."""

from everygrad.data.collate import *
from everygrad.data.combine import *
from everygrad.data.dataset import *
from everygrad.data.images import *
from everygrad.data.loader import *
from everygrad.data.memory import *
from everygrad.data.samplers import *
from everygrad.data.seeds import *
from everygrad.data.select import *
from everygrad.data.sources import *
from everygrad.data.worker import WorkerInfo as WorkerInfo
from everygrad.data.worker import get_worker_info as get_worker_info
