"""Lines that leave a value on the graph, or write it where backward does not need it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from .statements import Edit, Rewrite, Statement, called

_LISTS = ("Tensor", "FloatTensor")
_CUTS = ("detach", "detach_", "tolist")
_DTYPES = {"double": "float64", "float": "float32", "half": "float16", "bfloat16": "bfloat16"}
# What fills a tensor anew: there is no method that gives the same as a new one.
_FILLED = {"zero_": "zeros_like", "fill_": "full_like"}
_IN_PLACE_ALONE = frozenset(
    ("normal_", "uniform_", "random_", "exponential_", "geometric_", "log_normal_", "cauchy_", "set_", "resize_")
)
_ASKS = re.compile(r",\s*requires_grad\s*=\s*True")


def _uncut(s: Statement) -> Sequence[Edit]:
    """Leave the value on the graph. What goes through NumPy can't be, and needs other operations."""
    if any(s.calls("numpy", "from_numpy")) or _names_numpy(s):
        return []
    for call in s.calls(*_LISTS):
        # These take no tensor that is on the graph: what they are given is a list.
        return [(call, f"{s.module('torch')}.stack({s.first_argument(call)})")] if call.args else []
    for call in s.calls("tensor", "as_tensor"):
        return _converted(s, call)
    for call in s.calls("new_tensor"):
        return [(call, s.first_argument(call))] if call.args and not isinstance(call.args[0], ast.List) else []
    for call in s.calls(*_CUTS):
        return [(call, s.bare_owner(call))]
    return _number(s) or [(n, s.owner(n)) for n in s.nodes(ast.Attribute) if _is_data(n)][:1]


def _names_numpy(s: Statement) -> bool:
    numpy = s.module("numpy", "np")
    return any(isinstance(n, ast.Name) and n.id == numpy for n in s.nodes(ast.Name))


def _converted(s: Statement, call: ast.Call) -> Sequence[Edit]:
    if not call.args:
        return []
    given = call.args[0]
    if isinstance(given, (ast.List, ast.ListComp)):
        return [(call.func, f"{s.module('torch')}.stack"), *_numbers_kept(s, given)]
    if isinstance(given, ast.Call) and called(given) in ("tolist", "item") and not given.args:
        return [(call, s.owner(given))]
    kept = [f"{k.arg}={s.text(k.value)}" for k in call.keywords if k.arg in ("dtype", "device")]
    return [(call, f"{s.module('torch')}.as_tensor({', '.join([s.text(given), *kept])})" if kept else s.text(given))]


def _stacked(s: Statement) -> Sequence[Edit]:
    """Tensors of a list, joined on the graph."""
    for call in s.calls("tensor", "as_tensor"):
        if call.args and isinstance(call.args[0], (ast.Name, ast.Attribute)):
            return [(call, f"{s.module('torch')}.stack({s.text(call.args[0])})")]
    return _uncut(s)


def _number(s: Statement) -> Sequence[Edit]:
    """``a + b.item()`` and ``a + float(b)`` with the tensor as the term; elsewhere a number may be what is needed."""
    terms = [t for n in s.nodes(ast.BinOp) if isinstance(n, ast.BinOp) for t in (n.left, n.right)]
    terms += [n.value for n in s.nodes(ast.AugAssign) if isinstance(n, ast.AugAssign)]
    for term in terms:
        match term:
            case ast.Call(func=ast.Attribute(attr="item"), args=[]):
                return [(term, s.bare_owner(term))]
            case ast.Call(func=ast.Name(id="float"), args=[value]):
                return [(term, s.atom(value))]
    return []


def _is_data(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "data" and isinstance(node.ctx, ast.Load)


def _numbers_kept(s: Statement, inside: ast.expr) -> Iterator[Edit]:
    """Elements as the tensors that they are made of: ``float(v)`` and ``v.item()`` as ``v``."""
    for element in (
        inside.elts if isinstance(inside, ast.List) else [inside.elt] if isinstance(inside, ast.ListComp) else []
    ):
        match element:
            case ast.Call(func=ast.Name(id="float"), args=[value]):
                yield element, s.text(value)
            case ast.Call(func=ast.Attribute(attr="item", value=value), args=[]):
                yield element, s.text(value)


def _leaf(s: Statement) -> Sequence[Edit]:
    """Give the dtype to the constructor, so that its result is the leaf."""
    for call in s.calls(*_DTYPES, "to"):
        source = call.func.value if isinstance(call.func, ast.Attribute) else None
        short = _DTYPES.get(called(call))
        given = f"{s.module('torch')}.{short}" if short else s.first_argument(call)
        if not isinstance(source, ast.Call) or any(k.arg in ("dtype", "device") for k in source.keywords):
            continue
        word = "dtype" if given.startswith(f"{s.module('torch')}.") and "device" not in given else "device"
        return [(call, f"{s.text(source).removesuffix(')')}, {word}={given})")] if given else []
    return _asked_last(s)


def _asked_last(s: Statement) -> Sequence[Edit]:
    """``torch.rand(3, requires_grad=True) * 255`` as the leaf that is meant."""
    match s.node:
        case ast.Assign(value=ast.BinOp() as value):
            text, times = _ASKS.subn("", s.text(value))
            return [(value, f"({text}).requires_grad_()")] if times == 1 else []
    return []


def _detached_sum(s: Statement) -> Sequence[Edit]:
    match s.node:
        case ast.AugAssign(value=value):
            return [(value, f"{s.atom(value)}.detach()")]
        case ast.Assign(value=ast.BinOp(op=ast.Add(), right=right)):
            return [(right, f"{s.atom(right)}.detach()")]
    return []


def _out_of_place(s: Statement) -> Sequence[Edit]:
    """A new value in place of a write: ``x += y`` and ``x.add_(y)``, of a plain name."""
    match s.node:
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            sign = s.text(s.node)[len(name) :].strip().partition("=")[0]
            term = s.text(value) if isinstance(value, ast.Constant) else s.atom(value)
            return [(s.node, f"{name} = {name} {sign} {term}")]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method)) as call) if method.endswith("_"):
            inner = owner.value if isinstance(owner, ast.Attribute) and owner.attr == "data" else owner
            if isinstance(inner, ast.Name) and method not in _IN_PLACE_ALONE:
                return [(s.node, f"{inner.id} = {_as_new(s, inner.id, method, call)}")]
    return []


def _as_new(s: Statement, name: str, method: str, call: ast.Call) -> str:
    arguments = s.text(call)[len(s.text(call.func)) :]
    if method == "copy_" and call.args:
        return s.first_argument(call)
    if method in _FILLED:
        value = ", ".join(filter(None, (name, s.first_argument(call))))
        return f"{s.module('torch')}.{_FILLED[method]}({value})"
    return f"{name}.{method[:-1]}{arguments}"


def _spelt_right(s: Statement) -> Sequence[Edit]:
    match s.node:
        case ast.Assign(targets=[ast.Attribute(value=owner) as target]):
            return [(target, f"{s.text(owner)}.requires_grad")]
    return []


REWRITES: dict[str, Rewrite] = {
    "silent-gradient/torch": _out_of_place,
    "inplace-before-backward": _out_of_place,
    "gradient-cut": _uncut,
    "gradient-may-be-cut": _uncut,
    "gradient-cut/list": _stacked,
    "gradient-may-be-cut/list": _stacked,
    "grad-of-non-leaf": _leaf,
    "graph-kept": _detached_sum,
    "attribute-typo": _spelt_right,
}
