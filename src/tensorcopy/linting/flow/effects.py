"""What one call does to memory, graph and dtype, as the flow analysis needs it: read from the catalogue, once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ...catalogue import Dtype, Graph, Kind, Memory, Operation, Style, Trait, Value, for_call
from . import values as v

SHARES, COPIES, DEPENDS = "shares", "copies", "depends"
KEEPS, CUTS = "keeps", "cuts"

# The kinds of the flow analysis that an entry's source stands for.
_SOURCES = {
    Kind.TENSOR: frozenset((v.TENSOR,)),
    Kind.ARRAY: frozenset((v.ARRAY,)),
    Kind.MASKED: frozenset(("masked",)),
    Kind.SEQUENCE: frozenset((v.LIST, v.TUPLE)),
    Kind.NUMBERS: frozenset((v.LIST, v.TUPLE, *v.NUMBERS)),
    Kind.SCALAR: v.NUMBERS,
    Kind.BUFFER: frozenset((v.BYTES, "bytearray")),
    Kind.MODULE: frozenset((v.MODULE, v.STATE_DICT)),
    Kind.ARRAYS: frozenset((v.LIST, v.TUPLE)),
}
RESULTS = {
    Kind.TENSOR: v.TENSOR,
    Kind.ARRAY: v.ARRAY,
    Kind.MASKED: v.ARRAY,
    Kind.SEQUENCE: v.LIST,
    Kind.NUMBERS: v.OTHER,
    Kind.SCALAR: v.FLOAT,
    Kind.BUFFER: v.BYTES,
    Kind.TENSORS: v.TUPLE,
    Kind.ARRAYS: v.LIST,
    Kind.TEXT: v.TEXT,
    Kind.MODULE: v.MODULE,
    Kind.STORAGE: v.OTHER,
    Kind.CAPSULE: v.OTHER,
    Kind.MAPPING: v.DICT,
    Kind.OTHER: v.OTHER,
    Kind.NOTHING: v.NOTHING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a call does: to whom the memory belongs, what becomes of the graph, what it writes.

    name: the operation, as the catalogue calls it. source: the argument the facts are about, a position or a name.
    writes: the arguments whose memory changes. result: the kind of the result, empty if unknown.
    """

    name: str
    memory: str
    graph: str
    source: int | str
    in_sequence: bool
    writes: tuple[int | str, ...]
    result: str
    dtype: Dtype
    dtype_name: str
    copies_if: tuple[Trait, ...]
    entry: Operation


@cache
def effect_of(name: str, kind: str, facts: frozenset[str]) -> Effect | None:
    """The effect of the call *name* on a source of *kind*, given *facts* on its arguments; None if nothing is known.

    facts: words like ``"dtype"`` (a dtype is given), ``"copy=True"``, ``"out"`` (the argument is given), ``"mask"``.
    For an unknown kind the entries of tensors and arrays have to agree; where they do not, memory or graph depends.
    So it does where no entry is for these arguments, as in ``x.to(unknown)``, and where several are, as in
    ``x.to(device)``, which copies from another device only.
    """
    entries = [e for e in for_call(name) if e.call.style is not Style.CHAIN and _conditions_hold(e, facts)]
    fitting = sorted((e for e in entries if kind in _SOURCES.get(e.source, ())), key=_constants, reverse=True)
    if not fitting and kind == v.UNKNOWN:
        return _merged([e for e in entries if e.source in (Kind.TENSOR, Kind.ARRAY)])
    if fitting:
        return _merged([e for e in fitting if e.call.when == fitting[0].call.when])
    if not name.startswith(("torch.Tensor.", "numpy.ndarray.")):
        return None
    calls = [e for e in for_call(name) if e.call.style is not Style.CHAIN and e.call.source == 0]
    return _merged([e for e in calls if kind in _SOURCES.get(e.source, ())])


def _constants(entry: Operation) -> int:
    """How many arguments the entry wants to be True, False or None: these decide over a dtype or device beside them."""
    return sum(c.value in (Value.TRUE, Value.FALSE, Value.NONE) for c in entry.call.when)


@cache
def is_known(name: str) -> bool:
    """Whether the catalogue has the call at all."""
    return bool(for_call(name))


@cache
def writes_nothing(name: str) -> bool:
    """Whether the catalogue has the call, and in none of its forms it writes."""
    entries = for_call(name)
    return bool(entries) and not any(entry.call.writes_to for entry in entries)


def _conditions_hold(entry: Operation, facts: frozenset[str]) -> bool:
    return all(_holds(condition.name, condition.value, facts) for condition in entry.call.when)


def _holds(name: str, value: Value, facts: frozenset[str]) -> bool:
    if value is Value.TRUE:
        return f"{name}=True" in facts
    if value is Value.FALSE:
        return f"{name}=False" in facts
    if value is Value.NONE:
        return f"{name}=None" in facts
    if value is Value.ABSENT:
        return name not in facts
    if value is Value.DTYPE:
        return "a dtype" in facts
    if value is Value.DEVICE:
        return "a device" in facts
    if value is Value.TENSOR:
        return "a tensor" in facts
    if value is Value.GIVEN:
        return name in facts or (name == "dtype" and "a dtype" in facts)
    return {Value.BASIC_INDEX: "basic", Value.ADVANCED_INDEX: "advanced", Value.MASK: "mask"}[value] in facts


def _of(entry: Operation) -> Effect:
    return Effect(
        name=entry.name,
        memory=entry.memory.value,
        graph={Graph.KEEPS: KEEPS, Graph.CUTS: CUTS, Graph.DEPENDS: DEPENDS}.get(entry.graph, ""),
        source=entry.call.source,
        in_sequence=entry.call.in_sequence,
        writes=entry.call.writes_to,
        result=RESULTS.get(entry.result, ""),
        dtype=entry.dtype,
        dtype_name=entry.dtype_name,
        copies_if=entry.copies_if,
        entry=entry,
    )


def _merged(entries: list[Operation]) -> Effect | None:
    """One effect for what several entries say; what they do not agree on depends."""
    if not entries:
        return None
    first = _of(entries[0])
    if len(entries) == 1:
        return first
    memories = {e.memory for e in entries}
    graphs = {_of(e).graph for e in entries} - {""}
    results = {RESULTS.get(e.result, "") for e in entries}
    return Effect(
        name=first.name,
        memory=first.memory if len(memories) == 1 else Memory.DEPENDS.value,
        graph=graphs.pop() if len(graphs) == 1 else (DEPENDS if graphs else ""),
        source=first.source,
        in_sequence=first.in_sequence,
        writes=first.writes,
        result=first.result if len(results) == 1 else "",
        dtype=first.dtype,
        dtype_name=first.dtype_name,
        copies_if=first.copies_if,
        entry=entries[0],
    )
