"""Memory that NumPy and torch look at together: what NumPy writes there, found by looking, and whom it surprises.

A tensor over an array's memory is no fault, and neither is an array that is filled again and again under one tensor. It
is a fault when a tensor that was kept as it was changes underneath.
"""

from __future__ import annotations

import ctypes
import gc
import weakref
import zlib
from collections import deque
from functools import lru_cache
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from ...live.aliases import look_past
from ...live.memory import Region
from ..extents import seen
from ..reports import Findings
from ..sites import NOWHERE, Site, user_frame
from .blame import is_allocated_empty, lines_that_wrote, names_in, turn_together
from .catching import Catching

_EXACT = 65_536
_SAMPLED = 8 << 20
_MOST_SHARES = 128
_MOST_LATE = 1_000
_MOST_CAUGHT = 5
_CONTAINERS = (list, tuple, set, dict, deque)


@look_past
class Block:
    """Memory that NumPy, or another owner outside torch, and torch look at together."""

    __slots__ = (
        "arrays",
        "bytes",
        "checksum",
        "first",
        "last",
        "newest",
        "owners",
        "readonly",
        "root",
        "shares",
        "start",
        "tensors",
        "torch_write",
        "writes",
    )

    def __init__(self, start: int, root: Any, readonly: bool) -> None:
        self.start, self.readonly = start, readonly
        self.root = weakref.ref(root) if isinstance(root, np.ndarray) else None
        self.shares: list[Any] = []
        self.arrays: list[Any] = []
        self.torch_write: Any = None
        self.owners: list[Any] = []
        self.tensors: dict[int, list[Any]] = {}
        self.bytes: Any = None
        self.checksum: int | None = None
        self.first = 0
        self.last = NOWHERE
        self.newest: Any = None
        # What NumPy wrote, look by look: the lines that can have done it.
        self.writes: list[tuple[Site, ...]] = []

    def array(self) -> Any:
        """The array whose memory this is; where it lies, where the array is gone or was none."""
        root = self.root() if self.root is not None else None
        if root is not None or self.bytes is None:
            return root
        return Region(self.start, (len(self.bytes),), (1,), 1)

    def alive(self) -> Any:
        """A storage that keeps this memory; the caller's reference makes it safe to read."""
        for owner in self.owners:
            if (storage := owner()) is not None:
                return storage
        return None

    def follow(self, tensor: Any) -> None:
        """Notice what torch writes through *tensor*, by its version."""
        if len(self.tensors) > 64:
            self.tensors = {k: r for k, r in self.tensors.items() if r[0]() is not None}
        self.tensors[id(tensor)] = [weakref.ref(tensor), _version(tensor)]

    def torch_wrote(self) -> bool:
        """Whether torch has written through a tensor since this was asked before."""
        wrote = False
        for record in self.tensors.values():
            tensor = record[0]()
            if tensor is not None and (now := _version(tensor)) != record[1]:
                record[1], wrote = now, True
        return wrote

    def was_blank(self) -> bool:
        """Whether all its bits were alike when it was first shared: memory that waited to be filled."""
        return self.bytes is not None and any(
            checksum(np.full(len(self.bytes), byte, np.uint8)) == self.first for byte in (0x00, 0xFF)
        )

    def span(self) -> tuple[int, int]:
        """The addresses that are looked at."""
        return self.start, self.start + (len(self.bytes) if self.bytes is not None else 1)


class Late:
    """A tensor that was read after NumPy had written under it."""

    __slots__ = ("birth", "blank", "epochs", "names", "newer", "reader", "together", "writes")

    def __init__(self, birth: Any, writes: tuple[Site, ...], reader: Site, blank: bool) -> None:
        self.birth, self.writes, self.reader, self.blank = birth, writes, reader, blank
        self.epochs: set[int] = set()
        self.newer = False
        self.names: frozenset[str] = frozenset()
        self.together: tuple[Any, Any] = (None, None)


