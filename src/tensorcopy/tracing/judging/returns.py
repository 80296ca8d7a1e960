"""Functions that hand out the same memory again and again, and overwrite it in between."""

from __future__ import annotations

import ast
import gc
import linecache
import time
import weakref
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any

import numpy as np
import torch

from ..attention import Attention
from ..hooks.listening import listener
from ..reports import Findings
from ..sites import Site, is_library, site_of
from ..watching import Known
from .blame import lines_that_wrote
from .blocks import is_attributes, is_in_container, is_namespace
from .memory import Memory
from .tensors import PLAIN, address_of

KINDS = (np.ndarray, *PLAIN)
_SAMPLED = 65_536
# Calls and returns that are heard at a stretch, and the seconds from one stretch to the next.
_BURST = 30_000
_PAUSE = 1.0
_ASKED = 8
_MOST_PLACES = 4_096
_MOST_LOOKS = 3


class Place:
    """Elements that a function has given a view of, and the first view that lives."""

    __slots__ = ("content", "looked", "version", "view")

    def __init__(self, view: Any) -> None:
        self.view, self.version, self.looked = weakref.ref(view), view._version, 0
        self.content: int | None = None


# These give back what the operation gave that they stand for.
_PASS_ON = ("__torch_function__", "__torch_dispatch__")


class Returns:
    """Looks at the arrays and tensors that the program's own functions return, in bursts.

    on_tensor: is told of each tensor that a function returns, with the frame of that function.
    memory: knows where what is returned was last written.
    """

    def __init__(
        self,
        findings: Findings,
        attention: Attention,
        on_tensor: Callable[[FrameType, Any], None],
        memory: Memory,
    ) -> None:
        self.findings, self.attention, self.on_tensor, self.memory = findings, attention, on_tensor, memory
        self.seen: Known[dict[CodeType, int]] = Known()
        self.asked: dict[CodeType, int] = {}
        self.listener = listener(KINDS, is_library, self._heard, events=_BURST)
        self.next = 0.0
        self.places: dict[tuple[CodeType, int, tuple[int, ...]], Place] = {}

    def start(self) -> None:
        """Begin to look, for a while; what is begun again later goes on from there."""
        self.listener.begin()
        self.next = time.monotonic() + _PAUSE

    def again(self) -> None:
        """Look once more, if it is time."""
        if time.monotonic() >= self.next:
            self.start()

    def stop(self) -> None:
        """Look no longer."""
        self.listener.end()

    def _heard(self, frame: FrameType, value: Any) -> None:
        if not self.attention.away and frame.f_code.co_name not in _PASS_ON:
            with self.attention:
                self._returned(frame, value)

    def _returned(self, frame: FrameType, value: Any) -> None:
        if type(value) in PLAIN:
            self.on_tensor(frame, value)
            self.memory.addresses.add(address_of(value))
            if value._base is not None:
                self._view_returned(frame, value)
        now, code = _content(value), frame.f_code
        before = self.seen.of(value)
        if before is None or code not in before:
            self.seen.put(value, (before or {}) | {code: now})
            return
        changed = before[code] != now
        before[code] = now
        if changed and (code.co_name == "__getitem__" or (self._is_worth_asking(code) and _is_held(value, frame))):
            self._report(value, frame)

    def _is_worth_asking(self, code: CodeType) -> bool:
        """Who holds an object is asked of the whole heap: a few times for each function, then ever more rarely."""
        times = self.asked[code] = self.asked.get(code, 0) + 1
        return times <= _ASKED or times & (times - 1) == 0

    def _view_returned(self, frame: FrameType, value: Any) -> None:
        """A new view of the same elements as before: those that were kept change with it."""
        key = (frame.f_code, value.data_ptr(), value.shape)
        place = self.places.get(key)
        if frame.f_code.co_name == "__getitem__":
            self._item_returned(frame, value, key)
            return
        earlier = place.view() if place is not None else None
        if place is None or earlier is None:
            if len(self.places) < _MOST_PLACES:
                self.places[key] = Place(value)
        elif place.content is not None:
            if place.content != _elements(value):
                self._report(value, frame)
                place.content = None
        elif place.looked < _MOST_LOOKS and place.version != value._version:
            place.looked += 1
            # Who holds a tensor is slow to find out, and so is what is in it: for the few that are kept.
            if is_in_container(earlier):
                place.content = _elements(value)

    def _item_returned(self, frame: FrameType, value: Any, key: tuple[CodeType, int, tuple[int, ...]]) -> None:
        """A view of what a dataset holds: if its own ``__getitem__`` writes it, the next epoch gets something else."""
        start, now = address_of(value), _elements(value)
        if not any(address_of(held) == start for held in _held_by(frame.f_locals.get("self"))):
            return
        place, write = self.places.get(key), self.memory.writes.get(start)
        if place is not None and place.content != now and write is not None and write.site.code is frame.f_code:
            self._report(value, frame)
        elif len(self.places) < _MOST_PLACES:
            place = self.places[key] = Place(value)
        if place is not None:
            place.content = now

    def _report(self, value: Any, frame: FrameType) -> None:
        site, name = site_of(frame), frame.f_code.co_name
        known = self.findings.at(site)
        wrote = () if known else self._lines_that_wrote(value, site, frame)
        bound = () if known else _bindings_at(site)
        taken = next((line for line in bound), site) if name == "__getitem__" else site
        related = {} if known else {(s.file, s.line): s for s in (*wrote, *bound, site) if s.line != taken.line}
        self.findings.add(
            "internal-buffer-returned",
            taken,
            f"{name}() gives out the same memory at each call and changes it in between: what was returned earlier has "
            f"changed with it; give out a copy",
            [(line, "where it is taken or written") for line in related.values()],
            variant="array" if isinstance(value, np.ndarray) else "tensor",
            memory=((taken, "gives out the", value), *((line, *self._written(value)) for line in wrote)),
        )

    def _lines_that_wrote(self, value: Any, site: Site, frame: FrameType) -> Sequence[Site]:
        """The lines that write what is returned at *site*."""
        start = address_of(value)
        if isinstance(value, np.ndarray):
            return lines_that_wrote(start, start + max(value.nbytes, 1), site, site, frame)
        write = self.memory.writes.get(start)
        return (write.site,) if write is not None else ()

    def _written(self, value: Any) -> tuple[str, Any]:
        """What is written there: the bytes that torch wrote; NumPy tells no more than that it was in the array."""
        write = self.memory.writes.get(address_of(value))
        return ("writes", write.region) if write is not None else ("writes within the", value)


