"""`inspect`: everything about one object, and what it has in common with others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..live.describe import Description, describe
from ..live.regions import common_memory


def inspect(x: Any, *others: Any) -> Description:
    """What *x* is, where its bytes lie, who owns them, what it keeps alive, and where it stands in the graph.

    Copies nothing, changes nothing, never differentiates. Takes tensors of every layout, NumPy arrays, buffers,
    Arrow, pandas and Polars columns and tables, JAX arrays, storages, whatever offers ``__array_interface__`` or
    ``__dlpack__``, and nests of these. ``print`` it for a readable account; its fields are plain values.

    Args:
        x: The object to look at.
        others: Compared with *x* by byte ranges, strides honoured, across libraries: the results are in ``overlaps``.
            One of them that lent *x* its memory is named among the ``owners``, which torch alone cannot tell.

    Raises:
        UnusableBufferError: a buffer was released or closed.

    >>> import numpy as np, torch, tensorcopy as tc
    >>> a = np.zeros((4, 6), np.float32)
    >>> print(tc.inspect(torch.from_numpy(a[1:3]), a).overlaps[0])
    overlap: 48 bytes, 12 elements within [0:2, 0:6] of the first, 12 elements within [1:3, 0:6] of the second
    """
    found = describe(x, *others)
    return replace(found, overlaps=tuple(common_memory(x, other) for other in others)) if others else found
