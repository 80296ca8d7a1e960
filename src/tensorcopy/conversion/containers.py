"""How each kind of container is taken apart, and made anew from copies of what was inside.

A mutable container has a *shell*: an empty new one, which may be referred to before it is filled, so that cycles can
be rebuilt. An immutable one is *built* once its parts exist. Only the methods of the builtin types are called, never
those that a subclass has put in their place; keys and members of sets are hashed again, as any insertion does.
"""

from __future__ import annotations

from argparse import Namespace
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from struct import calcsize
from types import MappingProxyType, MemberDescriptorType, SimpleNamespace
from typing import Any

from ..live.libraries import class_of, load

_HEAP_TYPE = 1 << 9
"""CPython's flag of classes that were made at run time, as by a ``class`` statement."""
_POINTER = calcsize("P")


class Kind:
    """One kind of container: the contents apart from instance attributes, and how to make a new one."""

    has_shell = True
    base: Any = None
    """The builtin class whose methods are called."""

    def contents(self, x: Any) -> list[Any]:
        """Everything inside, in the order that `fill` and `build` expect."""
        return list(x)

    def shell(self, x: Any) -> Any:
        """A new, empty container of the class of *x*."""
        raise NotImplementedError

    def fill(self, shell: Any, contents: list[Any]) -> None:
        """Put the copied *contents* into *shell*."""

    def build(self, x: Any, contents: list[Any]) -> Any:
        """A new immutable container of the class of *x*."""
        raise NotImplementedError

    def label(self, x: Any, position: int, contents: list[Any]) -> str:
        """The step from *x* to the part at *position*, as Python would write it."""
        return f"[{position}]"

    def hashed(self, count: int) -> range:
        """Positions of the parts that must be hashed to be put in."""
        return range(0)


class _List(Kind):
    def contents(self, x: Any) -> list[Any]:
        return list.copy(x)

    def shell(self, x: Any) -> Any:
        return list.__new__(type(x))

    def fill(self, shell: Any, contents: list[Any]) -> None:
        list.extend(shell, contents)


class _Deque(Kind):
    def contents(self, x: Any) -> list[Any]:
        return list(deque.__iter__(x))

    def shell(self, x: Any) -> Any:
        new = deque.__new__(type(x))
        deque.__init__(new, (), x.maxlen)
        return new

    def fill(self, shell: Any, contents: list[Any]) -> None:
        deque.extend(shell, contents)


