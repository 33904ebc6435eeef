"""Layers and models. Names, arguments, defaults and state_dict layouts are torch.nn's."""

from everygrad.nn import functional as functional
from everygrad.nn import init as init
from everygrad.nn import utils as utils
from everygrad.nn.activation import *
from everygrad.nn.adaptive import *
from everygrad.nn.adaptive_softmax import *
from everygrad.nn.attention import *
from everygrad.nn.batch_norm import *
from everygrad.nn.cache import *
from everygrad.nn.container import *
from everygrad.nn.conv import *
from everygrad.nn.conv_transpose import *
from everygrad.nn.deform import *
from everygrad.nn.distance import *
from everygrad.nn.distribution_loss import *
from everygrad.nn.dropout import *
from everygrad.nn.embedding import *
from everygrad.nn.feed_forward import *
from everygrad.nn.group_norm import *
from everygrad.nn.hooks import *
from everygrad.nn.lazy import *
from everygrad.nn.linear import *
from everygrad.nn.lora import *
from everygrad.nn.loss import *
from everygrad.nn.margin_loss import *
from everygrad.nn.masks import *
from everygrad.nn.module import *
from everygrad.nn.norm import *
from everygrad.nn.padding import *
from everygrad.nn.parameter import *
from everygrad.nn.parameter_containers import *
from everygrad.nn.piecewise import *
from everygrad.nn.pool import *
from everygrad.nn.positional import *
from everygrad.nn.recurrent import *
from everygrad.nn.recurrent_cells import *
from everygrad.nn.resample import *
from everygrad.nn.sequence_loss import *
from everygrad.nn.sequences import *
from everygrad.nn.shape import *
from everygrad.nn.shuffle import *
from everygrad.nn.state import *
from everygrad.nn.stateless import *
from everygrad.nn.summary import *
from everygrad.nn.transformer import *
from everygrad.nn.transformer_layer import *
from everygrad.nn.unpool import *
