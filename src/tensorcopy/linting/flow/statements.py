"""Follow statements: bindings, writes, branches, loops (two turns, which shows what a later turn does), with-blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from . import values as v
from .containers import store_attribute
from .events import Assigned, AssignedAttribute, Discarded, LoopEnd, Operator, Returned
from .expressions import computed, evaluate, index_kind, path_of
from .frame import Frame
from .guards import narrowed, truth
from .making import element_value, fresh, shared
from .project import ClassInfo, FunctionInfo
from .values import Region, Step, Value, element_of, one_of

Execute = Callable[[Frame, Any], None]
STATEMENTS: dict[type, Execute] = {}


def executes(*types: type) -> Callable[[Execute], Execute]:
    """Register the execution of statement types."""

    def register(function: Execute) -> Execute:
        for kind in types:
            STATEMENTS[kind] = function
        return function

    return register


def run_block(frame: Frame, body: Sequence[ast.stmt]) -> None:
    """Follow statements in order until the path ends."""
    unit = frame.unit
    for statement in body:
        if frame.state.dead:
            return
        handler = STATEMENTS.get(type(statement))
        if handler is not None:
            unit.budget -= 1
            handler(frame, statement)


@executes(ast.Expr)
def _expression(frame: Frame, node: ast.Expr) -> None:
    value = evaluate(frame, node.value)
    told = frame.unit.told
    if type(node.value) is ast.Call and told is not None and told[0] is node.value:
        _, name, receiver, args = told
        if name.endswith("set_grad_enabled"):
            _set_grad_mode(frame, node.value)
        frame.unit.tell(Discarded, frame, node.value, name, receiver, args, value)


def _set_grad_mode(frame: Frame, node: ast.expr) -> None:
    """``torch.set_grad_enabled(...)`` as a statement holds from here on; in a module, for its functions as well."""
    frame.grad = grad_mode(frame, node, frame.grad)
    if frame.function is None:
        frame.unit.grad = frame.grad


def quiet_value(frame: Frame, node: ast.expr) -> Value | None:
    """The value of a name or an attribute as the state has it, telling no rule."""
    if type(node) is ast.Name:
        return frame.lookup(node.id)
    if type(node) is ast.Attribute:
        path = path_of(node)
        if path is not None:
            return frame.state.attributes.get(path)
    return None


@executes(ast.Assign)
def _assign(frame: Frame, node: ast.Assign) -> None:
    value = evaluate(frame, node.value)
    for target in node.targets:
        bind(frame, node, target, node.value, value)


@executes(ast.AnnAssign)
def _annotated(frame: Frame, node: ast.AnnAssign) -> None:
    if node.value is not None:
        value = evaluate(frame, node.value)
        bind(frame, node, node.target, node.value, value if value is not None else annotated(frame, node.annotation))
    elif type(node.target) is ast.Name and node.target.id not in frame.state.names:
        frame.state.names[node.target.id] = annotated(frame, node.annotation)


def bind(frame: Frame, node: ast.AST, target: ast.expr, source: ast.expr, value: Value | None) -> None:
    """Bind *value* to a target; a subscript is written into."""
    kind = type(target)
    if kind is ast.Name:
        if (
            type(source) in (ast.Name, ast.Attribute, ast.Subscript)
            and value is not None
            and value.regions
            and value.node is not source
        ):
            value = _renamed(frame, node, value)
        frame.state.names[target.id] = value  # type: ignore[attr-defined]
        _forget(frame, target.id)  # type: ignore[attr-defined]
        if target.id in frame.globals and frame.unit.frame is not None:  # type: ignore[attr-defined]
            frame.unit.frame.state.names[target.id] = value  # type: ignore[attr-defined]
    elif kind is ast.Attribute:
        _bind_attribute(frame, node, target, source, value)  # type: ignore[arg-type]
    elif kind is ast.Subscript:
        _bind_item(frame, node, target, source, value)  # type: ignore[arg-type]
    elif kind in (ast.Tuple, ast.List):
        _unpack(frame, node, target, source, value)
        return
    elif kind is ast.Starred:
        bind(frame, node, target.value, source, None)  # type: ignore[attr-defined]
        return
    frame.unit.tell(Assigned, frame, node, target, source, value)
    if kind is ast.Attribute:
        frame.unit.tell(AssignedAttribute, frame, node, target, source, value)


def _renamed(frame: Frame, node: ast.AST, value: Value) -> Value:
    """The same object under another name, told apart so that a write through either is seen from the other."""
    frame.unit.clock += 1
    return value.with_(step=Step("=", node, value), time=frame.unit.clock)


def _forget(frame: Frame, name: str) -> None:
    """Attributes of the object that *name* stood for no longer belong to it."""
    attributes = frame.state.attributes
    if attributes:
        prefix = name + "."
        for path in [p for p in attributes if p.startswith(prefix)]:
            del attributes[path]


def _bind_attribute(frame: Frame, node: ast.AST, target: ast.Attribute, source: ast.expr, value: Value | None) -> None:
    base = evaluate(frame, target.value)
    if target.attr == "data" and base is not None and base.kind == v.TENSOR:
        frame.unit.clock += 1
        return
    path = path_of(target)
    if path is not None:
        frame.state.attributes[path] = value
        _forget(frame, path)
    if target.attr == "requires_grad" and base is not None and base.kind == v.TENSOR:
        _require_grad(frame, target.value, base, value)
    if base is not None:
        if value is not None and value.regions:
            if type(source) is ast.Attribute and value.node is not source:
                value = _renamed(frame, node, value)
                if path is not None:
                    frame.state.attributes[path] = value
            frame.keep(node, value, "attribute", target)
        store_attribute(frame, node, base, target.attr, value)


def _bind_item(frame: Frame, node: ast.AST, target: ast.Subscript, source: ast.expr, value: Value | None) -> None:
    base = evaluate(frame, target.value)
    index = evaluate(frame, target.slice)
    if base is None:
        return
    if base.kind in (v.TENSOR, v.ARRAY):
        frame.write(target, base, "subscript", value)
        if value is not None and value.graph == v.ON and frame.grad == "on" and base.graph != v.ON:
            _put_on_graph(base)
    elif (
        base.kind == v.UNKNOWN
        and base.regions
        and index_kind(target.slice, index) in ("slice", "mask", "advanced", "slice?")
    ):
        frame.write(target, base, "subscript", value)
    elif base.kind in (v.DICT, v.LIST):
        _store_item(base, index, value)
        if value is not None and value.regions:
            frame.keep(node, value, "item", base)


def _require_grad(frame: Frame, node: ast.expr, base: Value, asked: Value | None) -> None:
    """``base.requires_grad = asked``: what *node* stands for is a leaf from here on, or no longer trained."""
    wanted = asked is not None and asked.const is True
    if asked is None or asked.const is v.MISSING:
        changed = base.with_(graph=v.UNSURE)
    elif wanted:
        leaf = base.graph != v.ON
        changed = base.with_(
            graph=v.ON, traits=base.traits | ({"leaf"} if leaf else set()), node=node if leaf else base.node
        )
    else:
        changed = base.with_(graph=v.OFF)
    if not wanted and isinstance(base.ref, Value):
        base.ref.traits = base.ref.traits | {"frozen"}
    _rebind(frame, node, node, changed)
    holder = quiet_value(frame, node.value) if type(node) is ast.Attribute else None
    if holder is not None and isinstance(holder.ref, ClassInfo):
        holder.ref.attributes[node.attr] = changed  # type: ignore[attr-defined]


def _put_on_graph(value: Value) -> None:
    """What is written from the graph puts the buffer, and all it was viewed from, on the graph."""
    current: Value | None = value
    for _ in range(20):
        if current is None:
            return
        current.graph = v.ON
        current = current.step.base if current.step is not None else None


def _store_item(base: Value, index: Value | None, value: Value | None) -> None:
    if isinstance(base.items, dict):
        const = index.const if index is not None else v.MISSING
        key: Any = const if isinstance(const, (str, int)) else ...
        base.items[key] = value if key is not ... or ... not in base.items else v.joined(base.items[...], value)
    elif isinstance(base.items, list):
        if index is not None and isinstance(index.const, int) and -len(base.items) <= index.const < len(base.items):
            base.items[index.const] = value
        elif base.items and all(i is not None and i.kind == v.NOTHING for i in base.items):
            base.items[:] = [value]  # places that wait to be filled
        elif len(base.items) < 16:
            base.items.append(value)


def _unpack(frame: Frame, node: ast.AST, target: Any, source: ast.expr, value: Value | None) -> None:
    parts = target.elts
    sources = source.elts if type(source) in (ast.Tuple, ast.List) and len(source.elts) == len(parts) else None  # type: ignore[attr-defined]
    values = _parts_of(frame, node, value, len(parts))
    for i, part in enumerate(parts):
        inner = sources[i] if sources is not None else source if type(source) is not ast.Name else node
        moved = values[i] if sources is not None and frame.state.writes else None
        if moved is not None and type(part) is ast.Subscript:
            frame.check_read(sources[i], moved)  # type: ignore[index]
        bind(frame, node, part, inner if isinstance(inner, ast.expr) else target, values[i])


def _parts_of(frame: Frame, node: ast.AST, value: Value | None, count: int) -> list[Value | None]:
    if value is None:
        return [None] * count
    if value.kind in (v.LIST, v.TUPLE) and isinstance(value.items, list):
        if len(value.items) == count and "comprehension" not in value.traits:
            return value.items
        return [element_of(value.items)] * count
    if "collated" in value.traits:
        return [value] * count
    if "tensors" in value.traits:
        return [fresh(frame, node, v.TENSOR) for _ in range(count)]
    if "sizes" in value.traits:
        return [Value(v.INT, node)] * count
    if value.kind in (v.TENSOR, v.ARRAY):
        return [shared(frame, node, value, "unpacking") for _ in range(count)]
    return [None] * count


@executes(ast.AugAssign)
def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    target = node.target
    current = evaluate(frame, target)
    value = evaluate(frame, node.value)
    if current is not None or value is not None:
        frame.unit.tell(Operator, frame, node, current, value, None)
    if current is not None and current.kind in (v.TENSOR, v.ARRAY):
        if type(target) is ast.Subscript and current.step is not None and current.step.name == "[...]":
            frame.write(node, current.step.base, "subscript", value)
        else:
            frame.write(node, current, "augmented", value)
        if value is not None and value.graph == v.ON and frame.grad == "on" and current.graph != v.ON:
            _put_on_graph(current)
        if value is not None and value.cut is not None and current.cut is None:
            current = current.with_(cut=value.cut)
            _rebind(frame, node, target, current)
        return
    if type(target) is ast.Subscript:
        _augmented_item(frame, node, target, value)
        return
    if current is not None and current.kind == v.UNKNOWN and current.regions and current.traits & {"view", "inferred"}:
        frame.write(node, current, "augmented", value)
        return
    if current is not None and current.kind == v.LIST and isinstance(node.op, ast.Add):
        if isinstance(current.items, list) and value is not None and isinstance(value.items, list):
            current.items.extend(value.items[:8])
            for item in value.items[:8]:
                if item is not None and item.regions:
                    frame.keep(node, item, "append", current)
        return
    result = computed(frame, node, node.op, current, value)
    if result is None and current is not None and current.kind == v.UNKNOWN:
        result = current
    _rebind(frame, node, target, result)


def _rebind(frame: Frame, node: ast.AST, target: ast.expr, value: Value | None) -> None:
    if type(target) is ast.Name:
        frame.state.names[target.id] = value
    elif type(target) is ast.Attribute and (path := path_of(target)) is not None:
        frame.state.attributes[path] = value


def _augmented_item(frame: Frame, node: ast.AugAssign, target: ast.Subscript, value: Value | None) -> None:
    """``x[i] += y`` writes x, whatever ``x[i]`` is alone."""
    base = quiet_value(frame, target.value)
    if base is None:
        return
    index = evaluate(frame, target.slice)
    if base.kind in (v.TENSOR, v.ARRAY) or (
        base.kind == v.UNKNOWN
        and base.regions
        and index_kind(target.slice, index) in ("slice", "mask", "advanced", "slice?")
    ):
        frame.write(target, base, "subscript", value)


@executes(ast.Return)
def _return(frame: Frame, node: ast.Return) -> None:
    value = evaluate(frame, node.value) if node.value is not None else Value(v.NOTHING, node, const=None)
    frame.returns.append(value)
    if node.value is not None and value is not None:
        frame.unit.tell(Returned, frame, node, value)
        if frame.cls is not None:
            _tell_class(frame, node, value)
    frame.state.dead = True


def _tell_class(frame: Frame, node: ast.Return, value: Value) -> None:
    """Note which attributes' memory a method hands out, also inside a tuple or a dict."""
    assert frame.cls is not None
    held = value.items.values() if isinstance(value.items, dict) else value.items or ()
    for inner in (value, *(held if value.kind in (v.TUPLE, v.DICT) else ())):
        for region in inner.regions if inner is not None else ():
            if region.kept:
                frame.cls.returned.setdefault(region.kept, []).append((frame.function, node, inner))


