"""`inspect`: everything about one object, and what it has in common with others."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from ..live.describe import Description, describe
from ..live.regions import common_memory
from ..reporting import Field, KeyValues, Medium, MemoryPicture, Report, Shown, render
from .picturing import allocations


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Inspection(Description, Shown):
    """A `Description`, those of the other objects asked about, and a picture of who lies on which bytes."""

    others: tuple[Description, ...] = ()

    @property
    def picture(self) -> MemoryPicture | None:
        """The allocations that the objects lie on; None where the object is alone on one and fills it."""
        storages = allocations([("x", self), *((f"other {k}", other) for k, other in enumerate(self.others, 1))])
        if not self.others and all(not s.uncovered and len(s.spans) < 2 and not s.spans[0].gaps for s in storages):
            return None
        return MemoryPicture(storages=storages) if storages else None

    def report(self) -> Report:
        """What there is to show."""
        fields = tuple(Field(name=name, value=text) for name, text in self._lines())
        picture = self.picture
        drawn = (picture,) if picture else ()
        return Report(title=self._headline(), blocks=(KeyValues(fields=fields), *drawn), data=dict(self._lines()))

    def __str__(self) -> str:
        picture = self.picture
        if picture is None:
            return Description.__str__(self)
        drawn = render(Report(title="", blocks=(picture,)), "text", Medium.of_terminal()).strip("\n")
        return f"{Description.__str__(self)}\n\n{drawn}"


def inspect(x: Any, *others: Any) -> Inspection:
    """What *x* is, where its bytes lie, who owns them, what it keeps alive, and where it stands in the graph.

    Copies nothing, changes nothing, never differentiates. Takes tensors of every layout, NumPy arrays, buffers,
    Arrow, pandas and Polars columns and tables, JAX arrays, storages, whatever offers ``__array_interface__`` or
    ``__dlpack__``, and nests of these. ``print`` it for a readable account; its fields are plain values. Where there is
    more to see than one object on memory of its own, both show a picture of who lies on which bytes; notebooks draw it.

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
    fields = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    overlaps = tuple(common_memory(x, other) for other in others)
    return Inspection(**{**fields, "overlaps": overlaps}, others=tuple(describe(other, x) for other in others))
