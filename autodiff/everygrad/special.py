"""Special functions under the names of torch.special; each has its gradient, to every order."""

from everygrad.edge import behind_the_edge as _behind_the_edge
from everygrad.functional.activation import log_softmax, softmax
from everygrad.functional.activation import sigmoid as expit
from everygrad.functional.bessel import (
    airy_ai,
    bessel_y0,
    bessel_y1,
    modified_bessel_i0,
    modified_bessel_i1,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
)
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
from everygrad.functional.polynomials import (
    chebyshev_polynomial_t,
    chebyshev_polynomial_u,
    chebyshev_polynomial_v,
    chebyshev_polynomial_w,
    hermite_polynomial_h,
    hermite_polynomial_he,
    laguerre_polynomial_l,
    legendre_polynomial_p,
    shifted_chebyshev_polynomial_t,
    shifted_chebyshev_polynomial_u,
    shifted_chebyshev_polynomial_v,
    shifted_chebyshev_polynomial_w,
)
from everygrad.functional.reduction import logsumexp
from everygrad.functional.special import digamma, erf, erfc, erfinv, i0, logit, polygamma
from everygrad.functional.special import digamma as psi
from everygrad.functional.special import lgamma as gammaln
from everygrad.functional.special import mvlgamma as multigammaln
from everygrad.functional.trigonometric import sinc
from everygrad.functional.unary import expm1, log1p, round

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
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
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "sinc",
    "softmax",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]

_behind_the_edge(globals(), __name__)
