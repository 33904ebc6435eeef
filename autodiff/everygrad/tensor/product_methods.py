"""The methods of products: the functions of the same name."""

from __future__ import annotations

from everygrad.functional import linalg


class ProductMethods:
    """Methods of products."""

    __slots__ = ()

    bmm = linalg.bmm
    dot = linalg.dot
    matmul = linalg.matmul
    mm = linalg.mm
    mv = linalg.mv
    outer = linalg.outer
