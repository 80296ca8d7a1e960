"""Follow the project's functions: with unknown arguments, and with each kind of arguments that they are called with."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from . import values as v
from .annotations import annotated
from .containers import store_attribute
from .events import ClassEnd, FunctionEnd
from .expressions import evaluate
from .frame import Frame
from .grad_modes import grad_mode
from .jax_calls import is_compiled, made
from .making import shared
from .project import ClassInfo, FunctionInfo, Summary
from .statements import run_block
from .stepping import write_parameters, write_stepped
from .values import Region, Step, Value, joined

_DEEPEST = 4


def follow(info: FunctionInfo) -> None:
    """Follow a function with nothing known of its arguments but what annotations and defaults say."""
    if info.open or None in info.summaries:
        return
    frame = _run(info, {}, depth=0)
    info.summaries[None] = _summary(frame)
    info.unit.tell(FunctionEnd, frame, info.node)


def _run(info: FunctionInfo, given: dict[str, Value | None], depth: int, grad: str = "") -> Frame:
    frame = Frame(info.unit, info, info.cls, info.outer, depth)
    node = info.node
    frame.grad = grad or info.unit.grad
    if info.cls is not None and info.is_static and "torch.autograd.Function" in info.cls.base_names():
        frame.grad = "off"
    for decorator in getattr(node, "decorator_list", ()):
        frame.grad = grad_mode(decorator, frame.grad)
    _bind_parameters(frame, info, given)
    info.open += 1
    with suppress(RecursionError):
        if isinstance(node, ast.Lambda):
            frame.returns.append(evaluate(frame, node.body))
        else:
            run_block(frame, node.body)
    info.open -= 1
    return frame


def _bind_parameters(frame: Frame, info: FunctionInfo, given: dict[str, Value | None]) -> None:
    names, bound = frame.state.names, info.cls is not None and not info.is_static
    for argument, default in info.arguments:
        name = argument.arg
        value: Value | None
        if bound and name not in given:
            value = _self_value(info, argument)
        else:
            value = _parameter(frame, argument, Region("parameter", argument, name=name), given.get(name), default)
        bound = False
        names[name] = value
        if value is not None:
            frame.parameters[name] = value
    stated = info.node.args
    if stated.vararg is not None:
        names[stated.vararg.arg] = Value(v.TUPLE, stated.vararg)
    if stated.kwarg is not None:
        names[stated.kwarg.arg] = Value(v.DICT, stated.kwarg)


def _self_value(info: FunctionInfo, argument: ast.arg) -> Value:
    assert info.cls is not None
    if info.has_decorator("classmethod"):
        return Value(v.CLASS, argument, ref=info.cls)
    if info.cls.is_tensor:
        return Value(
            v.TENSOR, argument, regions=(Region("parameter", argument, name="self"),), traits=frozenset(("subclass",))
        )
    return Value(v.MODULE if info.cls.is_module else v.INSTANCE, argument, ref=info.cls)


def _parameter(
    frame: Frame, argument: ast.arg, region: Region, given: Value | None, default: ast.expr | None
) -> Value | None:
    if given is not None:
        if given.regions:
            return given.with_(
                regions=(region,),
                step=None,
                time=0,
                node=argument,
                traits=given.traits - {"made", "leaf"} | {"argument"},
            )
        return given
    if isinstance(default, ast.Name) and (named := frame.lookup(default.id)) is not None and named.kind == v.CLASS:
        return named
    found = annotated(frame, argument.annotation, region)
    if found is not None:
        return found
    if default is not None and not isinstance(default, ast.Constant):
        return _from_default(frame, argument, region, default)
    if isinstance(default, ast.Constant) and isinstance(default.value, (bool, int, float, str)):
        return None
    return Value(v.UNKNOWN, argument, regions=(region,))


def _from_default(frame: Frame, argument: ast.arg, region: Region, default: ast.expr) -> Value | None:
    """A parameter whose default is a tensor or an array: made once, with the function, and used in every call."""
    if not isinstance(default, ast.Call):
        return None
    made = evaluate(frame, default)
    if made is None or made.kind not in (v.TENSOR, v.ARRAY) or not made.regions:
        return None
    shared_by_calls = Region("default", default, name=argument.arg)
    return made.with_(regions=(region, shared_by_calls), step=None, time=0, node=argument, traits=frozenset())


def _summary(frame: Frame) -> Summary:
    result: Value | None = None
    for i, returned in enumerate(frame.returns):
        result = returned if i == 0 else joined(result, returned)
    yielded: Value | None = None
    for i, value in enumerate(frame.yields):
        yielded = value if i == 0 else joined(yielded, value)
    if not frame.returns and not frame.yields:
        result = Value(v.NOTHING, const=None)
    if frame.yields:
        result = Value(v.LIST, items=[yielded], traits=frozenset(("comprehension", "generator")))
    summary = Summary(result, yielded, frame.written_parameters)
    if frame.unit.muted:  # nobody hears of it: what refers to the frame itself would wait for the collector
        frame.state.writes, frame.kept, frame.written_parameters = {}, {}, {}
    return summary


def call_function(
    frame: Frame, node: ast.AST, info: FunctionInfo, args: list[Value | None], keywords: dict[str, Value | None]
) -> Value | None:
    """The result of calling a function of the project here, with its writes told as writes of the arguments."""
    given = _given(info, args, keywords)
    summary = _summary_for(frame, info, given)
    if summary is None:
        return None
    for name, write in summary.writes.items():
        value = given.get(name)
        if value is None or not value.regions or value.kind == v.INSTANCE:
            continue
        if value.kind == v.MODULE:
            write_parameters(frame, node, value, "step" if write.how == "step" else "call", write)
        elif value.kind == v.OPTIMIZER:
            write_stepped(frame, node, value)
        else:
            frame.write(node, value, "call", None, write)
    if is_compiled(info):
        return made(frame, node)
    if info.cls is not None and args and args[0] is not None and isinstance(args[0].ref, ClassInfo):
        _forget_attributes(frame, node, info)
    return _in_grad_mode(frame, _instantiated(frame, node, summary.result, given, info))


def _in_grad_mode(frame: Frame, result: Value | None) -> Value | None:
    """A result as it is where no graph is recorded, though the function was followed where one is."""
    if frame.grad == "on" or result is None or result.graph != v.ON or "leaf" in result.traits:
        return result
    return result.with_(graph=v.OFF if frame.grad == "off" else v.UNSURE)


def _given(info: FunctionInfo, args: list[Value | None], keywords: dict[str, Value | None]) -> dict[str, Value | None]:
    given: dict[str, Value | None] = {n: a for n, a in zip(info.parameters, args, strict=False) if a is not None}
    if keywords:
        names = {argument.arg for argument, _ in info.arguments}
        given |= {k: value for k, value in keywords.items() if k in names and value is not None}
    return given


def _forget_attributes(frame: Frame, node: ast.AST, info: FunctionInfo) -> None:
    """A method may have set any attribute that its class sets outside the constructor."""
    receiver = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if isinstance(receiver, ast.Name) and frame.state.attributes:
        for path in [p for p in frame.state.attributes if p.startswith(receiver.id + ".")]:
            del frame.state.attributes[path]


def _summary_for(frame: Frame, info: FunctionInfo, given: dict[str, Value | None]) -> Summary | None:
    key = _key(given)
    if key is not None and frame.grad != "on":
        key = (frame.grad, *key)
    elif key is not None and len(key) == 1 and _is_own_instance(info, given):
        key = None
    if key in info.summaries:
        return info.summaries[key]
    if info.open or frame.depth >= _DEEPEST or len(info.summaries) >= 4 or info.unit.budget < 0:
        return info.summaries.get(None)
    if key is None:
        follow(info)
        return info.summaries.get(None)
    info.summaries[key] = _summary(_run(info, given, frame.depth + 1, frame.grad if frame.grad != "on" else ""))
    return info.summaries[key]


def _is_own_instance(info: FunctionInfo, given: dict[str, Value | None]) -> bool:
    """Whether nothing is known but what a method is followed with anyway: that self is an instance of its class."""
    if info.cls is None or not info.parameters or info.is_static:
        return False
    own = given.get(info.parameters[0])
    return own is not None and own.ref is info.cls and own.kind in (v.INSTANCE, v.MODULE) and not own.regions


def _key(given: dict[str, Value | None]) -> Any:
    """What of the arguments matters; None if nothing is known that could change the outcome."""
    if not given:
        return None
    parts = [(name, _abstract(value)) for name, value in given.items() if value is not None and value.kind != v.UNKNOWN]
    return tuple(parts) or None


def _abstract(value: Value, deep: bool = True) -> Any:
    kind = value.kind
    if kind in (v.INSTANCE, v.MODULE, v.CLASS, v.FUNCTION, v.LIBRARY):
        return (kind, value.ref if isinstance(value.ref, str) else _identity(value.ref))
    const = (
        value.const
        if kind in (v.BOOL, v.NOTHING, v.TEXT, v.DTYPE) and isinstance(value.const, (bool, str, type(None)))
        else None
    )
    items = None
    if deep and isinstance(value.items, list):
        items = tuple(None if i is None else _abstract(i, deep=False) for i in value.items[:6])
    return (kind, value.graph, value.dtype, value.traits, const, items)


def _identity(ref: Any) -> Any:
    return ref.identity if isinstance(ref, (FunctionInfo, ClassInfo)) else None


def _instantiated(
    frame: Frame, node: ast.AST, result: Value | None, given: dict[str, Value | None], info: FunctionInfo
) -> Value | None:
    """A summary's result in terms of this call: regions of parameters become those of the arguments."""
    if result is None:
        return None
    if result.kind in (v.LIST, v.TUPLE) and isinstance(result.items, list):
        items = [_instantiated(frame, node, i, given, info) for i in result.items]
        return Value(result.kind, node, items=items, traits=result.traits, time=frame.unit.clock)
    if not result.regions:
        return result
    if frame.grad == "off" and result.graph == v.ON and all(r.origin == "fresh" and not r.kept for r in result.regions):
        result = result.with_(graph=v.OFF)
    regions: list[Region] = []
    base: Value | None = None
    for region in result.regions:
        if region.origin == "parameter":
            argument = given.get(region.name)
            if argument is None or not argument.regions:
                return result.with_(regions=()) if result.kind in (v.TENSOR, v.ARRAY) else None
            regions.extend(argument.regions)
            base = argument
        else:
            regions.append(region)
    frame.unit.clock += 1
    if base is not None:
        made = shared(
            frame,
            node,
            base,
            f"{info.name}()",
            kind=result.kind,
            graph=result.graph,
            dtype=result.dtype,
            cut=result.cut,
        )
        made.traits = result.traits | made.traits
        return made.with_(regions=tuple(dict.fromkeys(regions)))
    own = [r if r.kept or r.origin != "fresh" else Region("fresh", node, depth=len(frame.loops)) for r in regions]
    step = result.step if info.unit is frame.unit else None
    if step is None and any(r.kept for r in own):
        step = Step(f"{info.name}()", node, result)
    return result.with_(
        regions=tuple(own), time=frame.unit.clock, node=result.node if step is not None else node, step=step
    )


