"""LoRA: adapters of low rank on frozen layers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Self, TypeVar

from typing_extensions import override

from everygrad.engine.replay import standing_in
from everygrad.functional.creation import zeros
from everygrad.functional.dropout import dropout as drop
from everygrad.functional.linear import linear
from everygrad.nn.init import kaiming_uniform_, normal_
from everygrad.nn.lookup import Pattern, as_patterns, matches, set_submodule
from everygrad.nn.module import Module
from everygrad.nn.parameter import Parameter
from everygrad.nn.walk import joined
from everygrad.tensor import Tensor

__all__ = ["LoRA", "lora", "lora_state_dict", "merge_lora", "remove_lora", "unmerge_lora"]

M = TypeVar("M", bound=Module)


class LoRA(Module):
    """A layer with a weight, whose weight is weight + alpha / rank * lora_B @ lora_A.

    lora_A is (rank, ...) and lora_B (out, rank), in the form of the weight with its dims after the first joined; B starts
    at zero, so that the layer starts as it was. The layer's own parameters keep their names, so that its
    state still loads. `dropout` acts on the input of the adapter of a Linear, and elsewhere on lora_A.

    Source: Hu et al., "LoRA: low-rank adaptation of large language models", 2021.

    >>> import everygrad as eg
    >>> layer = eg.nn.LoRA(eg.nn.Linear(4, 3), rank=2, alpha=4)
    >>> [name for name, p in layer.named_parameters() if p.requires_grad], list(layer.state_dict())
    (['lora_A', 'lora_B'], ['weight', 'bias', 'lora_A', 'lora_B'])
    """

    def __init__(self, base: Module, rank: int = 8, alpha: float = 16.0, dropout: float = 0.0) -> None:
        self._name = _weight_name(base)
        own: Any = vars(base).get(self._name)
        if not isinstance(own, Parameter) or own.ndim < 2:
            raise TypeError(
                "LoRA: needs a layer with a weight of at least 2 dims, such as Linear, Embedding or Conv2d, or a "
                f"MultiheadAttention with one in_proj_weight. Received: {type(base).__name__}"
            )
        out, inside = own.shape[0], math.prod(own.shape[1:])
        if rank < 1:
            raise ValueError(f"LoRA: rank must be at least 1. Received: {rank}")
        for part in base.modules():
            if not isinstance(part, LoRA):  # adapters of its parts train on
                for p in part.parameters(recurse=False):
                    p.requires_grad_(False)
        self._base = base
        self.rank, self.alpha, self.dropout = rank, alpha, dropout
        self._original: list[Any] = []
        self.training = base.training
        self.lora_A = Parameter(zeros((rank, inside), dtype=own.dtype, backend=own.backend))
        self.lora_B = Parameter(zeros((out, rank), dtype=own.dtype, backend=own.backend))
        if _is_table(base):
            normal_(self.lora_A, std=1 / rank)
        else:
            kaiming_uniform_(self.lora_A, a=math.sqrt(5))

    @override
    def entries(self) -> Iterable[tuple[str, Any]]:
        if self.merged:  # a state with the weight and the adapter in it would add the adapter twice
            return self._base.entries()
        return [*self._base.entries(), ("lora_A", self.lora_A), ("lora_B", self.lora_B)]

    def __getattr__(self, name: str) -> Any:
        """What the layer itself has, such as `in_features` or `bias`."""
        base: Any = vars(self).get("_base")
        if base is None or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__} has no {name!r}")
        return getattr(base, name)

    @property
    def base(self) -> Module:
        """The layer without its adapter."""
        return self._base

    @property
    def merged(self) -> bool:
        """Whether the adapter is part of the layer's weight now."""
        return bool(self._original)

    @property
    def scale(self) -> float:
        """alpha / rank."""
        return self.alpha / self.rank

    @property
    def weight(self) -> Tensor:
        """The weight with the adapter."""
        return self._own if self.merged else self._own + self._change(self.lora_A)

    @property
    def _own(self) -> Parameter:
        """The layer's own parameter."""
        own: Parameter = vars(self._base)[self._name]
        return own

    def _change(self, first: Tensor) -> Tensor:
        return (self.lora_B @ first).reshape(self._own.shape) * self.scale

    @override
    def train(self, mode: bool = True) -> Self:
        """In training, and so is the layer inside."""
        self._base.train(mode)
        return super().train(mode)

    def forward(self, *args: Any, **keywords: Any) -> Any:
        """What the layer returns, with the adapter."""
        if self.merged:
            return self._base(*args, **keywords)
        if _is_linear(self._base):
            (x,) = args
            seen = drop(x, self.dropout, self.training)
            return self._base(x) + linear(linear(seen, self.lora_A), self.lora_B) * self.scale
        changed = self._own + self._change(drop(self.lora_A, self.dropout, self.training))
        with standing_in([(self._own, changed)]):
            return self._base(*args, **keywords)

    def merge(self) -> None:
        """Make the adapter part of the layer's weight: as fast as without; a tied weight elsewhere stays as it is.

        Its state then is that of the plain layer, and the adapter is none of its parameters, until `unmerge`.
        """
        if not self.merged:
            before = self._own
            setattr(self._base, self._name, Parameter(self.weight.detach(), requires_grad=False))
            self._original.append(before)

    def unmerge(self) -> None:
        """Take the adapter out of the layer's weight again, exactly."""
        if self.merged:
            now, before = self._own, self._original.pop()
            for own in (before, self.lora_A, self.lora_B):  # the model may have moved meanwhile
                if own.backend is not now.backend or own.dtype is not now.dtype:
                    own.settle(own.elsewhere(now.backend, now.dtype))
            setattr(self._base, self._name, before)

    @override
    def extra_repr(self) -> str:
        inside = repr(self._base).replace("\n", " ")
        return f"{inside}, rank={self.rank}, alpha={self.alpha}" + (", merged" if self.merged else "")