def _bindings_at(site: Site) -> Sequence[Site]:
    """The lines of the function that bind or write the name that is returned at *site*."""
    text = "".join(linecache.getlines(site.file))
    with suppress(SyntaxError, ValueError, RecursionError):
        tree = ast.parse(text)
        returned = {n.value.id for n in _returns(tree, site.line) if isinstance(n.value, ast.Name)}
        function = _function_at(tree, site.line)
        if returned and function is not None:
            return [Site(site.file, line, site.code) for line in _bindings(function, returned)]
    return []


def _returns(tree: ast.AST, line: int) -> list[ast.Return]:
    return [n for n in ast.walk(tree) if isinstance(n, ast.Return) and n.lineno == line]


def _function_at(tree: ast.AST, line: int) -> ast.AST | None:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    inside = [n for n in ast.walk(tree) if isinstance(n, kinds) and n.lineno <= line <= (n.end_lineno or 0)]
    return max(inside, key=lambda n: n.lineno) if inside else None


def _bindings(function: ast.AST, names: set[str]) -> list[int]:
    targets = [t for n in ast.walk(function) if isinstance(n, ast.Assign) for t in n.targets]
    targets += [n.target for n in ast.walk(function) if isinstance(n, ast.AugAssign)]
    return sorted({t.lineno for t in targets if any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(t))})


def _content(value: Any) -> int:
    """Something that changes when the elements do: the version of a tensor, a checksum of an array."""
    if isinstance(value, torch.Tensor):
        return int(value._version)
    if value.dtype == object or value.nbytes == 0:
        return 0
    flat = value if value.nbytes <= _SAMPLED else value.reshape(-1)[:: max(1, value.size * value.itemsize // _SAMPLED)]
    return zlib.crc32(np.ascontiguousarray(flat).view(np.uint8).data)


def _elements(view: Any) -> int:
    """A checksum of what a view shows, or nothing to speak of where that is not to be had cheaply."""
    if view.device.type != "cpu" or view.nbytes > _SAMPLED or view.is_conj() or view.is_neg() or view.nbytes == 0:
        return 0
    return zlib.crc32(view.detach().contiguous().view(-1).view(torch.uint8).numpy())


def _held_by(owner: Any) -> Iterable[Any]:
    """The tensors that an object holds as attributes, or in lists of its own."""
    for value in list(getattr(owner, "__dict__", {}).values()):
        inner = value if type(value) in (list, tuple) else value.values() if type(value) is dict else (value,)
        yield from (v for v in list(inner)[:64] if type(v) in PLAIN)


def _is_held(value: Any, frame: FrameType) -> bool:
    """Whether an earlier result is still in use: in a container, or under two names of the caller."""
    owner = frame.f_locals.get("self")
    own = set(map(id, vars(owner).values())) if hasattr(owner, "__dict__") else set()
    for holder in gc.get_referrers(value):
        if isinstance(holder, (list, tuple, set)) and id(holder) not in own:
            return True
        if (
            isinstance(holder, dict)
            and id(holder) not in own
            and not is_namespace(holder)
            and not is_attributes(holder)
        ):
            return True
    caller = frame.f_back
    names = [n for n, v in caller.f_locals.items() if v is value] if caller is not None else []
    return len(names) > 1
