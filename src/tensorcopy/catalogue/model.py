"""The vocabulary of the catalogue: what one call does to memory, to the autograd graph and to the values.

Every record is a plain frozen value. Reading one never loads torch or NumPy: dtypes, errors and overloads are text.
In every example `x` is the source, the object whose memory and graph the facts are about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any


class Memory(Enum):
    """Whose memory the result's bytes lie in."""

    SHARES = "shares"
    COPIES = "copies"
    DEPENDS = "depends"


class Graph(Enum):
    """Whether a gradient reaches the source through the result."""

    KEEPS = "keeps"
    CUTS = "cuts"
    DEPENDS = "depends"
    NOT_APPLICABLE = "not applicable"


class RequiresGrad(Enum):
    """`requires_grad` of the result."""

    SAME = "as the source has it"
    NO = "never"
    YES = "always"
    IF_DIFFERENTIABLE = "as the source has it, if the result is floating or complex"
    NOT_APPLICABLE = "the result has none"


class Dtype(Enum):
    """Where the dtype of the result comes from."""

    SAME = "same as the source"
    GIVEN = "the one asked for"
    DEFAULT = "torch.get_default_dtype()"
    FIXED = "fixed by the name of the call"
    INFERRED = "from the Python values: integers int64; floats torch's default dtype, float64 in NumPy and in batches"
    FORMAT = "that which the buffer states"
    PROMOTED = "promoted over all operands"
    TARGET = "that of the object written into"
    REAL = "the real counterpart of a complex dtype, else the same"
    COMPLEX = "the complex counterpart of the dtype"
    NATIVE = "the same dtype in the machine's byte order"
    PYTHON = "Python's own int, float, complex or bool"
    NOT_APPLICABLE = "the result has none"


class Device(Enum):
    """Where the result lies."""

    SAME = "same as the source"
    GIVEN = "the one asked for"
    DEFAULT = "the default device where one is set, else the source's; the CPU for what is no tensor"
    HOST = "the CPU"
    TARGET = "that of the object written into"


class Layout(Enum):
    """The strides of the result."""

    SAME = "the source's strides"
    PRESERVED = "a copy of a dense source keeps its stride order, any other copy is dense; what shares has the same"
    CONTIGUOUS = "row-major"
    FORTRAN = "column-major"
    DERIVED = "computed from the source's strides"
    DENSE = "dense, in an order of the operation's choice"
    GIVEN = "the memory format asked for"
    TARGET = "that of the object written into"
    NOT_APPLICABLE = "the result has none"


class Version(Enum):
    """Whether writing the result moves the source's version counter, so that autograd notices the write."""

    SHARED = "shared"
    SEPARATE = "separate"
    WITH_MEMORY = "shared exactly when memory is shared"
    NOT_APPLICABLE = "not a pair of tensors"


class ReturnsSelf(Enum):
    """Whether the result is the very same object as the source."""

    NEVER = "never"
    ALWAYS = "always"
    WHEN_SHARING = "whenever memory is shared"
    SOMETIMES = "in some cases where memory is shared"


class Subclass(Enum):
    """What becomes of a tensor subclass and of a `Parameter`."""

    KEEPS = "a subclass stays, a Parameter becomes a plain Tensor"
    SAME = "the type stays, also Parameter"
    WITH_MEMORY = "the type stays while memory is shared, otherwise a Parameter becomes a plain Tensor"
    SAME_OR_PLAIN = "the type stays while memory is shared, otherwise a plain Tensor"
    DROPS = "a plain Tensor or ndarray"
    PARAMETER = "a Parameter; a subclass stays as well"
    KEEPS_BUT_MEMMAP = "a subclass stays, a memmap becomes a plain ndarray"
    MEMMAP = "always a memmap"
    TARGET = "the type of the object written into"
    NOT_APPLICABLE = "the result is not of the source's library"


class Kind(Enum):
    """What kind of object a source or a result is."""

    TENSOR = "tensor"
    ARRAY = "ndarray"
    MASKED = "masked array"
    SEQUENCE = "list"
    SCALAR = "number"
    NUMBERS = "nested list of numbers, or one number"
    BUFFER = "buffer"
    STORAGE = "storage"
    MODULE = "module"
    MAPPING = "dict"
    TENSORS = "tuple of tensors"
    ARRAYS = "list of arrays"
    CAPSULE = "DLPack capsule"
    TEXT = "str"
    OTHER = "another object"
    NOTHING = "None"


