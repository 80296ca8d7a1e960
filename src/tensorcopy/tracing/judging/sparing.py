"""Copies that the program could have done without, told from those that it needs.

A copy is needed when it, or its source, is written while both live, and when it may have outlived what made it. What
stays open counts as needed: a line is reported only if none of its copies was.
"""

from __future__ import annotations

import ast
import gc
import linecache
import re
import sys
import weakref
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any

import numpy as np
import torch

from ..reports import Findings
from ..sites import NOWHERE, OWN_FOLDER, Site, is_library, site_of, user_frame
from ..watching import Known
from .blocks import bytes_at, checksum, is_namespace
from .bytecode import times_read
from .copies import Tally
from .tensors import PLAIN, address_of

_SMALLEST = 4_096
_LARGE = 65_536
_LONG_LIST = 200
_FEWEST = 2
_CHAIN = 8
_MOST_PLACES = 2_000
_ASKED = 3
# Where torch and Python carry out what a program writes as a method or an operator.
_THROUGH = ("torch/_tensor.py", "torch/overrides.py", "/copy.py", "torch/storage.py")
_WHY = {
    "never-written": "neither the copy nor its source is written while the copy is used: use the source itself",
    "converted-again": "the same unchanged tensor is converted at each turn: convert it once, before the loop",
    "array-converted-again": "the same unchanged array is converted at each turn: convert it once, before the loop",
    "round-trip": "converting there and back gives the values that were there before: use the tensor itself",
    "growing-cat": "cat() copies all that was collected so far at each turn: collect a list, and call cat() once",
    "array-dropped": "the array is used nowhere else: torch.from_numpy() takes over its memory",
    "through-list": "the values go through a Python list, number by number: convert the array or tensor itself",
}


class Place:
    """What the copies of one line have in common so far."""

    __slots__ = ("asked", "bytes", "count", "needed", "others", "tally")

    def __init__(self, tally: Tally | None) -> None:
        self.tally = tally
        self.count = self.bytes = self.others = self.asked = 0
        self.needed = False


class Copy:
    """One copy that lives: which memory it is of, and where the function that made it was called."""

    __slots__ = (
        "array", "caller", "content", "is_exported", "is_part", "place", "result", "site", "size", "source", "starts",
    )  # fmt: skip

    def __init__(self, place: Place, site: Site, size: int, starts: tuple[int, ...]) -> None:
        self.place, self.site, self.size, self.starts = place, site, size, starts
        self.source: Any = None
        self.result: Any = None
        self.array: Any = None
        self.content = 0
        self.is_part = self.is_exported = False
        self.caller = _caller()


class Turn:
    """What a line converted the last time."""

    __slots__ = ("content", "key", "source", "varied")

    def __init__(self, source: Any, key: Any) -> None:
        self.source, self.key, self.content, self.varied = weakref.ref(source), key, 0, False


