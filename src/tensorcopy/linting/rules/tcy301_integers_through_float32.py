"""Integers that become float32, which holds them exactly up to 2**24 only."""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterator

from ..flow import values as v
from ..flow.dtypes import asked_for
from ..flow.events import Call, on_call
from ..flow.places import replaced
from ..flow.values import Value
from ..model import Fix, Level, Rule
from ._large import holds_large_integers

RULE = Rule(
    code="TCY301",
    name="integers-through-float32",
    level=Level.WARNING,
    summary="integers pass through float32, which rounds them above 2**24",
)
_WIDE = frozenset(("int32", "int64", "uint32", "uint64"))
_NARROW = frozenset(("float32", "float16", "bfloat16"))
# Up to where each holds every integer.
_EXACT = {"float32": "2**24 = 16,777,216", "float16": "2**11 = 2,048", "bfloat16": "2**8 = 256"}
_FLOAT_CLASSES = ("torch.Tensor", "torch.FloatTensor", "torch.cuda.FloatTensor")
_INT_CLASSES = ("torch.LongTensor", "torch.IntTensor", "torch.cuda.LongTensor", "torch.cuda.IntTensor")
_CASTS = {"long": "int64", "int": "int32"}


@on_call(*_FLOAT_CLASSES)
def float_class(event: Call) -> None:
    """``torch.Tensor(data)``: float32 whatever the data is."""
    if len(event.node.args) != 1 or event.node.keywords:
        return
    data = event.args[0]
    if data is not None and (data.kind in v.NUMBERS or _is_floating(data)):
        return
    _remember(event)
    _check_constants(event, data)


@on_call("torch.tensor", "torch.as_tensor", "torch.asarray", "numpy.array", "numpy.asarray")
def given_narrow(event: Call) -> None:
    """``torch.tensor(data, dtype=torch.float32)``, and floats among the integers of a list."""
    data, asked = event.argument(0, "data"), asked_for(event.args[1:], event.keywords)
    if data is None:
        return
    if asked in _NARROW and (_is_wide(data) or _is_whole(data)):
        _remember(event)
    is_default = event.name.startswith("torch.") and "dtype" not in event.keywords and len(event.args) < 2
    if asked == "float32" or (is_default and _has_floats(data)):
        _check_constants(event, data)


@on_call("torch.Tensor.float", "torch.Tensor.half", "torch.Tensor.to", "torch.Tensor.type", "numpy.ndarray.astype")
def narrowed(event: Call) -> None:
    """``ids.float()`` of known integers: remembered, in case integers are made of it again."""
    receiver, result = event.receiver, event.result
    if receiver is not None and result is not None and _is_wide(receiver) and result.dtype in _NARROW:
        _remember(event)
    if receiver is not None and result is not None and result.dtype == "float32":
        _check_content(event, receiver)
    back_to_integers(event)


def _check_content(event: Call, data: Value) -> None:
    """An array or a tensor made of a literal that float32 rounds."""
    if "past 2**24" in data.traits and not data.dtype.startswith("float32"):
        event.report(RULE, event.node, "the data holds an integer above 2**24 that float32 cannot hold: it is rounded")


@on_call("torch.Tensor.long", "torch.Tensor.int")
def back_to_integers(event: Call) -> None:
    """Integers again, directly from what was made float32 of integers."""
    target = _target(event)
    source = None if target not in _WIDE or _is_filled(event) else _narrowing(event)
    if source is None:
        return
    dtype = source.result.dtype if source.result is not None and source.result.dtype in _NARROW else "float32"
    event.report(
        RULE,
        source.node,
        f"{_shown(source)} makes {dtype} of data that become {target} right after: integers above {_EXACT[dtype]} come "
        f"back rounded",
        related=((event.node, f"made {target} again here"),),
        fix=_fix(event, source, target),
        level=None if dtype != "float32" or holds_large_integers(event.frame) else Level.NOTE,
    )


def _is_filled(event: Call) -> bool:
    """``torch.Tensor(n).long().fill_(0)``: n is a size, since its content is thrown away."""
    parent = event.frame.unit.parents.get(event.node)
    return isinstance(parent, ast.Attribute) and parent.attr in ("fill_", "zero_", "random_", "copy_")


