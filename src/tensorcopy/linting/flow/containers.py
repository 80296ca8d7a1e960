"""Methods of lists, dicts, modules, state dicts and columns, and what instances keep in their attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from . import values as v
from .frame import Frame
from .making import entry_of, fresh, shallow_copy, shared
from .project import ClassInfo
from .sites import Site
from .stepping import write_stepped
from .values import Region, Step, Value, element_of, one_of

_MOST_ITEMS = 16
_MODULE_SELF = frozenset(
    [
        "to",
        "cuda",
        "cpu",
        "float",
        "half",
        "double",
        "train",
        "eval",
        "requires_grad_",
        "bfloat16",
        "apply",
        "share_memory",
        "type",
    ]
)
# Methods of a PIL image that give a PIL image.
_PICTURES = frozenset(("convert", "resize", "crop", "rotate", "transpose", "copy", "thumbnail"))
_ADDING = frozenset(("append", "insert", "appendleft", "put", "put_nowait"))
_DICTIONARIES = frozenset(
    ("builtins.dict", "collections.OrderedDict", "collections.defaultdict", "collections.UserDict")
)
_STORED = frozenset(("element",))
_WITH_MEMORY = frozenset((v.TENSOR, v.ARRAY, v.UNKNOWN))


def container_method(site: Site, base: Value, name: str) -> Value | None:
    """The result of a method of anything that is neither tensor nor array, None if unknown."""
    kind = base.kind
    if kind == v.LIST:
        return _list_method(site, base, name)
    if kind == v.DICT:
        return _dict_method(site, base, name)
    if kind == v.MODULE or isinstance(base.ref, ClassInfo):
        return _module_method(site, base, name)
    if kind == "picture" and name in _PICTURES:
        return Value(kind, site.node, regions=(Region("fresh", site.node),), time=site.frame.unit.clock)
    if base.ref == "file" and name == "read" and "binary" in base.traits:
        return Value(v.BYTES, site.node, regions=(Region("fresh", site.node),), time=site.frame.unit.clock)
    if kind in (v.SERIES, v.ARROW):
        return _column_method(site, base, name)
    if kind == v.OPTIMIZER and name == "step":
        write_stepped(site.frame, site.node, base)
    if kind == v.STATE_DICT:
        return _state_dict_method(site, base, name)
    return None


def _list_method(site: Site, base: Value, name: str) -> Value | None:
    if name in _ADDING and site.args:
        _append(site, base, site.args[-1])
        return Value(v.NOTHING, site.node)
    if (
        name == "extend"
        and site.first is not None
        and isinstance(site.first.items, list)
        and isinstance(base.items, list)
    ):
        base.items.extend(site.first.items[: _MOST_ITEMS // 2])
    if name == "copy":
        return shallow_copy(site.frame, site.node, base, "copy.copy(list)")
    return element_of(base.items) if name == "pop" and isinstance(base.items, list) else None


def _append(site: Site, base: Value, item: Value | None) -> None:
    frame = site.frame
    if isinstance(base.items, list) and len(base.items) < _MOST_ITEMS and not any(i is item for i in base.items):
        base.items.append(item)
        if frame.loops:
            base.traits = base.traits | {"comprehension"}
    for inner in _held(item):
        if inner.regions and inner.kind in _WITH_MEMORY:
            frame.keep(site.node, inner, "append", base)


def _held(value: Value | None) -> Iterator[Value]:
    """The value itself, or what a container holds."""
    if value is None:
        return
    if value.kind in (v.LIST, v.TUPLE, v.DICT):
        items = value.items.values() if isinstance(value.items, dict) else value.items or ()
        yield from (item for item in items if item is not None)
    else:
        yield value


def _dict_method(site: Site, base: Value, name: str) -> Value | None:
    items = base.items if isinstance(base.items, dict) else None
    if name in ("values", "keys", "items"):
        named = bool(items) and all(isinstance(key, str) for key in items or ())
        traits = frozenset(("named",) if named else ())
        inner = one_of(list(items.values())) if items else None
        return Value("dict view", site.node, items=[inner], ref=name, traits=traits)
    if name in ("get", "pop", "setdefault") and site.first is not None and items is not None:
        const = site.first.const
        known = const is not v.MISSING and isinstance(const, (str, int))
        return items.get(const) if known else element_of(list(items.values()))
    if name == "copy":
        return shallow_copy(site.frame, site.node, base, "copy.copy(dict)")
    return None


def _state_dict_method(site: Site, base: Value, name: str) -> Value | None:
    if name == "copy":
        return base.with_(node=site.node)
    if name in ("items", "values"):
        entry = entry_of(site.frame, site.node, base)
        return Value("dict view", site.node, items=[entry], ref=name, traits=frozenset(("named",)))
    return None


def _module_method(site: Site, base: Value, name: str) -> Value | None:
    if name in ("items", "values") and isinstance(base.ref, ClassInfo) and base.ref.base_names() & _DICTIONARIES:
        stored = Value(v.UNKNOWN, site.node, regions=(base.ref.region("entries").element,), traits=_STORED)
        return Value("dict view", site.node, items=[stored], ref=name)
    if name in ("parameters", "named_parameters", "buffers", "named_buffers"):
        return parameters_of(site, base, name)
    if name == "state_dict":
        step = Step("state_dict", site.node, base)
        time = site.frame.unit.clock
        return Value(v.STATE_DICT, site.node, regions=base.regions, ref=base, time=time, step=step)
    if name in _MODULE_SELF:
        frozen = name == "requires_grad_" and site.first is not None and site.first.const is False
        return base.with_(traits=base.traits | {"frozen"}) if frozen else base
    registered = site.first.const if site.first is not None else None
    if name in ("register_buffer", "register_parameter") and len(site.args) > 1 and isinstance(registered, str):
        store_attribute(site.frame, site.node, base, registered, site.args[1])
    return None


def parameters_of(site: Site, base: Value | None, name: str) -> Value:
    """The list of parameters or buffers that a module gives; of something unknown it is one by its name alone."""
    of_module = base is not None and bool(base.regions)
    region = (
        base.regions[0].element if of_module and base is not None else Region("attribute", name="parameters", many=True)
    )
    trained = name.endswith("parameters")
    traits = {"parameter", "leaf"} if trained else {"buffer"}
    if base is None or base.kind == v.UNKNOWN:
        traits.add("inferred")
    item = Value(
        v.TENSOR,
        site.node,
        regions=(region,),
        time=site.frame.unit.clock,
        graph=v.ON if trained and (base is None or "frozen" not in base.traits) else v.OFF,
        traits=frozenset(traits),
        ref=base,
    )
    named = name.startswith("named")
    items = [Value(v.TUPLE, site.node, items=[Value(v.TEXT, site.node), item]) if named else item]
    return Value(v.LIST, site.node, items=items, traits=frozenset(("comprehension",)))


def _column_method(site: Site, base: Value, name: str) -> Value | None:
    if name not in ("to_numpy", "__array__"):
        return None
    writable = base.kind == v.ARROW and site.says("zero_copy_only", False) and "writable" in site.keywords
    if site.says("copy", True) or writable:
        return fresh(site.frame, site.node, v.ARRAY, graph=v.OFF)
    readonly = base.kind == v.ARROW or "nullable" not in base.traits
    traits = frozenset(("readonly",) if readonly else ())
    return shared(site.frame, site.node, base, f"{base.kind}.to_numpy", kind=v.ARRAY, graph=v.OFF, traits=traits)


def store_attribute(frame: Frame, node: ast.AST, base: Value, name: str, value: Value | None) -> None:
    """``base.name = value`` for an instance of a class of the project: remembered for its other methods."""
    info = base.ref
    if not isinstance(info, ClassInfo):
        return
    if value is not None:
        for region in [r for inner in (value, *_held(value)) for r in inner.regions]:
            if region.origin == "fresh":
                region.kept = region.kept or name
        if any(region.origin == "parameter" for region in value.regions):
            value = value.with_(regions=(info.region(name),), step=None)
    known = info.attributes.get(name, v.MISSING)
    info.attributes[name] = value if known is v.MISSING else v.joined(known, value)
