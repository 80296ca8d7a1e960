"""Memory that nothing has written yet is added to, so that whatever it held goes into the result."""

from __future__ import annotations

import ast

from ..flow.events import Call, on_call
from ..flow.walking import walk
from ..model import Level, Rule
from ._data import CLASSES
from ._reading import body_of, position

RULE = Rule(
    code="TCY316",
    name="uninitialised-read",
    level=Level.ERROR,
    summary="what torch.empty() or np.empty() made is added to before it was written: the result is random",
)
_EMPTY = ("torch.empty", "torch.empty_like", "torch.Tensor.new_empty", "numpy.empty", "numpy.empty_like")


@on_call(*_EMPTY, *CLASSES)
def made(event: Call) -> None:
    """``counts = torch.empty(n); counts[k] += 1``."""
    if event.name in CLASSES and not _is_sized(event):
        return
    if any(isinstance(a, ast.Constant) and a.value == 0 for a in event.node.args):
        return
    binding = event.frame.unit.parents.get(event.node)
    if not isinstance(binding, ast.Assign) or len(binding.targets) != 1 or not isinstance(binding.targets[0], ast.Name):
        return
    use = _first_use(event, binding.targets[0].id, binding)
    if use is not None:
        event.report(
            RULE,
            event.node,
            f"{event.name}() leaves in its elements whatever the memory held, and they are read before they are "
            f"written: the result is random; use zeros()",
            related=((use, "the old content goes into the result here"),),
        )


def _is_sized(event: Call) -> bool:
    """Whether a tensor class is given sizes, not data."""
    given = event.args
    return bool(given) and not event.node.keywords and all(a is not None and a.kind == "int" for a in given)


def _first_use(event: Call, name: str, binding: ast.Assign) -> ast.AugAssign | None:
    """The next statement that names it, if that adds to it."""
    end = (binding.end_lineno, binding.end_col_offset)
    later = [n for n in walk(body_of(event.frame)) if isinstance(n, ast.Name) and n.id == name and position(n) >= end]
    if not later:
        return None
    parents, node = event.frame.unit.parents, min(later, key=position)
    target: ast.AST = node
    while isinstance(parent := parents.get(target), ast.Subscript) and parent.value is target:
        target = parent
    statement = parents.get(target)
    return statement if isinstance(statement, ast.AugAssign) and statement.target is target else None
