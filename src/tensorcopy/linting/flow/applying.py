"""Apply the catalogue: what a known operation makes of its source, whose memory it is, what becomes of the graph."""

from __future__ import annotations

import ast
from typing import Any

from ...catalogue import for_call
from . import dtypes
from . import values as v
from .effects import COPIES, CUTS, DEPENDS, SHARES, Effect, effect_of
from .making import cut_from, fresh, graph_of, shared
from .sites import Site
from .values import Cut, Value

_EXPANDING = frozenset(("expand", "expand_as", "broadcast_to", "broadcast_tensors"))
_TURNING = frozenset(("t", "transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "adjoint"))
_FLIPPING = frozenset(("flip", "fliplr", "flipud", "rot90"))
_WITH_MEMORY = frozenset((v.TENSOR, v.ARRAY, v.BYTES, v.UNKNOWN, v.OTHER, "masked"))
# Facts on the dtype, which a copy has as well.
_COPIED = frozenset(
    ("masked", "structured", "big-endian", "ml_dtypes", "objects", "text", "inferred", "nan", "past 2**24")
)
_COPIED_TENSOR = frozenset(("inferred", "nan", "past 2**24"))


def by_catalogue(site: Site, name: str, receiver: Value | None) -> Value | None:
    """The result of the call *name* as the catalogue has it; None if it has nothing to say on these arguments."""
    operands = site.args if receiver is None else [receiver, *site.args]
    source = _source(site, name, operands)
    kind = v.UNKNOWN if source is None else "masked" if "masked" in source.traits else source.kind
    effect = effect_of(name, kind, site.facts(receiver))
    if effect is None:
        return None
    if effect.writes and (written := _write(site, effect, receiver, operands)) is not None:
        return written
    if effect.in_sequence:
        return _of_sequence(site, effect, source)
    return None if source is None else applied(site, effect, source)


def _source(site: Site, name: str, operands: list[Value | None]) -> Value | None:
    position = for_call(name)[0].call.source
    if operands:
        place = position if isinstance(position, int) else 0
        return operands[place] if place < len(operands) else None
    return next((site.keywords[k] for k in ("input", "data", "a", "object", "obj") if k in site.keywords), None)


def _write(site: Site, effect: Effect, receiver: Value | None, operands: list[Value | None]) -> Value | None:
    """Tell of what the call writes. A method that writes its receiver returns it."""
    incoming = operands[1] if len(operands) > 1 else None
    for target in effect.writes:
        written = operands[target] if isinstance(target, int) and target < len(operands) else None
        if isinstance(target, str):
            written = site.keywords.get(target)
        if written is None or written.kind in v.NUMBERS:
            continue
        site.frame.write(site.node, written, "method" if receiver is not None else "out", incoming)
        if target == 0 and receiver is not None:
            return after_write(site, written)
    return None


def after_write(site: Site, written: Value) -> Value:
    """The receiver of a method that writes it: now on the graph if something that came in was."""
    incoming = any(a is not None and a.graph == v.ON for a in site.args)
    if incoming and site.frame.grad == "on" and written.graph != v.ON:
        written.graph = v.ON
    return written


def _of_sequence(site: Site, effect: Effect, source: Value | None) -> Value:
    """What is joined from the elements of a list."""
    items = source.items if source is not None and isinstance(source.items, list) else [None]
    cut, graph = None, graph_of(site.frame, *items)
    if effect.graph == CUTS:
        on = next((i for i in items if i is not None and i.graph == v.ON), None)
        cut, graph = (Cut(effect.name, site.node, on) if on is not None else None), v.OFF
    kind = effect.result or v.TENSOR
    return fresh(site.frame, site.node, kind, graph=graph, cut=cut, dtype=dtypes.common(items, kind))


def applied(site: Site, effect: Effect, source: Value) -> Value:
    """The value that *effect* makes of *source*."""
    kind = effect.result or source.kind
    if kind not in _WITH_MEMORY:
        return _without_memory(site, effect, source, kind)
    dtype = _result_dtype(effect, source, site)
    graph, cut = _graph(site, effect, source, kind)
    memory = _decided(effect, source, dtype) if effect.memory == DEPENDS else effect.memory
    traits = _traits(site, effect, source)
    if memory == COPIES:
        kept = source.traits & (_COPIED if source.kind != v.TENSOR else _COPIED_TENSOR)
        if effect.name.endswith("nan_to_num"):
            kept -= {"nan"}
        return fresh(site.frame, site.node, kind, traits=kept | traits, graph=graph, cut=cut, dtype=dtype)
    if memory == DEPENDS:
        traits |= {"may copy"}
    return shared(
        site.frame, site.node, source, effect.name, kind=kind, traits=traits, graph=graph, cut=cut, dtype=dtype
    )


def _graph(site: Site, effect: Effect, source: Value, kind: str) -> tuple[str, Cut | None]:
    """Whether the result is on the graph, and where that was lost."""
    integral = (site.dtype or effect.dtype_name).startswith(("int", "uint", "bool", "torch.int", "torch.bool"))
    graph, cut = source.graph, source.cut
    if effect.graph == CUTS or source.kind == v.ARRAY or integral:
        graph, cut = v.OFF, cut_from(effect.name, site.node, source)
    if source.kind in v.NUMBERS or (graph == v.ON and site.frame.grad == "off"):
        graph = v.OFF
    if "requires_grad" in site.keywords and kind == v.TENSOR and effect.graph == CUTS:
        graph = site.asked_graph
    return graph, cut


def _without_memory(site: Site, effect: Effect, source: Value, kind: str) -> Value:
    """A number, or a container: what it holds are the parts of the source where it shares, else numbers."""
    facts: dict[str, Any] = {"time": site.frame.unit.clock}
    if kind in (v.LIST, v.TUPLE) and effect.memory != COPIES:
        traits = frozenset(("expanded",) if effect.name == "torch.meshgrid" else ())
        items = [shared(site.frame, site.node, source, effect.name, traits=traits)]
        return Value(kind, site.node, items=items, traits=frozenset(("comprehension",)), **facts)
    cut = cut_from(effect.name, site.node, source) if effect.graph == CUTS else source.cut
    if kind != v.LIST:
        return Value(kind, site.node, cut=cut, **facts)
    traits = (frozenset(("of array",)) if "objects" not in source.traits else frozenset()) | (
        source.traits & {"structured"}
    )
    return Value(kind, site.node, cut=cut, traits=traits, dtype=source.dtype, **facts)


def _decided(effect: Effect, source: Value, dtype: str) -> str:
    """Shares or copies, where dtype and layout decide; depends where they do not."""
    conditions = {trait.name for trait in effect.copies_if}
    if "OTHER_DTYPE" in conditions:
        if source.dtype and dtype and source.dtype != dtype:
            return COPIES
        same = source.dtype and source.dtype == dtype and conditions == {"OTHER_DTYPE"}
        return SHARES if same else DEPENDS
    if "expanded" in source.traits and conditions & {"NON_CONTIGUOUS", "NOT_DENSE", "EXPANDED"}:
        return COPIES
    if "negative" in source.traits and source.kind != v.TENSOR and conditions & {"NEGATIVE_STRIDE", "NON_CONTIGUOUS"}:
        return COPIES
    return DEPENDS


def _result_dtype(effect: Effect, source: Value, site: Site) -> str:
    rule, asked = effect.dtype.name, site.dtype
    if effect.name == "torch.where":
        return dtypes.common([*site.args[1:], *site.keywords.values()], v.TENSOR) if _are_tensors(site) else ""
    if rule in ("SAME", "NATIVE", "REAL"):
        return source.dtype
    if rule == "FIXED":
        return dtypes.torch_name(effect.dtype_name.rpartition(".")[2])
    if rule == "INFERRED" and (asked or "dtype" in site.keywords):
        return asked
    if rule == "INFERRED":
        inferred = dtypes.of_literal(source)
        return "float32" if inferred == "float64" and effect.result == v.TENSOR else inferred
    return "float32" if rule == "DEFAULT" and effect.result == v.TENSOR and not asked else asked


def _are_tensors(site: Site) -> bool:
    """Whether a choice is between tensors alone: a number among them may change the dtype."""
    given = [*site.args[1:], *site.keywords.values()]
    return len(given) == 2 and all(a is not None and a.kind == v.TENSOR for a in given)


def _traits(site: Site, effect: Effect, source: Value) -> frozenset[str]:
    """Facts on the layout and the protection of what the operation gives."""
    last = effect.name.partition("(")[0].rpartition(".")[2]
    if last in _EXPANDING and not _adds_no_repeats(site.node):
        return frozenset(("expanded", "readonly") if effect.name.startswith("numpy") else ("expanded",))
    if last in _TURNING:
        return frozenset(("noncontiguous",))
    if effect.name in ("numpy.frombuffer", "torch.frombuffer") and source.kind == v.BYTES:
        return frozenset(("readonly",))
    if effect.name.startswith("numpy.load(mmap_mode") and site.keywords.get("mmap_mode") is not None:
        return mapped_traits(site.keywords["mmap_mode"])
    return frozenset(("negative",)) if last in _FLIPPING and effect.name.startswith("numpy") else frozenset()


def mapped_traits(mode: Value | None) -> frozenset[str]:
    """The traits of an array mapped from a file in this mode."""
    return frozenset(("readonly",) if mode is not None and mode.const == "r" else ())


def _adds_no_repeats(node: ast.Call) -> bool:
    """``expand(1, -1)``: a dimension of size one is added, nothing repeats."""
    sizes = node.args
    if len(sizes) == 1 and isinstance(sizes[0], (ast.Tuple, ast.List)):
        sizes = sizes[0].elts
    return bool(sizes) and all(ast.unparse(size) in ("1", "-1") for size in sizes)
