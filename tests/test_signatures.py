"""What we share with torch has torch's argument names, order and defaults, save for the exceptions written here."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

import everygrad as eg
from everygrad import functional as F
from everygrad import nn, optim
from tests.public import public

REQUIRED = inspect.Parameter.empty

PLACING = {
    "backend": "where a tensor is made: torch says device",
    "copy": "whether data may be shared",
    "device": "a backend has its device",
    "more": "sizes and dims may also stand as arguments, one by one",
    "layout": "there are no sparse tensors",
    "memory_format": "there is one memory format",
    "names": "dims have no names",
    "out": "tensors are values: no result is written into another tensor",
    "pin_memory": "belongs to the backend",
    "generator": "seeds come from eg.manual_seed and eg.seeded",
    "requires_grad": "creation functions other than tensor: write .requires_grad_()",
    "size_average": "given up by torch for reduction",
    "reduce": "given up by torch for reduction",
    "_stacklevel": "for torch's own warnings",
    "sparse_grad": "there are no sparse gradients",
    "inplace": "tensors are values: taken where torch takes it, and without effect",
}
"""Arguments that are not compared, wherever they stand."""


def _as_in_burn(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, "ours, as in burn")


EXCEPTIONS: dict[str, dict[str, str]] = {
    "AdamW": _as_in_burn("cautious_weight_decay"),
    "RNN": _as_in_burn("reverse", "clip"),
    "GRU": _as_in_burn("reverse", "clip", "reset_after", "gate_activation", "hidden_activation"),
    "LSTM": _as_in_burn(
        "reverse", "clip", "input_forget", "gate_activation", "cell_activation", "hidden_activation"
    ),
    "scaled_dot_product_attention": {"softcap": "ours, as in burn"},
    "avg_pool1d": {"divisor_override": "ours at every rank; torch has it at rank 2 and 3"},
    "embedding": {
        "max_norm": "changes the weight in place, and a weight is a value",
        "norm_type": "goes with max_norm",
        "sparse": "there are no sparse gradients",
    },
    "embedding_bag": {
        "max_norm": "changes the weight in place, and a weight is a value",
        "norm_type": "goes with max_norm",
        "sparse": "there are no sparse gradients",
    },
    "index_put": {
        "mode": "ours: every mode of scatter_reduce",
        "include_self": "goes with mode",
    },
    **{
        name: {
            "indices_or_sections": "as torch's documentation calls it; its stubs have a name per type",
            "sections": "the same",
            "indices": "the same",
        }
        for name in ("tensor_split", "hsplit", "vsplit", "dsplit")
    },
    "from_numpy": {"array": "torch's, of C, takes it by place alone", "ndarray": "the same"},
    "numel": {"input": "as torch's documentation calls it", "self": "the same, in its stubs"},
    "Muon": {"maximize": "ours: every optimizer has it"},
    "LBFGS": {"maximize": "the same"},
    "Embedding": {
        "sparse": "there are no sparse gradients",
        "_weight": "write nn.Embedding.from_pretrained",
        "_freeze": "write nn.Embedding.from_pretrained",
    },
    "EmbeddingBag": {
        "sparse": "there are no sparse gradients",
        "_weight": "write nn.EmbeddingBag.from_pretrained",
    },
    "Hardtanh": {"min_value": "given up by torch for min_val", "max_value": "given up by torch for max_val"},
}
"""Arguments that one of the two lacks, and why."""

KERNELS = {"foreach": "", "capturable": "", "differentiable": "", "fused": ""}
"""Which of torch's kernels an optimizer runs: here that is the backend's own affair."""

DEFAULTS: dict[tuple[str, str], str] = {
    **{
        (name, "dim"): "torch guesses a dim and warns; the last one is what is nearly always meant"
        for name in ("softmax", "log_softmax", "softmin", "Softmax", "LogSoftmax", "Softmin")
    },
    ("logsumexp", "dim"): "over everything, like the other reductions",
    **{
        (name, "activation"): "relu, which is ours"
        for name in ("Transformer", "TransformerEncoderLayer", "TransformerDecoderLayer")
    },
    ("arange", "end"): "one argument is the end, as in Python's range",
    ("std", "unbiased"): "as the correction says, which is 1: torch has overloads instead",
    ("var", "unbiased"): "as the correction says, which is 1: torch has overloads instead",
    ("std_mean", "unbiased"): "as the correction says, which is 1: torch has overloads instead",
    ("var_mean", "unbiased"): "as the correction says, which is 1: torch has overloads instead",
    **{
        (name, "size"): "no sizes are those of a scalar"
        for name in ("empty", "ones", "zeros", "rand", "randn")
    },
    **{(name, "dims"): "there are none to name in a scalar" for name in ("flip", "permute", "tile")},
    ("reshape", "shape"): "no sizes are those of a scalar",
    ("randint", "high"): "with one bound that is the upper one: torch has overloads instead",
    ("randint", "size"): "stands second with one bound: torch has overloads instead",
    ("randint_like", "high"): "with one bound that is the upper one: torch has overloads instead",
    ("sort", "stable"): "always stable",
    ("argsort", "stable"): "always stable",
    ("eye", "dtype"): "the default float, which torch writes as None",
    ("rand", "dtype"): "the default float, which torch writes as None",
    ("randn", "dtype"): "the default float, which torch writes as None",
    ("randint", "dtype"): "int64, which torch writes as None",
    ("randperm", "dtype"): "int64, which torch writes as None",
}
"""Defaults that differ, and why."""

ITEMS = {
    *(name for name in public(nn) if name.startswith("Lazy")),  # compared in test_nn_lazy
    "RNN",
    "LSTM",
    "GRU",
    "Module",
    "Sequential",
    "Identity",
    "ModuleList",
    "ModuleDict",
    "Parameter",
    "UninitializedParameter",
    "Buffer",
    "init",
}
"""What takes items, or is no layer."""

OURS = {
    "finfo",  # a class of torch's, like iinfo
    "iinfo",
    "attention_weights",
    "quiet_softmax",  # of burn
    "hard_sigmoid",  # of ONNX and burn, as are the next three
    "shrink",
    "thresholded_relu",
    "gaussian_noise",
    "lp_loss",
    "rnnt_loss",  # of torchaudio
    "sigmoid_focal_loss",  # of torchvision
    "swiglu",
    "uniform",  # of torch.distributions, as functions
    "gamma",  # of torch.distributions, as functions
    "exponential",  # of torch.distributions, as functions
    "dirichlet",  # of torch.distributions, as functions
    "categorical",  # of torch.distributions, as functions
    "beta",  # of torch.distributions, as functions
    "gather_nd",
    "scatter_nd",
    "batch_norm_statistics",
    "expand",
    "repeat",
    "safe_where",
    "vector_norm",  # of torch.linalg
    "deform_conv2d",  # of torchvision.ops
}
"""Functions that torch has elsewhere, or not at all."""


class Argument(NamedTuple):
    """One parameter, as far as a caller can tell."""

    name: str
    default: Any
    by_name_only: bool = False


@functools.cache
def stubs() -> dict[str, list[list[Argument]]]:
    """The overloads of torch's compiled functions, as its own stub files declare them."""
    found: dict[str, list[list[Argument]]] = {}
    root = Path(torch.__file__).parent / "_C"
    for name in ("_VariableFunctions.pyi", "_nn.pyi"):
        for node in ast.parse((root / name).read_text()).body:
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(list(declared(node.args)))
    return found


