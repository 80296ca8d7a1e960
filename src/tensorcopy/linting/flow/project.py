"""Files, classes and functions of the linted project, and what is known of each: names, attributes, summaries."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..model import Finding, Level, Rule
from ..sources import Source
from . import values as v
from .places import place_of
from .values import Region, Value
from .walking import Parents, walk

if TYPE_CHECKING:
    from .events import Event, Handler, Related, Write
    from .frame import Frame

_LINE_ENDS = re.compile("\r\n|\r|\n")
_BUILTINS = {name: f"builtins.{name}" for name in dir(builtins)}
_MODULE_BASES = frozenset(
    (
        "torch.nn.Module",
        "torch.jit.ScriptModule",
        "pytorch_lightning.LightningModule",
        "lightning.LightningModule",
        "lightning.pytorch.LightningModule",
        "pl.LightningModule",
        "transformers.PreTrainedModel",
        "transformers.modeling_utils.PreTrainedModel",
        "flax.linen.Module",
    )
)


class Summary:
    """What a call of a project function does, in terms of its parameters' regions: what it returns, yields, writes."""

    __slots__ = ("result", "writes", "yields")

    def __init__(self, result: Value | None, yields: Value | None, writes: dict[str, Write]) -> None:
        self.result, self.yields, self.writes = result, yields, writes


class FunctionInfo:
    """A function or method of the project, with the summaries found so far by the kinds of its arguments."""

    __slots__ = ("_arguments", "cls", "decorators", "name", "node", "open", "outer", "parameters", "summaries", "unit")

    def __init__(self, node: Any, unit: Unit, cls: ClassInfo | None = None, outer: Frame | None = None) -> None:
        self.node, self.unit, self.cls, self.outer = node, unit, cls, outer
        self.name: str = getattr(node, "name", "<lambda>")
        arguments = node.args
        self.parameters = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        self.decorators = [_last_name(d) for d in getattr(node, "decorator_list", ())]
        self._arguments: list[tuple[ast.arg, ast.expr | None]] | None = None
        self.summaries: dict[Any, Summary] = {}
        self.open = 0
        unit.note(self)

    @property
    def identity(self) -> tuple[str, str, int, int]:
        """What tells it from every other function, also after it is gone."""
        return self.unit.source.name, self.name, self.node.lineno, self.node.col_offset

    def release(self) -> None:
        """Let go of what it knows."""
        self.summaries, self.cls, self.outer = {}, None, None

    @property
    def arguments(self) -> list[tuple[ast.arg, ast.expr | None]]:
        """The parameters that take one argument each, with their defaults."""
        if self._arguments is None:
            stated = self.node.args
            positional = [*stated.posonlyargs, *stated.args]
            defaults = [*[None] * (len(positional) - len(stated.defaults)), *stated.defaults, *stated.kw_defaults]
            self._arguments = list(zip((*positional, *stated.kwonlyargs), defaults, strict=True))
        return self._arguments

    def has_decorator(self, *names: str) -> bool:
        """Whether one of its decorators ends in one of *names*."""
        return bool(self.decorators) and any(name in names for name in self.decorators)

    @property
    def is_static(self) -> bool:
        """Whether it is called without an instance."""
        return self.has_decorator("staticmethod")


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


