"""The walk back: newest node first, from a heap; no recursion, no separate sort."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from everygrad.engine.node import LEAF, PICK, Node, Record
from everygrad.engine.recording import is_recording, set_recording
from everygrad.engine.watch import watcher
from everygrad_ops import GradientError

if TYPE_CHECKING:
    from everygrad.engine.autodiff import Autodiff


def run(
    autodiff: Autodiff[Any],
    roots: Iterable[tuple[Node, Any]],
    *,
    inputs: Sequence[Node] | None = None,
    create_graph: bool = False,
    retain_graph: bool = False,
) -> dict[Node, Any]:
    """Gradients of the roots (node, upstream) at `inputs`, or at every leaf when None.

    Plain arrays of the inner backend come back, or tracked ones under `create_graph`: the upstream
    gradients are of the same kind. Unconnected inputs are missing from the result.
    """
    roots = list(roots)
    needed = None if inputs is None else leading_to(inputs, [node for node, _ in roots])[0]
    wanted = () if needed is None else inputs or ()  # every variable gets its gradient anyway
    if create_graph and not is_recording():
        with set_recording(True):
            return Walk(autodiff, needed, wanted, True, True).go(roots)
    return Walk(autodiff, needed, wanted, create_graph, create_graph or retain_graph).go(roots)


def leading_to(inputs: Sequence[Node], roots: Sequence[Node]) -> tuple[set[Node] | None, bool]:
    """The nodes from which some input can be reached, and whether other variables can be reached too.

    A node is newer than its parents, so nothing older than the oldest input needs a visit. None stands for
    every node: where the inputs are all the variables there are, all that was recorded leads to one.
    """
    wanted = set(inputs)
    oldest = max([node.order for node in inputs]) if inputs else 0
    seen = set(roots)
    stack = list(roots)
    foreign = False
    while stack:
        node = stack.pop()
        if node.order == oldest and node in wanted:
            continue  # whatever else is wanted is newer
        parents = node.parents
        if not parents:
            if parents is None:
                raise _used(node.record)  # what lies behind it is not known any more
            foreign = foreign or node not in wanted
            continue
        for parent in parents:
            if parent is None or parent in seen:
                continue
            if parent.order > oldest:
                foreign = True
                continue
            seen.add(parent)
            stack.append(parent)
    if not foreign and all(node.record is LEAF for node in inputs):
        return None, False
    return _leading(wanted & seen, seen), foreign


def _leading(wanted: set[Node], seen: set[Node]) -> set[Node]:
    """Of the nodes seen, those that lead to one that is wanted."""
    needed = set(wanted)
    for node in sorted(seen, key=attrgetter("order"), reverse=True):
        for parent in node.parents or ():
            if parent in needed:
                needed.add(node)
                break
    return needed


Place = tuple[Any, Any, bool]


class Unfolded(Exception):  # no error: how a node stands for a part of the graph
    """Raised by the pull of a node that stands for a part of the graph: the walk goes on through that part.

    So the gradients inside add up in the order in which they would have without it.
    """

    def __init__(
        self,
        autodiff: Autodiff[Any],
        node: Node,
        roots: Sequence[tuple[Node, Any]],
        inside: Sequence[Node],
    ) -> None:
        super().__init__()
        self.autodiff = autodiff
        self.node = node
        self.roots = roots
        """The results of the part, with their upstream gradients."""
        self.inside = inside
        """Its nodes, newest first."""


class Walk:
    """One backward pass: upstream gradients wait in `pending`, by order, as [node, gradient, owned, place].

    A place is (backend to compute with, signature query, whether that is plain): of the decorator
    that the node lives on, which a move changes.
    """

    def __init__(
        self,
        autodiff: Autodiff[Any],
        needed: set[Node] | None,
        wanted: Sequence[Node],
        graph: bool,
        retain: bool,
    ) -> None:
        self.needed = needed
        self.wanted = frozenset(wanted)
        self.graph = graph
        self.retain = retain
        self.heap: list[int] = []
        self.pending: dict[int, list[Any]] = {}
        self.start = self.place_of(autodiff)
        self.results: dict[Node, Any] = {}
        self.watcher = watcher.get()

    def place_of(self, autodiff: Autodiff[Any]) -> Place:
        """Where nodes of a decorator have their gradients computed."""
        inner = autodiff.inner
        return (autodiff if self.graph else inner), inner.signature, inner.plain_signature

    def go(self, roots: Sequence[tuple[Node, Any]]) -> dict[Node, Any]:
        """Walk from the roots until nothing waits; the gradients at the variables and wanted nodes."""
        self.give_all(roots, self.start)
        while True:
            try:
                self.walk()
            except Unfolded as part:
                self.enter(part)
            else:
                return self.results

    def enter(self, part: Unfolded) -> None:
        """Go on through the part of the graph that a node stands for."""
        if self.needed is not None:
            for node in reversed(part.inside):
                if any(parent in self.needed for parent in node.parents or ()):
                    self.needed.add(node)
        self.give_all(part.roots, self.place_of(part.autodiff))
        if not self.retain:
            part.node.parents = part.node.saved = None

    def walk(self) -> None:
        """Take the newest node that waits, and hand its gradient on to its parents, until nothing waits."""
        heap, pending, graph, retain = self.heap, self.pending, self.graph, self.retain
        needed, wanted, results, watcher = self.needed, self.wanted, self.results, self.watcher
        while heap:
            node, g, _, place = pending.pop(heappop(heap))
            record = node.record
            if record is LEAF or (wanted and node in wanted):
                results[node] = g
                if watcher is not None:
                    watcher.leaf(place[0], g)
                if needed is not None and not any(p in needed for p in node.parents or ()):
                    continue  # nothing behind it is asked for: it stays unused
            parents = node.parents
            if parents is None:
                raise _used(record)
            if needed is not None and len(parents) > 1:  # the only parent of a needed node is needed
                parents = [p if p in needed else None for p in parents]
            if record is PICK:
                for parent in parents:
                    if parent is not None:
                        self.give_pick(parent, node.saved, g, place)
            elif parents:
                if watcher is None:
                    grads = (record.pull_graph if graph else record.pull)(place[0], g, node, parents)
                else:
                    grads = watcher.pull(place[0], g, node, parents, graph)
                if record.source is not None:
                    place = self.place_of(record.source)
                _, signature, plain = place
                for i, parent in enumerate(parents):
                    if parent is None:
                        continue
                    gp = grads[i]
                    if gp is None:
                        continue
                    due = parent.signature
                    if gp is not g or due != node.signature:  # what a node was given has its signature
                        array = gp.value if graph else gp
                        if (
                            (array.shape != due[0] or array.dtype != due[1])
                            if plain
                            else signature(array) != due
                        ):
                            gp = self.fit(record, i, gp, parent, place)
                    order = parent.order
                    entry = pending.get(order)
                    if entry is None:
                        pending[order] = [parent, gp, False, place]
                        heappush(heap, order)
                    else:
                        self.accumulate(entry, gp)
            if not retain and record is not LEAF:
                node.parents = node.saved = None

    def give_all(self, roots: Sequence[tuple[Node, Any]], place: Place) -> None:
        """Let the gradients of roots wait, of those that lead anywhere."""
        for node, upstream in roots:
            if self.needed is None or node in self.needed:
                self.give(node, upstream, place)

    def give(self, node: Node, g: Any, place: Place) -> None:
        """Let a gradient wait for its node."""
        entry = self.pending.get(node.order)
        if entry is None:
            self.pending[node.order] = [node, g, False, place]
            heappush(self.heap, node.order)
        else:
            self.accumulate(entry, g)

    def give_pick(self, node: Node, position: int, g: Any, place: Place) -> None:
        """Hand a gradient to one result of a multi-output node."""
        entry = self.pending.get(node.order)
        if entry is None:
            entry = self.pending[node.order] = [node, [None] * node.signature, False, place]
            heappush(self.heap, node.order)
        slots = entry[1]
        slots[position] = g if slots[position] is None else place[0].add(slots[position], g)

    def accumulate(self, entry: list[Any], g: Any) -> None:
        """Add to a waiting gradient. The first sum allocates; only that buffer is ours to write into."""
        b = entry[3][0]
        if self.graph or not entry[2]:
            entry[1] = b.add(entry[1], g)
            entry[2] = True
        else:
            entry[1] = b.accumulate(entry[1], g)

    def fit(self, record: Record, position: int, g: Any, parent: Node, place: Place) -> Any:
        """Sum a gradient over broadcast dims; anything else that does not match is the rule's fault."""
        b, signature, _ = place
        if record.broadcasting:
            shape, _ = parent.signature
            g = b.sum_to(g, tuple(shape))
        found = signature(g.value if self.graph else g)
        if found != parent.signature:
            raise GradientError(
                f"expected a gradient {_spell(parent.signature)}, got {_spell(found)}, "
                f"from the rule of {record.name}, argument {record.argument(position)}"
            )
        return g


def _used(record: Record) -> GradientError:
    return GradientError(
        f"this graph was already used: its {record.name} node is freed. Received: a second backward; "
        "write backward(retain_graph=True) the first time to keep it"
    )


def _spell(signature: tuple[Any, Any]) -> str:
    shape, dtype = signature
    return f"{str(dtype).rpartition('.')[2]}{list(shape)}"
