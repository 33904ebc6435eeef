"""The functions of `everygrad.functional`, under the path of torch's: import everygrad.nn.functional as F."""

from everygrad.functional import *
