"""Every public function of torch.nn.functional and method of torch.Tensor has its counterpart, or a reason why not."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# (torch's names are looked up, and are untyped)

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest
import torch

import everygrad as eg
from everygrad import functional as F
from tests.missing import own, unexplained

INDICES = "write return_indices=True"
IN_PLACE = "tensors are values: write the name without the underscore"
QUANTIZED = "there are no quantized tensors"
SPARSE = "there are no sparse tensors"
COMPLEX = "there are no complex dtypes: FFT ops take and give (real, imaginary) pairs"
PLACE = "a backend has its device: write .device and .to(...)"
MEMORY = "how values lie in memory is the backend's own affair"
HOLDS = "gradients are values: backward returns them"
OLD = "given up by torch"

FUNCTIONAL_WITHOUT: dict[str, str] = {
    **{
        f"{kind}_max_pool{n}d_with_indices": INDICES
        for kind, n in (("adaptive", 1), ("adaptive", 2), ("adaptive", 3))
    },
    **{f"fractional_max_pool{n}d_with_indices": INDICES for n in (2, 3)},
    **{f"max_pool{n}d_with_indices": INDICES for n in (1, 2, 3)},
    **{
        f"{name}_": IN_PLACE
        for name in ["celu", "elu", "hardtanh", "leaky_relu", "relu", "rrelu", "selu", "threshold"]
    },
    "assert_int_or_pair": "of torch's imports",
    "boolean_dispatch": "of torch's imports",
    "handle_torch_function": "of torch's imports",
    "has_torch_function": "of torch's imports",
    "has_torch_function_unary": "of torch's imports",
    "has_torch_function_variadic": "of torch's imports",
    "conv_tbc": "write conv1d on a transposed input",
    "grouped_mm": "of torch 2.13, for its own kernels: write bmm",
    "scaled_mm": "of torch 2.13, for 8-bit floats",
    "scaled_grouped_mm": "of torch 2.13, for 8-bit floats",
    "linear_cross_entropy": "of torch 2.13, a memory saver: write cross_entropy(linear(...), target)",
    "multi_head_attention_forward": "all of a layer's arguments as a function: write nn.functional_call on MultiheadAttention",
    "native_channel_shuffle": "write channel_shuffle",
    "upsample_bilinear": f"{OLD} for interpolate",
    "upsample_nearest": f"{OLD} for interpolate",
}

TENSOR_WITHOUT: dict[str, str] = {
    **dict.fromkeys(["as_strided", "as_strided_scatter", "data_ptr", "const_data_ptr", "dim_order", "layout", "is_set_to", "is_shared", "is_pinned", "pin_memory", "record_stream", "storage", "storage_offset", "storage_type", "stride", "untyped_storage", "new_empty_strided", "resize", "resize_as", "slice_inverse", "volatile"], MEMORY),
    **dict.fromkeys(["coalesce", "ccol_indices", "col_indices", "crow_indices", "dense_dim", "indices", "is_coalesced", "is_sparse", "is_sparse_csr", "row_indices", "smm", "sparse_dim", "sparse_mask", "sspaddmm", "to_dense", "to_padded_tensor", "to_sparse", "to_sparse_bsc", "to_sparse_bsr", "to_sparse_coo", "to_sparse_csc", "to_sparse_csr", "to_mkldnn", "values", "is_nested"], SPARSE),
    **dict.fromkeys(["dequantize", "int_repr", "is_quantized", "q_per_channel_axis", "q_per_channel_scales", "q_per_channel_zero_points", "q_scale", "q_zero_point", "qscheme"], QUANTIZED),
    **dict.fromkeys(["H", "adjoint", "angle", "cdouble", "cfloat", "chalf", "conj", "conj_physical", "imag", "is_conj", "is_neg", "isreal", "mH", "real", "resolve_conj", "resolve_neg"], COMPLEX),
    **dict.fromkeys(["get_device", "ipu", "is_cpu", "is_cuda", "is_ipu", "is_maia", "is_meta", "is_mkldnn", "is_mps", "is_mtia", "is_vulkan", "is_xla", "is_xpu", "mtia", "xpu"], PLACE),
    **dict.fromkeys(["data", "grad_dtype", "grad_fn", "output_nr", "retain_grad", "retains_grad"], HOLDS),
    "register_hook": "a tensor is not changed: write y = eg.debug.tap(x, hook)",
    "register_post_accumulate_grad_hook": HOLDS,
    **dict.fromkeys(["eig", "lstsq", "solve", "symeig", "triangular_solve", "lu", "lu_solve", "geqrf", "orgqr", "ormqr", "reinforce"],
                    f"{OLD}, or the older form of what is in eg.linalg"),
    **dict.fromkeys(["as_subclass", "hash_tensor", "index", "is_distributed", "is_inference", "module_load", "name", "new", "nonzero_static", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"], "torch's own"),
    "istft": "eg.functional and eg.fft have the transforms",
    "stft": "eg.functional and eg.fft have the transforms",
}  # fmt: skip


BY_NUMBER = "tells of failures by numbers: here LinAlgError says which, write the name without _ex"
PARTS_WITHOUT: dict[str, dict[str, str]] = {
    "linalg": {
        **dict.fromkeys(["eig", "eigvals"], COMPLEX),
        **dict.fromkeys(["cholesky_ex", "inv_ex", "ldl_factor_ex", "lu_factor_ex", "solve_ex"], BY_NUMBER),
        **dict.fromkeys(
            ["ldl_factor", "ldl_solve"], "of symmetric matrices that are not definite: write lu_factor"
        ),
    },
    "special": {},
    "fft": {},
    "signal.windows": {},
}


@pytest.mark.parametrize("part", PARTS_WITHOUT)
def test_functions_of_torchs_parts(part: str) -> None:
    theirs, ours = (attrgetter(part)(home) for home in (torch, eg))
    listed = [n for n in getattr(theirs, "__all__", own(theirs)) if callable(getattr(theirs, n))]
    names = [n for n in listed if not isinstance(getattr(theirs, n), type) and not n.startswith("_")]
    assert len(names) > 10
    assert unexplained(names, ours, PARTS_WITHOUT[part]) == []


def test_functions_of_torch() -> None:
    home = torch.nn.functional
    theirs = [n for n in own(home) if callable(getattr(home, n)) and not isinstance(getattr(home, n), type)]
    assert unexplained(theirs, F, FUNCTIONAL_WITHOUT) == []


def test_methods_of_torchs_tensor() -> None:
    theirs = [n for n in own(torch.Tensor) if not n.endswith("_")]
    assert len(theirs) > 400
    assert unexplained(theirs, eg.Tensor, TENSOR_WITHOUT) == []


def test_in_place_methods_are_left_out() -> None:
    ours = [n for n in dir(eg.Tensor) if n.endswith("_") and not n.startswith("_")]
    assert ours == ["requires_grad_"], IN_PLACE
    with pytest.raises(AttributeError):
        _ = eg.ones(1).add_  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]  # there is none


SMALL: list[tuple[Any, Any]] = [
    (lambda x: x.nbytes, 24),
    (lambda x: x.itemsize, 4),
    (lambda x: x.is_signed(), True),
    (lambda x: x.is_complex(), False),
    (lambda x: x[0, 0].is_nonzero(), True),
    (lambda x: x.is_same_size(x + 1), True),
    (lambda x: x.short().dtype, "int16"),
    (lambda x: x.char().dtype, "int8"),
    (lambda x: x.byte().dtype, "uint8"),
    (lambda x: x.narrow_copy(1, 1, 2), None),
    (lambda x: x.split_with_sizes([1, 2], 1)[1], None),
    (lambda x: x.sum_to_size(1, 3), None),
    (lambda x: x.hardshrink(2.5), None),
    (lambda x: x.prelu(x[0, :1] / 4), None),
    (lambda x: x.fmax(2 - x), None),
    (lambda x: (x / (x - 1)).fmin(x - x), None),
]


@pytest.mark.parametrize(("call", "expected"), SMALL)
def test_small_methods_are_torchs(library: str, call: Any, expected: Any) -> None:
    values = [[1.0, 2.0, 3.0], [-4.0, 5.0, 0.5]]
    ours, theirs = call(eg.tensor(values)), call(torch.tensor(values))
    if isinstance(ours, eg.Tensor):
        assert torch.allclose(ours.torch(), theirs, equal_nan=True)
    elif isinstance(expected, str):
        assert ours.value == expected
    else:
        assert ours == theirs == expected
