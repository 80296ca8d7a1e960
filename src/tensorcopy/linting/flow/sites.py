"""One call being followed, with what is known of its arguments."""

from __future__ import annotations

import ast

from . import values as v
from .dtypes import asked_for, is_dtype, named
from .expressions import evaluate
from .frame import Frame
from .values import Value


class Site:
    """A call in the text: where it stands and what its arguments are worth. A method's receiver is none of them."""

    __slots__ = ("args", "frame", "keywords", "node")

    def __init__(self, frame: Frame, node: ast.Call) -> None:
        self.frame, self.node = frame, node
        self.args = _positional(frame, node)
        self.keywords: dict[str, Value | None] = {}
        for keyword in node.keywords:
            value = evaluate(frame, keyword.value)
            if keyword.arg is not None:
                self.keywords[keyword.arg] = value

    @property
    def first(self) -> Value | None:
        """The first positional argument."""
        return self.args[0] if self.args else None

    def says(self, name: str, const: object) -> bool:
        """Whether the keyword *name* is given as that constant."""
        value = self.keywords.get(name)
        return value is not None and value.const is const

    @property
    def operands(self) -> list[Value | None]:
        """All arguments, those inside lists one by one."""
        found: list[Value | None] = []
        for argument in (*self.args, *self.keywords.values()):
            if argument is not None and argument.kind in (v.LIST, v.TUPLE):
                found.extend(argument.items if isinstance(argument.items, list) else [None])
            else:
                found.append(argument)
        return found

    @property
    def dtype(self) -> str:
        """The dtype asked for, empty if none is or it can't be told."""
        return asked_for(self.args, self.keywords)

    @property
    def numpy_dtype(self) -> str:
        """The dtype asked for, where a positional text may name it as well."""
        if self.dtype:
            return self.dtype
        texts = [a.const for a in self.args if a is not None and a.kind == v.TEXT and isinstance(a.const, str)]
        return named(texts[0]) if texts else ""

    @property
    def asked_graph(self) -> str:
        """On the graph if ``requires_grad=True`` is asked for, off if it isn't, unsure if that can't be told."""
        if "requires_grad" not in self.keywords or self.says("requires_grad", False):
            return v.OFF
        return v.ON if self.says("requires_grad", True) else v.UNSURE

    def facts(self, receiver: Value | None) -> frozenset[str]:
        """What the catalogue's conditions ask of the arguments, as words."""
        found = set(self.keywords)
        for name, value in self.keywords.items():
            if value is not None and value.const is not v.MISSING and value.kind in (v.BOOL, v.NOTHING):
                found.add(f"{name}={value.const}")
        if "dtype" in self.keywords and not self.says("dtype", None):
            found.add("a dtype")
        if "device" in self.keywords:
            found.add("a device")
        for value in self.args if receiver is not None else self.args[1:]:
            if value is not None:
                found |= _fact_of(value, receiver)
        return frozenset(found)


def _positional(frame: Frame, node: ast.Call) -> list[Value | None]:
    """The positional arguments; a starred one of unknown length stands for eight of its elements."""
    found: list[Value | None] = []
    for argument in node.args:
        if type(argument) is not ast.Starred:
            found.append(evaluate(frame, argument))
            continue
        inner = evaluate(frame, argument.value)
        items = inner.items if inner is not None and isinstance(inner.items, list) else [None]
        counted = inner is not None and isinstance(inner.items, list) and "comprehension" not in inner.traits
        found.extend(items if counted else items[:1] * 8)
    return found


def _fact_of(value: Value, receiver: Value | None) -> set[str]:
    if is_dtype(value):
        return {"a dtype", "dtype"}
    if value.kind == v.DEVICE:
        return {"a device"}
    if value.kind == v.TEXT:
        return {"a dtype"} if receiver is not None and receiver.kind == v.ARRAY else {"a device"}
    return {"a tensor"} if value.kind == v.TENSOR else set()
