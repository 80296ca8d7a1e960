"""The line to write instead, made from the line of the program by its syntax tree, for what a run has found."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from ..captures.capture import Finding, Spot

_LONGEST = 12
_Edit = tuple[ast.AST, str]
_Rewrite = Callable[["Statement"], "Sequence[_Edit]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The innermost statement on a line, or the head of one that holds others; `lines` are those of the whole file."""

    node: ast.stmt
    line: int
    lines: Sequence[str]
    numpy: str = "np"

    @property
    def last(self) -> int:
        """Its last line; that of its head if it has a body."""
        body = getattr(self.node, "body", None)
        return body[0].lineno - 1 if isinstance(body, list) and body else self.node.end_lineno or self.node.lineno

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """Its nodes of these kinds that touch the line, outer ones first."""
        for node in ast.walk(self.node):
            if isinstance(node, kinds) and node.lineno <= self.line <= (node.end_lineno or 0):  # type: ignore[attr-defined]
                yield node

    def text(self, node: ast.AST) -> str:
        """How *node* is written."""
        first, last, start, end = _place(node)
        lines = [line.encode() for line in self.lines[first - 1 : last]]
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        return b"\n".join(lines).decode()

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """Its calls of functions or methods of these names."""
        for node in self.nodes(ast.Call):
            if isinstance(node, ast.Call) and _called(node) in names:
                yield node


def instead(finding: Finding, text_of: Callable[[str], str]) -> str:
    """What to write in the place of the line of *finding*, ready to be pasted; empty where only its author can know.

    text_of: gives the text of a file of the program, empty where it is not at hand.
    """
    with suppress(SyntaxError, ValueError, RecursionError):
        statement, edits = _edits(finding, text_of)
        return _edited(statement, edits) if statement is not None else ""
    return ""


def part_of(finding: Finding, text_of: Callable[[str], str]) -> tuple[int, int] | None:
    """The columns of what is to be changed on the line of *finding*, in characters from 0; None if that isn't known."""
    statement, edits = _edits(finding, text_of)
    if statement is None or not edits or _place_to_change(finding) is not finding.place:
        return None
    first, last, start, end = _place(edits[0][0])
    if first != last or first != finding.place.line:
        return None
    line = statement.lines[first - 1].encode()
    return len(line[:start].decode()), len(line[:end].decode())


def _edits(finding: Finding, text_of: Callable[[str], str]) -> tuple[Statement | None, Sequence[_Edit]]:
    place = _place_to_change(finding)
    rewrite = _REWRITES.get(f"{finding.name}/{finding.variant}") or _REWRITES.get(finding.name)
    statement = _statement(text_of(place.file), place.line) if rewrite else None
    if rewrite is None or statement is None:
        return None, ()
    return statement, rewrite(statement)


def _place_to_change(finding: Finding) -> Spot:
    """The line to mend, which for a write under backward is the line that writes."""
    return finding.related[0] if finding.name == "inplace-before-backward" and finding.related else finding.place


@lru_cache(maxsize=32)
def _parsed(text: str) -> tuple[ast.Module | None, tuple[str, ...]]:
    try:
        return ast.parse(text), tuple(text.split("\n"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None, ()


def _statement(text: str, line: int) -> Statement | None:
    tree, lines = _parsed(text)
    if tree is None:
        return None
    found = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or 0)]
    if not found:
        return None
    numpy = (
        a.asname or a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names if a.name == "numpy"
    )
    statement = Statement(node=max(found, key=lambda n: n.lineno), line=line, lines=lines, numpy=next(numpy, "np"))
    return statement if line <= statement.last < statement.node.lineno + _LONGEST else None


def _edited(statement: Statement, edits: Sequence[_Edit]) -> str:
    """The statement with the edits, without its indentation; empty if there is none or it would not be Python."""
    if not edits:
        return ""
    first = statement.node.lineno
    lines = [line.encode() for line in statement.lines[first - 1 : statement.last]]
    for node, new in sorted(edits, key=lambda edit: _place(edit[0]), reverse=True):
        top, bottom, start, end = _place(node)
        head, tail = lines[top - first][:start], lines[bottom - first][end:]
        lines[top - first : bottom - first + 1] = (head + new.encode() + tail).split(b"\n")
    text = textwrap.dedent(b"\n".join(lines).decode()).rstrip()
    ast.parse(text + ("\n    pass" if text.endswith(":") else ""))
    return text


