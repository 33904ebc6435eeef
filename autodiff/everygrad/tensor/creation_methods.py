"""The methods that make new tensors next to this one."""

from __future__ import annotations

from everygrad.functional import choices, creation_like, random


class CreationMethods:
    """Methods that make new tensors."""

    __slots__ = ()

    new_empty = creation_like.new_empty
    new_full = creation_like.new_full
    new_ones = creation_like.new_ones
    new_tensor = creation_like.new_tensor
    new_zeros = creation_like.new_zeros
    bernoulli = random.bernoulli
    multinomial = choices.multinomial