@executes(ast.Raise)
def _raise(frame: Frame, node: ast.Raise) -> None:
    if node.exc is not None:
        evaluate(frame, node.exc)
    frame.state.dead = True


@executes(ast.Break, ast.Continue)
def _leave(frame: Frame, node: ast.stmt) -> None:
    if frame.exits:
        frame.exits[-1].append(frame.state.copy())
    frame.state.dead = True


@executes(ast.If)
def _if(frame: Frame, node: ast.If) -> None:
    known = truth(frame, node.test)
    evaluate(frame, node.test)
    before = frame.state
    if known is False:
        narrowed(frame, node.test, holds=False)
        run_block(frame, node.orelse)
        return
    if known is True:
        narrowed(frame, node.test, holds=True)
        run_block(frame, node.body)
        return
    frame.state = before.copy()
    narrowed(frame, node.test, holds=True)
    run_block(frame, node.body)
    then = frame.state
    frame.state = before
    narrowed(frame, node.test, holds=False)
    run_block(frame, node.orelse)
    frame.state = frame.state.join(then)


@executes(ast.For, ast.AsyncFor)
def _for(frame: Frame, node: Any) -> None:
    iterated = evaluate(frame, node.iter)
    _loop(frame, node, lambda: bind(frame, node.iter, node.target, node.iter, _element(frame, node.iter, iterated)))


