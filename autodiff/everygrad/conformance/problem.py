"""A case as a function of its float arguments, and its derivatives by the engine.

With out = op(x) and random weights w, phi_0(x, w) = sum(out * w), and phi_n is the derivative of
phi_(n-1) along a fixed random direction. The weights count as variables from order 2 on: there a lost
path from the upstream gradient shows.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from everygrad.conformance.calls import Call, Failure, draw, is_array, results, same_bits, to_dtype
from everygrad.conformance.case import Array, Case
from everygrad.conformance.checks import Skipped
from everygrad.conformance.compare import check_like
from everygrad.conformance.forms import wrapped
from everygrad.engine import run
from everygrad_ops import Backend, DType, contract


@dataclass
class Point:
    """Values of the float arguments, and the weights of the results."""

    xs: list[Array]
    ws: list[Array]

    def moved(self, by: float, along: Sequence[Array]) -> Point:
        """This point and `by` times a direction."""
        both = [v + by * d for v, d in zip(self.xs + self.ws, along)]
        return Point(both[: len(self.xs)], both[len(self.xs) :])


class Problem:
    """One case's gradient on one backend, in one dtype."""

    def __init__(self, b: Backend[Any], case: Case, dtype: DType) -> None:
        self.b: Any = b
        self.case = case
        self.dtype = dtype
        self.spec = contract()[case.op]
        if not self.spec.marks.differentiable:
            raise Skipped("not differentiable, by its mark")
        self.call = Call(b, self.spec, draw(case, dtype))
        slots = list(self.call.floats(case.wrt))
        if not slots:
            if case.wrt:
                raise Failure(f"{case.id}: no float argument among wrt={tuple(case.wrt)}")
            raise Skipped("no float argument")
        self.slots = [slot for slot, _ in slots]
        self.names = [name for _, name in slots]
        out = self.call.run()
        self.live = [i for i, v in enumerate(out) if self._is_live(v, i, len(out))]
        """The positions of the results that carry a gradient."""
        if not self.live:
            raise Skipped("no float result")
        self.random = np.random.default_rng(zlib.crc32(f"{case.id} gradient".encode()))
        ws = [to_dtype(self.random.normal(size=b.shape(out[i])), dtype) for i in self.live]
        ws = [w.astype(b.to_numpy(out[i]).dtype) for i, w in zip(self.live, ws)]
        self.start = Point([self._host(slot) for slot in self.slots], ws)
        values = [b.to_numpy(out[i]).astype(np.float64) for i in self.live]
        self.magnitude = sum(float(np.sum(np.abs(v * w))) for v, w in zip(values, ws))
        self.directions: list[list[Array]] = []

    def _is_live(self, value: Any, at: int, count: int) -> bool:
        named = len(self.spec.outputs) == count
        integer = named and self.spec.outputs[at] in self.spec.marks.integer_outputs
        return value is not None and not integer and self.b.dtype(value).is_floating

    def _host(self, slot: tuple[int, int]) -> Array:
        value = self.call.host[slot[0]]
        array: Array = value if is_array(value) else value[slot[1]]
        return array

    def direction(self, arrays: Sequence[Array]) -> list[Array]:
        """A random direction, each component between 0.5 and 1 in size."""
        signs = [self.random.choice([-1.0, 1.0], size=a.shape) for a in arrays]
        return [s * self.random.uniform(0.5, 1.0, size=s.shape) for s in signs]

    def value(self, at: Point) -> float:
        """phi_0: the weighted sum of the results, on the bare backend."""
        given = dict(zip(self.slots, at.xs))
        args = self.call.placed(lambda x, slot: self.b.from_numpy(given.get(slot, x)))
        out = results(self.spec, getattr(self.b, self.spec.name)(*args))
        return sum(float(np.sum(self.b.to_numpy(out[i]) * w)) for i, w in zip(self.live, at.ws))

    def directional(self, at: Point, order: int) -> float:
        """phi_order: the gradient of phi_(order-1) along its fixed direction."""
        if order == 0:
            return self.value(at)
        pairs = zip(self.gradients(at, order), self.directions[order - 1])
        return sum(float(np.sum(g * v)) for g, v in pairs if g is not None)

    def gradients(self, at: Point, order: int, graph: bool = False) -> list[Array | None]:
        """The gradient of phi_(order-1): in x at order 1, in x and w beyond. `graph` keeps it differentiable."""
        b, ad = self.b, wrapped(self.b)
        given = dict(zip(self.slots, at.xs))
        variables: dict[tuple[int, int], Any] = {}
        made: list[tuple[str, Any, Array]] = []

        def lift(name: str, x: Array) -> Any:
            made.append((name, b.from_numpy(x), x))
            return ad.lift(made[-1][1])

        def place(x: Array, slot: tuple[int, int]) -> Any:
            lifted = lift(self.spec.params[slot[0]].name, given.get(slot, x))
            if slot in given:
                lifted = variables[slot] = ad.variable(lifted)
            return lifted

        out = results(self.spec, getattr(ad, self.spec.name)(*self.call.placed(place)))
        weights: list[Any] = [ad.variable(lift("upstream gradient", w)) for w in at.ws]
        roots = [(out[i].node, w) for i, w in zip(self.live, weights) if out[i].node is not None]
        inputs = [variables[slot].node for slot in self.slots]
        found: list[Any] = []
        for level in range(1, order + 1):
            onward = graph or level < order
            upstream = roots if onward else [(node, u.value) for node, u in roots]
            by_node = run(ad, upstream, inputs=inputs, create_graph=onward)
            found = [by_node.get(node) for node in inputs]
            if level == 1:
                self._check_present([g.value if onward and g is not None else g for g in found])
                inputs = inputs + [w.node for w in weights]
            if level < order:
                along = [lift("direction", v) for v in self.directions[level - 1]]
                roots = [(g.node, v) for g, v in zip(found, along) if g is not None and g.node is not None]
        for name, value, host in made:
            if not same_bits(b.to_numpy(value), host):
                raise Failure(f"{self.case.id}: computing the gradient changed its {name}")
        plain = [g.value if graph and g is not None else g for g in found]
        return [None if g is None else b.to_numpy(g) for g in plain]

    def _check_present(self, found: Sequence[Any]) -> None:
        for name, g, x in zip(self.names, found, self.start.xs):
            what = f"{self.case.id}: the gradient in {name}"
            if g is None:
                raise Failure(f"{what} is lost: the argument gets None")
            check_like(what, self.b.to_numpy(g), x.shape, self.dtype)
