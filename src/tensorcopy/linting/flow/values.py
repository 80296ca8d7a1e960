"""What the flow analysis knows of a value: its kind, the memory it lies in, how it came to lie there, and its graph.

`None` stands for a value of which nothing is known; unknown stays unknown, and unknown is silent.
"""

from __future__ import annotations

import ast
from typing import Any

# Kinds of values. Strings, so that they compare and print without ceremony.
TENSOR, ARRAY, LIST, TUPLE, DICT, SET = "tensor", "ndarray", "list", "tuple", "dict", "set"
INT, FLOAT, BOOL, TEXT, BYTES, NOTHING = "int", "float", "bool", "str", "bytes", "None"
MODULE, OPTIMIZER, INSTANCE, CLASS, FUNCTION, LIBRARY = (
    "module",
    "optimizer",
    "instance",
    "class",
    "function",
    "library",
)
STATE_DICT, DTYPE, DEVICE, SERIES, ARROW, OTHER, UNKNOWN = (
    "state dict",
    "dtype",
    "device",
    "series",
    "arrow",
    "other",
    "unknown",
)
JAX, DISTRIBUTION, LOADER = "jax", "distribution", "loader"
NUMBERS = frozenset((INT, FLOAT, BOOL))
NUMERIC = frozenset((TENSOR, ARRAY))
SEQUENCES = frozenset((LIST, TUPLE, SET))

ON, OFF, UNSURE = "on", "off", ""


class Region:
    """One block of memory: made at `node` (`origin` "fresh"), handed in ("parameter"), or kept ("attribute", "global").

    name: the parameter, attribute or global that leads to it.
    kept: the attribute of an object that outlives the call, if the memory was stored in one, like ``"_buffer"``.
    many: it stands for several blocks, the elements of a container, so that two uses may mean different ones.
    """

    __slots__ = ("_element", "depth", "kept", "many", "name", "node", "origin")

    def __init__(
        self, origin: str, node: ast.AST | None = None, name: str = "", depth: int = 0, *, many: bool = False
    ) -> None:
        self.origin, self.node, self.name, self.depth, self.kept, self.many = origin, node, name, depth, "", many
        self._element: Region | None = None

    @property
    def element(self) -> Region:
        """The memory of the elements of a container that leads here."""
        if self.many:
            return self
        if self._element is None:
            self._element = Region(self.origin, self.node, self.name, self.depth, many=True)
            self._element.kept = self.kept
        return self._element


class Step:
    """One sharing operation on the way from the owner of a region to a value: what was called, where, on what."""

    __slots__ = ("base", "name", "node")

    def __init__(self, name: str, node: ast.AST, base: Value) -> None:
        self.name, self.node, self.base = name, node, base


class Cut:
    """Where a value lost the graph: the operation, its place, and the value that was still on the graph."""

    __slots__ = ("base", "name", "node")

    def __init__(self, name: str, node: ast.AST, base: Value) -> None:
        self.name, self.node, self.base = name, node, base


class Value:
    """One abstract value. Treated as immutable but for `items`, since lists and dicts are mutable in programs as well.

    regions: the blocks of memory that it may lie in; empty for what owns no array memory.
    step: the last sharing operation by which it came to lie there; None for an owner.
    time: when it was made, in steps of the analysis.
    graph: `ON`, `OFF` or `UNSURE`.
    dtype: the name of its dtype, like ``"int64"``, empty if unknown.
    traits: facts as words: "expanded", "readonly", "may copy", "leaf", ...
    items: what a container holds: a list of values for list and tuple, a dict for a dict; None if unknown.
    ref: the qualified name of a library value, the class of an instance, the definition of a function.
    const: the Python value of a literal, or `MISSING`.
    """

    __slots__ = ("const", "cut", "dtype", "graph", "items", "kind", "node", "ref", "regions", "step", "time", "traits")

    def __init__(
        self,
        kind: str,
        node: ast.AST | None = None,
        *,
        regions: tuple[Region, ...] = (),
        step: Step | None = None,
        time: int = 0,
        graph: str = UNSURE,
        dtype: str = "",
        traits: frozenset[str] = frozenset(),
        items: Any = None,
        ref: Any = None,
        const: Any = ...,
        cut: Cut | None = None,
    ) -> None:
        self.kind, self.node, self.regions, self.step, self.time = kind, node, regions, step, time
        self.graph, self.dtype, self.traits, self.items, self.ref = graph, dtype, traits, items, ref
        self.const, self.cut = const, cut

    def with_(self, **changes: Any) -> Value:
        """The same value with some facts replaced."""
        made = object.__new__(Value)
        made.kind, made.node, made.regions, made.step = self.kind, self.node, self.regions, self.step
        made.time, made.graph, made.dtype, made.traits = self.time, self.graph, self.dtype, self.traits
        made.items, made.ref, made.const, made.cut = self.items, self.ref, self.const, self.cut
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    def steps(self) -> list[Step]:
        """The sharing operations between the owner and this value, the nearest first."""
        found: list[Step] = []
        step = self.step
        while step is not None and len(found) < 20:
            found.append(step)
            step = step.base.step
        return found

    @property
    def is_part(self) -> bool:
        """Whether it may be only a part of its memory: reached by an index, a slice, or by iterating."""
        return any(step.name in _PARTS for step in self.steps())

    @property
    def owner(self) -> Value:
        """The value at the far end of the sharing operations."""
        value: Value = self
        for _ in range(20):
            if value.step is None:
                break
            value = value.step.base
        return value

    def __repr__(self) -> str:
        shown = [f"{n}={getattr(self, n)!r}" for n in ("graph", "dtype", "ref") if getattr(self, n)]
        return f"<{self.kind}{'' if not shown else ' '}{' '.join(shown)} {' '.join(sorted(self.traits))}>"