class Sparing:
    """The copies of one session that may turn out to have been for nothing."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.places: dict[tuple[Site, str], Place] = {}
        self.living: dict[int, list[Copy]] = {}
        self.turns: dict[Site, Turn] = {}
        self.origins: dict[int, tuple[Any, list[Any]]] = {}
        self.growing: Known[tuple[Place, int]] = Known()
        self.export: tuple[Any, Site] = None, NOWHERE
        self.ended = False

    def _place(self, site: Site, variant: str, tally: Tally | None) -> Place:
        place = self.places.get((site, variant))
        if place is None:
            place = Place(tally)
            if len(self.places) < _MOST_PLACES:
                self.places[site, variant] = place
        return place

    # --- copies of tensors --------------------------------------------------------------------------------------------

    def copied(self, name: str, args: tuple[Any, ...], result: Any, tally: Tally | None, site: Site) -> None:
        """A tensor was copied."""
        if result.nbytes < _SMALLEST or (tally is not None and tally.hidden) or not args or self.ended:
            return
        source = args[0]
        if name == "cat":
            self._joined(source, result, tally, site)
        elif type(source) in PLAIN and _is_of_torch(source) and _is_written_by_the_program():
            self._returned(source, result, tally, site)
            if name in ("clone", "deepcopy") and source.stride() == result.stride():
                self._cloned(source, result, tally, site)
            elif name in ("_to_copy", "clone"):
                self._converted(source, result, tally, site)

    def _cloned(self, source: Any, result: Any, tally: Tally | None, site: Site) -> None:
        place = self._place(site, "never-written", tally)
        if result.requires_grad or isinstance(source, torch.nn.Parameter) or place.needed:
            place.needed = True
            return
        self._live(Copy(place, site, result.nbytes, (address_of(source), address_of(result))), source, result)

    def _live(self, copy: Copy, source: Any, result: Any) -> None:
        for start in copy.starts:
            self.living.setdefault(start, []).append(copy)
        copy.source = weakref.ref(source.untyped_storage())
        copy.is_part = source.untyped_storage().nbytes() > result.nbytes
        copy.result = weakref.ref(result.untyped_storage(), lambda _: self._died(copy))

    def _died(self, copy: Copy) -> None:
        self._forget(copy)
        place = copy.place
        if place.needed or self.ended or copy.size == 0:
            return
        if copy.source() is None and copy.is_part and not copy.is_exported:
            place.others += 1  # Without the copy, a larger memory might have stayed.
        elif copy.is_exported or _died_where_it_was_made(copy):
            place.count += 1
            place.bytes += copy.size
        else:
            place.others += 1

    def _forget(self, copy: Copy) -> None:
        for start in copy.starts:
            copies = self.living.get(start)
            if copies is not None and copy in copies:
                copies.remove(copy)
                if not copies:
                    del self.living[start]

    def wrote(self, start: int) -> None:
        """The memory that begins at *start* was written: the copies of it, and into it, were needed."""
        for copy in self.living.pop(start, ()):
            copy.place.needed = True

    def exported(self, tensor: Any, array: Any, site: Site) -> None:
        """An array was laid over *tensor*, and NumPy may write it unseen."""
        start = address_of(tensor)
        self.export = weakref.ref(tensor), site
        for copy in list(self.living.get(start, ())):
            if copy.site is site and start == copy.starts[-1]:
                low, size = int(array.__array_interface__["data"][0]), array.nbytes
                copy.content = checksum(bytes_at(low, size))
                copy.is_exported = True
                # Who compares keeps the memory until then: NumPy may let go of it before it tells that an array died.
                copy.array = weakref.ref(array, partial(_compared, copy, low, size, tensor.untyped_storage()))
            elif copy.site is not site:
                copy.place.needed = True

    # --- the same again -----------------------------------------------------------------------------------------------

    def _converted(self, source: Any, result: Any, tally: Tally | None, site: Site) -> None:
        place = self._place(site, "converted-again", tally)
        if source.requires_grad or place.needed:
            place.needed = True
            return
        key = (source.data_ptr(), source.shape, source.stride(), source._version, result.dtype, result.device)
        turn = self.turns.get(site)
        if turn is None:
            self.turns[site] = Turn(source.untyped_storage(), key)
        elif turn.key != key or turn.source() is not source.untyped_storage():
            place.needed = True
        else:
            place.count += 1
            place.bytes += result.nbytes
        self._watch_result(place, site, result)

    def _watch_result(self, place: Place, site: Site, result: Any) -> None:
        """If the result is written, each turn needs its own."""
        copy = Copy(place, site, 0, (address_of(result),))
        self._live(copy, result, result)

    def from_array(self, name: str, array: Any, result: Any, tally: Tally, site: Site) -> None:
        """An array was copied into a tensor."""
        if result.nbytes < _SMALLEST:
            return
        again, turn = self._place(site, "array-converted-again", tally), self.turns.get(site)
        if turn is None or turn.source() is not array or turn.key != result.dtype:
            again.needed = again.needed or turn is not None
            self.turns[site] = Turn(array, result.dtype)
        else:
            self._array_again(again, turn, array, result, site)
        if name == "tensor" and array.nbytes >= _LARGE and _is_taken_over(array, result):
            self._dropped(array, result, tally, site)

    def _array_again(self, place: Place, turn: Turn, array: Any, result: Any, site: Site) -> None:
        if not array.flags.c_contiguous or array.dtype.hasobject:
            place.needed = True
        if place.needed:
            return
        content = checksum(array.reshape(-1).view(np.uint8))
        if turn.content in (0, content):
            place.count += 1
            place.bytes += result.nbytes
        else:
            place.needed = True
        turn.content = content
        self._watch_result(place, site, result)

    def _dropped(self, array: Any, result: Any, tally: Tally, site: Site) -> None:
        place = self._place(site, "array-dropped", tally)
        if place.needed or place.asked >= _ASKED:
            place.count += not place.needed
            place.bytes += result.nbytes
            return
        place.asked += 1
        if _is_used_once(array):
            place.count += 1
            place.bytes += result.nbytes
        else:
            place.needed = True

    # --- there and back -----------------------------------------------------------------------------------------------

    def _returned(self, source: Any, result: Any, tally: Tally | None, site: Site) -> None:
        origin = self.origins.get(address_of(source))
        if origin is not None and origin[0]() is source.untyped_storage():
            for reference, version in origin[1]:
                before = reference()
                if before is None or before._version != version or not _is_alike(before, result):
                    continue
                if torch.promote_types(before.dtype, source.dtype) == source.dtype:
                    self._back(before, result, tally, site)
                    break
        sources = [source] if source._base is None else [source, source._base]
        self._remember(result, [(weakref.ref(s), s._version) for s in sources])

    def _remember(self, result: Any, sources: list[Any]) -> None:
        start = address_of(result)
        kept = weakref.ref(result.untyped_storage(), lambda _: self.origins.pop(start, None))
        self.origins[start] = (kept, sources)

    def _back(self, before: Any, result: Any, tally: Tally | None, site: Site) -> None:
        place = self._place(site, "round-trip", tally)
        if place.needed:
            return
        place.asked += 1
        if place.asked <= _ASKED and not torch.equal(before, result):
            place.needed = True
            return
        place.count += 1
        place.bytes += result.nbytes

    # --- others -------------------------------------------------------------------------------------------------------

    def _joined(self, parts: Any, result: Any, tally: Tally | None, site: Site) -> None:
        if type(parts) not in (list, tuple):
            return
        place, chain = self._place(site, "growing-cat", tally), 0
        for part in parts[:8]:
            known = self.growing.forget(part)
            if known is not None and known[0] is place:
                chain = known[1]
                place.bytes += part.nbytes
        place.count = max(place.count, chain)
        if not place.needed:
            self.growing.put(result, (place, chain + 1))

    def used(self, tensor: Any) -> None:
        """What was joined so far goes into a computation: it is needed at each turn."""
        known = self.growing.forget(tensor)
        if known is not None:
            # Once, when all is collected, it has to be used.
            known[0].others += 1
            known[0].needed = known[0].needed or known[1] < _CHAIN or known[0].others > 1

    def from_list(self, result: Any, tally: Tally, site: Site) -> None:
        """A list was converted into *result*."""
        if result.numel() >= _LONG_LIST and _is_of_tolist(site.file, site.line):
            place = self._place(site, "through-list", tally)
            place.count += 1
            place.bytes += result.nbytes

    def through_array(self, array: Any, result: Any, site: Site) -> None:
        """*result* shares the memory of an array, which may be a copy of a tensor that the same line laid open."""
        tensor, line = self.export
        source = tensor() if line is site and tensor is not None else None
        if source is None or not array.flags.owndata or result.nbytes < _SMALLEST or not _is_alike(source, result):
            return
        place = self._place(site, "never-written", None)
        place.asked += 1
        if place.asked <= _ASKED and not torch.equal(source, result):
            place.needed = True
        self._cloned(source, result, None, site)

    def stop(self) -> None:
        """Writes are not followed any more: nothing that lives can be judged."""
        self.ended = True
        self.living.clear()
        self.growing.clear()

    def finish(self) -> None:
        """Report the lines of which no copy was needed."""
        self.ended = True
        for (site, variant), place in self.places.items():
            fewest = {"growing-cat": _CHAIN, "through-list": 1}.get(variant, _FEWEST)
            kept = place.others and variant != "growing-cat"
            if place.needed or kept or place.count < fewest or site is NOWHERE:
                continue
            if variant == "never-written" and _may_be_written(site):
                continue
            if place.tally is not None:
                place.tally.avoidable[variant, _WHY[variant]] = [place.tally.count, place.bytes]
            else:
                text = f"{_WHY[variant]}; {place.count} times, {place.bytes:,} bytes"
                self.findings.add("avoidable-copy", site, text, variant=variant, count=place.count)


def _compared(copy: Copy, low: int, size: int, memory: object, _: object) -> None:
    """The array over a copy dies, and *memory*, which is kept for that, tells whether NumPy has written it."""
    if checksum(bytes_at(low, size)) != copy.content:
        copy.place.needed = True
    copy.array = None


def _may_be_written(site: Site) -> bool:
    """Whether the program's text writes what the line binds, or asks more of it than its values, in turns not seen."""
    text = linecache.getline(site.file, site.line)
    if "requires_grad" in text:
        return True
    bound = re.match(r"\s*([A-Za-z_]\w*)\s*=[^=]", text)
    if bound is None:
        return False
    name = rf"\b{bound[1]}\b"
    writes = (
        rf"{name}(\[.*\])?\s*([-+*/|&^@%]|//|\*\*)?=[^=]|{name}.*\.\w+_\(|{name}\.(requires_grad|data|numpy|storage)"
    )
    lines = linecache.getlines(site.file)
    return any(re.search(writes, line) for n, line in enumerate(lines, 1) if n != site.line and not _binds(line, name))