def _place(node: ast.AST) -> tuple[int, int, int, int]:
    """First and last line, first and last column in bytes."""
    assert isinstance(node, (ast.expr, ast.stmt)), "only these have places"
    return node.lineno, node.end_lineno or node.lineno, node.col_offset, node.end_col_offset or node.col_offset


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _owner(s: Statement, call: ast.AST) -> str:
    """What stands before the dot of a method call or of an attribute."""
    match call:
        case ast.Call(func=ast.Attribute(value=value)) | ast.Attribute(value=value):
            return _atom(s, value)
    return ""


def _bare_owner(s: Statement, call: ast.Call) -> str:
    """The same to stand where the call stands, in brackets only if that needs them."""
    alone = any(
        call in (*getattr(node, "args", ()), getattr(node, "value", None))
        for node in ast.walk(s.node)
        if isinstance(node, (ast.Call, ast.Assign, ast.Return, ast.keyword))
    )
    return s.text(call.func.value) if alone and isinstance(call.func, ast.Attribute) else _owner(s, call)


def _first_argument(s: Statement, call: ast.Call) -> str:
    return s.text(call.args[0]) if call.args else ""


# --- copies where memory is shared ------------------------------------------------------------------------------------


def _snapshot(s: Statement) -> Sequence[_Edit]:
    """Keep a copy of what is kept."""
    for call in s.calls("state_dict"):
        return [(call, f"copy.deepcopy({s.text(call)})")]
    for call in s.calls("numpy"):
        return [(call, f"{s.text(call)}.copy()")]
    for call in s.calls("asarray"):
        return [(call, f"{s.text(call)}.copy()")] if _owner(s, call) == s.numpy else [(call, f"{s.text(call)}.clone()")]
    for call in s.calls("copy"):
        if _owner(s, call) == "copy":
            return [(call, f"copy.deepcopy({_first_argument(s, call)})")]
    for call in s.calls("detach", "from_numpy", "as_tensor"):
        return [(call, f"{s.text(call)}.clone()")]
    return [(node, f"{_owner(s, node)}.detach().clone()") for node in s.nodes(ast.Attribute) if _is_data(node)][:1]