class Trait(Enum):
    """A property of a source, alone or beside what the call asks for. Its text reads on after "a source that"."""

    # graph
    REQUIRES_GRAD = "requires grad"
    LEAF_REQUIRING_GRAD = "is a leaf that requires grad"
    NON_LEAF = "is a non-leaf on the graph"
    VIEW = "is a view of another tensor"
    SUBCLASS = "is of a subclass"
    # layout
    NON_CONTIGUOUS = "is not contiguous"
    NOT_FLAT = "cannot be viewed as one dimension"
    NOT_DENSE = "has gaps or repeats elements in memory"
    NOT_ONE_BLOCK = "is neither row-major nor column-major"
    EXPANDED = "repeats elements in memory"
    NEGATIVE_STRIDE = "has a negative stride"
    NON_FORTRAN = "is not column-major"
    ZERO_D = "has no dimensions"
    NOT_ONE_ELEMENT = "has not exactly one element"
    ONE_D = "has exactly one dimension"
    LESS_THAN_2D = "has fewer than two dimensions"
    NOT_2D = "has not exactly two dimensions"
    LESS_THAN_3D = "has fewer than three dimensions"
    MORE_THAN_2D = "has more than two dimensions"
    NOT_4D = "has not exactly four dimensions"
    EMPTY = "has no elements"
    CHANNELS_LAST = "has its channels side by side"
    NOT_LAST_CONTIGUOUS = "does not have elements side by side in its last dimension"
    # dtype
    BOOL = "is boolean"
    INTEGRAL = "is of integers or bool"
    BFLOAT16 = "is bfloat16"
    NOT_FLOATING = "is neither floating nor complex"
    COMPLEX = "is complex"
    COMPLEX_ON_GRAPH = "is complex and requires grad"
    NOT_COMPLEX = "is not complex"
    BIG_ENDIAN = "is not in the machine's byte order"
    NO_TORCH_DTYPE = "has a dtype that torch does not have"
    NO_NUMPY_DTYPE = "has a dtype that NumPy does not have"
    LONG_DOUBLE = "is longdouble"
    UNSIGNED_WIDE = "is of uint16, uint32 or uint64"
    OBJECT = "holds Python objects"
    OTHER_DTYPE = "has another dtype than the one asked for"
    # bits, masks, protection
    CONJ_BIT = "has the conjugate bit set"
    NEG_BIT = "has the negative bit set"
    LAZY_BIT = "has the conjugate or negative bit set"
    MASKED_VALUES = "has masked values"
    READ_ONLY = "is read-only"
    NOT_OWNED = "does not own its memory"
    ARRAY_SUBCLASS = "is of an ndarray subclass"
    # relative to the call
    OTHER_FORMAT = "is not in the memory format asked for"
    RESULT_NOT_DIFFERENTIABLE = "becomes an integer or bool"


class Value(Enum):
    """What a pattern requires of an argument."""

    TRUE = "True"
    FALSE = "False"
    NONE = "None"
    GIVEN = "given"
    ABSENT = "absent"
    DTYPE = "a dtype"
    DEVICE = "a device"
    TENSOR = "a tensor"
    BASIC_INDEX = "integers, slices, None or ..."
    ADVANCED_INDEX = "a list, an array or a tensor of integers"
    MASK = "a boolean array or tensor"


