"""Follow what a pickle would build, step by step, without building it.

Nothing is imported, called or set: a class or a function stays a name (`Name`), a call stays a record of itself
(`Call`), and what its arguments were can be looked at. Numbers remember where in the pickle they stand (`Number`), so
that they can be replaced there.
"""

from __future__ import annotations

import io
import pickletools
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any

from ...errors import BadFileError
from .reading import INTACT

_MOST_STEPS = 3_000_000
"""A tensor takes about thirty, so these are enough for a hundred thousand."""
_MARK = object()

_RUNS_CODE = frozenset((
    "os", "posix", "nt", "subprocess", "sys", "shutil", "socket", "pty", "runpy", "code", "codeop", "importlib",
    "imp", "ctypes", "webbrowser", "builtins.eval", "builtins.exec", "builtins.compile", "builtins.__import__",
    "builtins.open", "builtins.getattr", "builtins.setattr", "builtins.breakpoint", "builtins.input",
    "builtins.execfile", "__builtin__.eval", "__builtin__.exec", "__builtin__.compile", "__builtin__.getattr",
    "__builtin__.__import__", "__builtin__.apply", "__builtin__.execfile", "__builtin__.open", "commands",
    "platform.popen", "pickle", "cPickle", "_pickle", "marshal", "dill", "cloudpickle", "types",
    "operator.attrgetter", "operator.methodcaller", "asyncio", "multiprocessing", "pdb", "bdb", "timeit", "cProfile",
    "profile", "pip", "pydoc", "trace", "ensurepip", "venv", "http", "urllib", "requests", "ftplib", "smtplib",
    "torch.hub", "torch.utils.cpp_extension", "numpy.testing._private.utils", "functools.partial",
))  # fmt: skip
"""Modules, and functions of others, whose call in a pickle runs code, starts programs or reaches out of the process."""


class Number(int):
    """An integer of the pickle, and the bytes ``[at, end)`` of it that put it there."""

    at: int
    end: int


@dataclass(frozen=True, slots=True)
class Name:
    """A class or a function that a load would import."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(slots=True, eq=False)
class Sequence:
    """A list, tuple or set under construction or done."""

    kind: str
    items: list[Any] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Dictionary:
    """Keys and values in their order, and what was set on it as attributes."""

    pairs: list[tuple[Any, Any]] = field(default_factory=list)
    state: Any = None


@dataclass(slots=True, eq=False)
class Call:
    """An object that a load would make by calling *function*, with what would be put into it afterwards."""

    function: Any
    arguments: list[Any]
    state: Any = None
    items: list[Any] = field(default_factory=list)
    pairs: list[tuple[Any, Any]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Blob:
    """Bytes, of which only the number is kept."""

    nbytes: int


Understand = Callable[[Name, list[Any]], Any]
"""Given a function and its arguments, what the call gives, or None where it is not understood."""


def walk(pickle: IO[bytes], *, understand: Understand, persistent: Callable[[Any], Any]) -> Any:
    """What the pickle that starts here would build; the stream is left behind its end.

    Args:
        pickle: Where to read it.
        understand: Asked about each call of a function by its name.
        persistent: What a persistent identifier stands for.

    Raises:
        BadFileError: it is damaged, too long, or would run code when loaded.
    """
    machine = _Machine(understand, persistent)
    bounded: Any = _Bounded(pickle)
    try:
        with warnings.catch_warnings():
            # Text with a wrong escape is the file's business, not a warning for who looks at it.
            warnings.simplefilter("ignore", DeprecationWarning)
            _follow(machine, pickle, bounded)
    except (IndexError, KeyError, AttributeError, TypeError) as error:
        raise bad_pickle(
            f"it goes wrong at byte {pickle.tell():,}", f"a step finds nothing to work on ({error!r})"
        ) from error
    except (ValueError, UnicodeError, OverflowError) as error:
        if isinstance(error, BadFileError):
            raise
        raise bad_pickle(f"it goes wrong at byte {pickle.tell():,}", str(error)) from error
    return machine.result


def _follow(machine: _Machine, pickle: IO[bytes], bounded: Any) -> None:
    for count, (opcode, argument, at) in enumerate(pickletools.genops(bounded)):
        if count > _MOST_STEPS:
            raise bad_pickle(f"it has more than {_MOST_STEPS:,} steps", "no checkpoint needs so many")
        machine.step(opcode.name, argument, at or 0, pickle)


class _Bounded:
    """A stream that never tries to read more than it has: a pickle may claim any number of bytes for an argument."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        here = stream.tell()
        self._end = stream.seek(0, io.SEEK_END)
        stream.seek(here)
        self.readline, self.tell = stream.readline, stream.tell

    def read(self, size: int) -> bytes:
        """The next bytes, at most as many as there are."""
        return self._stream.read(min(size, self._end - self._stream.tell()))


