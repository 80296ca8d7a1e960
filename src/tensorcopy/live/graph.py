"""Where a tensor stands in the autograd graph, and the way from one tensor to another through it.

Only ``grad_fn`` and its edges are read: nothing is differentiated, no hook runs, no saved tensor is unpacked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .libraries import class_of, is_tensor, load

_NAMED = 3
"""How many leaves or cut inputs are named before the rest is only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPosition:
    """Where one tensor stands."""

    place: str
    """``leaf`` (requires grad, made by nobody), ``non-leaf``, ``off the graph`` or ``inference tensor``."""
    grad_fn: str | None = None
    """Name of the operation that made it, for a non-leaf."""
    requires_grad: bool = False
    parameter: bool = False
    retains_grad: bool = False

    def __str__(self) -> str:
        made_by = f" made by {self.grad_fn}" if self.grad_fn else ""
        return f"{'parameter, ' if self.parameter else ''}{self.place}{made_by}"


def graph_position(tensor: Any) -> GraphPosition | None:
    """Where *tensor* stands; None for what is no tensor."""
    if not is_tensor(tensor):
        return None
    is_parameter = issubclass(type(tensor), class_of("torch.nn", "Parameter")) or getattr(tensor, "_is_param", False)
    if not tensor.requires_grad:
        place = "inference tensor" if tensor.is_inference() else "off the graph"
        return GraphPosition(place=place, parameter=is_parameter)
    name = node_name(node_of(tensor)) if not tensor.is_leaf else None
    return GraphPosition(
        place="leaf" if tensor.is_leaf else "non-leaf",
        grad_fn=name,
        requires_grad=True,
        parameter=is_parameter,
        retains_grad=bool(tensor.retains_grad),
    )


def node_of(tensor: Any) -> Any:
    """The graph node that made *tensor*, or None. None also for a view that was made invalid by an in-place write."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def node_name(node: Any) -> str | None:
    """The operation's name, such as ``MulBackward0``; None for no node."""
    return None if node is None else str(node.name())


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPath:
    """The way from one tensor to another through the graph, or the place where it was cut."""

    reaches: bool
    nodes: tuple[str, ...] = ()
    """Names of the operations passed, from the first tensor to the second; empty when they are the same tensor."""
    cut: str = ""
    """Why there is no way, and where to look."""

    def __str__(self) -> str:
        return (" -> ".join(self.nodes) or "the same tensor") if self.reaches else f"no path: {self.cut}"


def graph_path(source: Any, result: Any) -> GraphPath:
    """The shortest way by which a gradient at *result* reaches *source*, told in the direction of the computation."""
    cut = _cut_at_an_end(source, result)
    if cut:
        return GraphPath(reaches=False, cut=cut)
    if source is result:
        return GraphPath(reaches=True)
    node, reached = node_of(result), _Reached()
    if node is None:
        return GraphPath(reaches=False, cut="the second tensor is a leaf of its own; nothing recorded made it")
    for edge in reached.walk((node, result.output_nr)):
        if _is_end(edge, source):
            return GraphPath(reaches=True, nodes=reached.way_to(edge))
    return GraphPath(reaches=False, cut=_cut_inside(reached, source))


def _cut_at_an_end(source: Any, result: Any) -> str:
    if not is_tensor(source) or not is_tensor(result):
        which = "first" if not is_tensor(source) else "second"
        return f"the {which} object is no tensor, and only tensors are on a graph"
    if not source.requires_grad:
        return "the first tensor does not require grad, so nothing made from it is recorded"
    if not result.requires_grad:
        return "the second tensor is off the graph (detached, made under no_grad, or rebuilt from numbers)"
    return ""


Edge = tuple[Any, int]
"""A node and which of its outputs is meant."""


