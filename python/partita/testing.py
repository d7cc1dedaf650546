"""Guards for a model's own tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from partita.api import lower
from partita.lowered import Lowered


def assert_collectives(
    fn: Callable | Lowered, args: Sequence[Any] = (), expected: Mapping[str, int] | None = None, *, max_bytes: int | None = None
) -> Lowered:
    """Fails where a partitioned function has other collectives than expected, or sends more bytes.

    `expected` counts collectives by kind, as `{"all_reduce": 4}`; kinds that it leaves out must not occur. `max_bytes` bounds the ring bytes of one
    device. The message has the whole ledger.

    >>> import jax
    >>> from jax.sharding import PartitionSpec as P
    >>> import partita
    >>> total = partita.jit(lambda x: x.sum(), mesh=jax.make_mesh((8,), ("data",)), in_shardings=P("data"))
    >>> assert_collectives(total, [jax.ShapeDtypeStruct((64,), "float32")], {"all_reduce": 1}, max_bytes=8)
    Lowered(<lambda>, 8 devices, 7 ring bytes)
    """
    lowered = fn if isinstance(fn, Lowered) else lower(fn, *args)
    ledger = lowered.ledger()
    totals = ledger["totals"]
    found = {kind: sums["count"] for kind, sums in totals["by_kind"].items()}
    if expected is not None and found != {kind: count for kind, count in expected.items() if count}:
        raise AssertionError(f"expected the collectives {dict(expected)}, found {found}\n{ledger}")
    if max_bytes is not None and totals["ring_bytes"] > max_bytes:
        raise AssertionError(f"every device sends {totals['ring_bytes']} bytes, more than {max_bytes}\n{ledger}")
    return lowered
