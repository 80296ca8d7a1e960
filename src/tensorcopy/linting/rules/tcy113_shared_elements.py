"""One object stands in every place of a list, or under several names, where one object each was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow import values as v
from ..flow.events import Assigned, Call, Write, on, on_call
from ..flow.project import ClassInfo
from ..flow.values import Value
from ..model import Level, Rule
from ._reading import body_of, contains, is_read_after, position, written_expression
from ._shells import holds_no_layer, only_module_of

RULE = Rule(
    code="TCY113",
    name="shared-elements",
    level=Level.ERROR,
    summary="one object stands in several places, so its elements share memory or parameters",
)
_ACTIVATIONS = ("ReLU", "GELU", "Tanh", "Sigmoid", "SiLU", "Softmax", "ELU", "Mish", "Hardswish", "Identity")
_WITHOUT_PARAMETERS = (*_ACTIVATIONS, "Dropout", "Pool", "Flatten", "Upsample", "Pad", "Shuffle")
_FILLING = frozenset(("append", "extend", "insert", "update", "add", "setdefault"))


@on_call("torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ParameterList")
def modules(event: Call) -> None:
    """``nn.ModuleList([Block()] * 4)``: four layers with one set of parameters."""
    for i, node in enumerate(event.node.args):
        value = event.args[i] if i < len(event.args) else None
        inner = node.value if isinstance(node, ast.Starred) else node
        if isinstance(node, ast.Starred):
            value = Value(v.LIST, items=list(event.args[i:]))
        if _repeats(value, inner) and not _is_asked_for(event):
            event.report(
                RULE,
                _list_of(event, value) or inner,
                "every layer is the same object, with one set of parameters: they train as one; make one in each "
                "turn, with a comprehension",
            )
        elif isinstance(inner, ast.ListComp):
            _report_shell(event, inner.elt, value, inner)
        if isinstance(node, ast.Starred):
            break


def _is_asked_for(event: Call, made: str = "") -> bool:
    """``if share: layers = [layer for ...] else: layers = [deepcopy(layer) for ...]``: who wants several gets them.

    made: what makes a layer, by its name.
    """
    node = event.frame.unit.parents.get(event.node)
    while node is not None and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        if isinstance(node, ast.If):
            other = node.orelse if any(contains(s, event.node) for s in node.body) else node.body
            names = {_name(n) for s in other for n in ast.walk(s) if isinstance(n, ast.Call)}
            return bool(names & {"deepcopy", made} - {""})
        node = event.frame.unit.parents.get(node)
    return False


def _report_shell(event: Call, made: ast.expr, listed: Value | None, loop: ast.ListComp) -> None:
    """``nn.ModuleList([Residual(net) for _ in range(4)])``, where Residual is nothing but what it is handed."""
    item = listed.items[0] if listed is not None and isinstance(listed.items, list) and listed.items else None
    if item is None or item.kind != v.MODULE or not isinstance(item.ref, ClassInfo) or not isinstance(made, ast.Call):
        return
    name = only_module_of(item.ref)
    given = _argument(made, item.ref, name) if name else None
    if given is not None and not isinstance(given, ast.Call) and not _depends(loop, given):
        event.report(
            RULE,
            made,
            f"every {item.ref.name} holds the same {ast.unparse(given)} and no layer of its own: all train as one; "
            f"hand each a copy.deepcopy of it, unless they are to share their parameters",
            level=Level.WARNING,
        )


def _argument(call: ast.Call, info: ClassInfo, name: str) -> ast.expr | None:
    """What a constructor is given for the parameter *name*."""
    place = info.methods["__init__"].parameters.index(name) - 1 if name in info.methods["__init__"].parameters else -1
    if 0 <= place < len(call.args):
        return call.args[place]
    return next((k.value for k in call.keywords if k.arg == name), None)


@on_call("torch.nn.Module.append")
def appended(event: Call) -> None:
    """``layers.append(layer)`` in a loop, with a layer made before it."""
    node, value, loop = event.argument_node(0), event.argument(0), event.frame.loop
    if not isinstance(node, ast.Name) or value is None or loop is None or not _trains(value) or value.node is None:
        return
    if value.ref is None and "on one branch" in value.traits:
        return
    made = _name(value.node) if isinstance(value.node, ast.expr) else ""
    if not contains(loop, value.node) and not _binds(loop, node.id) and not _is_asked_for(event, made):
        event.report(
            RULE,
            event.node,
            f"each turn appends the same module {node.id}, with one set of parameters: all train as one; make one "
            f"in each turn",
        )


def _binds(tree: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(tree))


def _trains(value: Value) -> bool:
    """Whether a value is a module with parameters, or a parameter."""
    if value.kind == v.MODULE:
        if value.ref is None:
            return "trained" in value.traits
        if isinstance(value.ref, ClassInfo) and holds_no_layer(value.ref):
            return False
        return not any(word in str(value.ref) for word in _WITHOUT_PARAMETERS)
    return value.kind == v.TENSOR and "parameter" in value.traits


def _repeats(value: Value | None, node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _repeats_call(node.left if isinstance(node.left, ast.List) else node.right) or _has_repeated(value)
    if isinstance(node, ast.Call) and _name(node) == "repeat" and node.args:
        return _makes_layer(node.args[0])
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and isinstance(node.elt, ast.Call):
        return _name(node.elt) == "copy" and len(node.elt.args) == 1 and not _depends(node, node.elt.args[0])
    return _has_repeated(value)


def _repeats_call(display: ast.expr) -> bool:
    return isinstance(display, ast.List) and len(display.elts) == 1 and _makes_layer(display.elts[0])


def _makes_layer(node: ast.expr) -> bool:
    name = _name(node)
    return name[:1].isupper() and not any(word in name for word in _WITHOUT_PARAMETERS)


def _name(node: ast.expr) -> str:
    func = node.func if isinstance(node, ast.Call) else None
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _depends(node: ast.ListComp | ast.GeneratorExp, inner: ast.expr) -> bool:
    """Whether an expression in a comprehension depends on its variable."""
    bound = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    return any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(inner))


def _has_repeated(value: Value | None) -> bool:
    items = value.items if value is not None and isinstance(value.items, list) else []
    return any(item is not None and "repeated" in item.traits and _trains(item) for item in items)


def _list_of(event: Call, value: Value | None) -> ast.AST | None:
    """Where the list was made, if it was made before the call."""
    items = value.items if value is not None and isinstance(value.items, list) else []
    steps = [i.step.node for i in items if i is not None and i.step is not None and i.step.name == "repetition"]
    return next((n for n in steps if not contains(event.node, n)), None)


@on("Write")
def repeated_tensor(event: Write) -> None:
    """``rows = [torch.zeros(3)] * 4; rows[0][1] = 5`` writes all four rows."""
    value = event.value
    step = next((s for s in value.steps() if s.name == "repetition"), None)
    if step is None or value.kind not in v.NUMERIC or event.how in ("call", "step") or _is_replaced_first(event):
        return
    event.report(
        RULE,
        step.node,
        "one object stands in every place here, and an element is written in place: all elements change; "
        "make one in each turn, with a comprehension",
        related=((event.node, "one element is written here"),),
    )


def _is_replaced_first(event: Write) -> bool:
    """``losses[i] = term; losses[i] += other``: the place has a value of its own before it is written."""
    target = ast.dump(written_expression(event.node)).replace("Store()", "Load()")
    nodes = (n for n in ast.walk(body_of(event.frame)) if isinstance(n, ast.Assign))
    earlier = (t for n in nodes if position(n) < position(event.node) for t in n.targets)
    return any(ast.dump(t).replace("Store()", "Load()") == target for t in earlier)


@on("Write")
def chained(event: Write) -> None:
    """``mean = var = np.zeros(3); mean += x`` changes var as well."""
    value, made = event.value, event.value.owner.node
    if made is None or value.kind not in v.NUMERIC or any(s.name != "=" for s in value.steps()):
        return
    statement = event.frame.unit.parents.get(made)
    if not isinstance(statement, ast.Assign) or len(statement.targets) < 2 or event.how in ("call", "step"):
        return
    if contains(statement, event.node):
        return
    other = next((t for t in _others(statement, event) if _is_used_alone(event, t)), None)
    if other is not None:
        event.report(
            RULE,
            statement,
            f"all names here stand for one object: what is written under one changes {ast.unparse(other)} as well; "
            f"make one for each",
            related=((event.node, "written here under one name"),),
        )


def _others(statement: ast.Assign, event: Write) -> Iterator[ast.Name | ast.Attribute]:
    """The other names of a chained assignment, if all are of one sort and one of them is written through."""
    targets = statement.targets
    named = [t for t in targets if isinstance(t, (ast.Name, ast.Attribute))]
    if len({type(t) for t in targets}) != 1 or len(named) != len(targets):
        return
    texts = {ast.unparse(n) for n in ast.walk(event.node) if isinstance(n, (ast.Name, ast.Attribute))}
    if any(ast.unparse(t) in texts for t in named):
        yield from (t for t in named if ast.unparse(t) not in texts)


def _is_used_alone(event: Write, target: ast.Name | ast.Attribute) -> bool:
    """Whether the other name is read or written later in its own right, before it gets another value."""
    if isinstance(target, ast.Name):
        return is_read_after(event.frame, target.id, event.node) and not _is_rebound(event, target)
    cls = event.frame.cls
    if cls is None or _stores(cls, target.attr) > 1:
        return False
    loads = ast.walk(cls.node)
    return any(isinstance(n, ast.Attribute) and n.attr == target.attr and n is not target for n in loads)


def _stores(cls: ClassInfo, attribute: str) -> int:
    """How often a class binds an attribute."""
    nodes = (n for n in ast.walk(cls.node) if isinstance(n, ast.Attribute) and n.attr == attribute)
    return sum(isinstance(n.ctx, ast.Store) for n in nodes)


def _is_rebound(event: Write, target: ast.Name) -> bool:
    """Whether the name gets another value by an assignment of its own."""
    for node in ast.walk(body_of(event.frame)):
        plain = isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == target.id for t in node.targets
        )
        if plain and position(node) > position(target):
            return True
    return False


@on("Assigned")
def repeated_container(event: Assigned) -> None:
    """``rows = [[]] * 4; rows[0].append(x)`` fills all four; so does ``dict.fromkeys(keys, [])``."""
    source, target = event.source, event.target
    if not _repeats_container(source) or not isinstance(target, (ast.Name, ast.Attribute)):
        return
    cls = event.frame.cls
    if isinstance(target, ast.Attribute) and cls is not None and _is_bound_anew(cls, target):
        return
    tree = cls.node if isinstance(target, ast.Attribute) and cls is not None else body_of(event.frame)
    text = ast.dump(target).replace("Store()", "Load()")
    filled = next((n for n in ast.walk(tree) if _fills_element(n, text)), None)
    if filled is not None and not any(_replaces_element(n, text) for n in ast.walk(tree)):
        event.report(
            RULE,
            source,
            "one container stands in every place here, and what is put into one element is put into all; "
            "make one in each turn, with a comprehension",
            related=((filled, "one element is filled here"),),
        )


def _is_bound_anew(cls: ClassInfo, target: ast.Attribute) -> bool:
    """Whether another statement of the class gives the attribute another value, before it is filled for all we know."""
    stores = (n for n in ast.walk(cls.node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    return any(n.attr == target.attr and n is not target for n in stores)


def _repeats_container(node: ast.expr) -> bool:
    if type(node) is ast.BinOp and isinstance(node.op, ast.Mult):
        display = node.left if isinstance(node.left, ast.List) else node.right
        return isinstance(display, ast.List) and len(display.elts) == 1 and _is_container(display.elts[0])
    if type(node) is not ast.Call or len(node.args) != 2:
        return False
    return _name(node) == "fromkeys" and _is_container(node.args[1])


def _is_container(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mult) and (isinstance(node.left, ast.List) or isinstance(node.right, ast.List))
    return isinstance(node, (ast.List, ast.Dict, ast.Set, ast.ListComp)) or _name(node) in (
        "list",
        "dict",
        "set",
        "deque",
    )


def _replaces_element(node: ast.AST, text: str) -> bool:
    """``if not rows[i]: rows[i] = []``: each place gets a container of its own before it is filled."""
    return isinstance(node, ast.Assign) and any(
        isinstance(t, ast.Subscript) and ast.dump(t.value) == text and _is_container(node.value) for t in node.targets
    )


def _fills_element(node: ast.AST, text: str) -> bool:
    """``rows[i].append(x)`` or ``rows[i][j] = x`` for the rows whose dump is *text*."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
        element = node.func.value
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        element = node.value
    else:
        return False
    return isinstance(element, ast.Subscript) and ast.dump(element.value) == text