class _Dict(Kind):
    base: Any = dict

    def contents(self, x: Any) -> list[Any]:
        return [*self.base.keys(x), *self.base.values(x)]

    def shell(self, x: Any) -> Any:
        new = self.base.__new__(type(x))
        if isinstance(x, defaultdict):
            new.default_factory = x.default_factory
        return new

    def fill(self, shell: Any, contents: list[Any]) -> None:
        half = len(contents) // 2
        dict.update(shell, zip(contents[:half], contents[half:], strict=True))

    def label(self, x: Any, position: int, contents: list[Any]) -> str:
        half = len(contents) // 2
        return f"[{short(contents[position - half])}]" if position >= half else f"[key {short(contents[position])}]"

    def hashed(self, count: int) -> range:
        return range(count // 2)


class _OrderedDict(_Dict):
    base = OrderedDict

    def fill(self, shell: Any, contents: list[Any]) -> None:
        half = len(contents) // 2
        for key, value in zip(contents[:half], contents[half:], strict=True):
            OrderedDict.__setitem__(shell, key, value)


class _Set(Kind):
    base: Any = set

    def contents(self, x: Any) -> list[Any]:
        return list(self.base.__iter__(x))

    def shell(self, x: Any) -> Any:
        return set.__new__(type(x))

    def fill(self, shell: Any, contents: list[Any]) -> None:
        set.update(shell, contents)

    def label(self, x: Any, position: int, contents: list[Any]) -> str:
        return f"[member {short(contents[position])}]"

    def hashed(self, count: int) -> range:
        return range(count)


class _FrozenSet(_Set):
    has_shell = False
    base = frozenset

    def build(self, x: Any, contents: list[Any]) -> Any:
        return frozenset.__new__(type(x), contents)


class _Tuple(Kind):
    has_shell = False

    def contents(self, x: Any) -> list[Any]:
        return list(tuple.__iter__(x))

    def build(self, x: Any, contents: list[Any]) -> Any:
        return tuple.__new__(type(x), contents)


class _NamedTuple(_Tuple):
    def label(self, x: Any, position: int, contents: list[Any]) -> str:
        return f".{type(x)._fields[position]}"


class _StructSequence(_Tuple):
    """What ``torch.max`` and ``os.stat`` return; such a class only takes one sequence."""

    def build(self, x: Any, contents: list[Any]) -> Any:
        return type(x)(contents)


class _Record(Kind):
    """An object that is nothing but its attributes: dataclass, namespace, `collections.UserDict` and the like."""

    def contents(self, x: Any) -> list[Any]:
        return []

    def shell(self, x: Any) -> Any:
        return _native_base(type(x)).__new__(type(x))


class _Proxy(Kind):
    """A read-only view of a mapping: a view of a new dict."""

    has_shell = False

    def contents(self, x: Any) -> list[Any]:
        items = list(x.items())
        return [*(key for key, _ in items), *(value for _, value in items)]

    def build(self, x: Any, contents: list[Any]) -> Any:
        half = len(contents) // 2
        return MappingProxyType(dict(zip(contents[:half], contents[half:], strict=True)))

    def label(self, x: Any, position: int, contents: list[Any]) -> str:
        return _DICT.label(x, position, contents)

    def hashed(self, count: int) -> range:
        return range(count // 2)


class _ObjectArray(Kind):
    """A NumPy array of Python objects."""

    def contents(self, x: Any) -> list[Any]:
        return list(x.flat)

    def shell(self, x: Any) -> Any:
        return load("numpy").empty_like(x)

    def fill(self, shell: Any, contents: list[Any]) -> None:
        for index, value in zip(load("numpy").ndindex(shell.shape), contents, strict=True):
            shell[index] = value

    def label(self, x: Any, position: int, contents: list[Any]) -> str:
        index = load("numpy").unravel_index(position, x.shape) if x.shape else ()
        return "".join(f"[{int(i)}]" for i in index)


_DICT, _TUPLE, _RECORD, _PROXY = _Dict(), _Tuple(), _Record(), _Proxy()
OBJECT_ARRAY = _ObjectArray()
_BUILTIN: tuple[tuple[type, Kind], ...] = (
    (OrderedDict, _OrderedDict()),
    (dict, _DICT),
    (list, _List()),
    (deque, _Deque()),
    (set, _Set()),
    (frozenset, _FrozenSet()),
)


def kind_of(cls: type) -> Kind | None:
    """How objects of class *cls* are taken apart, or None if they are no containers, or hide some of what they hold."""
    if issubclass(cls, tuple):
        return _tuple_kind(cls)
    if cls is MappingProxyType:
        return _PROXY
    if _hides_state(cls):
        return None
    for base, kind in _BUILTIN:
        if issubclass(cls, base):
            return kind
    return _RECORD if _is_record(cls) else None


def _tuple_kind(cls: type) -> Kind | None:
    if cls is class_of("torch", "Size"):
        return None
    if hasattr(cls, "n_sequence_fields"):
        return _StructSequence()
    return _NamedTuple() if hasattr(cls, "_fields") else _TUPLE


def _is_record(cls: type) -> bool:
    """Whether objects of *cls* are known to be the sum of their attributes. A ``torch.nn.Module`` is more than that."""
    module = class_of("torch.nn", "Module")
    if _native_base(cls) not in (object, SimpleNamespace) or (module is not None and issubclass(cls, module)):
        return False
    known = (SimpleNamespace, Namespace, Mapping, Sequence, Set)
    return is_dataclass(cls) or hasattr(cls, "__attrs_attrs__") or issubclass(cls, known)


def _native_base(cls: type) -> Any:
    """The nearest class in the ancestry of *cls* that no ``class`` statement made: it knows how to allocate one."""
    return next(base for base in cls.__mro__ if base in _NATIVE or not base.__flags__ & _HEAP_TYPE)


_NATIVE = frozenset((deque, defaultdict, OrderedDict))
"""Classes written in C that carry the flag of run-time classes in some releases of Python."""


def _hides_state(cls: type) -> bool:
    """Whether an object of *cls* has fields of its own in C, which no attribute shows.

    Slots, the instance dictionary and the list of weak references account for the size of a class made in Python.
    """
    base = _native_base(cls)
    grown = int(cls.__dictoffset__ > 0 == base.__dictoffset__) + int(
        cls.__weakrefoffset__ > 0 == base.__weakrefoffset__
    )
    pointers = grown + len(_slots(cls))
    return bool(cls.__basicsize__ > base.__basicsize__ + pointers * _POINTER)


def _declared_slots(cls: type) -> tuple[tuple[str, MemberDescriptorType], ...]:
    """Name and descriptor of each slot that a class statement in the ancestry of *cls* declares."""
    declaring = [base.__dict__ for base in cls.__mro__ if "__slots__" in base.__dict__]
    return tuple((k, v) for names in declaring for k, v in names.items() if isinstance(v, MemberDescriptorType))


_slots: Callable[[type], tuple[tuple[str, MemberDescriptorType], ...]] = lru_cache(maxsize=512)(_declared_slots)


@dataclass(slots=True, eq=False)
class Taken:
    """A container taken apart: its contents, then the values of its instance attributes."""

    source: Any
    kind: Kind
    parts: list[Any]
    count: int
    """How many of the parts are contents."""
    names: tuple[str, ...] = ()
    """Names of the attributes, the ones in slots first."""
    slots: int = 0
    settled: bool = False
    """Nothing inside needs a copy, so the parts are those of the copy too."""
    owner: Any = None
    """The leaf whose attributes these are."""
    lenient: bool = False
    """What cannot be copied in here is kept as it is."""

    def label(self, position: int) -> str:
        """The step from the container to one of its parts."""
        if self.owner is not None:
            return f".{self.parts[position - self.count // 2]}"
        if position >= self.count:
            return f".{self.names[position - self.count]}"
        return self.kind.label(self.source, position, self.parts[: self.count])

    def hashed(self) -> list[Any]:
        """The parts that must be hashed to be put in."""
        return [self.parts[i] for i in self.kind.hashed(self.count)]


def take_apart(x: Any, kind: Kind) -> Taken:
    """The parts of *x*; changes nothing."""
    contents = kind.contents(x)
    count = len(contents)
    if type(x) in _BARE:
        return Taken(x, kind, contents, count)
    in_slots, in_dict = _attributes(x)
    parts = [*contents, *in_slots.values(), *in_dict.values()]
    return Taken(x, kind, parts, count, (*in_slots, *in_dict), len(in_slots))


def take_attributes(leaf: Any, attributes: dict[str, Any]) -> Taken:
    """The instance attributes of a tensor or array."""
    contents = _DICT.contents(attributes)
    return Taken(attributes, _DICT, contents, len(contents), owner=leaf, lenient=True)


_BARE = frozenset((dict, list, tuple, set, frozenset, deque, defaultdict))
"""Classes whose objects have no attributes of their own."""


def _attributes(x: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The instance attributes of *x*, in slots and in ``__dict__``, read without asking the class."""
    try:
        in_dict = dict(object.__getattribute__(x, "__dict__"))
    except AttributeError:
        in_dict = {}
    return _in_slots(x), in_dict


def _in_slots(x: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, slot in _slots(type(x)):
        if name not in found:
            _read_slot(found, x, name, slot)
    return found


def _read_slot(found: dict[str, Any], x: Any, name: str, slot: MemberDescriptorType) -> None:
    """Put the value of one slot into *found*; a slot that was never set is left out."""
    try:
        found[name] = slot.__get__(x)
    except AttributeError:
        return


def put_attributes(new: Any, taken: Taken, values: list[Any]) -> None:
    """Give *new* the attributes of what was taken apart, with the copied *values*; frozen classes included."""
    slots = dict(reversed(_slots(type(new)))) if taken.slots else {}
    for name, value in zip(taken.names[: taken.slots], values[: taken.slots], strict=True):
        slots[name].__set__(new, value)
    if len(taken.names) > taken.slots:
        object.__getattribute__(new, "__dict__").update(
            zip(taken.names[taken.slots :], values[taken.slots :], strict=True)
        )


def put_attribute(x: Any, name: str, value: Any) -> None:
    """Set one attribute of *x*, past frozen classes and properties."""
    slot = next((slot for k, slot in _slots(type(x)) if k == name), None)
    if slot is not None:
        slot.__set__(x, value)
    else:
        object.__getattribute__(x, "__dict__")[name] = value


def short(key: Any) -> str:
    """*key* as it stands in a path: plain keys written out, everything else by its class."""
    if type(key) in (str, bytes, int, bool, float, type(None)):
        text = repr(key)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f"<{type(key).__name__}>"


_LONGEST = 60
