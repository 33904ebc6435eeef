"""L-BFGS: a quasi-Newton method for full batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from typing_extensions import override

from everygrad.engine import enable_grad, no_grad
from everygrad.functional import cat
from everygrad.nn.parameter import Parameter
from everygrad.nn.state import StateDictError
from everygrad.optim.line_search import Point, strong_wolfe
from everygrad.optim.optimizer import Optimizer, Options, State
from everygrad.optim.options import need, need_choice, need_count
from everygrad.optim.slots import precision
from everygrad.tensor import Tensor
from everygrad.tensor.wrap import is_tensor
from everygrad_ops import GradientError

__all__ = ["LBFGS"]

Closure = Callable[[], Any]

_FLAT = ("d", "prev_flat_grad")
_LISTS = ("old_dirs", "old_stps")
_NUMBERS = ("t", "H_diag", "prev_loss")


class LBFGS(Optimizer):
    """Steps along -H g, H an estimate of the inverse Hessian from the last `history_size` steps.

    `step(closure)` makes up to `max_iter` such steps: the closure computes the loss anew each time and returns it
    (or the loss and its gradients). Without line search each step has length `lr`;
    with `line_search_fn="strong_wolfe"` it is searched for, and `max_eval` (5/4 max_iter) bounds the evaluations.
    It ends early where the largest gradient is below `tolerance_grad` or the loss or the step changes by less
    than `tolerance_change`. One parameter group; for full batches.

    Source: Liu, Nocedal, "On the limited memory BFGS method for large scale optimization", 1989.

    >>> import everygrad as eg
    >>> p = eg.nn.Parameter(eg.tensor([3.0, -2.0], eg.float64))
    >>> optimizer = eg.optim.LBFGS([p], line_search_fn="strong_wolfe")
    >>> loss = optimizer.step(lambda: ((p - eg.tensor([1.0, 2.0], eg.float64)) ** 4).sum())
    >>> loss.item(), [round(x, 1) for x in p.tolist()]
    (272.0, [1.0, 2.0])
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        *,
        maximize: bool = False,
    ) -> None:
        need_count("max_iter", max_iter)
        options = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
            "maximize": maximize,
        }
        self.memory: State = {}
        super().__init__(params, options)

    @override
    def check(self, options: Options) -> None:
        super().check(options)
        for name in ("max_iter", "max_eval", "history_size"):
            need_count(name, options[name])
        for name in ("tolerance_grad", "tolerance_change"):
            need(name, options[name], 0)
        need_choice("line_search_fn", options["line_search_fn"], (None, "strong_wolfe"))
        if len(self.param_groups) > 1:
            raise ValueError(
                "LBFGS: takes one parameter group. Received: several; write LBFGS(model.parameters())"
            )

    @override
    def update(self, b: Any, x: Any, g: Any, state: State, options: Options) -> NoReturn:
        raise GradientError("LBFGS: evaluates the loss itself. Write optimizer.step(closure)")

    @override
    def step(self, closure: Closure) -> Tensor:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]  # it needs the loss at other places
        """Make up to `max_iter` steps, and return the loss at the start."""
        if not callable(closure):
            raise TypeError(
                f"step: LBFGS takes a function that computes the loss. Received: {type(closure).__name__}; "
                "write optimizer.step(lambda: loss_fn(model(x), y))"
            )
        loss, value, flat = self._evaluate(closure)
        options, memory = self.param_groups[0], self.memory
        memory["func_evals"] = memory.get("func_evals", 0) + 1
        memory.setdefault("n_iter", 0)
        evaluations = 1
        if _largest(flat) <= options["tolerance_grad"]:
            return loss
        for i in range(options["max_iter"]):
            before = value
            slope, t = self._direct(flat, value)
            if slope > -options["tolerance_change"]:
                break
            last = i == options["max_iter"] - 1
            value, flat, used = self._move(closure, Point(0.0, value, flat, slope), t, evaluations, last)
            evaluations += used
            memory["func_evals"] += used
            moved = _largest(memory["d"]) * abs(memory["t"])
            small = options["tolerance_change"]
            settled = _largest(flat) <= options["tolerance_grad"]
            if settled or evaluations >= options["max_eval"] or moved <= small or abs(value - before) < small:
                break
        return loss

    def _evaluate(self, closure: Closure) -> tuple[Tensor, float, Tensor]:
        """(loss, the value to make small, its gradient as one vector)."""
        with enable_grad():
            given = closure()
            loss, grads = _pair(given)
            if not is_tensor(loss):
                raise TypeError(
                    f"step: the closure must return the loss. Received: {type(loss).__name__}; write return loss"
                )
            found: Any = loss.backward() if grads is None else grads
        sign = -1.0 if self.param_groups[0]["maximize"] else 1.0
        home = self.params[0]
        with no_grad():
            parts = [_vector(found.get(p), p).to(home.backend).to(precision(home)) for p in self.params]
            flat = cat(parts).detach()
            return loss.detach(), sign * loss.item(), flat if sign > 0 else -flat

    def _direct(self, flat: Tensor, value: float) -> tuple[float, float]:
        """Put the next direction into memory: (the slope along it, the first step length to try)."""
        memory, rate = self.memory, self.param_groups[0]["lr"]
        memory["n_iter"] += 1
        with no_grad():
            if memory["n_iter"] == 1:
                memory.update(d=-flat, old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
                rate *= min(1.0, 1.0 / float(flat.abs().sum()))
            else:
                self._learn(flat)
                memory["d"] = self._quasi_newton(flat)
            memory.update(prev_flat_grad=flat, prev_loss=value, t=rate)
            return _dot(flat, memory["d"]), rate

    def _learn(self, flat: Tensor) -> None:
        """Remember how the gradient changed along the last step."""
        memory = self.memory
        y, s = flat - memory["prev_flat_grad"], memory["d"] * memory["t"]
        curvature = _dot(y, s)
        if curvature > 1e-10:
            for key, item in (("old_dirs", y), ("old_stps", s), ("ro", 1.0 / curvature)):
                kept = [*memory[key], item]
                memory[key] = kept[-self.param_groups[0]["history_size"] :]
            memory["H_diag"] = curvature / _dot(y, y)

    def _quasi_newton(self, flat: Tensor) -> Tensor:
        """-H g by the two loops over the steps in memory."""
        memory, shares, q = self.memory, list[float](), -flat
        past = list(zip(memory["old_dirs"], memory["old_stps"], memory["ro"]))
        for y, s, ro in reversed(past):
            shares.append(_dot(s, q) * ro)
            q = q - y * shares[-1]
        r: Tensor = q * memory["H_diag"]
        for (y, s, ro), share in zip(past, reversed(shares)):
            r = r + s * (share - _dot(y, r) * ro)
        return r

    def _move(
        self, closure: Closure, start: Point, t: float, evaluations: int, last: bool
    ) -> tuple[float, Tensor, int]:
        """Go along the direction in memory: (value, gradient, evaluations used)."""
        options, d = self.param_groups[0], self.memory["d"]
        origin = [p.detach() for p in self.params]
        if options["line_search_fn"] is None:
            self._put(origin, t)
            if last:  # nobody will need the gradient
                return start.value, start.grad, 0
            _, value, flat = self._evaluate(closure)
            return value, flat, 1

        def at(t: float) -> Point:
            self._put(origin, t)
            _, value, flat = self._evaluate(closure)
            return Point(t, value, flat, _dot(flat, d))

        budget = {"evaluations": options["max_eval"] - evaluations, "tolerance": options["tolerance_change"]}
        try:
            found, used = strong_wolfe(at, start, t, _largest(d), **budget)
        except BaseException:
            self._put(origin, 0.0)
            raise
        self.memory["t"] = found.t
        self._put(origin, found.t)
        return found.value, found.grad, used

    def _put(self, origin: list[Tensor], t: float) -> None:
        """Set the parameters to where they were plus t times the direction."""
        place, d = 0, self.memory["d"]
        with no_grad():
            for p, x in zip(self.params, origin):
                part = d[place : place + p.numel()].reshape(p.shape).to(p.backend)
                place += p.numel()
                p.assign((x.to(part.dtype) + part * t).to(p.dtype))

    @property
    @override
    def state(self) -> dict[Parameter, State]:
        return {self.params[0]: dict(self.memory)} if self.memory else {}

    @override
    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        size = sum(p.numel() for p in self.params)
        saved: Mapping[Any, Any] = state_dict.get("state", {})
        memory: dict[str, Any] = dict(next(iter(saved.values()), dict[str, Any]()))
        flat: list[Any] = [memory.get(key) for key in _FLAT]
        for key in _LISTS:
            flat += memory.get(key) or []
        wrong = [tuple(v.shape) for v in flat if v is not None and tuple(v.shape) != (size,)]
        if wrong:
            raise StateDictError(
                f"load_state_dict: this LBFGS has {size} weights. Received: a vector of shape {wrong[0]}; nothing was changed"
            )
        super().load_state_dict({**state_dict, "state": {}})
        self.memory = {
            **{key: int(memory[key]) for key in ("func_evals", "n_iter") if key in memory},
            **{key: float(memory[key]) for key in _NUMBERS if memory.get(key) is not None},
            **{key: self._vector(memory[key]) for key in _FLAT if memory.get(key) is not None},
            **{key: [*map(self._vector, memory[key])] for key in _LISTS if memory.get(key) is not None},
            **({"ro": [*map(float, memory["ro"])]} if memory.get("ro") is not None else {}),
        }

    def _vector(self, value: Any) -> Tensor:
        home = self.params[0]
        given = value if is_tensor(value) else Parameter(value, requires_grad=False)
        return given.detach().to(home.backend).to(precision(home))

    @override
    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    @override
    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)


def _vector(g: Tensor | None, p: Parameter) -> Tensor:
    return (p.detach() * 0 if g is None else g).reshape(-1)


def _dot(x: Tensor, y: Tensor) -> float:
    return float((x * y).sum().item())


def _pair(given: Any) -> tuple[Any, Any]:
    """(loss, gradients or None) as a closure returned them."""
    return given if isinstance(given, tuple) else (given, None)  # pyright: ignore[reportUnknownVariableType]  # of anything


def _largest(x: Tensor) -> float:
    return float(x.abs().amax().item())
