"""Special functions under the names of torch.special; each has its gradient, to every order."""

from everygrad.edge import behind_the_edge as _behind_the_edge
from everygrad.functional.activation import log_softmax, softmax
from everygrad.functional.activation import sigmoid as expit
from everygrad.functional.logarithm import exp2, xlog1py, xlogy
from everygrad.functional.more_special import (
    bessel_j0,
    bessel_j1,
    entr,
    erfcx,
    gammainc,
    gammaincc,
    i0e,
    i1,
    i1e,
    log_ndtr,
    ndtr,
    ndtri,
    spherical_bessel_j0,
    zeta,
)
from everygrad.functional.reduction import logsumexp
from everygrad.functional.special import digamma, erf, erfc, erfinv, i0, logit, polygamma
from everygrad.functional.special import digamma as psi
from everygrad.functional.special import lgamma as gammaln
from everygrad.functional.special import mvlgamma as multigammaln
from everygrad.functional.trigonometric import sinc
from everygrad.functional.unary import expm1, log1p, round

__all__ = [
    "bessel_j0",
    "bessel_j1",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "sinc",
    "softmax",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]

_behind_the_edge(globals(), __name__)