class ClassInfo:
    """A class of the project: its methods, what its attributes hold, which of them are written in place or returned."""

    def __init__(self, node: ast.ClassDef, unit: Unit, bases: list[Value | None], outer: Frame | None = None) -> None:
        self.node, self.unit, self.name, self.bases, self.outer = node, unit, node.name, bases, outer
        self.methods: dict[str, FunctionInfo] = {}
        self.attributes: dict[str, Value | None] = {}
        self.regions: dict[str, Region] = {}
        self.written: dict[str, list[tuple[FunctionInfo | None, Write]]] = {}
        self.returned: dict[str, list[tuple[FunctionInfo | None, ast.AST, Value]]] = {}
        self.started = False
        self._asked: set[str] = set()
        self._base_names: frozenset[str] | None = None
        unit.note(self)

    @property
    def identity(self) -> tuple[str, str, int, int]:
        """What tells it from every other class, also after it is gone."""
        return self.unit.source.name, self.name, self.node.lineno, self.node.col_offset

    def release(self) -> None:
        """Let go of what it knows."""
        self.methods, self.attributes, self.regions, self.written, self.returned = {}, {}, {}, {}, {}
        self.bases, self.outer = [], None

    @property
    def parents(self) -> list[ClassInfo]:
        """The base classes that are classes of the project."""
        return [b.ref for b in self.bases if b is not None and isinstance(b.ref, ClassInfo)]

    def base_names(self) -> frozenset[str]:
        """Qualified names of the library classes that it derives from, directly or not."""
        if self._base_names is None:
            bases = [base for info in self.lineage() for base in info.bases if base is not None]
            self._base_names = frozenset(base.ref for base in bases if isinstance(base.ref, str))
        return self._base_names

    @property
    def is_module(self) -> bool:
        """Whether it is a `torch.nn.Module`."""
        return any(n in _MODULE_BASES or n.startswith("torch.nn.") for n in self.base_names())

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor subclass."""
        return "torch.Tensor" in self.base_names()

    def lineage(self) -> list[ClassInfo]:
        """The class and all that it derives from, each once, its own line of first bases first."""
        found: dict[ClassInfo, None] = {}
        pending = [self]
        while pending:
            current = pending.pop()
            if current not in found:
                found[current] = None
                pending += reversed(current.parents)
        return list(found)

    def method(self, name: str) -> FunctionInfo | None:
        """The method of that name, own or inherited from a class of the project."""
        if name in self.methods:
            return self.methods[name]
        lineage = self.lineage() if self.parents else ()
        return next((info.methods[name] for info in lineage if name in info.methods), None)

    def attribute(self, name: str) -> Value | None:
        """What an attribute of its instances holds, as its constructor leaves it."""
        if name in self.attributes:
            return self.attributes[name]
        return (
            next((c.attributes[name] for c in self.lineage() if name in c.attributes), None) if self.parents else None
        )

    def setters(self, name: str) -> list[FunctionInfo]:
        """The methods of the class itself that set an attribute and have not been followed yet; told of once."""
        if name in self._asked:
            return []
        self._asked.add(name)
        if not self.unit.mentions(self.node, f".{name} = ", f".{name}, self."):
            return []
        return [m for m in self.methods.values() if not m.open and None not in m.summaries and _sets(m, name)]

    def region(self, name: str) -> Region:
        """The memory behind an attribute of which nothing else is known."""
        if name not in self.regions:
            self.regions[name] = Region("attribute", name=name)
            self.regions[name].kept = name
        return self.regions[name]


def _sets(method: FunctionInfo, name: str) -> bool:
    """Whether a method binds an attribute of its object."""
    if not method.parameters:
        return False
    known: dict[ast.AST, frozenset[str]] = method.unit.source.note("set", lambda _: {})
    if method.node not in known:
        known[method.node] = frozenset(_set_attributes(method))
    return name in known[method.node]


def _set_attributes(method: FunctionInfo) -> Iterator[str]:
    """The attributes of its object that a method binds."""
    for node in walk(method.node):
        if type(node) is ast.Attribute and type(node.ctx) is ast.Store:
            base = node.value
            if type(base) is ast.Name and base.id == method.parameters[0]:
                yield node.attr


class Unit:
    """One file being followed. `told` is the call last told of; `remembered` is what rules note, each by its code."""

    def __init__(self, source: Source, project: Project, *, muted: bool = False) -> None:
        self.source, self.project, self.muted = source, project, muted
        self.tree = source.tree
        self.clock = 0
        self.grad = "on"
        self.budget = 40_000
        self.made: list[Frame | FunctionInfo | ClassInfo] = []
        self.findings: dict[tuple[str, int], Finding] = {}
        self.hears: dict[str, list[Handler]] = {} if muted else project.hears
        self.hears_calls: dict[str, list[Handler]] = {} if muted else project.hears_calls
        self.frame: Frame | None = None
        self.names: dict[str, Value | None] = {}
        self.functions: list[FunctionInfo] = []
        self.classes: list[ClassInfo] = []
        # What an imported file defines by each name; found out when it is asked for.
        self.definitions: dict[str, list[ast.stmt]] = {}
        self.lines: list[str] | None = None
        self._said: dict[tuple[str, ...], bool] = source.note("said", lambda _: {})
        self.told: tuple[ast.Call, str, Value | None, list[Value | None]] | None = None
        self.remembered: dict[str, Any] = {}
        self._libraries: dict[str, Value] = {}
        self._parents: Parents | None = None

    @property
    def parents(self) -> Parents:
        """What each node is part of."""
        if self._parents is None:
            self._parents = Parents(self.tree)
        return self._parents

    def note(self, made: Frame | FunctionInfo | ClassInfo) -> None:
        """Remember what is to be released."""
        self.made.append(made)

    def release(self) -> None:
        """Let go of all but the findings: what refers to itself would wait for the collector."""
        for made in self.made:
            made.release()
        self.made, self.functions, self.classes, self.definitions = [], [], [], {}
        self.frame, self.names, self.remembered, self.told, self._parents = None, {}, {}, None, None

    def library(self, name: str) -> Value:
        """The library object of a qualified name."""
        found = self._libraries.get(name)
        if found is None:
            found = self._libraries[name] = Value(v.LIBRARY, ref=name)
        return found

    def lookup(self, name: str) -> Value | None:
        """A name of the module, or a builtin."""
        if self.frame is not None and name in self.frame.state.names:
            return self.frame.state.names[name]
        if name in self.names:
            return self.names[name]
        if name in self.definitions:
            from .resolving import defined_in

            return defined_in(self, name)
        builtin = _BUILTINS.get(name)
        return self.library(builtin) if builtin is not None else None

    def tell(self, kind: type[Event], frame: Frame, node: Any, *facts: Any) -> None:
        """Tell the rules that listen to events of this type; the event is made once, and only if somebody listens."""
        handlers = self.hears.get(kind.__name__)
        if handlers:
            event = kind(frame, node, *facts)
            for handler in handlers:
                handler(event)

    def mentions(self, node: Any, *words: str) -> bool:
        """Whether the lines of *node* contain one of *words*: a quick no for rules that would walk it."""
        if not self.says(*words):
            return False
        start, end = self.lines_of(node)
        return any(self.source.text.find(word, start, end) >= 0 for word in words)

    def lines_of(self, node: Any) -> tuple[int, int]:
        """Where in the text the first line of *node* starts, and where its last line ends."""
        if isinstance(node, ast.Module):
            return 0, len(self.source.text)
        starts: list[int] = self.source.note("starts", _starts)
        return starts[node.lineno - 1], starts[min(node.end_lineno, len(starts) - 1)]

    def says(self, *words: str) -> bool:
        """Whether the file contains one of *words*. Looked for once."""
        if words not in self._said:
            self._said[words] = any(word in self.source.text for word in words)
        return self._said[words]

    def report(
        self, rule: Rule, node: Any, message: str, related: Related, fix: Any, level: Level | None = None
    ) -> None:
        """Note a finding, one of a rule on a line. What only some arguments show takes the place of a note."""
        if self.muted or not self._is_own(node):
            return
        key = (rule.code, node.lineno)
        if key in self.findings and not (self.findings[key].level is Level.NOTE and level is not Level.NOTE):
            return
        if self.lines is None:
            self.lines = _LINE_ENDS.split(self.source.text)
        places = tuple(place_of(self.source.name, n, self.lines, text) for n, text in related if self._is_own(n))
        self.findings[key] = Finding(
            code=rule.code,
            name=rule.name,
            level=level or rule.level,
            message=message,
            place=place_of(self.source.name, node, self.lines),
            related=places,
            fix=fix(self.lines) if callable(fix) else fix,
        )

    def _is_own(self, node: Any) -> bool:
        """Whether a node stands in this file: what a value went through may stand in another one."""
        return getattr(node, "lineno", None) is not None and self.parents.get(node) is not None


def _starts(source: Source) -> list[int]:
    """Where each line of a file starts, and where the last one ends."""
    text = source.text
    ends = _LINE_ENDS.finditer(text) if "\r" in text else None
    lines = [end.end() for end in ends] if ends else accumulate(len(line) + 1 for line in text.split("\n"))
    return [0, *lines, len(text)]


class Project:
    """All that is shared while several files are followed: the rules that listen, and modules already read."""

    def __init__(self, hears: dict[str, list[Handler]], hears_calls: dict[str, list[Handler]]) -> None:
        self.hears, self.hears_calls = hears, hears_calls
        self.modules: dict[str, Unit | None] = {}

    def module(self, name: str, importer: Unit) -> Unit | None:
        """The file of a module of the project, read for what it defines; None for any other module."""
        if importer.source.imports is None:
            return None
        if name not in self.modules:
            source = importer.source.imports(name)
            self.modules[name] = None if source is None else Unit(source, self, muted=True)
        return self.modules[name]
