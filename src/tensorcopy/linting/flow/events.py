"""What rules hear of while a program is followed, and how they say what they found.

A rule module defines ``RULE`` and handlers marked with `on` or `on_call`. Each handler takes one event and calls
``event.report(RULE, node, message, related=..., fix=...)``. A place that is reached several times reports once.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..model import Level, Rule
from .values import Region, Value

if TYPE_CHECKING:
    from .frame import Frame
    from .project import ClassInfo

Handler = Callable[[Any], None]
_H = TypeVar("_H", bound=Handler)
Related = Sequence[tuple[ast.AST, str]]


def on(event: str) -> Callable[[_H], _H]:
    """Mark a handler for events of one type, by the name of its class: ``@on("Write")``."""

    def mark(handler: _H) -> _H:
        handler.__dict__.setdefault("hears", []).append((event, None))
        return handler

    return mark


def on_call(*names: str) -> Callable[[_H], _H]:
    """Mark a handler for calls of these names.

    Functions by qualified name (``"torch.tensor"``); methods by class and name (``"torch.Tensor.clone"``,
    ``"numpy.ndarray.copy"``); a method of a receiver of unknown kind is ``"?.clone"``.
    """

    def mark(handler: _H) -> _H:
        handler.__dict__.setdefault("hears", []).extend(("Call", name) for name in names)
        return handler

    return mark


def on_read(*attributes: str) -> Callable[[_H], _H]:
    """Mark a handler for reading one of these attributes of a known value."""

    def mark(handler: _H) -> _H:
        handler.__dict__.setdefault("hears", []).extend((f"Read {attribute}", None) for attribute in attributes)
        return handler

    return mark


class Event:
    """Something that happens at `node` in `frame`."""

    __slots__ = ("frame", "node")
    node: Any

    def __init__(self, frame: Frame, node: ast.AST) -> None:
        self.frame, self.node = frame, node

    def report(
        self,
        rule: Rule,
        node: ast.AST,
        message: str,
        related: Related = (),
        fix: Any = None,
        level: Level | None = None,
    ) -> None:
        """Say that *rule* is broken at *node*; *related* are other places, each with what happens there.

        level: how bad it is here, where that is not the level of the rule.
        """
        self.frame.unit.report(rule, node, message, related, fix, level)


class Call(Event):
    """A call of a library function or of a method. A method's receiver is `receiver`, not among `args`."""

    __slots__ = ("args", "keywords", "name", "receiver", "result")
    node: ast.Call

    def __init__(
        self,
        frame: Frame,
        node: ast.Call,
        name: str,
        receiver: Value | None,
        args: list[Value | None],
        keywords: dict[str, Value | None],
        result: Value | None,
    ) -> None:
        super().__init__(frame, node)
        self.name, self.receiver, self.args, self.keywords, self.result = name, receiver, args, keywords, result

    def argument(self, position: int, name: str = "") -> Value | None:
        """The value of an argument, however it is passed; None if absent or unknown."""
        return self.args[position] if position < len(self.args) else self.keywords.get(name)

    def argument_node(self, position: int, name: str = "") -> ast.expr | None:
        """The source of an argument, however it is passed."""
        if position < len(self.node.args):
            return self.node.args[position]
        return next((k.value for k in self.node.keywords if k.arg == name), None)


class Discarded(Event):
    """A call as a statement of its own, whose result nobody takes. Named as `Call` names it; `node` is the call.

    Not told of methods of which nothing is known but the name.
    """

    __slots__ = ("args", "name", "receiver", "result")

    def __init__(
        self,
        frame: Frame,
        node: ast.Call,
        name: str,
        receiver: Value | None,
        args: list[Value | None],
        result: Value | None,
    ) -> None:
        super().__init__(frame, node)
        self.name, self.receiver, self.args, self.result = name, receiver, args, result


class Write(Event):
    """Memory changes in place, through `value`.

    how: "augmented", "subscript", "method", "out", "call" (a function of the project writes its argument, at `inner`),
        "step" (an optimizer writes its parameters).
    written: what is written, if known.
    """

    __slots__ = ("how", "inner", "iteration", "time", "value", "written")

    def __init__(
        self, frame: Frame, node: ast.AST, value: Value, how: str, written: Value | None = None, inner: Any = None
    ) -> None:
        super().__init__(frame, node)
        self.value, self.how, self.written, self.inner = value, how, written, inner
        self.time, self.iteration = frame.unit.clock, frame.iteration

    @property
    def partial(self) -> bool:
        """Whether it may write only a part of the memory."""
        return self.how == "subscript" or self.value.is_part


