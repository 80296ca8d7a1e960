"""Lines that do without a copy, or keep less memory."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .statements import Edit, Rewrite, Statement, called

_COPIES = ("clone", "copy", "deepcopy")
_CASTS = frozenset(("double", "float", "half", "bfloat16", "int", "long", "short", "to", "type"))
_CONVERTERS = ("tensor", "as_tensor", "Tensor", "FloatTensor")


def _uncloned(s: Statement) -> Sequence[Edit]:
    clones = [call for call in s.calls("clone") if isinstance(call.func, ast.Attribute)]
    return [(clones[0], s.bare_owner(clones[0]))] if len(clones) == 1 else []


def _uncopied(s: Statement) -> Sequence[Edit]:
    """What a copy is made of, in the place of the copy."""
    copies = list(s.calls(*_COPIES))
    if len(copies) != 1:
        return []
    call = copies[0]
    if s.owner(call) == s.module("copy") or isinstance(call.func, ast.Name):
        return [(call, s.first_argument(call))]
    return [(call, s.bare_owner(call))]


def _not_there_and_back(s: Statement) -> Sequence[Edit]:
    """``x.double().float()`` as ``x``, and ``copy.deepcopy(x.clone())`` as ``x.clone()``."""
    for call in s.calls(*_CASTS):
        inner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(inner, ast.Call) and called(inner) in _CASTS and isinstance(inner.func, ast.Attribute):
            return [(call, s.bare_owner(inner))]
    for call in s.calls("deepcopy"):
        if call.args and isinstance(call.args[0], ast.Call) and called(call.args[0]) == "clone":
            return [(call, s.first_argument(call))]
    return []


def _taken_over(s: Statement) -> Sequence[Edit]:
    """The memory of an array that nobody else uses."""
    for call in s.calls("tensor"):
        if len(call.args) == 1 and not call.keywords:
            return [(call, f"{s.module('torch')}.from_numpy({s.first_argument(call)})")]
    return []


def _expanded(s: Statement) -> Sequence[Edit]:
    """``x.repeat(8, 1)`` as ``x.expand(8, -1)``: 1 keeps a dimension, and what is repeated had the size 1 or is new."""
    return [
        (call, f"{s.owner(call)}.expand({', '.join(told)})")
        for call in s.calls("repeat")
        if isinstance(call.func, ast.Attribute) and (told := _told(s, call.args))
    ]


def _told(s: Statement, sizes: Sequence[ast.expr]) -> list[str]:
    if len(sizes) == 1 and isinstance(sizes[0], (ast.Tuple, ast.List)):
        sizes = sizes[0].elts
    return ["-1" if isinstance(n, ast.Constant) and n.value == 1 else s.text(n) for n in sizes]


def _untiled(s: Statement) -> Sequence[Edit]:
    """The same of ``torch.tile(x, (8, 1))``."""
    for call in s.calls("tile"):
        match call:
            case ast.Call(args=[x, ast.Tuple() | ast.List() as sizes]) if s.owner(call) == s.module("torch"):
                return [(call, f"{s.atom(x)}.expand({', '.join(_told(s, [sizes]))})")]
    return []


def _repeated(s: Statement) -> Sequence[Edit]:
    return _expanded(s) or _untiled(s)


def _cloned_before(s: Statement) -> Sequence[Edit]:
    for call in s.calls("clone", "contiguous"):
        inner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(inner, ast.Call) and called(inner) in ("expand", "expand_as"):
            arguments = s.text(inner)[len(s.text(inner.func)) :]
            return [(call, f"{s.owner(inner)}.clone().{called(inner)}{arguments}")]
    return []


def _stacked(s: Statement) -> Sequence[Edit]:
    for call in s.calls(*_CONVERTERS):
        dtype = next((s.text(k.value) for k in call.keywords if k.arg == "dtype"), "")
        if call.args:
            stacked = f"{s.module('numpy', 'np')}.stack({s.first_argument(call)})"
            made = f"{s.module('torch')}.from_numpy({stacked})"
            return [(call, f"{made}.to({dtype})" if dtype else made)]
    return []


def _part_alone(s: Statement) -> Sequence[Edit]:
    """A copy of the part, so that the whole can be freed."""
    for call in s.calls("save"):
        if call.args and isinstance(call.args[0], (ast.Name, ast.Subscript, ast.Attribute)):
            return [(call.args[0], f"{s.text(call.args[0])}.clone()")]
    for node in s.nodes(ast.Subscript):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            return [(node, f"{s.text(node)}.clone()")]
    return [(call, f"{s.text(call)}.clone()") for call in s.calls("select", "narrow")][:1]


def _registered(s: Statement) -> Sequence[Edit]:
    """A constant as a buffer, which moves with its module; the lines say where each stands."""
    for call in s.calls(*_CONVERTERS, "asarray"):
        own = {n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)} - {s.module("torch")}
        if not call.args or own or any(k.arg not in ("dtype", "device") for k in call.keywords):
            continue
        kept = [f"dtype={s.text(k.value)}" for k in call.keywords if k.arg == "dtype"]
        made = f"{s.text(call.func)}({', '.join([s.first_argument(call), *kept])})"
        match s.node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
                line = f"{name} = self.{name}"
            case _:
                continue
        register = f'self.register_buffer("{name}", {made}, persistent=False)'
        lines = ("# once, in __init__", register, "# in forward", line)
        return [(s.node, f"\n{' ' * s.node.col_offset}".join(lines))]
    return []


REWRITES: dict[str, Rewrite] = {
    "avoidable-copy/clone-of-temporary": _uncloned,
    "avoidable-copy/never-written": _uncopied,
    "avoidable-copy/round-trip": _not_there_and_back,
    "avoidable-copy/array-dropped": _taken_over,
    "avoidable-copy/repeat": _repeated,
    "list-of-arrays": _stacked,
    "expanded-copied": _cloned_before,
    "kept-storage": _part_alone,
    "constant-rebuilt": _registered,
}