def _binds(line: str, name: str) -> bool:
    return re.match(rf"\s*{name}\s*=[^=]", line) is not None


def _is_of_torch(tensor: Any) -> bool:
    """Whether torch allocated the memory; what others own may change unseen."""
    return bool(tensor.layout is torch.strided and tensor.untyped_storage().resizable() and not tensor.is_inference())


def _is_alike(one: Any, other: Any) -> bool:
    return bool(one.shape == other.shape and one.dtype == other.dtype and one.device == other.device)


def _is_written_by_the_program() -> bool:
    """Whether the program itself calls what copies, not a library on its behalf."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(OWN_FOLDER) and not file.endswith(_THROUGH):
            return not is_library(file)
        frame = frame.f_back
    return False


def _caller() -> tuple[Any, int]:
    """The place in the program that called the function that is running."""
    frame = user_frame()
    frame = frame.f_back if frame is not None else None
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return (frame.f_code, frame.f_lasti) if frame is not None else (None, 0)


def _died_where_it_was_made(copy: Copy) -> bool:
    """Whether it was a variable of its function: bound anew by the same line, or dropped as the function returns."""
    frame = user_frame()
    if frame is None:
        return False
    return site_of(frame) is copy.site or (frame.f_code, frame.f_lasti) == copy.caller


def _is_used_once(array: Any) -> bool:
    """Whether nobody but one variable, which is read nowhere else, holds an array that owns its memory."""
    frame = user_frame()
    if frame is None or not array.flags.owndata or not array.flags.writeable:
        return False
    names = {n for v in (frame.f_locals, frame.f_globals) for n, value in list(v.items()) if value is array}
    if len(names) != 1 or times_read(frame.f_code, *names) != 1:
        return False
    holders = (h for h in gc.get_referrers(array) if isinstance(h, (list, tuple, set, dict)))
    return all(is_namespace(h) or (isinstance(h, tuple) and h[0] is array) for h in holders)


def _is_taken_over(array: Any, result: Any) -> bool:
    """Whether torch.from_numpy() of the array would give what torch.tensor() gave."""
    with suppress(TypeError, ValueError):
        return bool(array.flags.c_contiguous and torch.from_numpy(array[:0]).dtype == result.dtype)
    return False


def _is_of_tolist(file: str, line: int) -> bool:
    """Whether the line converts the result of ``tolist()`` as it is."""
    try:
        tree = ast.parse(linecache.getline(file, line).strip().rstrip(":"))
    except (SyntaxError, ValueError):
        return False
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.args]
    inner = (n.args[0] for n in calls if getattr(n.func, "attr", "") in ("tensor", "as_tensor", "asarray", "Tensor"))
    return any(isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "tolist" for n in inner)