def declared(args: ast.arguments) -> list[Argument]:
    places = [*args.posonlyargs, *args.args]
    filled: list[ast.expr | None] = [*[None] * (len(places) - len(args.defaults)), *args.defaults]
    named = [(a, d, False) for a, d in zip(places, filled)]
    named += [(a, d, True) for a, d in zip(args.kwonlyargs, args.kw_defaults)]
    several = [Argument(args.vararg.arg, REQUIRED)] if args.vararg else []
    return several + [Argument(a.arg, REQUIRED if d is None else value(d), only) for a, d, only in named]


def value(default: ast.expr) -> Any:
    try:
        found = ast.literal_eval(default)
    except ValueError:
        return ...  # a stub that keeps it to itself
    return None if found == () else found  # no dims, or no stride: the same as None


def signature(call: Callable[..., Any]) -> list[Argument]:
    parameters = inspect.signature(call).parameters.values()
    return [Argument(p.name, p.default, p.kind is p.KEYWORD_ONLY) for p in parameters]


def torchs(name: str) -> list[list[Argument]]:
    """The ways in which torch's function of this name can be called; none if it has no such function."""
    for home in (torch.nn.functional, torch):
        call: Any = getattr(home, name, None)
        if call is None:
            continue
        if inspect.isfunction(call):
            written = getattr(torch.nn.functional, f"{name}_with_indices", call)
            written = getattr(torch.functional, f"_{name}_impl", written)
            return [signature(written)]
        return stubs().get({"logsigmoid": "log_sigmoid"}.get(name, name), [])
    return []


def merged(name: str) -> list[Argument]:
    """The arguments of all of torch's overloads in one."""
    found: dict[str, Argument] = {}
    for overload in torchs(name):
        for argument in overload:
            found.setdefault(argument.name, argument)
    return list(found.values())


