"""Keys and values that are kept between calls, so that each new token of a text costs one step."""

from __future__ import annotations

from collections.abc import Callable

from everygrad.functional.creation import arange
from everygrad.functional.shape import cat
from everygrad.tensor import Tensor
from everygrad_ops import ShapeError

__all__ = ["CrossAttentionCache", "KeyValueCache"]


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
        self._memory: CrossAttentionCache | None = None

    def __len__(self) -> int:
        """How many tokens are kept."""
        return 0 if self.key is None else self.key.shape[2]

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Put the keys and values of new tokens behind the others; all of them are returned."""
        if self.key is not None and self.value is not None:
            key, value = cat([self.key, key], 2), cat([self.value, value], 2)
        self.key, self.value = key, value
        return key, value

    @property
    def memory(self) -> CrossAttentionCache:
        """What a decoder's layer keeps of the memory that its text looks at."""
        if self._memory is None:
            self._memory = CrossAttentionCache()
        return self._memory

    def reset(self) -> None:
        """Forget everything, for a new text."""
        self.key = self.value = self._memory = None


class CrossAttentionCache:
    """The keys and values of a context that stays: made at the first call, and used again at the later ones.

    >>> import everygrad as eg
    >>> layer = eg.nn.MultiheadAttention(4, 2, batch_first=True)
    >>> context, cache = eg.ones(1, 5, 4), eg.nn.CrossAttentionCache()
    >>> first = layer(eg.ones(1, 1, 4), context, context, cache=cache)[0]
    >>> len(cache), layer(eg.ones(1, 1, 4), context, context, cache=cache)[0].tolist() == first.tolist()
    (5, True)
    """

    def __init__(self) -> None:
        self._kept: tuple[Tensor, Tensor] | None = None
        self._shape: tuple[int, ...] = ()

    def __len__(self) -> int:
        """How many tokens are kept."""
        return 0 if self._kept is None else self._kept[0].shape[2]

    def kept(self, context: Tensor, make: Callable[[], tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
        """The keys and values, made of the context if there are none yet."""
        if self._kept is None:
            self._kept, self._shape = make(), context.shape
        elif context.shape != self._shape:
            raise ShapeError(
                f"CrossAttentionCache: holds the keys of a context of shape {self._shape}. Received: one of shape "
                f"{context.shape}; write cache.reset() for another context"
            )
        return self._kept

    def reset(self) -> None:
        """Forget the context."""
        self._kept = None


def causal_mask(rows: int, last: int, like: Tensor, columns: int | None = None) -> Tensor:
    """(rows, columns) booleans, True up to each query; the queries are the last `rows` of `last` tokens."""
    i = arange(last - rows, last, backend=like.backend).reshape(rows, 1)
    return arange(last if columns is None else columns, backend=like.backend).reshape(1, -1) <= i