class Style(Enum):
    """How a call is written."""

    CALL = "call"
    ATTRIBUTE = "attribute"
    ASSIGNMENT = "assignment to an attribute"
    INDEX = "subscript"
    INDEX_ASSIGNMENT = "assignment to a subscript"
    OPERATOR = "operator"
    CHAIN = "several calls"


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A condition on one argument, named by the parameter it fills, however it is passed."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """How to recognise the call in source text, without running it.

    names: every qualified name, like ``torch.Tensor.clone`` and ``torch.clone``; a method's receiver is argument 0.
    when: conditions that all hold; what is not named is left at its default.
    source: the argument that is the source, by position or by name; `in_sequence` if it is an element of that argument.
    writes_to: the arguments whose memory is changed, by position or by name.
    steps: for `Style.CHAIN`, the qualified names in the order in which they run.
    """

    names: tuple[str, ...] = ()
    style: Style = Style.CALL
    when: tuple[Argument, ...] = ()
    source: int | str = 0
    in_sequence: bool = False
    writes_to: tuple[int | str, ...] = ()
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A source that the call refuses: by trait, or by code. `error` is its class or a base, `text` a part of it.

    until: the release, if any, from which on it is accepted or refused with other words.
    """

    given: Trait | None = None
    code: str = ""
    error: str
    text: str
    since: str = ""
    until: str = ""

    def holds_on(self, releases: Mapping[str, str]) -> bool:
        """Whether these releases refuse it with these words."""
        return reached(self.since, releases) and not (self.until and reached(self.until, releases))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A value that comes out wrong without an error: `code` gives `gives`, where `wanted` is what a reader expects."""

    code: str
    gives: str
    wanted: str
    why: str
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """Code that ends the process or uses memory that is not its own: run it in a child only.

    given: every source with this trait does so.
    ends: the signals, like ``"SIGABRT"``, or classes of errors by which it may end.
    """

    given: Trait | None = None
    code: str
    ends: tuple[str, ...]
    why: str
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warns:
    """A warning: for every source, for one with a trait, or for `code`. `once`: only the first time in a process."""

    given: Trait | None = None
    code: str = ""
    category: str = "UserWarning"
    text: str
    once: bool = False
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Was:
    """What was true before a release like ``"torch 2.6"``: `facts` replace the fields of the entry that they name."""

    before: str
    note: str
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """Everything known about one call on one kind of source. Each field is proved by running it.

    examples: calls as code with `x` as the source; the first is the one to show, all of them obey the facts.
    setup: code that runs before an example (a destination, an index), with `x` already there.
    probe: an expression in `y`, the example's value, that gives what the facts are about (a module's weight, say).
    unless: sources with any of these traits are not what this entry is about.
    copies_if: for `Memory.DEPENDS`, copies if the source has any of these traits, and shares otherwise.
    cuts_if: the same for `Graph.DEPENDS`.
    changes_object: True if the call changes shape, flags or memory of an object without writing its bytes.
    takes_values: False if only shape, dtype and device are taken from the source.
    whole_storage: True if a copy of a small view carries the whole storage behind it.
    since: the release that brought the call, like ``"torch 2.9"`` or ``"torch 2.9, numpy 2.1"``; empty if all have it.
    aten: the overload in ``torch.ops.aten`` that the call runs, to compare with torch's own schema.
    """

    name: str
    summary: str
    call: Call
    examples: tuple[str, ...]
    setup: str = ""
    probe: str = "y"
    source: Kind = Kind.TENSOR
    unless: tuple[Trait, ...] = ()
    result: Kind = Kind.TENSOR
    memory: Memory
    copies_if: tuple[Trait, ...] = ()
    graph: Graph = Graph.NOT_APPLICABLE
    cuts_if: tuple[Trait, ...] = ()
    requires_grad: RequiresGrad = RequiresGrad.NOT_APPLICABLE
    dtype: Dtype = Dtype.SAME
    dtype_name: str = ""
    device: Device = Device.SAME
    layout: Layout = Layout.SAME
    version: Version = Version.NOT_APPLICABLE
    returns_self: ReturnsSelf = ReturnsSelf.NEVER
    subclass: Subclass = Subclass.NOT_APPLICABLE
    changes_object: bool = False
    takes_values: bool = True
    whole_storage: bool = False
    rejects: tuple[Rejection, ...] = ()
    silently_wrong: tuple[Wrong, ...] = ()
    crashes: tuple[Crash, ...] = ()
    warns: tuple[Warns, ...] = ()
    since: str = ""
    was: tuple[Was, ...] = ()
    aten: str = ""
    note: str = ""

    @property
    def example(self) -> str:
        """The call to show."""
        return self.examples[0]

    @property
    def writes(self) -> bool:
        """True if the call changes memory that others may see."""
        return bool(self.call.writes_to)

    @property
    def condition(self) -> str:
        """The sentence that says when a depending operation copies; empty where nothing depends."""
        return "copies a source that " + " or ".join(t.value for t in self.copies_if) if self.copies_if else ""

    @property
    def graph_condition(self) -> str:
        """The sentence that says when a depending operation cuts the graph; empty where nothing depends."""
        return "cuts the graph of a source that " + " or ".join(t.value for t in self.cuts_if) if self.cuts_if else ""

    def exists_in(self, releases: Mapping[str, str]) -> bool:
        """Whether these releases, ``{"torch": "2.4.1", "numpy": "1.26.4"}``, have the call at all."""
        return reached(self.since, releases)

    def on(self, releases: Mapping[str, str]) -> Operation:
        """The same operation with the facts that hold on these releases, as a new value."""
        facts: dict[str, Any] = {}
        for was in sorted(self.was, key=lambda w: version_of(w.before), reverse=True):
            if not reached(was.before, releases):
                facts |= was.facts
        return replace(self, was=(), **facts) if facts else self


def version_of(release: str) -> tuple[int, ...]:
    """The numbers of a release: (2, 13) of ``"torch 2.13"``, (2, 4, 1) of ``"2.4.1+cpu"``."""
    return tuple(int(re.match(r"\d*", part)[0] or 0) for part in release.split()[-1].split(".")[:3])  # type: ignore[index]


def reached(since: str, releases: Mapping[str, str]) -> bool:
    """Whether all releases named in *since* are at hand or passed; a library that is not at hand does not count."""
    named = [part for part in since.split(", ") if part.split(" ")[0] in releases]
    return all(version_of(releases[part.split(" ")[0]]) >= version_of(part) for part in named)
