"""Sequences of unequal lengths: torch's place for them."""

from everygrad.nn.sequences import PackedSequence as PackedSequence
from everygrad.nn.sequences import pack_padded_sequence as pack_padded_sequence
from everygrad.nn.sequences import pack_sequence as pack_sequence
from everygrad.nn.sequences import pad_packed_sequence as pad_packed_sequence
from everygrad.nn.sequences import pad_sequence as pad_sequence
