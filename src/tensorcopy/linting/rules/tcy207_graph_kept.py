"""Losses kept over the turns of a loop together with their graphs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..flow import values as v
from ..flow.events import LoopEnd, on
from ..flow.frame import Frame
from ..flow.places import inserted_after
from ..flow.walking import walk
from ..model import Fix, Level, Rule
from ._reading import body_of, position

RULE = Rule(
    code="TCY207",
    name="graph-kept-by-sum",
    level=Level.WARNING,
    summary="a loss that is back-propagated is also summed or collected: each turn's graph stays in memory",
)
_APART = frozenset((ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))
_OFF_GRAPH = frozenset(("item", "detach", "data", "numpy", "tolist", "detach_"))
_ON_GRAPH = frozenset(
    [
        "clone",
        "cpu",
        "cuda",
        "to",
        "float",
        "double",
        "mean",
        "sum",
        "view",
        "reshape",
        "squeeze",
        "unsqueeze",
        "contiguous",
    ]
)


@on("LoopEnd")
def ended(event: LoopEnd) -> None:
    """``loss.backward(); total += loss``, ``losses.append(loss)``."""
    unit, loop = event.frame.unit, event.node
    if event.frame.grad == "off" or not unit.says("backward(", "backward (") or not unit.says("torch"):
        return
    if not unit.mentions(loop, "append", "extend", "+=", " + ", "yield", "insert"):
        return
    inside = list(_own(loop))
    targets = {key: node for node in inside for key in _back_propagated(node)}
    if targets:
        _add_siblings(targets, inside)
        _add_terms(targets, inside)
        _add_inputs(event.frame, targets, inside)
    targets |= _results_of_steps(event.frame, inside)
    if not targets:
        return
    for node in inside:
        for kept, holder in _kept(node):
            carried = _carrier(kept, targets)
            if carried is not None and _stays(event.frame, loop, inside, holder, ast.unparse(carried), targets):
                _tell(event, node, carried, holder, targets[ast.unparse(carried)])


def _own(loop: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a loop's body that belong to no loop or function inside of it."""
    for statement in getattr(loop, "body", ()):
        yield from walk(statement, _APART)