class Blocks:
    """The blocks of one session, by the address where their storage begins."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.at: dict[int, Block] = {}
        self.late: dict[int, Late] = {}
        self.lines: dict[tuple[Site, Site, int], tuple[Site, ...]] = {}
        self.catching: Catching | None = None
        self.caught = 0

    def share(self, block: Block, tensor: Any, site: Site) -> None:
        """*tensor* lies on the block from now on."""
        storage = tensor.untyped_storage()
        if block.owners:
            block.owners = [o for o in block.owners if o() is not None]
        if not block.owners or all(o() is not storage for o in block.owners):
            block.owners.append(weakref.ref(storage, lambda _: self._gone(block)))
        if tensor.is_cpu:
            size = storage.nbytes()
            if block.bytes is None or size > len(block.bytes):
                block.bytes = bytes_at(block.start, size)
                block.checksum = block.first = checksum(block.bytes)
                block.last = site
        block.follow(tensor)

    def _gone(self, block: Block) -> None:
        if block.alive() is not None:
            return
        if self.at.get(block.start) is block:
            del self.at[block.start]
        # What it holds refers back to it; blocks that come and go would be left to the garbage collector.
        block.owners.clear()
        block.shares.clear()
        block.arrays.clear()
        block.newest = None

    def look(self, block: Block, site: Site) -> None:
        """Notice what NumPy has written since the last look."""
        keeper = block.alive()
        if keeper is None or block.bytes is None:
            return
        now, torch_wrote = checksum(block.bytes), block.torch_wrote()
        if now != block.checksum and block.checksum is not None and not torch_wrote:
            looks, lines = (block.last, site, len(block.bytes)), self._lines(block, site)
            block.writes.append(lines)
            block.checksum, block.last = now, site
            if len(lines) != 1:
                self._catch(block, looks)
        block.checksum, block.last = now, site

    def _lines(self, block: Block, site: Site) -> tuple[Site, ...]:
        """The lines that can have written since the last look, found once for each pair of looks."""
        key = (block.last, site, len(block.bytes))
        lines = self.lines.get(key)
        if lines is None:
            low, high = block.span()
            lines = self.lines[key] = lines_that_wrote(low, high, block.last, site, user_frame())
        return lines

    def _catch(self, block: Block, key: tuple[Site, Site, int]) -> None:
        """Find the line that writes the block the next time, since the source does not tell."""
        if self.catching is not None or self.caught >= _MOST_CAUGHT:
            return

        def changed() -> bool:
            keeper = block.alive()
            if keeper is None or not block.torch_wrote():
                return keeper is not None and checksum(block.bytes) != block.checksum
            block.checksum = checksum(block.bytes)
            return False

        def caught(line: Site) -> None:
            self.catching = None
            if line is not NOWHERE:
                self.lines[key] = (line,)
                block.writes.append((line,))
                block.checksum, block.last = checksum(block.bytes), line

        self.caught += 1
        self.catching = Catching(changed, caught)
        if not self.catching.begin():
            self.catching = None

    # --- tensors that were kept as they were --------------------------------------------------------------------------

    def made(self, block: Block, birth: Any) -> None:
        """One more tensor was made over the block: those that were made before NumPy wrote show what this one shows."""
        alike = [b for b in block.shares if b.seen < birth.seen and b.site is birth.site]
        earlier = [b for b in alike if b.target() is not None]
        block.newest = birth
        block.shares.append(birth)
        # The first tell what came first, the last what came last; all of them are looked through for each new one.
        if len(block.shares) > 2 * _MOST_SHARES:
            del block.shares[_MOST_SHARES // 2 : -_MOST_SHARES // 2]
        if len(earlier) in (2, 3, 5, 20, 100) and not self.findings.at(birth.site) and are_kept_together(earlier):
            together = earlier[0].target(), block.array()
            self._overwritten(earlier[0], self._telling(block, earlier[0].seen), NOWHERE, together, len(earlier) + 1)

    def read(self, birth: Any, tensor: Any, site: Site) -> None:
        """*tensor*, which lies on a block, is read."""
        block = birth.block
        if site is birth.site:
            return  # Made and read on one line: NumPy had no time to write.
        self.look(block, site)
        if birth.seen >= len(block.writes) or birth.block.readonly:
            return
        origin = birth.origin()
        newer = block.newest is not None and block.newest.seen > birth.seen
        writes = self._telling(block, birth.seen)
        if newer and block.newest.site is origin.site:
            self._overwritten(origin, writes, site, (tensor, block.array()))
            return
        late = self.late.get(id(birth))
        if late is None or late.birth is not birth:
            if len(self.late) >= _MOST_LATE:
                return
            late = self.late[id(birth)] = Late(birth, writes, site, block.was_blank())
            low, high = block.span()
            late.names = names_in(low, high, user_frame())[0]
            late.together = seen(tensor), seen(block.array())
        late.epochs.add(len(block.writes))
        late.newer = late.newer or newer

    @staticmethod
    def _telling(block: Block, seen: int) -> tuple[Site, ...]:
        """The lines of the first write after so many, or of one of which the line is known for certain."""
        writes = block.writes[seen:]
        return next((lines for lines in writes if len(lines) == 1), writes[0])

    def stop(self) -> None:
        """Follow no line any more."""
        if self.catching is not None:
            self.catching.end()
            self.catching = None

    def finish(self) -> None:
        """Judge tensors that were read in one changed state only; those read again and again are meant to change."""
        for late in self.late.values():
            origin = late.birth.origin()
            if len(late.epochs) != 1 or origin.how == "numpy" or self.findings.at(origin.site):
                continue
            if late.newer:
                self._overwritten(origin, late.writes, late.reader, late.together)
            elif self._is_unexpected(late, origin):
                self._changed(origin, late)

    @staticmethod
    def _is_unexpected(late: Late, origin: Any) -> bool:
        """Whether nothing says that the tensor was meant to show what NumPy writes."""
        if not late.writes or late.blank or is_allocated_empty(late.names, origin.site.file):
            return False
        return not turn_together(late.writes, late.reader, origin.site)

    def _overwritten(
        self, birth: Any, writes: tuple[Site, ...], reader: Site, together: tuple[Any, Any], count: int = 2
    ) -> None:
        """The tensor and the array that are *together* show the same, though the tensor was to keep what was there."""
        many = f"{count} tensors made here over one array are in use" if count > 2 else "a tensor made here is kept"
        self.findings.add(
            "shared-buffer-overwritten",
            birth.site,
            f"{birth.how}() shares the array's memory, and NumPy writes the array afterwards: {many}, and what was "
            f"kept shows the last values; copy, with torch.tensor(...) or .clone()",
            (*((w, "NumPy writes the memory here") for w in writes), (reader, "and it is read here")),
            memory=_onlookers(birth.site, writes, reader, together),
        )

    def _changed(self, birth: Any, late: Late) -> None:
        self.findings.add(
            "shared-array-changed",
            birth.site,
            f"{birth.how}() shares the array's memory; NumPy writes the array later, and the tensor is read after "
            f"that: it shows the new values; copy, with torch.tensor(...) or .clone(), if it should not",
            (*((w, "NumPy writes the memory here") for w in late.writes), (late.reader, "the tensor is read here")),
            memory=_onlookers(birth.site, late.writes, late.reader, late.together),
        )


def _onlookers(
    made: Site, writes: tuple[Site, ...], reader: Site, together: tuple[Any, Any]
) -> tuple[tuple[Site, str, Any], ...]:
    tensor, array = together
    return (
        (made, "keeps the", tensor),
        *((w, "writes within the", array) for w in writes),
        (reader, "reads the", tensor),
    )


def is_in_container(obj: Any) -> bool:
    """Whether a container of the program holds an object, as opposed to a variable or an attribute."""
    holders = [h for h in gc.get_referrers(obj) if isinstance(h, _CONTAINERS)]
    return any(not is_namespace(h) and not is_attributes(h) for h in holders)


def is_attributes(holder: Any) -> bool:
    """Whether a dict holds the attributes of an object."""
    return any(getattr(owner, "__dict__", None) is holder for owner in gc.get_referrers(holder))


def is_namespace(holder: Any) -> bool:
    """Whether a container holds the variables of a module or of a function."""
    if not isinstance(holder, dict):
        return False
    if "__builtins__" in holder or "__name__" in holder:
        return True
    return any(isinstance(owner, (ModuleType, FrameType)) for owner in gc.get_referrers(holder))


def _version(tensor: Any) -> int:
    try:
        return int(tensor._version)
    except RuntimeError:  # tensors of inference mode count no versions
        return 0


def bytes_at(start: int, size: int) -> Any:
    """The memory as an object that owns nothing and keeps nothing."""
    return _array_type(size).from_address(start)


@lru_cache(256)
def _array_type(size: int) -> Any:
    """Kept, since ctypes makes a type anew for each size that nobody holds, which takes microseconds."""
    return ctypes.c_ubyte * size


def checksum(memory: Any) -> int:
    """Changes with elements and their order; exact up to 64 KB, by rows and columns up to 8 MB, sampled above."""
    size = len(memory)
    if size <= _EXACT:
        return zlib.crc32(memory)
    flat, whole = np.frombuffer(memory, np.uint8), size // 4096 * 4096
    if size > _SAMPLED:
        rows = flat[:whole].reshape(-1, 4096)[:: size // 4096 // 512, :64]
        return zlib.crc32(np.ascontiguousarray(rows).data)
    words = flat[:whole].view(np.uint64).reshape(-1, 512)
    return zlib.crc32(words.sum(0).data) ^ zlib.crc32(words.sum(1).data) ^ zlib.crc32(flat[whole:].data)


def are_kept_together(births: list[Any]) -> bool:
    """Whether one container of the program holds two of these tensors."""
    first, second = births[0].target(), births[1].target()
    if first is None or second is None:
        return False
    # Never put into one container here, which would be found.
    holders = {id(h): h for h in gc.get_referrers(first) if isinstance(h, _CONTAINERS)}
    both = [h for h in gc.get_referrers(second) if id(h) in holders]
    return any(not is_namespace(h) for h in both)
