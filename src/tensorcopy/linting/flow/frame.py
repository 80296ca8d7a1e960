"""The state of following one function: what its names stand for, what has been written, in which loop and grad mode."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .events import Kept, KeptChanged, Stale, Write
from .values import NOTHING, Region, Value, joined

if TYPE_CHECKING:
    from .project import ClassInfo, FunctionInfo, Unit


class State:
    """What holds at one point of a function. Copied where paths part, joined where they meet."""

    __slots__ = ("attributes", "dead", "names", "writes")

    def __init__(self) -> None:
        self.names: dict[str, Value | None] = {}
        self.attributes: dict[str, Value | None] = {}
        self.writes: dict[Region, Write] = {}
        self.dead = False

    def copy(self) -> State:
        """An independent state with the same facts."""
        other = object.__new__(State)
        other.names, other.attributes = self.names.copy(), self.attributes.copy()
        other.writes, other.dead = self.writes.copy(), self.dead
        return other

    def join(self, other: State) -> State:
        """What holds after either path. Paths that have ended do not count."""
        if self.dead:
            return other
        if other.dead:
            return self
        _join_into(self.names, other.names)
        _join_into(self.attributes, other.attributes)
        for region, write in other.writes.items():
            mine = self.writes.get(region)
            if mine is None or mine.time < write.time:
                self.writes[region] = write
        return self


def _join_into(mine: dict[str, Value | None], others: dict[str, Value | None]) -> None:
    for name, value in others.items():
        if name in mine:
            if mine[name] is not value:
                mine[name] = joined(mine[name], value)
        elif value is not None:
            mine[name] = value.with_(traits=value.traits | {"maybe unbound"}) if value.kind != NOTHING else value


class Frame:
    """One function, class body or module being followed. `probing` counts the blocks around that expect an error."""

    def __init__(
        self,
        unit: Unit,
        function: FunctionInfo | None = None,
        cls: ClassInfo | None = None,
        outer: Frame | None = None,
        depth: int = 0,
    ) -> None:
        self.unit, self.function, self.cls, self.outer, self.depth = unit, function, cls, outer, depth
        self.state = State()
        self.loops: list[ast.AST] = []
        self.exits: list[list[State]] = []
        self.iteration = 0
        self.grad = "on"
        self.probing = 0
        self.returns: list[Value | None] = []
        self.yields: list[Value | None] = []
        self.kept: dict[Region, list[Kept]] = {}
        self.written_parameters: dict[str, Write] = {}
        self.parameters: dict[str, Value] = {}
        self.globals: set[str] = set()
        # What backward will need, and what of it has been changed, by memory. For the rules on saved values.
        self.saved: dict[Region, Any] = {}
        self.spoiled: dict[Region, Any] = {}
        if not unit.muted:
            unit.note(self)

    def release(self) -> None:
        """Let go of everything."""
        self.__dict__.clear()

    @property
    def loop(self) -> ast.AST | None:
        """The innermost loop."""
        return self.loops[-1] if self.loops else None

    def within(self, loop: ast.AST) -> bool:
        """Whether *loop* is being followed."""
        return loop in self.loops

    def lookup(self, name: str) -> Value | None:
        """What *name* stands for: in this function, in those around it, in the module, among the builtins."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.state.names:
                return frame.state.names[name]
            frame = frame.outer
        return self.unit.lookup(name)

    def check_read(self, node: ast.AST, value: Value) -> None:
        """Tell the rules if *value* has changed since it was taken."""
        writes = self.state.writes
        for region in value.regions:
            write = writes.get(region)
            if write is not None and write.time > value.time and write.value is not value:
                self._tell_stale(node, value, write)
                return
        if value.items and not value.regions:
            items = value.items.values() if isinstance(value.items, dict) else value.items
            for item in items:
                if item is not None and item.regions:
                    self._check_item(node, item)

    def _check_item(self, node: ast.AST, item: Value) -> None:
        for region in item.regions:
            write = self.state.writes.get(region)
            if write is not None and write.time > item.time and write.value is not item:
                self._tell_stale(node, item, write, inside=True)

    def _tell_stale(self, node: ast.AST, value: Value, write: Write, *, inside: bool = False) -> None:
        handlers = self.unit.hears.get("Stale")
        if not handlers:
            return
        if _derived(write.value, value):
            relation = "source"
        elif _derived(value, write.value):
            relation = "snapshot"
        else:
            relation = "sibling"
        event = Stale(self, node, value, write, relation, inside=inside)
        for handler in handlers:
            handler(event)

    def write(self, node: ast.AST, value: Value, how: str, written: Value | None = None, inner: Any = None) -> None:
        """The memory of *value* changes at *node*: tell the rules, and remember for later reads."""
        unit = self.unit
        unit.clock += 1
        event = Write(self, node, value, how, written, inner)
        for handler in unit.hears.get("Write", ()):
            handler(event)
        for region in value.regions:
            self._tell_kept(event, region)
            self.state.writes[region] = event
            if region.origin == "parameter":
                self.written_parameters.setdefault(region.name, event)
            if region.kept and self.cls is not None:
                self.cls.written.setdefault(region.kept, []).append((self.function, event))

    def _tell_kept(self, event: Write, region: Region) -> None:
        for kept in self.kept.get(region, ()):
            if kept.time < event.time:
                changed = KeptChanged(self, kept, event, region)
                for handler in self.unit.hears.get("KeptChanged", ()):
                    handler(changed)

    def keep(self, node: ast.AST, value: Value, how: str, target: Any = None) -> None:
        """*value* outlives the statement; tell the rules, and remember where its memory went."""
        unit = self.unit
        unit.clock += 1
        event = Kept(self, node, value, how, target)
        for handler in unit.hears.get("Kept", ()):
            handler(event)
        for region in value.regions:
            known = self.kept.setdefault(region, [])
            if len(known) < 8:
                known.append(event)


def _derived(value: Value, base: Value) -> bool:
    """Whether *value* was reached from *base* by sharing operations."""
    step = value.step
    for _ in range(20):
        if step is None:
            return False
        if step.base is base or (step.base.node is base.node and base.node is not None and step.base.step is base.step):
            return True
        step = step.base.step
    return False
