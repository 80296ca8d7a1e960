"""A forward in which the only way from one layer to the next leads through NumPy."""

from __future__ import annotations

import ast

from ..flow import values as v
from ..flow.events import Call, on_call
from ..flow.frame import Frame
from ..flow.walking import walk
from ..model import Level, Rule
from ._reading import ancestors, body_of
from ._saving import is_computed

RULE = Rule(
    code="TCY220",
    name="detour-around-graph",
    level=Level.ERROR,
    summary="what a layer gave goes on only through NumPy, so that the layer gets no gradient",
)
# What may be asked of a tensor beside the detour, and takes nothing of its values.
_ASKED = frozenset(("shape", "dtype", "device", "size", "ndim", "dim", "new_zeros", "new_empty"))
_LEFT = frozenset(("detach", "data"))


@on_call("torch.from_numpy", "torch.as_tensor", "torch.tensor")
def rebuilt(event: Call) -> None:
    """``h = self.enc(x); h = torch.from_numpy(np.sort(h.detach().numpy())); return self.dec(h)``."""
    frame, source = event.frame, event.argument(0, "data")
    cut = source.cut if source is not None and source.kind == v.ARRAY else None
    if cut is None or frame.grad != "on" or not _in_forward(frame) or "requires_grad" in event.keywords:
        return
    if not is_computed(cut.base) or not frame.unit.says("backward("):
        return
    name = _detached_name(cut.node)
    if not name or not _only_detached(frame, name) or _is_optional(frame, event.node):
        return
    event.report(
        RULE,
        event.node,
        f"{name} goes on only through NumPy, which leaves the graph: what computed it gets no gradient; use functions "
        f"of torch",
        related=((cut.node, "the graph ends here"),),
    )


def _in_forward(frame: Frame) -> bool:
    function, cls = frame.function, frame.cls
    return function is not None and function.name == "forward" and cls is not None and cls.is_module


def _detached_name(node: ast.AST) -> str:
    """h of ``h.detach()`` and ``h.data``."""
    attribute = node.func if isinstance(node, ast.Call) else node
    base = attribute.value if isinstance(attribute, ast.Attribute) and attribute.attr in _LEFT else None
    return base.id if isinstance(base, ast.Name) else ""


def _only_detached(frame: Frame, name: str) -> bool:
    """Whether the function binds the variable once, and all that it does with it is to detach it."""
    body, parents = body_of(frame), frame.unit.parents
    uses = [n for n in walk(body) if isinstance(n, ast.Name) and n.id == name]
    loads = [n for n in uses if isinstance(n.ctx, ast.Load)]
    if len(uses) - len(loads) != 1:
        return False
    around = [parents.get(n) for n in loads]
    return all(isinstance(a, ast.Attribute) and a.attr in _ASKED | _LEFT for a in around)


def _is_optional(frame: Frame, node: ast.AST) -> bool:
    """Whether it stands under a condition, as what is done only for a prediction does, or is only kept for a look."""
    outer = list(ancestors(frame, node))
    if any(isinstance(n, (ast.If, ast.IfExp, ast.With)) for n in outer):
        return True
    statement = next((n for n in outer if isinstance(n, ast.stmt)), None)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return isinstance(statement, ast.Expr) or any(not isinstance(t, ast.Name) for t in targets)
