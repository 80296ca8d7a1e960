"""Follow attributes: of libraries, of tensors and arrays, of instances of the project's classes, of modules."""

from __future__ import annotations

import ast

from . import values as v
from .dtypes import DTYPES, numpy_name, real_of, torch_name
from .events import Read
from .expressions import evaluate, handles, path_of
from .frame import Frame
from .functions import call_function, construct
from .making import shared
from .project import ClassInfo, FunctionInfo
from .resolving import defined_in
from .values import Cut, Region, Value
from .vocabulary import ATTRIBUTES_BOOL, ATTRIBUTES_INT

_UNCHANGING = frozenset((v.FUNCTION, v.LIBRARY, v.CLASS))
# Attributes of tensors and arrays that are views of the same memory.
_VIEWS = frozenset(("T", "mT", "H", "mH", "real", "imag", "data", "flat"))


@handles(ast.Attribute)
def _attribute(frame: Frame, node: ast.Attribute) -> Value | None:
    base = evaluate(frame, node.value)
    path = path_of(node) if base is not None or frame.state.attributes else None
    if path is not None and path in frame.state.attributes:
        value = frame.state.attributes[path]
        if value is not None and frame.state.writes:
            frame.check_read(node, value)
        return value
    if base is None:
        return None
    handlers = frame.unit.hears.get(f"Read {node.attr}")
    for handler in handlers or ():
        handler(Read(frame, node, base, node.attr))
    value = attribute_of(frame, node, base, node.attr)
    if value is not None and path is not None and value.kind not in _UNCHANGING and node.attr not in _VIEWS:
        frame.state.attributes[path] = value
        if frame.state.writes:
            frame.check_read(node, value)
    return value


def attribute_of(frame: Frame, node: ast.Attribute, base: Value, name: str) -> Value | None:
    """The attribute *name* of a known value."""
    kind = base.kind
    if kind == v.LIBRARY:
        return _of_library(frame, node, base, name)
    if kind in (v.TENSOR, v.ARRAY) or kind == v.UNKNOWN:
        return _of_numeric(frame, node, base, name)
    if kind == v.SERIES and name == "values":
        protected = frozenset(() if "nullable" in base.traits else ("readonly",))
        return shared(frame, node, base, "series.values", kind=v.ARRAY, graph=v.OFF, traits=protected)
    if isinstance(base.ref, ClassInfo):
        return _of_instance(frame, node, base, name)
    if kind == v.MODULE:
        return _of_module(frame, node, base, name)
    return None


def _of_library(frame: Frame, node: ast.Attribute, base: Value, name: str) -> Value | None:
    qualified = f"{base.ref}.{name}"
    root = qualified.partition(".")[0]
    if name in DTYPES and root in ("torch", "numpy"):
        return Value(v.DTYPE, ref=qualified, const=torch_name(name) if root == "torch" else numpy_name(name))
    if root == "ml_dtypes":
        return Value(v.DTYPE, ref=qualified, const=name)
    if qualified in ("numpy.nan", "math.nan", "torch.nan"):
        return Value(v.FLOAT, node, traits=frozenset(("nan",)))
    if qualified in ("numpy.inf", "numpy.nan", "numpy.pi", "math.pi", "math.inf", "torch.inf", "torch.nan", "torch.pi"):
        return Value(v.FLOAT, node)
    found = frame.unit.project.module(str(base.ref), frame.unit)
    if found is not None:
        return defined_in(found, name)
    return frame.unit.library(qualified)


def _of_numeric(frame: Frame, node: ast.Attribute, base: Value, name: str) -> Value | None:
    if name in _VIEWS:
        if name == "data" and base.kind != v.TENSOR:
            return shared(frame, node, base, ".data") if base.regions and base.kind == v.UNKNOWN else None
        cut = Cut(".data", node, base) if name == "data" and base.graph == v.ON else base.cut
        graph = v.OFF if name == "data" else base.graph
        turned = frozenset(("noncontiguous",)) if name in ("T", "mT", "H", "mH") else frozenset()
        dtype = real_of(base.dtype) if name in ("real", "imag") else base.dtype
        return shared(frame, node, base, f".{name}", graph=graph, cut=cut, traits=turned, dtype=dtype)
    if name == "grad" and base.kind == v.TENSOR:
        region = Region("attribute", node, name="grad")
        return Value(v.TENSOR, node, regions=(region,), graph=v.OFF, traits=frozenset(("grad",)), ref=base)
    if name == "shape":
        return Value(v.TUPLE, node, traits=frozenset(("sizes",)))
    if base.kind == v.UNKNOWN:
        return _of_unknown(frame, node, base, name)
    if name in ATTRIBUTES_INT:
        return Value(v.INT, node)
    if name in ATTRIBUTES_BOOL:
        return Value(
            v.BOOL, node, const={v.ON: True}.get(base.graph, v.MISSING) if name == "requires_grad" else v.MISSING
        )
    if name == "dtype" and base.dtype:
        return Value(v.DTYPE, node, const=base.dtype)
    if name == "dtype":
        return Value(v.DTYPE, node)
    if name == "device":
        return Value(v.DEVICE, node)
    return None


def _of_unknown(frame: Frame, node: ast.Attribute, base: Value, name: str) -> Value | None:
    """An attribute of something unknown: its memory may lie in that thing's, or be kept by it."""
    return None


def _of_instance(frame: Frame, node: ast.Attribute, base: Value, name: str) -> Value | None:
    info: ClassInfo = base.ref
    method = info.method(name)
    if method is not None:
        if method.has_decorator("property", "cached_property"):
            return call_function(frame, node, method, [base], {})
        return Value(v.FUNCTION, node, ref=method, items=_bound_to(base, method))
    if base.kind != v.CLASS:
        construct(info)
    value = info.attribute(name)
    if value is None and base.kind != v.CLASS and (setters := info.setters(name)):
        from .functions import follow

        for setter in setters:
            follow(setter)
        value = info.attribute(name)
    if value is not None or base.kind == v.CLASS:
        return value
    if base.kind == v.MODULE and name in ("parameters", "state_dict", "children", "modules"):
        return None
    return Value(v.UNKNOWN, node, regions=(info.region(name),), traits=frozenset(("attribute",)))


def _bound_to(base: Value, method: FunctionInfo) -> list[Value]:
    """What a method gets before its arguments: the object, the class, or nothing."""
    if method.is_static:
        return []
    if method.has_decorator("classmethod"):
        return [base if base.kind == v.CLASS else Value(v.CLASS, base.node, ref=base.ref)]
    return [] if base.kind == v.CLASS else [base]


def _of_module(frame: Frame, node: ast.Attribute, base: Value, name: str) -> Value | None:
    if name in ("weight", "bias", "weight_ih_l0", "weight_hh_l0", "in_proj_weight"):
        items = base.items if isinstance(base.items, dict) else None
        known: Value | None = items.get(name) if items is not None else None
        if known is not None:
            return known
        made = Value(
            v.TENSOR,
            node,
            regions=(Region("attribute", node, name=name),),
            time=0,
            graph=v.OFF if "frozen" in base.traits else v.ON,
            traits=frozenset(("leaf", "parameter")),
        )
        made.regions[0].kept = name
        if items is not None:
            items[name] = made
        return made
    return None
