"""Calls of Python's builtins, of `copy`, and of column libraries, as far as tensors pass through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import values as v
from .making import cut_from, fresh, graph_of, lost_term, repeated, shallow_copy, shared
from .sites import Site
from .values import Region, Value


def other_result(site: Site, name: str) -> Value | None:
    """The result of a call, None if unknown."""
    handler = _RESULTS.get(name)
    return handler(site) if handler is not None else None


def _list(site: Site) -> Value:
    source = site.first
    items: Any = None if site.args else []
    traits: frozenset[str] = frozenset()
    if source is not None and source.kind in (v.LIST, v.TUPLE, v.SET):
        copied = shallow_copy(site.frame, site.node, source, "copy.copy(list)").items
        items = list(copied) if isinstance(copied, list) else None
        traits = source.traits & {"comprehension"}
    elif source is not None and source.kind == "dict view":
        items, traits = source.items, frozenset(("comprehension",))
    elif source is not None and source.kind in (v.TENSOR, v.ARRAY):
        items, traits = [shared(site.frame, site.node, source, "list(...)")], frozenset(("comprehension",))
    return Value(v.LIST, site.node, items=items, traits=traits, time=site.frame.unit.clock)


def _queue(site: Site) -> Value:
    return Value(v.LIST, site.node, items=[], time=site.frame.unit.clock)


def _dict(site: Site) -> Value:
    items: dict[Any, Value | None] | None = dict(site.keywords)
    if site.args:
        source = site.first
        copied = shallow_copy(site.frame, site.node, source, "copy.copy(dict)") if source is not None else None
        inner = copied.items if copied is not None else None
        items = inner | site.keywords if isinstance(inner, dict) else None
    return Value(v.DICT, site.node, items=items, time=site.frame.unit.clock)


def _from_keys(site: Site) -> Value | None:
    """``dict.fromkeys(keys, value)``: the same value under every key."""
    value = site.args[1] if len(site.args) > 1 else None
    return Value(v.DICT, site.node, items={...: repeated(site.node, value)}, time=site.frame.unit.clock)


def _number(kind: str) -> Callable[[Site], Value]:
    def number(site: Site) -> Value:
        source = site.first
        if source is None:
            return Value(kind, site.node)
        traits = source.traits & {"timestamp"}
        if kind == v.FLOAT and isinstance(source.const, str) and source.const.lower() == "nan":
            traits |= {"nan"}
        return Value(kind, site.node, cut=cut_from(kind, site.node, source), traits=traits)

    return number


def _sum(site: Site) -> Value | None:
    source = site.first
    items = source.items if source is not None and source.kind in (v.LIST, v.TUPLE) else None
    if not isinstance(items, list) or not any(i is not None and i.kind in (v.TENSOR, *v.NUMBERS) for i in items):
        return None
    if all(i is not None and i.kind in v.NUMBERS for i in items):
        return Value(v.FLOAT, site.node, cut=lost_term(items))
    if not any(i is not None and i.kind == v.TENSOR for i in items):
        return None
    cut = next((i.cut for i in items if i is not None and i.cut is not None), None)
    return fresh(site.frame, site.node, v.TENSOR, graph=graph_of(site.frame, *items), cut=cut)


def _is_instance(site: Site) -> Value:
    from .guards import truth

    known = truth(site.frame, site.node)
    return Value(v.BOOL, site.node, const=v.MISSING if known is None else known)


def _deep_copy(site: Site) -> Value | None:
    return deep_copied(site, site.first)


def deep_copied(site: Site, source: Value | None) -> Value | None:
    """A deep copy of a container, a module or an optimizer, in memory of its own."""
    if source is None or source.kind not in _DEEP:
        return source if source is not None and source.kind in v.NUMBERS else None
    items = [deep_copied(site, i) for i in source.items] if isinstance(source.items, list) else None
    region = Region("fresh", site.node)
    return Value(source.kind, site.node, items=items, ref=source.ref, regions=(region,), time=site.frame.unit.clock)


_DEEP = frozenset((v.LIST, v.TUPLE, v.DICT, v.OPTIMIZER, v.STATE_DICT, v.MODULE, v.INSTANCE))


def _shallow_copy(site: Site) -> Value | None:
    source = site.first
    if source is None or source.kind not in (v.LIST, v.DICT, v.TUPLE):
        return None
    return shallow_copy(site.frame, site.node, source, f"copy.copy({source.kind})")


def _first(site: Site) -> Value | None:
    return site.first


def _of_kind(kind: str, **facts: Any) -> Callable[[Site], Value]:
    return lambda site: Value(kind, site.node, **facts)


def _in_memory(kind: str) -> Callable[[Site], Value]:
    return lambda site: Value(kind, site.node, regions=(Region("fresh", site.node),), time=site.frame.unit.clock)


def _iterator(kind: str) -> Callable[[Site], Value]:
    return lambda site: Value(kind, site.node, items=site.args)


def _file(site: Site) -> Value:
    mode = site.args[1] if len(site.args) > 1 else site.keywords.get("mode")
    binary = mode is not None and isinstance(mode.const, str) and "b" in mode.const
    return Value(v.OTHER, site.node, ref="file", traits=frozenset(("binary",) if binary else ()))


def _range(site: Site) -> Value:
    traits = frozenset(("comprehension", "range"))
    return Value(v.LIST, site.node, items=[Value(v.INT, site.node)], traits=traits)


def _series(site: Site) -> Value:
    dtype = site.keywords.get("dtype")
    nullable = dtype is not None and isinstance(dtype.const, str) and dtype.const[:1].isupper()
    made = _in_memory(v.SERIES)(site)
    made.traits = frozenset(("nullable",) if nullable else ())
    return made


_RESULTS: dict[str, Callable[[Site], Value | None]] = {
    "builtins.sum": _sum,
    "builtins.isinstance": _is_instance,
    "builtins.list": _list,
    "builtins.tuple": _list,
    "builtins.sorted": _list,
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "builtins.dict.fromkeys": _from_keys,
    "collections.OrderedDict.fromkeys": _from_keys,
    "collections.deque": _list,
    "queue.Queue": _queue,
    "queue.SimpleQueue": _queue,
    "multiprocessing.Queue": _queue,
    "torch.multiprocessing.Queue": _queue,
    "builtins.float": _number(v.FLOAT),
    "builtins.int": _number(v.INT),
    "builtins.bool": _of_kind(v.BOOL),
    "builtins.len": _of_kind(v.INT),
    "builtins.str": _of_kind(v.TEXT),
    "builtins.open": _file,
    "math.sqrt": _of_kind(v.FLOAT),
    "time.time": _of_kind(v.FLOAT, traits=frozenset(("timestamp",))),
    "time.time_ns": _of_kind(v.INT, traits=frozenset(("timestamp",))),
    "torch.Size": _of_kind(v.TUPLE, traits=frozenset(("sizes",))),
    "builtins.range": _range,
    "builtins.enumerate": _iterator("enumerate"),
    "builtins.zip": _iterator("zip"),
    "builtins.map": _iterator("map"),
    "builtins.filter": _iterator("filter"),
    "builtins.set": _of_kind(v.SET),
    "builtins.reversed": _first,
    "builtins.iter": _first,
    "builtins.bytes": _in_memory(v.BYTES),
    "builtins.bytearray": _in_memory("bytearray"),
    "builtins.memoryview": _in_memory("memoryview"),
    "array.array": _in_memory("array.array"),
    "copy.deepcopy": _deep_copy,
    "copy.copy": _shallow_copy,
    "PIL.Image.open": _in_memory("picture"),
    "PIL.Image.new": _in_memory("picture"),
    "struct.pack": _in_memory(v.BYTES),
    "pyarrow.array": _in_memory(v.ARROW),
    "pyarrow.chunked_array": _in_memory(v.ARROW),
    "pandas.Series": _series,
}