def bad_pickle(what: str, why: str) -> BadFileError:
    """The error for a pickle that cannot be followed."""
    return BadFileError(f"the pickle in the file cannot be followed: {what}", why=why, fix=INTACT)


class _Machine:
    """The stack and the memo of an unpickler that makes records instead of objects."""

    def __init__(self, understand: Understand, persistent: Callable[[Any], Any]) -> None:
        self._understand, self._persistent = understand, persistent
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        self.result: Any = None

    def step(self, name: str, argument: Any, at: int, pickle: IO[bytes]) -> None:
        if name in _PUSHES_ITS_ARGUMENT:
            self._push_argument(argument, at, pickle)
        elif name in _STEPS:
            _STEPS[name](self, argument)
        elif name not in ("PROTO", "FRAME"):
            raise bad_pickle(f"it uses the step {name}", "no checkpoint needs it")

    def _push_argument(self, argument: Any, at: int, pickle: IO[bytes]) -> None:
        if type(argument) is int:
            number = Number(argument)
            number.at, number.end = at, pickle.tell()
            self._stack.append(number)
        else:
            self._stack.append(Blob(len(argument)) if isinstance(argument, bytes | bytearray) else argument)

    def _pop(self) -> Any:
        found = self._stack.pop()
        if found is _MARK:
            raise IndexError("the stack is empty above the mark")
        return found

    def _pop_to_mark(self) -> list[Any]:
        for k in range(len(self._stack) - 1, -1, -1):
            if self._stack[k] is _MARK:
                found = self._stack[k + 1 :]
                del self._stack[k:]
                return found
        raise IndexError("there is no mark")

    def _top(self) -> Any:
        if self._stack[-1] is _MARK:
            raise IndexError("the stack is empty above the mark")
        return self._stack[-1]

    def put(self, position: int) -> None:
        self._memo[position] = self._top()

    def memoize(self, _: Any) -> None:
        self._memo[len(self._memo)] = self._top()

    def get(self, position: int) -> None:
        self._stack.append(self._memo[position])

    def push(self, value: Any) -> None:
        self._stack.append(value)

    def mark(self, _: Any) -> None:
        self._stack.append(_MARK)

    def pop(self, _: Any) -> None:
        self._stack.pop()

    def pop_mark(self, _: Any) -> None:
        self._pop_to_mark()

    def duplicate(self, _: Any) -> None:
        self._stack.append(self._top())

    def stop(self, _: Any) -> None:
        self.result = self._pop()

    def empty(self, kind: str) -> None:
        self._stack.append(Dictionary() if kind == "dict" else Sequence(kind))

    def tuple_of(self, count: int) -> None:
        items = [self._pop() for _ in range(count)]
        self._stack.append(Sequence("tuple", items[::-1]))

    def from_mark(self, kind: str) -> None:
        items = self._pop_to_mark()
        self._stack.append(Dictionary(_in_pairs(items)) if kind == "dict" else Sequence(kind, items))

    def append(self, _: Any) -> None:
        item = self._pop()
        self._top().items.append(item)

    def append_all(self, _: Any) -> None:
        items = self._pop_to_mark()
        self._top().items.extend(items)

    def set_item(self, _: Any) -> None:
        value, key = self._pop(), self._pop()
        self._set([key, value])

    def set_items(self, _: Any) -> None:
        self._set(self._pop_to_mark())

    def _set(self, flat: list[Any]) -> None:
        self._top().pairs.extend(_in_pairs(flat))

    def name(self, argument: str) -> None:
        module, _, name = argument.partition(" ")
        self._stack.append(Name(module, name))

    def name_from_stack(self, _: Any) -> None:
        name, module = self._pop(), self._pop()
        if not (isinstance(name, str) and isinstance(module, str)):
            raise TypeError("a name is no text")
        self._stack.append(Name(module, name))

    def persistent(self, identifier: Any) -> None:
        self._stack.append(self._persistent(identifier))

    def persistent_from_stack(self, _: Any) -> None:
        self.persistent(self._pop())

    def reduce(self, _: Any) -> None:
        arguments, function = self._pop(), self._pop()
        self._stack.append(self._called(function, arguments.items))

    def new_with_keywords(self, _: Any) -> None:
        keywords, arguments, cls = self._pop(), self._pop(), self._pop()
        self._stack.append(self._called(cls, [*arguments.items, keywords]))

    def instance(self, argument: str) -> None:
        self.name(argument)
        cls = self._pop()
        self._stack.append(self._called(cls, self._pop_to_mark()))

    def object_from_mark(self, _: Any) -> None:
        cls, *arguments = self._pop_to_mark()
        self._stack.append(self._called(cls, arguments))

    def build(self, _: Any) -> None:
        state = self._pop()
        target = self._top()
        if isinstance(target, Dictionary | Call):
            target.state = state

    def _called(self, function: Any, arguments: list[Any]) -> Any:
        if isinstance(function, Name):
            _refuse_code(function, arguments)
            found = _container(function, arguments)
            if found is None:
                found = self._understand(function, arguments)
            if found is not None:
                return found
        return Call(function, arguments)


