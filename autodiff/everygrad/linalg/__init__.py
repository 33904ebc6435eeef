"""Linear algebra under the names of torch.linalg. Batches of matrices (..., m, n); every gradient, to every order.

Factors have fixed signs, equal on every backend: R of `qr` has no negative diagonal entry, and the first entry of
each eigenvector, or left singular vector, that is not small next to its largest is positive.
"""

from everygrad.edge import behind_the_edge as _behind_the_edge
from everygrad.linalg.compact import *
from everygrad.linalg.factors import *
from everygrad.linalg.norms import *
from everygrad.linalg.products import *
from everygrad.linalg.systems import *
from everygrad_ops import LinAlgError as LinAlgError

_behind_the_edge(globals(), __name__)
