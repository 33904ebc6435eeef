"""Keys and values that are kept between calls, so that each new token of a text costs one step."""

from __future__ import annotations

from everygrad.functional.creation import arange
from everygrad.functional.shape import cat
from everygrad.tensor import Tensor

__all__ = ["KeyValueCache"]


class KeyValueCache:
    """The keys and values (N, heads, length, width) of the tokens so far, for one attention layer.

    >>> import everygrad as eg
    >>> layer = eg.nn.MultiheadAttention(4, 2, batch_first=True)
    >>> x, cache = eg.ones(1, 3, 4), eg.nn.KeyValueCache()
    >>> steps = [layer(t, t, t, is_causal=True, cache=cache)[0] for t in x.split(1, 1)]
    >>> len(cache), eg.allclose(eg.cat(steps, 1), layer(x, x, x, is_causal=True)[0], atol=1e-6)
    (3, True)
    """

    def __init__(self) -> None:
        self.key: Tensor | None = None
        self.value: Tensor | None = None

    def __len__(self) -> int:
        """How many tokens are kept."""
        return 0 if self.key is None else self.key.shape[2]

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Put the keys and values of new tokens behind the others; all of them are returned."""
        if self.key is not None and self.value is not None:
            key, value = cat([self.key, key], 2), cat([self.value, value], 2)
        self.key, self.value = key, value
        return key, value

    def reset(self) -> None:
        """Forget everything, for a new text."""
        self.key = self.value = None


def causal_mask(rows: int, last: int, like: Tensor, columns: int | None = None) -> Tensor:
    """(rows, columns) booleans, True up to each query; the queries are the last `rows` of `last` tokens."""
    i = arange(last - rows, last, backend=like.backend).reshape(rows, 1)
    return arange(last if columns is None else columns, backend=like.backend).reshape(1, -1) <= i