def construct(info: ClassInfo) -> None:
    """Follow a class's constructor once, so that its attributes are known."""
    if info.started:
        return
    info.started = True
    for parent in info.parents:
        construct(parent)
    for name in ("__init__", "__post_init__", "setup", "reset", "build"):
        method = info.methods.get(name)
        if method is not None:
            follow(method)


def instantiate(
    frame: Frame, node: ast.Call, info: ClassInfo, args: list[Value | None], keywords: dict[str, Value | None]
) -> Value:
    """An instance of a class of the project."""
    construct(info)
    kind = v.TENSOR if info.is_tensor else v.MODULE if info.is_module else v.INSTANCE
    made = Value(kind, node, ref=info, regions=(Region("fresh", node),), time=frame.unit.clock)
    init = info.method("__init__")
    if init is not None and not init.open and frame.depth < _DEEPEST:
        given = _given(init, [None, *args], keywords)
        key = _key(given)
        if key is not None and key not in init.summaries and len(init.summaries) < 4 and init.unit.budget > 0:
            init.summaries[key] = _summary(_run(init, given, frame.depth + 1))
    elif init is None and keywords:
        for name, value in keywords.items():
            store_attribute(frame, node, made, name, value)
    return made


def follow_class(info: ClassInfo) -> None:
    """Follow the methods of a class, the constructor first."""
    construct(info)
    for method in info.methods.values():
        follow(method)
    assert info.unit.frame is not None
    info.unit.tell(ClassEnd, info.unit.frame, info.node, info)
