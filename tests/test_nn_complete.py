"""Every public class of torch.nn and every module of burn has its counterpart, or a reason why not."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# (torch's classes are looked up, and are untyped)

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch

import everygrad as eg
from everygrad import nn
from tests.missing import own, unexplained

TORCH_WITHOUT: dict[str, str] = {
    "Container": "given up by torch",
    "NLLLoss2d": "given up by torch for NLLLoss, which takes images",
    "CrossMapLRN2d": "torch's own inner form of LocalResponseNorm",
    "DataParallel": "replaced in torch by DistributedDataParallel; one process has one device here",
    "SyncBatchNorm": "needs collective communication",
    "LinearCrossEntropyLoss": "new in torch 2.13, a memory saver: write CrossEntropyLoss on a Linear's result",
    "LinearCrossEntropyOptions": "goes with LinearCrossEntropyLoss",
    "RNNBase": "what RNN, LSTM and GRU share; no layer by itself",
    "RNNCellBase": "what the cells share; no layer by itself",
    "UninitializedBuffer": "the buffers of a lazy layer are made with its parameters",
}

MODULE_WITHOUT: dict[str, str] = {
    "T_destination": "a name for torch's type checker",
    "call_super_init": "super().__init__() is not needed",
    "compile": "there is no compiler",
    "cpu": "write to('cpu')",
    "cuda": "write to('cuda:0')",
    "ipu": "write to(...)",
    "mtia": "write to(...)",
    "xpu": "write to(...)",
    "dump_patches": "given up by torch",
    "get_extra_state": "what is saved is a Buffer",
    "set_extra_state": "what is saved is a Buffer",
    "register_backward_hook": "given up by torch for register_full_backward_hook",
    "register_load_state_dict_post_hook": "load_state_dict returns what was missing; keys are renamed by eg.store",
    "register_load_state_dict_pre_hook": "keys are renamed by eg.store",
    "register_state_dict_post_hook": "a state is a dictionary: change what state_dict() returned",
    "register_state_dict_pre_hook": "a state is a dictionary: change what state_dict() returned",
    "share_memory": "values are not written in place, so there is nothing to share",
    "to_empty": "values that were never made cannot be read",
    "type": "write to(dtype)",
}

UTILS_WITHOUT: dict[str, str] = {
    **dict.fromkeys(
        ("clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"),
        "gradients are values: eg.optim clips them",
    ),
    "convert_conv2d_weight_memory_format": "there is one memory format",
    "convert_conv3d_weight_memory_format": "there is one memory format",
    "remove_spectral_norm": "of the form given up by torch: parametrize.remove_parametrizations",
    "remove_weight_norm": "of the form given up by torch: parametrize.remove_parametrizations",
    "spectral_norm": "given up by torch for parametrizations.spectral_norm",
    "weight_norm": "given up by torch for parametrizations.weight_norm",
    "skip_init": "initial values cost little",
}

INIT_WITHOUT: dict[str, str] = dict.fromkeys(("constant", "dirac", "eye", "kaiming_normal", "kaiming_uniform", "normal", "orthogonal", "sparse", "uniform", "xavier_normal", "xavier_uniform"), "given up by torch for the name with an underscore")  # fmt: skip

BURN: dict[str, str] = {
    # Linear, embedding, regularisation, misc
    **dict.fromkeys(
        [
            "Linear",
            "Embedding",
            "Dropout",
            "GaussianNoise",
            "Identity",
            "CosineSimilarity",
            "PairwiseDistance",
            "PixelShuffle",
            "PixelUnshuffle",
            "PositionalEncoding",
        ],
        "",
    ),
    "Unfold4d": "Unfold",
    "Fold4d": "Fold",
    "RotaryEncoding": "RotaryEmbedding",
    # Convolution, pooling and resizing
    **dict.fromkeys(
        [
            "Conv1d",
            "Conv2d",
            "Conv3d",
            "ConvTranspose1d",
            "ConvTranspose2d",
            "ConvTranspose3d",
            "DeformConv2d",
            "AdaptiveAvgPool1d",
            "AdaptiveAvgPool2d",
            "AdaptiveAvgPool3d",
            "AvgPool1d",
            "AvgPool2d",
            "MaxPool1d",
            "MaxPool2d",
        ],
        "",
    ),
    "Interpolate1d": "Upsample",
    "Interpolate2d": "Upsample",
    # Normalisation
    "BatchNorm": "BatchNorm2d",
    "GroupNorm": "",
    "InstanceNorm": "InstanceNorm2d",
    "LayerNorm": "",
    "LocalResponseNorm": "",
    "RmsNorm": "RMSNorm",
    # Recurrent: with bidirectional=True for those called Bi
    "Rnn": "RNN",
    "BiRnn": "RNN",
    "Gru": "GRU",
    "BiGru": "GRU",
    "Lstm": "LSTM",
    "BiLstm": "LSTM",
    # Attention and transformer
    "CrossAttention": "MultiheadAttention",
    "MultiHeadAttention": "MultiheadAttention",
    "TransformerDecoder": "",
    "TransformerEncoder": "",
    "PositionWiseFeedForward": "",
    # Activations
    "Celu": "CELU",
    "Elu": "ELU",
    "Gelu": "GELU",
    "GLU": "",
    "HardShrink": "Hardshrink",
    "HardSigmoid": "Hardsigmoid",
    "HardSwish": "Hardswish",
    "Hardtanh": "",
    "LeakyRelu": "LeakyReLU",
    "LogSigmoid": "",
    "Mish": "",
    "PRelu": "PReLU",
    "Relu": "ReLU",
    "Relu6": "ReLU6",
    "RRelu": "RReLU",
    "Selu": "SELU",
    "Shrink": "",
    "Sigmoid": "",
    "SiLU": "",
    "SoftShrink": "Softshrink",
    "Softplus": "",
    "Softsign": "",
    "SwiGlu": "SwiGLU",
    "Tanh": "",
    "Tanhshrink": "",
    "Threshold": "",
    "ThresholdedRelu": "ThresholdedReLU",
    # Losses
    "BinaryCrossEntropyLoss": "BCELoss",
    "CosineEmbeddingLoss": "",
    "CrossEntropyLoss": "",
    "CTCLoss": "",
    "GaussianNLLLoss": "",
    "HingeEmbeddingLoss": "",
    "HuberLoss": "",
    "KLDivLoss": "",
    "LpLoss": "",
    "MarginRankingLoss": "",
    "MseLoss": "MSELoss",
    "MultiMarginLoss": "",
    "PoissonNllLoss": "PoissonNLLLoss",
    "RNNTLoss": "",
    "SmoothL1Loss": "",
    "SoftMarginLoss": "",
    "TripletMarginLoss": "",
}
"""burn's modules, activations and losses, and what they are called here where that differs."""


