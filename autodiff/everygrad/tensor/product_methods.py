"""The methods of products, distances and linear algebra: the functions of the same name."""

from __future__ import annotations

from everygrad.functional import decompose, linalg, products


class ProductMethods:
    """Methods of products and of linear algebra."""

    __slots__ = ()

    bmm = linalg.bmm
    dot = linalg.dot
    matmul = linalg.matmul
    mm = linalg.mm
    mv = linalg.mv
    outer = linalg.outer
    addbmm = products.addbmm
    addmm = products.addmm
    addmv = products.addmv
    addr = products.addr
    baddbmm = products.baddbmm
    cross = products.cross
    ger = products.ger
    inner = products.inner
    kron = products.kron
    matrix_power = products.matrix_power
    vdot = products.vdot
    cholesky = decompose.cholesky
    cholesky_inverse = decompose.cholesky_inverse
    cholesky_solve = decompose.cholesky_solve
    det = decompose.det
    inverse = decompose.inverse
    logdet = decompose.logdet
    matrix_exp = decompose.matrix_exp
    pinverse = decompose.pinverse
    qr = decompose.qr
    slogdet = decompose.slogdet
    svd = decompose.svd