def _is_linear(layer: Module) -> bool:
    return _named(layer, "Linear")


def _is_table(layer: Module) -> bool:
    return _named(layer, "Embedding") or _named(layer, "EmbeddingBag")


def _named(layer: Module, name: str) -> bool:
    return any(
        kind.__name__ == name and kind.__module__.startswith("everygrad.nn.") for kind in type(layer).__mro__
    )


def _adaptable(layer: Module) -> bool:
    own = vars(layer).get(_weight_name(layer))
    kinds = ("Linear", "Embedding", "EmbeddingBag", "_Conv", "_ConvTranspose", "MultiheadAttention")
    return any(_named(layer, name) for name in kinds) and isinstance(own, Parameter)


def _weight_name(layer: Module) -> str:
    """The name of the weight that is adapted: of attention that of queries, keys and values together."""
    return "in_proj_weight" if _named(layer, "MultiheadAttention") else "weight"


def lora(
    model: M,
    pattern: Pattern | Iterable[Pattern] = "*",
    rank: int = 8,
    alpha: float = 16.0,
    dropout: float = 0.0,
) -> M:
    """Freeze the model and put adapters on its Linear, Embedding, Conv and attention layers that match; returns the model.

    The pattern is that of `freeze`, for names of layers. Only the adapters train: give the optimizer the parameters that
    require gradients, or all of them. Raises `KeyError` if no layer matches.

    >>> import everygrad as eg
    >>> from everygrad import nn
    >>> net = nn.lora(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), "0", rank=2)
    >>> net.num_params(), net.num_params(trainable=True), list(nn.lora_state_dict(net))
    (82, 24, ['0.lora_A', '0.lora_B'])
    """
    patterns = as_patterns(pattern)
    layers = [(name, part) for name, part in model.named_modules(remove_duplicate=False) if _adaptable(part)]
    chosen = [(name, part) for name, part in layers if any(matches(p, name, part) for p in patterns)]
    if not chosen:
        raise KeyError(
            f"lora: no Linear, Embedding, Conv or attention layer matches. Received: {pattern!r}; "
            f"the layers are {', '.join(name or '(the model itself)' for name, _ in layers) or 'none'}"
        )
    if chosen[0][0] == "":
        raise ValueError(
            "lora: a layer cannot be replaced in itself. Received: a single layer; write nn.LoRA(layer, rank, alpha)"
        )
    model.freeze()
    made: dict[int, LoRA] = {}
    for name, part in reversed(chosen):  # a part before what holds it
        if id(part) not in made:
            made[id(part)] = LoRA(part, rank, alpha, dropout)
        set_submodule(model, name, made[id(part)])
    return model


def _adapters(model: Module, where: str) -> list[tuple[str, LoRA]]:
    found = [
        (name, part) for name, part in model.named_modules(remove_duplicate=False) if isinstance(part, LoRA)
    ]
    if not found:
        raise KeyError(
            f"{where}: the model has no adapters. Received: {type(model).__name__}; write nn.lora(model)"
        )
    return found


def lora_state_dict(model: Module) -> dict[str, Tensor]:
    """The state of the adapters alone; `model.load_state_dict(state, strict=False)` takes it.

    >>> import everygrad as eg
    >>> list(eg.nn.lora_state_dict(eg.nn.LoRA(eg.nn.Linear(4, 3), rank=2)))
    ['lora_A', 'lora_B']
    """
    return {
        joined(name, kind): own.detach()
        for name, part in _adapters(model, "lora_state_dict")
        for kind, own in (("lora_A", part.lora_A), ("lora_B", part.lora_B))
    }


def merge_lora(model: M) -> M:
    """Make each adapter part of its layer's weight, for use; `unmerge_lora` is the exact way back.

    >>> import everygrad as eg
    >>> net = eg.nn.merge_lora(eg.nn.lora(eg.nn.Sequential(eg.nn.Linear(4, 3)), rank=2))
    >>> net[0].merged
    True
    """
    for _, adapter in _adapters(model, "merge_lora"):
        adapter.merge()
    return model


def unmerge_lora(model: M) -> M:
    """Take the adapters out of the weights again: bit for bit what was before `merge_lora`.

    >>> import everygrad as eg
    >>> net = eg.nn.lora(eg.nn.Sequential(eg.nn.Linear(4, 3)), rank=2)
    >>> before, x = net[0].weight.tolist(), eg.ones(1, 4)
    >>> eg.nn.unmerge_lora(eg.nn.merge_lora(net))[0].weight.tolist() == before
    True
    """
    for _, adapter in _adapters(model, "unmerge_lora"):
        adapter.unmerge()
    return model


def remove_lora(model: M, merge: bool = True) -> M:
    """The model with plain layers again: with what the adapters learned in their weights, or without.

    >>> import everygrad as eg
    >>> net = eg.nn.remove_lora(eg.nn.lora(eg.nn.Sequential(eg.nn.Linear(4, 3)), rank=2))
    >>> net[0]
    Linear(in_features=4, out_features=3, bias=True)
    """
    for name, adapter in _adapters(model, "remove_lora"):
        if merge:
            adapter.merge()
        else:
            adapter.unmerge()
        set_submodule(model, name, adapter.base)
    return model