def _is_data(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "data" and isinstance(node.ctx, ast.Load)


_CONVERSIONS = (
    "from_numpy", "as_tensor", "asarray", "frombuffer", "from_dlpack", "to", "float", "double", "half", "type",
    "type_as", "contiguous", "reshape", "flatten", "cpu", "transpose", "view", "t",
)  # fmt: skip


def _own_memory(s: Statement) -> Sequence[_Edit]:
    """Give the result of a conversion memory of its own."""
    for call in s.calls("numpy"):
        return [(call, f"{s.text(call)}.copy()")]
    return [(call, f"{s.text(call)}.clone()") for call in s.calls(*_CONVERSIONS)][:1]


def _cloned_expansion(s: Statement) -> Sequence[_Edit]:
    return [(call, f"{s.text(call)}.clone()") for call in s.calls("expand", "expand_as", "broadcast_to")][:1]


def _cloned_value(s: Statement) -> Sequence[_Edit]:
    node = s.node
    return [(node.value, f"{_atom(s, node.value)}.clone()")] if isinstance(node, ast.Assign) else []


def _atom(s: Statement, node: ast.expr) -> str:
    """*node* as something that a dot may follow."""
    bare = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return s.text(node) if bare else f"({s.text(node)})"


def _viewed(s: Statement) -> Sequence[_Edit]:
    """A view or an error, where a copy might come out."""
    for call in s.calls("reshape"):
        return [(call.func, f"{_owner(s, call)}.view")] if isinstance(call.func, ast.Attribute) else []
    return [(call, f"{_owner(s, call)}.view(-1)") for call in s.calls("flatten", "ravel") if not call.args][:1]


def _returned_copy(method: str) -> _Rewrite:
    def rewrite(s: Statement) -> Sequence[_Edit]:
        match s.node:
            case ast.Return(value=ast.expr() as value) | ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                return [(value, f"{_atom(s, value)}.{method}()")]
        return []

    return rewrite


def _together(s: Statement) -> Sequence[_Edit]:
    """``c, d = copy.deepcopy(a), copy.deepcopy(b)`` in one call."""
    match s.node:
        case ast.Assign(value=ast.Tuple(elts=calls)):
            copied = [c for c in calls if isinstance(c, ast.Call) and _called(c) == "deepcopy"]
            if len(copied) == len(calls):
                joined = ", ".join(_first_argument(s, call) for call in copied)
                return [(s.node.value, f"{s.text(copied[0].func)}(({joined}))")]
    return []


# --- gradients --------------------------------------------------------------------------------------------------------


def _uncut(s: Statement) -> Sequence[_Edit]:
    """Leave the value on the graph."""
    for call in s.calls("tensor", "as_tensor", "Tensor", "FloatTensor"):
        if call.args and isinstance(call.args[0], (ast.List, ast.ListComp)):
            return [(call.func, "torch.stack"), *_numbers_kept(s, call.args[0])]
        return [(call, _first_argument(s, call))] if call.args else []
    for call in s.calls("item", "detach", "tolist", "detach_"):
        return [(call, _bare_owner(s, call))]
    return [(node, _owner(s, node)) for node in s.nodes(ast.Attribute) if _is_data(node)][:1]


def _numbers_kept(s: Statement, inside: ast.expr) -> Iterator[_Edit]:
    """Elements as the tensors that they are made of: ``float(v)`` and ``v.item()`` as ``v``."""
    for element in (
        inside.elts if isinstance(inside, ast.List) else [inside.elt] if isinstance(inside, ast.ListComp) else []
    ):
        match element:
            case ast.Call(func=ast.Name(id="float"), args=[value]):
                yield element, s.text(value)
            case ast.Call(func=ast.Attribute(attr="item", value=value), args=[]):
                yield element, s.text(value)


_DTYPES = {"double": "torch.float64", "float": "torch.float32", "half": "torch.float16", "bfloat16": "torch.bfloat16"}


def _leaf(s: Statement) -> Sequence[_Edit]:
    """Give the dtype to the constructor, so that its result is the leaf."""
    for call in s.calls(*_DTYPES, "to"):
        source = call.func.value if isinstance(call.func, ast.Attribute) else None
        given = _DTYPES.get(_called(call)) or _first_argument(s, call)
        if not isinstance(source, ast.Call) or any(k.arg in ("dtype", "device") for k in source.keywords):
            continue
        word = "dtype" if given.startswith("torch.") and "device" not in given else "device"
        return [(call, f"{s.text(source).removesuffix(')')}, {word}={given})")] if given else []
    return []


def _detached_sum(s: Statement) -> Sequence[_Edit]:
    match s.node:
        case ast.AugAssign(value=value):
            return [(value, f"{_atom(s, value)}.detach()")]
        case ast.Assign(value=ast.BinOp(op=ast.Add(), right=right)):
            return [(right, f"{_atom(s, right)}.detach()")]
    return []


def _out_of_place(s: Statement) -> Sequence[_Edit]:
    """A new value in place of a write: ``x += y`` and ``x.add_(y)``, of a plain name."""
    match s.node:
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            sign = s.text(s.node)[len(name) :].strip().partition("=")[0]
            term = s.text(value) if isinstance(value, ast.Constant) else _atom(s, value)
            return [(s.node, f"{name} = {name} {sign} {term}")]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method)) as call) if method.endswith("_"):
            inner = owner.value if isinstance(owner, ast.Attribute) and owner.attr == "data" else owner
            if isinstance(inner, ast.Name):
                arguments = s.text(call)[len(s.text(call.func)) :]
                return [(s.node, f"{inner.id} = {inner.id}.{method[:-1]}{arguments}")]
    return []


def _spelt_right(s: Statement) -> Sequence[_Edit]:
    match s.node:
        case ast.Assign(targets=[ast.Attribute(value=owner) as target]):
            return [(target, f"{s.text(owner)}.requires_grad")]
    return []


# --- values -----------------------------------------------------------------------------------------------------------


def _argument(new: str, *names: str) -> _Rewrite:
    """The first argument of a conversion in another form, in which ``{x}`` is that argument."""

    def rewrite(s: Statement) -> Sequence[_Edit]:
        for call in s.calls(*names):
            if call.args:
                return [(call.args[0], new.format(x=_atom(s, call.args[0]), np=s.numpy))]
        return []

    return rewrite


def _in_float32(s: Statement) -> Sequence[_Edit]:
    for call in s.calls("tensor", "as_tensor", "from_numpy", "asarray"):
        if _called(call) == "tensor" and not any(k.arg == "dtype" for k in call.keywords):
            return [(call, f"{s.text(call).removesuffix(')')}, dtype=torch.float32)")]
        return [(call, f"{s.text(call)}.float()")]
    return []


