"""`relation`: how two objects hang together in memory and in the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..live.graph import GraphPath, graph_path, share_version
from ..live.libraries import is_tensor
from ..live.memory import Overlap
from ..live.regions import common_memory
from ..reporting import Field, KeyValues, Report, Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(Shown):
    """How a first object and a second one hang together."""

    kind: str
    """``same object``, ``same memory`` (the very same bytes), ``overlap``, ``disjoint`` or ``unknown``."""
    memory: Overlap
    """Which elements of each have bytes in common."""
    graph: GraphPath | None = None
    """The way from the first to the second through the graph, or where it was cut; None unless both are tensors."""
    versions: str = "none"
    """``shared`` or ``separate`` version counters where that is proved; ``unknown`` where only a write would tell
    (``detach()`` shares the counter, ``.data`` does not, and both look alike); ``none`` unless both are tensors."""

    def report(self) -> Report:
        """What there is to show."""
        fields = tuple(Field(name=name, value=text) for name, text in self._lines().items())
        return Report(
            title=self.kind,
            blocks=(KeyValues(fields=fields),) if fields else (),
            data={"kind": self.kind, **self._lines()},
        )

    def __str__(self) -> str:
        return "\n".join([self.kind, *(f"  {name:<9} {text}" for name, text in self._lines().items())])

    def _lines(self) -> dict[str, str]:
        memory = str(self.memory) if self.memory else self.memory.why
        lines = {"memory": memory} if memory else {}
        if self.graph is not None:
            lines |= {"graph": str(self.graph), "versions": self.versions}
        return lines


def relation(a: Any, b: Any) -> Relation:
    """How *a* and *b* hang together in memory, element by element, and the way from *a* to *b* in the graph.

    Exact across libraries: views that interleave without touching are disjoint. Copies and changes nothing; nothing is
    differentiated. The graph is the one recorded now: a tensor changed in place is not the tensor that was used before.

    Raises:
        UnusableBufferError: a buffer was released or closed.

    >>> import torch, tensorcopy as tc
    >>> w = torch.ones(4, requires_grad=True)
    >>> tc.relation(w, (w * 2).exp()).graph.nodes
    ('MulBackward0', 'ExpBackward0')
    >>> tc.relation(w, w.detach()[1:]).kind
    'overlap'
    """
    memory = common_memory(a, b)
    kind = "same object" if a is b else memory.kind
    if not (is_tensor(a) and is_tensor(b)):
        return Relation(kind=kind, memory=memory)
    versions = {True: "shared", False: "separate", None: "unknown"}[share_version(a, b)]
    return Relation(kind=kind, memory=memory, graph=graph_path(a, b), versions=versions)