def classes(home: Any) -> list[str]:
    return [name for name in own(home) if inspect.isclass(getattr(home, name))]


def functions(home: Any) -> list[str]:
    return [name for name in own(home) if inspect.isfunction(getattr(home, name))]


def test_classes_of_torch() -> None:
    theirs = [name for name in classes(torch.nn) if name != "Parameter"]
    assert len(theirs) > 150
    assert unexplained(theirs, nn, TORCH_WITHOUT) == []


def test_what_others_hang_on_torchs_module_is_not_torchs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.nn.Module, "smart_apply", unexplained, raising=False)
    assert "smart_apply" not in own(torch.nn.Module)
    assert "apply" in own(torch.nn.Module)


def test_methods_of_torchs_module() -> None:
    theirs = own(torch.nn.Module)
    assert unexplained(theirs, nn.Module, MODULE_WITHOUT) == []


def test_initialisers_of_torch() -> None:
    assert unexplained(functions(torch.nn.init), nn.init, INIT_WITHOUT) == []


def test_utils_of_torch() -> None:
    assert unexplained(functions(torch.nn.utils), nn.utils, UTILS_WITHOUT) == []
    assert unexplained(functions(torch.nn.utils.rnn), nn.utils.rnn, RNN_WITHOUT) == []


RNN_WITHOUT = {
    "bind": "torch's own",
    "copy_method_params": "torch's own",
    "invert_permutation": "torch's own",
    "unpack_sequence": "write pad_packed_sequence and slice by the lengths",
    "unpad_sequence": "slice by the lengths",
}


@pytest.mark.parametrize("name", BURN)
def test_modules_of_burn(name: str) -> None:
    found = getattr(nn, BURN[name] or name, None)
    assert isinstance(found, type) and issubclass(found, nn.Module), name


def test_burns_list_is_whole() -> None:
    assert len(BURN) == 46 + 27 + 17


def test_a_gap_is_found_and_so_is_an_excuse_too_many() -> None:
    assert unexplained(["Linear", "Nonsense"], nn, {}) == ["Nonsense: missing, and without a reason"]
    assert unexplained(["Linear"], nn, {"Linear": "x"}) == ["Linear: is there, and has a reason why not"]
    assert unexplained([], nn, {"Old": "x"}) == ["Old: has a reason, and torch has no such name"]
    assert eg.nn is nn