def _back_propagated(node: ast.AST) -> list[str]:
    """What a call computes gradients from, as text."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return []
    func = node.func
    if func.attr not in ("backward", "manual_backward"):
        return []
    source: ast.expr = node.args[0] if node.args and not _is_value_like(func.value) else func.value
    if (
        isinstance(source, ast.Call)
        and source.args
        and isinstance(source.func, ast.Attribute)
        and source.func.attr == "scale"
    ):
        source = source.args[0]
    return [ast.unparse(n) for n in _operands(source)]


def _is_value_like(node: ast.expr) -> bool:
    """Whether ``node.backward(x)`` is about node: a loss given the outer gradient, not a trainer given a loss."""
    text = ast.unparse(node)
    return isinstance(node, ast.Name) and "loss" in text.lower() and "scaler" not in text.lower()


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """The names that an arithmetic expression is a sum, product or mean of."""
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        yield node
    elif isinstance(node, ast.BinOp):
        yield from _operands(node.left)
        yield from _operands(node.right)
    elif isinstance(node, ast.UnaryOp):
        yield from _operands(node.operand)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ON_GRAPH:
        yield from _operands(node.func.value)


def _results_of_steps(frame: Frame, inside: list[ast.AST]) -> dict[str, ast.AST]:
    """What functions give that back-propagate a loss and return it: the calls, and the names that hold it."""
    found: dict[str, ast.AST] = {}
    for node in inside:
        if isinstance(node, ast.Call) and (backward := _spent_in(frame, node)) is not None:
            found[ast.unparse(node)] = backward
    for node in inside if found else ():
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and ast.unparse(node.value) in found:
            found[ast.unparse(node.targets[0])] = found[ast.unparse(node.value)]
    return found


def _spent_in(frame: Frame, call: ast.Call) -> ast.AST | None:
    """The call of ``backward()`` on what a function of the file returns."""
    function = None
    if isinstance(call.func, ast.Name):
        value = frame.lookup(call.func.id)
        function = value.ref if value is not None and value.kind == v.FUNCTION else None
    elif isinstance(call.func, ast.Attribute) and _is_self(call.func.value) and frame.cls is not None:
        function = frame.cls.method(call.func.attr)
    if function is None or function.unit is not frame.unit or not isinstance(function.node, ast.FunctionDef):
        return None
    known: dict[ast.AST, ast.AST | None] = frame.unit.remembered.setdefault(RULE.code, {})
    if function.node not in known:
        asks = frame.unit.mentions(function.node, "backward")
        known[function.node] = _spent_and_returned(function.node) if asks else None
    return known[function.node]


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _spent_and_returned(function: ast.FunctionDef) -> ast.AST | None:
    """The call of ``backward()`` on what a function returns at its only return."""
    nodes = list(ast.walk(function))
    targets = {key: node for node in nodes for key in _back_propagated(node)}
    _add_terms(targets, nodes)
    returned = [ast.unparse(n.value) for n in nodes if isinstance(n, ast.Return) and n.value is not None]
    if len(returned) != 1 or any(_rebinds_off(n, returned[0]) for n in nodes):
        return None
    return targets.get(returned[0])


def _rebinds_off(node: ast.AST, name: str) -> bool:
    """Whether *node* gives *name* a value without graph."""
    return isinstance(node, ast.Assign) and name in {ast.unparse(t) for t in node.targets} and _leaves_graph(node.value)


def _add_siblings(targets: dict[str, ast.AST], inside: list[ast.AST]) -> None:
    """Where the graph is kept on purpose: losses that came from the same call as the back-propagated value."""
    for node in inside:
        target = node.targets[0] if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else None
        if not isinstance(target, ast.Tuple):
            continue
        names = [ast.unparse(part) for part in target.elts]
        kept = [targets[n] for n in names if n in targets and "retain_graph=True" in ast.unparse(targets[n])]
        for name in names if kept else ():
            if "loss" in name:
                targets.setdefault(name, kept[0])


def _add_terms(targets: dict[str, ast.AST], inside: list[ast.AST]) -> None:
    """What a back-propagated sum is made of in the same turn is on the graph too."""
    for _ in range(2):
        for node in inside:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.BinOp) or len(node.targets) != 1:
                continue
            backward = targets.get(ast.unparse(node.targets[0]))
            if backward is not None:
                for term in _terms(node.value):
                    targets.setdefault(ast.unparse(term), backward)
    assigned = {
        ast.unparse(t)
        for n in inside
        if isinstance(n, ast.Assign)
        for target in n.targets
        for t in _parts(target)
        if _computes(n.value)
    }
    for key in [k for k in targets if k not in assigned]:
        del targets[key]


def _add_inputs(frame: Frame, targets: dict[str, ast.AST], inside: list[ast.AST]) -> None:
    """What a module with parameters gave, and a back-propagated value was computed from in the same turn."""
    assigns = [n for n in inside if isinstance(n, ast.Assign) and len(n.targets) == 1]
    given = {n.targets[0].id: n for n in assigns if isinstance(n.targets[0], ast.Name) and _is_trained(frame, n.value)}
    for node in assigns if given else ():
        backward = targets.get(ast.unparse(node.targets[0]))
        if backward is None or _leaves_graph(node.value):
            continue
        for name in ast.walk(node.value):
            if isinstance(name, ast.Name) and name.id in given and given[name.id] is not node:
                targets.setdefault(name.id, backward)


def _is_trained(frame: Frame, node: ast.expr) -> bool:
    """Whether it is the call of a module that is known to have parameters."""
    called = frame.lookup(node.func.id) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
    return called is not None and called.kind == v.MODULE and "trained" in called.traits


def _terms(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from _terms(node.left)
        yield from _terms(node.right)
    elif isinstance(node, ast.BinOp):
        yield from (n for n in _operands(node))
    elif isinstance(node, ast.Name):
        yield node


def _parts(target: ast.expr) -> list[ast.expr]:
    return list(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else [target]


def _computes(value: ast.expr) -> bool:
    return isinstance(value, (ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Attribute)) and not _leaves_graph(
        value
    )


def _leaves_graph(node: ast.AST) -> bool:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in _OFF_GRAPH:
            return True
        if (
            isinstance(inner, ast.Call)
            and isinstance(inner.func, ast.Name)
            and inner.func.id in ("float", "int", "str")
        ):
            return True
    return False


def _kept(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a statement keeps, and what keeps it."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        yield node.value, node.target
    elif (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.Add)
    ):
        target = ast.unparse(node.targets[0])
        if ast.unparse(node.value.left) == target:
            yield node.value.right, node.targets[0]
        elif ast.unparse(node.value.right) == target:
            yield node.value.left, node.targets[0]
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "append"
        and len(node.args) == 1
    ):
        yield node.args[0], node.func.value


def _carrier(node: ast.expr, targets: dict[str, ast.AST]) -> ast.expr | None:
    """The back-propagated value in what is kept, if it keeps its graph."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return next((c for e in node.elts if (c := _carrier(e, targets)) is not None), None)
    if isinstance(node, ast.Dict):
        return next((c for e in node.values if (c := _carrier(e, targets)) is not None), None)
    if isinstance(node, ast.Call) and ast.unparse(node) in targets:
        return node
    return next((n for n in _operands(node) if ast.unparse(n) in targets), None)