def _in_pairs(flat: list[Any]) -> list[tuple[Any, Any]]:
    if len(flat) % 2:
        raise ValueError("a key has no value")
    return list(zip(flat[::2], flat[1::2], strict=True))


def _container(function: Name, arguments: list[Any]) -> Any:
    if (function.module, function.name) == ("collections", "OrderedDict"):
        given = arguments[0].items if arguments else []
        return Dictionary([(pair.items[0], pair.items[1]) for pair in given])
    if function.module in ("builtins", "__builtin__") and function.name in ("set", "frozenset", "list", "tuple"):
        return Sequence(function.name, list(arguments[0].items) if arguments else [])
    return None


def _refuse_code(function: Name, arguments: list[Any]) -> None:
    """Raise for a call that no saved data needs and that hands the process over to the file."""
    module, parts = function.module, function.module.split(".")
    dangerous = {".".join(parts[: k + 1]) for k in range(len(parts))} | {f"{module}.{function.name}"}
    if dangerous & _RUNS_CODE:
        shown = next((f"({text[:80]!r}, ...)" for text in arguments if isinstance(text, str)), "(...)")
        raise BadFileError(
            f"loading the file would call {function}{shown}",
            why="no saved data needs that: the file hands your process to whoever wrote it",
            fix="do not load it, with weights_only=True at the most; get the weights from somebody you trust",
        )


_PUSHES_ITS_ARGUMENT = frozenset((
    "INT", "LONG", "BININT", "BININT1", "BININT2", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "STRING", "BINSTRING",
    "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES",
    "BINBYTES8", "BYTEARRAY8",
))  # fmt: skip


def _with(value: Any, method: Callable[[_Machine, Any], None]) -> Callable[[_Machine, Any], None]:
    return lambda machine, _: method(machine, value)


_STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    "NONE": _with(None, _Machine.push),
    "NEWTRUE": _with(True, _Machine.push),
    "NEWFALSE": _with(False, _Machine.push),
    "EMPTY_LIST": _with("list", _Machine.empty),
    "EMPTY_DICT": _with("dict", _Machine.empty),
    "EMPTY_TUPLE": _with("tuple", _Machine.empty),
    "EMPTY_SET": _with("set", _Machine.empty),
    "LIST": _with("list", _Machine.from_mark),
    "DICT": _with("dict", _Machine.from_mark),
    "TUPLE": _with("tuple", _Machine.from_mark),
    "FROZENSET": _with("frozenset", _Machine.from_mark),
    "TUPLE1": _with(1, _Machine.tuple_of),
    "TUPLE2": _with(2, _Machine.tuple_of),
    "TUPLE3": _with(3, _Machine.tuple_of),
    "APPEND": _Machine.append,
    "APPENDS": _Machine.append_all,
    "ADDITEMS": _Machine.append_all,
    "SETITEM": _Machine.set_item,
    "SETITEMS": _Machine.set_items,
    "MARK": _Machine.mark,
    "POP": _Machine.pop,
    "POP_MARK": _Machine.pop_mark,
    "DUP": _Machine.duplicate,
    "PUT": _Machine.put,
    "BINPUT": _Machine.put,
    "LONG_BINPUT": _Machine.put,
    "MEMOIZE": _Machine.memoize,
    "GET": _Machine.get,
    "BINGET": _Machine.get,
    "LONG_BINGET": _Machine.get,
    "GLOBAL": _Machine.name,
    "STACK_GLOBAL": _Machine.name_from_stack,
    "PERSID": _Machine.persistent,
    "BINPERSID": _Machine.persistent_from_stack,
    "REDUCE": _Machine.reduce,
    "NEWOBJ": _Machine.reduce,
    "NEWOBJ_EX": _Machine.new_with_keywords,
    "INST": _Machine.instance,
    "OBJ": _Machine.object_from_mark,
    "BUILD": _Machine.build,
    "STOP": _Machine.stop,
}
