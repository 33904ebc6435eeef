"""Layers and models. Names, arguments, defaults and state_dict layouts are torch.nn's."""

from everygrad import functional
from everygrad.nn import init
from everygrad.nn.activation import (
    ELU,
    GELU,
    GLU,
    Hardtanh,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softmin,
    Softplus,
    Softsign,
    Tanh,
)
from everygrad.nn.batch_norm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from everygrad.nn.container import ModuleDict, ModuleList, Sequential
from everygrad.nn.conv import Conv1d, Conv2d, Conv3d
from everygrad.nn.dropout import Dropout
from everygrad.nn.embedding import Embedding
from everygrad.nn.linear import Identity, Linear
from everygrad.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from everygrad.nn.module import Module
from everygrad.nn.norm import LayerNorm
from everygrad.nn.parameter import Buffer, Parameter
from everygrad.nn.pool import AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d
from everygrad.nn.shape import Flatten, Unflatten
from everygrad.nn.state import StateDictError

__all__ = [
    "ELU",
    "GELU",
    "GLU",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Buffer",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "Hardtanh",
    "HuberLoss",
    "Identity",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "NLLLoss",
    "Parameter",
    "ReLU",
    "ReLU6",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softmin",
    "Softplus",
    "Softsign",
    "StateDictError",
    "Tanh",
    "Unflatten",
    "functional",
    "init",
]