class _Reached:
    """The edges that a walk has met, and from where. Holding the nodes keeps their identity stable."""

    def __init__(self) -> None:
        self.came_from: dict[Edge, Edge | None] = {}
        self.without_gradient: list[str] = []

    def walk(self, start: Edge) -> Iterator[Edge]:
        """All edges behind *start*, nearest first."""
        self.came_from[start] = None
        pending, entered = deque([start]), set()
        while pending:
            edge = pending.popleft()
            yield edge
            node = edge[0]
            if node in entered:
                continue
            entered.add(node)
            pending.extend(self._new_edges(edge))

    def _new_edges(self, edge: Edge) -> Iterator[Edge]:
        for position, (node, output) in enumerate(edge[0].next_functions):
            if node is None:
                self.without_gradient.append(f"input {position} of {node_name(edge[0])}")
            elif (node, output) not in self.came_from:
                self.came_from[node, output] = edge
                yield node, output

    def way_to(self, edge: Edge) -> tuple[str, ...]:
        """Names of the nodes from *edge* to where the walk began, without the one that stands for *edge* itself."""
        names = []
        step: Edge | None = edge
        while step is not None:
            names.append(str(node_name(step[0])))
            step = self.came_from[step]
        return tuple(names[1:])

    def leaves(self) -> list[Any]:
        """The leaf tensors met."""
        return [node.variable for node, _ in self.came_from if getattr(node, "variable", None) is not None]


def _is_end(edge: Edge, source: Any) -> bool:
    node, output = edge
    if source.is_leaf:
        return getattr(node, "variable", None) is source
    return node is node_of(source) and output == source.output_nr


def _cut_inside(reached: _Reached, source: Any) -> str:
    ends = [f"{type(leaf).__name__} of shape {tuple(leaf.shape)}" for leaf in reached.leaves()]
    text = f"the second tensor's graph ends in {_some(ends)}" if ends else "the second tensor's graph has no leaf"
    if reached.without_gradient:
        text += f"; constants or detached tensors enter it at {_some(reached.without_gradient)}"
    if not source.is_leaf and _meet(reached, source):
        text += "; both come from a common tensor, but the second was not made from the first as it is now"
    return text


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _meet(reached: _Reached, source: Any) -> bool:
    nodes = {node for node, _ in reached.came_from}
    start = (node_of(source), source.output_nr)
    return start[0] is not None and any(node in nodes for node, _ in _Reached().walk(start))


def share_version(a: Any, b: Any) -> bool | None:
    """Whether a write through one moves the version counter of the other too. Writes nothing to find out.

    True and False are proved: by a common view base, by different values, or by different storages. None where only a
    write would tell: ``x.detach()`` shares the counter of ``x`` and ``x.data`` does not, and both look alike.
    """
    if a is b:
        return True
    versions = [version_of(tensor) for tensor in (a, b)]
    if None in versions or versions[0] != versions[1]:
        return False
    if view_root(a) is view_root(b):
        return True
    storages = [storage_id(tensor) for tensor in (a, b)]
    return None if None in storages or storages[0] == storages[1] else False


def version_of(obj: Any) -> int | None:
    """How many in-place writes autograd knows of; None for what has no counter (arrays, inference tensors)."""
    try:
        return int(obj._version) if is_tensor(obj) else None
    except (RuntimeError, AttributeError):
        return None


def view_root(tensor: Any) -> Any:
    """The tensor at the end of the chain of recorded views, *tensor* itself if it is no view."""
    try:
        base = tensor._base
    except (RuntimeError, AttributeError):
        base = None
    return tensor if base is None else view_root(base)


def storage_id(tensor: Any) -> int | None:
    """A number that tells storages apart while they live; None where there is no storage."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, AttributeError):
        return None


def counts_writes(source: Any, result: Any) -> bool:
    """Whether a write into *result* moves the version counter of *source*. Moves that of *result* to find out.

    True for an inference tensor, which has no counter and never takes part in a backward pass.
    """
    if source.is_inference() or result.is_inference():
        return True
    before = version_of(source)
    load("torch").autograd.graph.increment_version(result)
    return version_of(source) != before