class Stale(Event):
    """A value is read (`node`) after its memory was written through another one (`write`).

    inside: the value sits in a container that was read. certain: both surely lie on the same bytes.
    relation: "source" if the write went through something that shares with the value read, "snapshot" if the value read
    had been taken from what was written, "sibling" if both came from a third.
    """

    __slots__ = ("inside", "relation", "value", "write")

    def __init__(
        self, frame: Frame, node: ast.AST, value: Value, write: Write, relation: str, *, inside: bool = False
    ) -> None:
        super().__init__(frame, node)
        self.value, self.write, self.relation, self.inside = value, write, relation, inside

    @property
    def certain(self) -> bool:
        """Whether both surely lie on the same bytes: not two parts, not elements of a container."""
        return _certain(self.value, self.write)


def _certain(value: Value, write: Write) -> bool:
    if any(region.many for region in value.regions):
        return False
    return not (value.is_part and write.partial)


class BackPropagated(Event):
    """A gradient is computed from `value` (`node` is the call): ``loss.backward()`` or what a trainer offers for it."""

    __slots__ = ("value",)

    def __init__(self, frame: Frame, node: ast.AST, value: Value) -> None:
        super().__init__(frame, node)
        self.value = value


class Kept(Event):
    """A value is kept beyond the statement: appended, yielded, stored in a container or on an object (`how`)."""

    __slots__ = ("how", "iteration", "loop", "target", "time", "value")

    def __init__(self, frame: Frame, node: ast.AST, value: Value, how: str, target: Any = None) -> None:
        super().__init__(frame, node)
        self.value, self.how, self.target = value, how, target
        self.time, self.iteration, self.loop = frame.unit.clock, frame.iteration, frame.loop


class KeptChanged(Event):
    """What was kept (`kept`) changes under its holder: `node` is the write. `carried`: in a later turn of the loop."""

    __slots__ = ("carried", "kept", "region", "write")

    def __init__(self, frame: Frame, kept: Kept, write: Write, region: Region) -> None:
        super().__init__(frame, write.node)
        self.kept, self.write, self.region = kept, write, region
        self.carried = kept.loop is not None and write.iteration > kept.iteration and frame.within(kept.loop)

    @property
    def certain(self) -> bool:
        """Whether both surely lie on the same bytes: not two parts, not elements of a container."""
        return _certain(self.kept.value, self.write)


class Reshaped(Event):
    """A method such as ``squeeze_`` gives the object `value` itself another shape; the bytes stay."""

    __slots__ = ("name", "value")

    def __init__(self, frame: Frame, node: ast.AST, value: Value, name: str) -> None:
        super().__init__(frame, node)
        self.value, self.name = value, name


class Assigned(Event):
    """A value is bound: `target` is the node bound to (name, attribute, subscript), `value` what it gets."""

    __slots__ = ("source", "target", "value")

    def __init__(self, frame: Frame, node: ast.AST, target: ast.expr, source: ast.expr, value: Value | None) -> None:
        super().__init__(frame, node)
        self.target, self.source, self.value = target, source, value


class AssignedAttribute(Assigned):
    """A value is bound to an attribute. Heard by those who listen to it alone, which costs less than `Assigned`."""

    __slots__ = ()
    target: ast.Attribute


class Returned(Event):
    """A function returns `value`, of which something is known, at `node`."""

    __slots__ = ("value",)

    def __init__(self, frame: Frame, node: ast.AST, value: Value) -> None:
        super().__init__(frame, node)
        self.value = value


class Read(Event):
    """An attribute of a known value is read: `value.attribute`. Heard with `on_read`."""

    __slots__ = ("attribute", "value")

    def __init__(self, frame: Frame, node: ast.AST, value: Value, attribute: str) -> None:
        super().__init__(frame, node)
        self.value, self.attribute = value, attribute


class Operator(Event):
    """A binary or augmented operation on values, one of them known; `result` is None if unknown."""

    __slots__ = ("left", "result", "right")

    def __init__(
        self, frame: Frame, node: ast.AST, left: Value | None, right: Value | None, result: Value | None
    ) -> None:
        super().__init__(frame, node)
        self.left, self.right, self.result = left, right, result


class Compared(Event):
    """Two known values are compared with an operator."""

    __slots__ = ("left", "right")

    def __init__(self, frame: Frame, node: ast.AST, left: Value, right: Value) -> None:
        super().__init__(frame, node)
        self.left, self.right = left, right


class LoopEnd(Event):
    """A loop (`node`) has been followed; `frame.loops` no longer holds it."""

    __slots__ = ()


class FunctionEnd(Event):
    """A function has been followed to its end with unknown arguments (`node` is its definition)."""

    __slots__ = ()


class ClassEnd(Event):
    """All methods of a class have been followed; `info` knows what they wrote and returned."""

    __slots__ = ("info",)

    def __init__(self, frame: Frame, node: ast.AST, info: ClassInfo) -> None:
        super().__init__(frame, node)
        self.info = info


class ModuleEnd(Event):
    """A whole file has been followed; `node` is its tree."""

    __slots__ = ()