@executes(ast.While)
def _while(frame: Frame, node: ast.While) -> None:
    evaluate(frame, node.test)
    _loop(frame, node, lambda: narrowed(frame, node.test, holds=True))


def _loop(frame: Frame, node: Any, enter: Callable[[], None]) -> None:
    before = frame.state.copy()
    frame.loops.append(node)
    frame.exits.append([])
    for _ in range(2 if len(frame.loops) <= 3 else 1):
        frame.unit.clock += 1
        frame.iteration = frame.unit.clock
        enter()
        run_block(frame, node.body)
        frame.exits[-1].append(frame.state)
        frame.state = _joined(frame.exits[-1])
        frame.exits[-1] = []
        if frame.state.dead:
            break
    frame.exits.pop()
    frame.loops.pop()
    if frame.state.dead:
        frame.state = before
    else:
        frame.state.join(_before_a_turn(before, frame.state))
    frame.unit.tell(LoopEnd, frame, node)
    run_block(frame, node.orelse)


def _before_a_turn(before: Any, after: Any) -> Any:
    """What no turn at all leaves. ``for layer in layers: x = layer(x)`` is written to run: x is what a layer gives."""
    for name in [n for n, value in after.names.items() if value is None and before.names.get(n) is not None]:
        del before.names[name]
    return before