def may_be_left_out(name: str, argument: str) -> bool:
    """Whether torch has an overload without it, or with a default for it."""
    needed = [{a.name for a in overload if a.default is REQUIRED} for overload in torchs(name)]
    return any(argument not in names for names in needed)


def compare(name: str, ours: list[Argument], theirs: list[Argument], skipped: set[str]) -> list[str]:
    """What differs, in words."""
    wrong: list[str] = []
    mine = [a for a in ours if a.name not in skipped]
    due = [a for a in theirs if a.name not in skipped]
    places = [a.name for a in due if not a.by_name_only and a.name != "dtype"]  # which follows device
    in_place = [a.name for a in mine if a.name in places and not a.by_name_only]
    if {a.name for a in mine} != {a.name for a in due} or in_place != [p for p in places if p in in_place]:
        wrong.append(f"arguments {[a.name for a in mine]} and not {[a.name for a in due]}")
    for argument in mine:
        other = next((a for a in due if a.name == argument.name), None)
        if other is None or other.default is ... or (name, argument.name) in DEFAULTS:
            continue
        if other.default is REQUIRED and may_be_left_out(name, argument.name):
            continue
        if other.default != argument.default:
            wrong.append(f"{argument.name}={argument.default!r} and not {other.default!r}")
    return wrong


def skipped(name: str) -> set[str]:
    return {*PLACING, *EXCEPTIONS.get(name, {})}


SHARED = [name for name in public(F) if torchs(name)]


@pytest.mark.parametrize("name", SHARED)
def test_functions(name: str) -> None:
    ours = signature(getattr(F, name))
    differences = [compare(name, ours, theirs, skipped(name)) for theirs in (*torchs(name), merged(name))]
    assert [] in differences, differences


@pytest.mark.parametrize("name", [n for n in public(nn) if hasattr(torch.nn, n) and n not in ITEMS])
def test_layers(name: str) -> None:
    ours, theirs = (signature(getattr(home, name).__init__) for home in (nn, torch.nn))
    assert compare(name, ours, theirs, skipped(name)) == []


@pytest.mark.parametrize("name", [n for n in public(optim) if hasattr(torch.optim, n)])
def test_optimizers(name: str) -> None:
    ours, theirs = (signature(getattr(home, name)) for home in (optim, torch.optim))
    assert compare(name, ours, theirs, skipped(name) | {*KERNELS}) == []


def test_functions_are_shared() -> None:
    assert len(SHARED) > 120
    assert set(public(F)) - set(SHARED) == OURS


def test_each_exception_is_one() -> None:
    for name, arguments in EXCEPTIONS.items():
        home = next(home for home in (F, nn, optim) if name in public(home))
        ours = {a.name for a in signature(getattr(home, name))}
        other: Any = {F: None, nn: torch.nn, optim: torch.optim}[home]
        overloads = torchs(name) if other is None else [signature(getattr(other, name))]
        theirs = {a.name for overload in overloads for a in overload}
        for argument in arguments:
            assert (argument in ours) != (argument in theirs), (name, argument)


def test_each_other_default_is_one() -> None:
    for name, argument in DEFAULTS:
        home = next(home for home in (F, nn) if name in public(home))
        ours = {a.name: a.default for a in signature(getattr(home, name))}
        overloads = torchs(name) if home is F else [signature(getattr(torch.nn, name))]
        theirs = [{a.name: a.default for a in overload} for overload in overloads]
        assert all(t[argument] != ours[argument] for t in theirs if argument in t), (name, argument)


@pytest.mark.parametrize(
    ("ours", "words"),
    [
        ([Argument("input", REQUIRED), Argument("axis", 0)], "arguments"),
        ([Argument("dim", 0), Argument("input", REQUIRED)], "arguments"),
        ([Argument("input", REQUIRED), Argument("dim", 1)], "dim=1"),
        ([Argument("input", REQUIRED), Argument("dim", REQUIRED)], "dim="),
    ],
)
def test_a_difference_is_found(ours: list[Argument], words: str) -> None:
    theirs = [Argument("input", REQUIRED), Argument("dim", 0), Argument("out", None)]
    assert words in compare("made_up", ours, theirs, {*PLACING})[0]
    assert compare("made_up", [*theirs[:2]], theirs, {*PLACING}) == []


def test_what_is_taken_works() -> None:
    x = eg.tensor([3, 1, 2])
    assert eg.prod(x, dtype=eg.float64).dtype is eg.float64
    assert eg.cumsum(x, 0, dtype=eg.float32).dtype is eg.cumprod(x, 0, dtype=eg.float32).dtype is eg.float32
    assert eg.argsort(x, stable=False).tolist() == eg.sort(x, stable=True).indices.tolist() == [1, 2, 0]