def _whole_numbers(s: Statement) -> Sequence[_Edit]:
    calls = s.calls("Tensor", "FloatTensor")
    return [(c, f"torch.tensor({_first_argument(s, c)}, dtype=torch.int64)") for c in calls if c.args][:1]


# --- cost -------------------------------------------------------------------------------------------------------------


def _uncloned(s: Statement) -> Sequence[_Edit]:
    clones = [call for call in s.calls("clone") if isinstance(call.func, ast.Attribute)]
    return [(clones[0], _bare_owner(s, clones[0]))] if len(clones) == 1 else []


def _expanded(s: Statement) -> Sequence[_Edit]:
    """``x.repeat(8, 1)`` as ``x.expand(8, -1)``: 1 keeps a dimension, and what is repeated had the size 1 or is new."""
    for call in s.calls("repeat"):
        sizes = (
            call.args[0].elts if len(call.args) == 1 and isinstance(call.args[0], (ast.Tuple, ast.List)) else call.args
        )
        if sizes and isinstance(call.func, ast.Attribute):
            told = ("-1" if isinstance(n, ast.Constant) and n.value == 1 else s.text(n) for n in sizes)
            return [(call, f"{_owner(s, call)}.expand({', '.join(told)})")]
    return []


def _cloned_before(s: Statement) -> Sequence[_Edit]:
    for call in s.calls("clone", "contiguous"):
        inner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(inner, ast.Call) and _called(inner) in ("expand", "expand_as"):
            arguments = s.text(inner)[len(s.text(inner.func)) :]
            return [(call, f"{_owner(s, inner)}.clone().{_called(inner)}{arguments}")]
    return []


def _stacked(s: Statement) -> Sequence[_Edit]:
    for call in s.calls("tensor", "as_tensor", "Tensor", "FloatTensor"):
        dtype = next((s.text(k.value) for k in call.keywords if k.arg == "dtype"), "")
        if call.args:
            made = f"torch.from_numpy({s.numpy}.stack({_first_argument(s, call)}))"
            return [(call, f"{made}.to({dtype})" if dtype else made)]
    return []


def _detached_copy(s: Statement) -> Sequence[_Edit]:
    return [(c, f"{_atom(s, c.args[0])}.detach().clone()") for c in s.calls("tensor") if c.args][:1]


def _part_alone(s: Statement) -> Sequence[_Edit]:
    """A copy of the part, so that the whole can be freed."""
    for call in s.calls("save"):
        if call.args and isinstance(call.args[0], (ast.Name, ast.Subscript, ast.Attribute)):
            return [(call.args[0], f"{s.text(call.args[0])}.clone()")]
    for node in s.nodes(ast.Subscript):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            return [(node, f"{s.text(node)}.clone()")]
    return [(call, f"{s.text(call)}.clone()") for call in s.calls("select", "narrow")][:1]


_REWRITES: dict[str, _Rewrite] = {
    "changing-snapshot": _snapshot,
    "restored-from-itself": _snapshot,
    "view-of-moved-memory": _snapshot,
    "shared-buffer-overwritten": _own_memory,
    "shared-array-changed": _own_memory,
    "callers-memory-written": _own_memory,
    "readonly-memory-written": _own_memory,
    "expanded-memory-written": _cloned_expansion,
    "overlapping-copy": _cloned_value,
    "lost-write": _viewed,
    "internal-buffer-returned/array": _returned_copy("copy"),
    "internal-buffer-returned/tensor": _returned_copy("clone"),
    "separate-deep-copies": _together,
    "silent-gradient": _out_of_place,
    "inplace-before-backward": _out_of_place,
    "gradient-cut": _uncut,
    "gradient-may-be-cut": _uncut,
    "grad-of-non-leaf": _leaf,
    "graph-kept": _detached_sum,
    "attribute-typo": _spelt_right,
    "masked-values-dropped": _argument("{x}.filled(0)", "tensor", "as_tensor", "from_numpy", "asarray"),
    "values-not-in-dtype": _argument("{np}.nan_to_num({x})", "tensor", "as_tensor", "asarray"),
    "float64-leak": _in_float32,
    "integers-through-float32": _whole_numbers,
    "tensor-of-tensor": _detached_copy,
    "avoidable-copy/clone-of-temporary": _uncloned,
    "avoidable-copy/repeat": _expanded,
    "list-of-arrays": _stacked,
    "expanded-copied": _cloned_before,
    "kept-storage": _part_alone,
}