def _target(event: Call) -> str:
    last = event.name.rpartition(".")[2]
    if last in _CASTS:
        return _CASTS[last]
    if last == "type" and event.args and event.args[0] is not None:
        named = str(event.args[0].ref or event.args[0].const)
        if named in _INT_CLASSES:
            return "int32" if "Int" in named else "int64"
    return asked_for(event.args, event.keywords)


def _remember(event: Call) -> None:
    event.frame.unit.remembered.setdefault(RULE.code, {})[event.node] = event


def _narrowing(event: Call) -> Call | None:
    """The call that made float32 of integers, if nothing was calculated since."""
    made = event.frame.unit.remembered.get(RULE.code)
    if not made or event.receiver is None:
        return None
    nodes = [event.receiver.node, *(step.base.node for step in event.receiver.steps())]
    found = next((made[node] for node in nodes if node in made), None)
    if found is None or found.node is event.node or (found.args and _is_exact(found.args[0])):
        return None
    return None if any(region in event.frame.state.writes for region in event.receiver.regions) else found


def _is_wide(value: Value) -> bool:
    return value.kind in v.NUMERIC and value.dtype in _WIDE


def _is_floating(value: Value) -> bool:
    return value.dtype.startswith(("float", "bfloat")) or _has_floats(value)


def _leaves(value: Value, depth: int = 4) -> Iterator[Value | None]:
    if value.kind in (v.LIST, v.TUPLE):
        for item in value.items if isinstance(value.items, list) and depth else [None]:
            yield from _leaves(item, depth - 1) if item is not None else (None,)
    else:
        yield value


def _is_whole(value: Value) -> bool:
    return value.kind in (v.LIST, v.TUPLE) and all(leaf is not None and leaf.kind == v.INT for leaf in _leaves(value))


def _is_exact(value: Value | None) -> bool:
    """Whether all of it is literals that float32 holds."""
    leaves = list(_leaves(value)) if value is not None else [None]
    return all(leaf is not None and isinstance(leaf.const, int) and _held(leaf.const) == leaf.const for leaf in leaves)


def _has_floats(value: Value) -> bool:
    return any(leaf is not None and leaf.kind == v.FLOAT for leaf in _leaves(value))


def _check_constants(event: Call, data: Value | None) -> None:
    if data is not None and data.kind in v.NUMERIC:
        _check_content(event, data)
    for leaf in _leaves(data) if data is not None else ():
        if leaf is None:
            continue
        if "timestamp" in leaf.traits:
            what = "a time in seconds since 1970 needs 31 bits; float32 has 24, so the result is up to a minute off"
            event.report(RULE, event.node, what)
            return
        if leaf.kind == v.INT and isinstance(leaf.const, int) and (held := _held(leaf.const)) != leaf.const:
            event.report(RULE, event.node, f"float32 cannot hold {leaf.const}: the result is {held}")
            return


def _held(number: int) -> int:
    """What float32 makes of an integer."""
    try:
        return int(struct.unpack("f", struct.pack("f", number))[0])
    except (OverflowError, struct.error):
        return number


def _shown(source: Call) -> str:
    return source.name.removeprefix("torch.Tensor.").replace("numpy.ndarray.", "") + "()"


def _fix(event: Call, source: Call, target: str) -> object:
    """``torch.tensor(data, dtype=...)`` in place of ``torch.Tensor(data).long()``."""
    func, outer, data = source.node.func, event.node.func, source.args[0] if source.args else None
    if source.name not in _FLOAT_CLASSES or not isinstance(func, ast.Attribute) or not isinstance(outer, ast.Attribute):
        return None
    if outer.value is not source.node:
        return None
    library, argument = source.name.partition(".")[0], source.node.args[0]
    module = ast.unparse(func.value) if ast.unparse(func.value).count(".") == 0 else library
    text = f"{module}.tensor({ast.unparse(argument)}, dtype={module}.{target})"
    sure = data is not None and (_is_whole(data) or (data.kind == v.ARRAY and data.dtype in _WIDE))
    return lambda lines: Fix(title="keep the integers", edits=(replaced(event.node, text, lines),), safe=sure)
