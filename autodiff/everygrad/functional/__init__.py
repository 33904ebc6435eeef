"""Functions on tensors, under the names, argument names and defaults of torch and torch.nn.functional."""

from everygrad.functional.activation import *
from everygrad.functional.bitwise import *
from everygrad.functional.comparison import *
from everygrad.functional.conv import *
from everygrad.functional.conv_transpose import *
from everygrad.functional.creation import *
from everygrad.functional.dropout import *
from everygrad.functional.elementwise import *
from everygrad.functional.embedding import *
from everygrad.functional.gated import *
from everygrad.functional.indexing import *
from everygrad.functional.linalg import *
from everygrad.functional.linear import *
from everygrad.functional.loss import *
from everygrad.functional.norm import *
from everygrad.functional.order import *
from everygrad.functional.piecewise import *
from everygrad.functional.pool import *
from everygrad.functional.random import *
from everygrad.functional.reduction import *
from everygrad.functional.scan import *
from everygrad.functional.shape import *
from everygrad.functional.special import *
from everygrad.functional.unary import *
from everygrad.functional.window import *