def _joined(states: list[Any]) -> Any:
    found = states[-1]
    for state in states[:-1]:
        found = found.join(state)
    return found


def bind_loop_variable(frame: Frame, target: ast.expr, iterated: ast.expr) -> None:
    """One turn of ``for target in iterated``."""
    value = evaluate(frame, iterated)
    bind(frame, iterated, target, iterated, _element(frame, iterated, value))


def _element(frame: Frame, node: ast.expr, value: Value | None) -> Value | None:
    if value is None:
        return None
    kind = value.kind
    if kind in (v.LIST, v.TUPLE, v.SET):
        return one_of(value.items) if isinstance(value.items, list) else None
    if kind == "dict view":
        return _of_dict_view(value)
    if kind == "enumerate":
        inner = _element(frame, node, value.items[0]) if value.items else None
        return Value(v.TUPLE, node, items=[Value(v.INT, node), inner])
    if kind == "zip":
        return Value(v.TUPLE, node, items=[_element(frame, node, i) for i in value.items])
    if kind in (v.TENSOR, v.ARRAY):
        return shared(frame, node, value, "iteration", traits=frozenset(("number index",)))
    if kind == v.UNKNOWN and value.regions:
        return element_value(frame, node, value)
    if kind == v.LOADER:
        return Value(v.UNKNOWN, node, traits=_COLLATED)
    if kind == v.MODULE and isinstance(value.items, list):
        return element_of(value.items)
    return None


