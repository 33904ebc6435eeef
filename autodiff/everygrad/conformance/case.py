"""The form of the suite's table: one `Case` per way of calling an op, one `BadCall` per wrong way.

A family's file in `everygrad.conformance.cases` lists them; the checks in `everygrad.conformance.checks`
run each on a backend. The oracle is plain loops or a closed form in float64: never the code under test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everygrad_ops import DType, ShapeError

Array = NDArray[Any]
Sampler = Callable[[np.random.Generator], tuple[Any, ...]]

FLOATS = (DType.float64, DType.float32, DType.float16, DType.bfloat16)
INTEGERS = (DType.int64, DType.int32, DType.int16, DType.int8, DType.uint8)


@dataclass(frozen=True)
class Case:
    """One way of calling an op, and what must come out.

    `sample` draws the arguments in the contract's order: NumPy arrays where the contract takes arrays
    (float64 ones are cast to the dtype under test; integer and boolean ones stay), lists of arrays for
    sequences, None, Python scalars and options as they are. It samples the op's domain on purpose:
    kinks, ties, zeros, large and tiny values have cases of their own.

    `oracle` gets the same arguments (floats rounded to the dtype under test, then float64 again) and
    returns an array, or a tuple for a multi-output op, None for outputs not to compare.
    """

    op: str
    name: str
    sample: Sampler
    oracle: Callable[..., Any]
    dtypes: Sequence[DType] = FLOATS
    terms: int = 1
    """How many rounded terms add up in one result: the tolerance grows with its root."""
    scale: float = 1.0
    """The size of the terms (not of the result): absolute tolerance is relative to it."""
    order: int = 2
    """To which order random-direction differences check the gradient; 0 where there is none, or none there."""
    wrt: Sequence[str] | None = None
    """Arguments to differentiate in; None: every float one, each of which must get a gradient."""
    exact: bool = False
    """Whether the result must be equal to the last bit (selections, integers)."""
    gradients: Callable[..., Sequence[Any]] | None = None
    """Known gradients of sum(out) in the float arguments, where differences cannot tell (kinks, ties, NaN)."""
    examine: Callable[..., None] | None = None
    """Gets the results as NumPy arrays; raises where something else about them is wrong (random draws)."""

    @property
    def id(self) -> str:
        """How tests and the scorecard call it."""
        return f"{self.op}-{self.name}"


@dataclass(frozen=True)
class BadCall:
    """A wrong call: every backend raises the same kind of error, and says these words."""

    op: str
    name: str
    sample: Sampler
    error: type[Exception]
    words: Sequence[str] = field(default=())

    @property
    def id(self) -> str:
        """How tests and the scorecard call it."""
        return f"{self.op}-bad-{self.name}"


def bad_call(
    op: str, name: str, *args: Any, error: type[Exception] = ShapeError, words: Sequence[str] = ()
) -> BadCall:
    """A wrong call with these very arguments."""
    return BadCall(op, name, lambda r: args, error, words)
