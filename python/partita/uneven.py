"""Arrays whose dimensions do not divide by the devices that split them."""

from __future__ import annotations

import jax
import numpy as np
import numpy.typing


class UnevenArray:
    """A sharded array that some devices hold less of than others.

    `jax.Array` cannot hold such a thing: all its shards are of one size. So `padded` is one whose shards are filled up at their ends with
    elements that mean nothing, and `shape` is the true shape. A function of `partita.jit` takes it as it is, without a copy.

    >>> import numpy as np
    >>> array = UnevenArray(jax.numpy.arange(6.0), (5,))
    >>> array.shape, np.asarray(array).tolist()
    ((5,), [0.0, 1.0, 2.0, 3.0, 4.0])
    """

    __slots__ = ("padded", "shape")

    def __init__(self, padded: jax.Array, shape: tuple[int, ...]):
        self.padded = padded
        self.shape = tuple(shape)

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self.padded.dtype

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements that mean something."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def sharding(self) -> jax.sharding.Sharding:
        """How the padded array lies on the devices."""
        return self.padded.sharding

    def block_until_ready(self) -> UnevenArray:
        """Waits for the devices."""
        self.padded.block_until_ready()
        return self

    def __array__(self, dtype: np.typing.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        # Padding stands at the end of the last shard only: blocks are filled in order.
        whole = np.asarray(self.padded)[tuple(slice(0, size) for size in self.shape)]
        return whole.astype(dtype) if dtype is not None else whole

    def __repr__(self) -> str:
        return f"UnevenArray(shape={self.shape}, dtype={self.dtype}, sharding={self.sharding})"