def _of_dict_view(value: Value) -> Value | None:
    inner = value.items[0] if value.items else None
    key = Value(v.TEXT, value.node) if "named" in value.traits else None
    if value.ref == "items":
        return Value(v.TUPLE, value.node, items=[key, inner])
    return inner if value.ref == "values" else key


@executes(ast.With, ast.AsyncWith)
def _with(frame: Frame, node: Any) -> None:
    before = frame.grad
    probing = frame.probing
    for item in node.items:
        value = evaluate(frame, item.context_expr)
        frame.grad = grad_mode(frame, item.context_expr, frame.grad)
        frame.probing += _expects_error(item.context_expr)
        if item.optional_vars is not None:
            bind(frame, node, item.optional_vars, item.context_expr, value)
    run_block(frame, node.body)
    frame.grad, frame.probing = before, probing


def _expects_error(node: ast.expr) -> bool:
    """Whether ``with node:`` runs its body to see it fail or warn: `pytest.raises`, `assertRaises`, `suppress`."""
    func = node.func if isinstance(node, ast.Call) else node
    name = (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")).lower()
    return any(word in name for word in ("raise", "warn", "suppress", "profile"))


def grad_mode(frame: Frame, node: ast.expr, current: str) -> str:
    """The grad mode inside ``with node:``."""
    call = node if isinstance(node, ast.Call) else None
    func = call.func if call is not None else node
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if name in ("no_grad", "inference_mode"):
        return "off"
    if name == "enable_grad":
        return "on"
    if name == "set_grad_enabled" and call is not None:
        argument = call.args[0] if call.args else None
        if isinstance(argument, ast.Constant):
            return "on" if argument.value else "off"
        return "unsure"
    return "unsure" if "grad" in name or "inference" in name else current


@executes(ast.Try)
def _try(frame: Frame, node: ast.Try) -> None:
    before = frame.state.copy()
    frame.probing += bool(node.handlers)
    run_block(frame, node.body)
    frame.probing -= bool(node.handlers)
    if not frame.state.dead:
        run_block(frame, node.orelse)
    after = frame.state
    for handler in node.handlers:
        frame.state = before.copy()
        run_block(frame, handler.body)
        after = after.join(frame.state)
    frame.state = after
    if node.finalbody:
        dead, frame.state.dead = frame.state.dead, False
        run_block(frame, node.finalbody)
        frame.state.dead = frame.state.dead or dead


if hasattr(ast, "TryStar"):
    STATEMENTS[ast.TryStar] = _try


@executes(ast.Match)
def _match(frame: Frame, node: ast.Match) -> None:
    evaluate(frame, node.subject)
    before, after = frame.state, None
    for case in node.cases:
        frame.state = before.copy()
        for name in (n.name for n in ast.walk(case.pattern) if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name):
            frame.state.names[name] = None
        run_block(frame, case.body)
        after = frame.state if after is None else after.join(frame.state)
    frame.state = before if after is None else before.join(after)


@executes(ast.Delete)
def _delete(frame: Frame, node: ast.Delete) -> None:
    for target in node.targets:
        if type(target) is ast.Name:
            frame.state.names.pop(target.id, None)


@executes(ast.Assert)
def _assert(frame: Frame, node: ast.Assert) -> None:
    evaluate(frame, node.test)
    narrowed(frame, node.test, holds=True)


@executes(ast.Global, ast.Nonlocal)
def _global(frame: Frame, node: Any) -> None:
    frame.globals.update(node.names)


@executes(ast.Import)
def _import(frame: Frame, node: ast.Import) -> None:
    for alias in node.names:
        if alias.asname is not None:
            frame.state.names[alias.asname] = frame.unit.library(alias.name)
        else:
            root = alias.name.partition(".")[0]
            frame.state.names[root] = frame.unit.library(root)


@executes(ast.ImportFrom)
def _import_from(frame: Frame, node: ast.ImportFrom) -> None:
    from .resolving import imported

    for alias in node.names:
        if alias.name != "*":
            frame.state.names[alias.asname or alias.name] = imported(frame.unit, node, alias.name)


@executes(ast.FunctionDef, ast.AsyncFunctionDef)
def _function(frame: Frame, node: Any) -> None:
    outer = frame if frame.function is not None else None
    info = FunctionInfo(node, frame.unit, None, outer)
    frame.state.names[node.name] = Value(v.FUNCTION, node, ref=info, items=[])
    if frame.depth == 0:
        frame.unit.functions.append(info)
    for default in (*node.args.defaults, *node.args.kw_defaults):
        if default is not None:
            evaluate(frame, default)


@executes(ast.ClassDef)
def _class(frame: Frame, node: ast.ClassDef) -> None:
    info = class_of(frame, node)
    frame.state.names[node.name] = Value(v.CLASS, node, ref=info)
    if frame.depth == 0:
        frame.unit.classes.append(info)


def class_of(frame: Frame, node: ast.ClassDef) -> ClassInfo:
    """The class that a statement defines, its methods not yet followed."""
    info = ClassInfo(node, frame.unit, [evaluate(frame, b) for b in node.bases], frame)
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            outer = frame if frame.function is not None else None
            info.methods[statement.name] = FunctionInfo(statement, frame.unit, info, outer)
        elif isinstance(statement, ast.Assign):
            value = evaluate(frame, statement.value)
            for target in statement.targets:
                if type(target) is ast.Name:
                    info.attributes[target.id] = value
        elif (
            isinstance(statement, ast.AnnAssign) and type(statement.target) is ast.Name and statement.value is not None
        ):
            info.attributes[statement.target.id] = evaluate(frame, statement.value)
    return info


_ANNOTATED = {
    "torch.Tensor": v.TENSOR,
    "torch.FloatTensor": v.TENSOR,
    "torch.LongTensor": v.TENSOR,
    "torch.nn.Parameter": v.TENSOR,
    "numpy.ndarray": v.ARRAY,
    "numpy.typing.NDArray": v.ARRAY,
    "builtins.int": v.INT,
    "builtins.float": v.FLOAT,
    "builtins.bool": v.BOOL,
    "builtins.str": v.TEXT,
    "builtins.bytes": v.BYTES,
    "builtins.dict": v.DICT,
    "torch.optim.Optimizer": v.OPTIMIZER,
    "pandas.Series": v.SERIES,
    "torch.device": v.DEVICE,
}
# What a loader's own collation makes of a batch: tensors, in tuples or dicts, but for text.
_COLLATED = frozenset(("collated",))
_LISTS = frozenset(("List", "list", "Sequence", "Iterable", "Tuple", "tuple"))


def annotated(frame: Frame, node: ast.expr | None, region: Region | None = None) -> Value | None:
    """What an annotation says, with memory in *region*; None if it says nothing that helps."""
    if node is None:
        return None
    if type(node) is ast.Constant and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    if type(node) is ast.BinOp and isinstance(node.op, ast.BitOr):
        return _either(annotated(frame, node.left, region), annotated(frame, node.right, region), node)
    if type(node) is ast.Subscript:
        return _annotated_generic(frame, node, region)
    if type(node) is ast.Constant and node.value is None:
        return Value(v.NOTHING, node, const=None)
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return None
    value = evaluate(frame, node)
    if value is None:
        return None
    kind = _ANNOTATED.get(str(value.ref)) if value.kind == v.LIBRARY else None
    if kind is not None:
        regions = (region,) if region is not None and kind in (v.TENSOR, v.ARRAY, v.SERIES) else ()
        return Value(kind, node, regions=regions, traits=frozenset(("annotated",)))
    if isinstance(value.ref, ClassInfo) and value.kind == v.CLASS:
        if value.ref.is_tensor:
            return Value(
                v.TENSOR,
                node,
                regions=(region,) if region is not None else (),
                traits=frozenset(("annotated", "subclass")),
            )
        return Value(v.MODULE if value.ref.is_module else v.INSTANCE, node, ref=value.ref)
    return None


def _either(a: Value | None, b: Value | None, node: ast.expr) -> Value | None:
    if a is None or b is None:
        return None
    if b.kind == v.NOTHING:
        return a.with_(traits=a.traits | {"or None"})
    if a.kind == v.NOTHING:
        return b.with_(traits=b.traits | {"or None"})
    return a if a.kind == b.kind else None


def _annotated_generic(frame: Frame, node: ast.Subscript, region: Region | None) -> Value | None:
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not inner:
        return None
    if name == "Optional":
        found = annotated(frame, inner[0], region)
        return found.with_(traits=found.traits | {"or None"}) if found is not None else None
    if name == "Union":
        found = annotated(frame, inner[0], region)
        for other in inner[1:]:
            found = _either(found, annotated(frame, other, region), node)
        return found
    if name in ("NDArray", "ndarray"):
        return Value(v.ARRAY, node, regions=(region,) if region is not None else (), traits=frozenset(("annotated",)))
    if name in (
        "Float",
        "Int",
        "Int64",
        "Int32",
        "Float32",
        "Float64",
        "Bool",
        "Shaped",
        "Num",
        "Integer",
        "UInt8",
        "Complex",
    ):
        return annotated(frame, inner[0], region)
    if name in _LISTS and inner:
        region = region.element if region is not None else None
        element = annotated(frame, inner[0], region)
        kind = v.TUPLE if name in ("Tuple", "tuple") else v.LIST
        if kind == v.TUPLE and not (len(inner) == 2 and isinstance(inner[1], ast.Constant)):
            return Value(
                kind, node, items=[annotated(frame, i, region) for i in inner], traits=frozenset(("annotated",))
            )
        return Value(kind, node, items=[element], traits=frozenset(("comprehension", "annotated")))
    if name in ("Dict", "dict", "Mapping") and inner:
        return Value(
            v.DICT, node, items={...: annotated(frame, inner[-1], region.element if region is not None else None)}
        )
    return None