def _stays(
    frame: Frame, loop: ast.AST, inside: list[ast.AST], holder: ast.expr, carried: str, targets: dict[str, ast.AST]
) -> bool:
    """Whether the holder outlives the turn with all it was given, and nobody takes a gradient of it."""
    if _without_grad(frame, holder, loop):
        return False
    key = ast.unparse(holder)
    root = key.split("[")[0]
    if key in targets or root in targets or carried in (key, root) or not _starts_plain(frame, root, loop):
        return False
    for node in inside:
        if isinstance(node, ast.Assign):
            names = {ast.unparse(p) for t in node.targets for p in _parts(t)}
            if carried in names and (_leaves_graph(node.value) or _is_another(node, carried, holder, inside, targets)):
                return False
            if names & {key, root} and root not in {
                ast.unparse(n) for n in ast.walk(node.value) if isinstance(n, ast.expr)
            }:
                return False
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("clear", "pop", "popleft", "detach_")
        ) and ast.unparse(node.func.value) in (root, carried):
            return False
        if isinstance(node, ast.Delete) and any(ast.unparse(t).split("[")[0] == root for t in node.targets):
            return False
    return not _needs_its_graph(frame, root)


def _is_another(
    node: ast.Assign, carried: str, holder: ast.expr, inside: list[ast.AST], targets: dict[str, ast.AST]
) -> bool:
    """Whether the variable is bound to something else between the gradient and the keeping."""
    backward = targets.get(carried)
    if (
        backward is None
        or not any(n is backward for n in inside)
        or not position(backward) < position(node) < position(holder)
    ):
        return False
    return carried not in {ast.unparse(n) for n in ast.walk(node.value) if isinstance(n, ast.expr)}


def _without_grad(frame: Frame, node: ast.AST, loop: ast.AST) -> bool:
    """Whether the statement stands in ``with torch.no_grad():`` inside of the loop."""
    current = frame.unit.parents.get(node)
    while current is not None and current is not loop:
        if isinstance(current, ast.With) and any("no_grad" in ast.unparse(item.context_expr) for item in current.items):
            return True
        current = frame.unit.parents.get(current)
    return False


def _starts_plain(frame: Frame, root: str, loop: ast.AST) -> bool:
    """Whether the holder starts as a number, an empty list or the like, outside of the loop and in sight."""
    scope: ast.AST = body_of(frame)
    if root.startswith("self.") and frame.cls is not None:
        scope = frame.cls.node
    inner = {id(n) for n in ast.walk(loop)}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and id(node) not in inner:
            for target, value in _pairs(node):
                if ast.unparse(target) == root and _is_plain(value):
                    return True
    return False


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    for target in node.targets:
        if (
            isinstance(target, (ast.Tuple, ast.List))
            and isinstance(node.value, (ast.Tuple, ast.List))
            and len(target.elts) == len(node.value.elts)
        ):
            yield from zip(target.elts, node.value.elts, strict=True)
        elif not isinstance(target, (ast.Tuple, ast.List)):
            yield target, node.value


def _is_plain(value: ast.expr) -> bool:
    if isinstance(value, (ast.Constant, ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.BinOp)):
        return not isinstance(value, ast.Constant) or type(value.value) in (int, float)
    while (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and isinstance(value.func.value, ast.Call)
    ):
        value = value.func.value
    name = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    return name.rpartition(".")[2] in (
        "zeros",
        "tensor",
        "zeros_like",
        "list",
        "dict",
        "defaultdict",
        "OrderedDict",
        "FloatTensor",
        "Tensor",
        "deque",
    ) and "maxlen" not in ast.unparse(value)


def _needs_its_graph(frame: Frame, root: str) -> bool:
    """Whether a gradient is taken of what was kept, or of something made of it."""
    scope = body_of(frame)
    made = {root}
    for _ in range(3):
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign) and not _leaves_graph(node.value) and _mentions(node.value, made):
                made |= {ast.unparse(p) for t in node.targets for p in _parts(t)}
    for node in ast.walk(scope):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("backward", "manual_backward", "grad")
        ) and _mentions(node, made - {"_"}):
            return True
    return False


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(n, (ast.Name, ast.Attribute)) and ast.unparse(n) in names for n in ast.walk(node))


def _is_in_test(frame: Frame) -> bool:
    """Whether it is a test that runs it, which has few turns and ends at once."""
    return frame.function is not None and frame.function.name.startswith("test_")


def _tell(event: LoopEnd, node: ast.AST, carried: ast.expr, holder: ast.expr, backward: ast.AST) -> None:
    name = ast.unparse(carried)

    def fix(lines: list[str]) -> Fix:
        return Fix(
            title="Keep the value without its graph", edits=(inserted_after(carried, ".detach()", lines),), safe=True
        )

    event.report(
        RULE,
        node,
        f"`{ast.unparse(holder)}` keeps `{name}` with its graph: what every turn of the loop computed stays in memory; "
        f"keep {name}.detach()",
        [(backward, "back-propagated here, so nobody needs the graph any more")],
        fix,
        Level.NOTE if _is_in_test(event.frame) else None,
    )