MISSING = ...
_PARTS = frozenset(
    (
        "[...]",
        "iteration",
        "unpacking",
        "torch.Tensor.narrow",
        "torch.Tensor.select",
        "torch.Tensor.split",
        "torch.Tensor.chunk",
        "torch.Tensor.unbind",
        "list(...)",
    )
)


def joined(a: Value | None, b: Value | None) -> Value | None:
    """What holds of a value that is *a* on one branch and *b* on the other: regions of both, facts of both agreed."""
    if a is b:
        return a
    if a is None or b is None:
        known = a or b
        if known is None or not known.regions:
            return None
        return known.with_(kind=UNKNOWN, graph=UNSURE, dtype="", const=MISSING, traits=known.traits | {"on one branch"})
    if a.kind == NOTHING and b.kind != NOTHING:
        return b if b.kind in ("library", "function", "class") else b.with_(traits=b.traits | {"or None"})
    if b.kind == NOTHING and a.kind != NOTHING:
        return a if a.kind in ("library", "function", "class") else a.with_(traits=a.traits | {"or None"})
    if a.ref is not b.ref and a.ref != b.ref and (a.kind in _NAMED or b.kind in _NAMED):
        return None
    regions = a.regions if a.regions == b.regions else tuple(dict.fromkeys((*a.regions, *b.regions)))
    same = a.kind == b.kind
    traits = a.traits & b.traits if a.traits != b.traits else a.traits
    if a.regions != b.regions:
        traits |= {"on one branch"}
    if not same and TENSOR in (a.kind, b.kind):
        traits |= {"maybe tensor"}
    if a.dtype != b.dtype and "bfloat16" in (a.dtype, b.dtype):
        traits |= {"bfloat16"}
    return Value(
        a.kind if same else UNKNOWN,
        a.node,
        regions=regions,
        step=_more_telling(a, b),
        time=_joined_time(a, b),
        graph=a.graph if a.graph == b.graph else UNSURE,
        dtype=a.dtype if a.dtype == b.dtype else "",
        traits=traits | ((a.traits | b.traits) & MAY),
        items=_joined_items(a, b) if same else None,
        ref=a.ref if same and a.ref == b.ref else None,
        const=a.const if same and a.const is not MISSING and a.const == b.const else MISSING,
        cut=a.cut or b.cut,
    )


def _joined_time(a: Value, b: Value) -> int:
    """When it was taken: by the step that is kept, else the earlier one over the same memory."""
    if a.regions != b.regions:
        return max(a.time, b.time)
    if (a.step is None) is not (b.step is None):
        return b.time if a.step is None else a.time
    return min(a.time, b.time)


def _more_telling(a: Value, b: Value) -> Step | None:
    """The step of the branch whose memory belongs to someone else, since that is the one that can do harm."""
    if a.step is None or b.step is None:
        return a.step or b.step
    return b.step if _foreign(b) and not _foreign(a) else a.step


def _foreign(value: Value) -> bool:
    return any(region.origin != "fresh" or region.kept for region in value.regions)


# Kinds that are nothing without what they refer to.
_NAMED = frozenset((LIBRARY, FUNCTION, CLASS))
# Traits that hold of the join if they hold on one branch: what may happen does happen for some input.
MAY = frozenset(("readonly", "expanded", "bfloat16", "maybe tensor", "trained"))


def _joined_items(a: Value, b: Value) -> Any:
    if a.items is b.items:
        return a.items
    if a.items is None or b.items is None:
        return None
    if isinstance(a.items, dict) and isinstance(b.items, dict):
        return {
            k: joined(a.items[k], b.items[k]) if k in a.items and k in b.items else a.items.get(k) or b.items.get(k)
            for k in (*a.items, *b.items)
        }
    if isinstance(a.items, list) and isinstance(b.items, list):
        if len(a.items) == len(b.items):
            return [joined(x, y) for x, y in zip(a.items, b.items, strict=True)]
        return [element_of(a.items + b.items)]
    return None


def element_of(items: list[Value | None]) -> Value | None:
    """What holds of any element."""
    if not items:
        return None
    found = items[0]
    for item in items[1:8]:
        found = joined(found, item)
    return found


def one_of(items: list[Value | None]) -> Value | None:
    """Some element of what a loop filled: what each turn made is another block, so that two uses may mean two."""
    found = element_of(items)
    if found is None or not any(_made_in_a_loop(r) for r in found.regions):
        return found
    return found.with_(regions=tuple(r.element if _made_in_a_loop(r) else r for r in found.regions))


def _made_in_a_loop(region: Region) -> bool:
    return region.origin == "fresh" and region.depth > 0
