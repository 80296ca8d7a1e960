"""How each tensor and array came to lie on its memory, and what was written there last."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from ...live.memory import Region
from ..extents import region_of
from ..reports import Findings
from ..sites import Site, user_site
from ..watching import Known
from .blocks import Block, Blocks
from .tensors import address_of

# Operations whose result looks like a copy and shares with its source.
SNAPSHOTS = frozenset(("detach", "data", "copy.copy", "state_dict"))
# Conversions that share whenever they can, which their names do not tell.
CONVERSIONS = frozenset(
    [
        *("as_tensor", "asarray", "from_numpy", "numpy", "cpu"),
        *("to", "float", "double", "half", "type", "type_as"),
        *("contiguous", "reshape", "flatten"),
    ]
)
# Conversions between torch and what is outside.
BORDER = frozenset(("as_tensor", "asarray", "from_numpy", "numpy", "from_dlpack", "frombuffer"))
# Operations that may copy where a view was meant, so that a write into the result is lost.
MAY_COPY = frozenset(
    ["reshape", "flatten", "ravel", "contiguous", "__getitem__", "index_select", "masked_select", "float", "to", "cpu"]
)
_FIRST_SWEEP = 4096


class Write(NamedTuple):
    """What torch wrote: after how many writes before, where, and which bytes."""

    sequence: int
    site: Site
    region: Region | None


class Birth:
    """How a tensor or array came to lie on its memory: by which operation, where, after how many writes."""

    __slots__ = ("address", "block", "how", "seen", "sequence", "site", "source", "target")

    def __init__(self, target: Any, how: str, site: Site, address: int, sequence: int, source: Birth | None) -> None:
        self.target: weakref.ref[Any] = weakref.ref(target)
        self.how, self.site, self.address, self.sequence, self.source = how, site, address, sequence, source
        # Where the memory is also NumPy's: how many of NumPy's writes it had seen.
        self.block: Block | None = None
        self.seen = 0
        if source is not None and source.block is not None:
            self.block, self.seen = source.block, len(source.block.writes)

    def first(self, *names: str) -> Birth | None:
        """The nearest operation of these names on the way to this memory."""
        birth: Birth | None = self
        while birth is not None and birth.how not in names:
            birth = birth.source
        return birth

    def origin(self) -> Birth:
        """The conversion that laid this over memory of NumPy's, or this itself."""
        return self.first(*BORDER) or self


class Ledger:
    """The shared memory of one session: who lies where, since when, and who wrote."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.births: Known[Birth] = Known()
        self.snapshots: Known[Birth] = Known()
        self.unconverted: Known[Birth] = Known()
        self.addresses: set[int] = set()
        self.sweep_at = _FIRST_SWEEP
        self.outside = Blocks(findings)
        self.blocks = self.outside.at
        self.writes: dict[int, Write] = {}
        self.temporaries: dict[int, list[Any]] = {}
        # Those that were written, and not read since.
        self.unread: dict[int, list[Any]] = {}
        # Views taken of the same elements at one line, after writes.
        self.alike: dict[tuple[Any, ...], list[Birth]] = {}
        self.sequence = 0
        self.guard: Callable[[], None] | None = None
        self.flush: Any = None

    def made(self, result: Any, how: str, source: Any, site: Site, start: int | None = None) -> None:
        """*result* lies on the memory of *source*, which begins at *start*."""
        start = address_of(result) if start is None else start
        self.born(Birth(result, how, site, start, self.sequence, self.births.of(source)), result)

    def born(self, birth: Birth, result: Any) -> None:
        """Keep how *result* came about."""
        self.births.put(result, birth)
        self.addresses.add(birth.address)
        if len(self.addresses) >= self.sweep_at:
            self._sweep()
        if birth.block is not None or birth.how in SNAPSHOTS:
            self.snapshots.put(result, birth)

    def _sweep(self) -> None:
        """Forget addresses that nothing lies at, and writes that nobody can be surprised by any more."""
        self.addresses = {birth.address for _, birth in self.births.values()}
        self.sweep_at = max(_FIRST_SWEEP, 2 * len(self.addresses))
        self.writes = {start: write for start, write in self.writes.items() if start in self.addresses}

    def unchanged(self, tensor: Any, how: str) -> None:
        """A conversion had nothing to do, and gave its argument itself."""
        if tensor.requires_grad:
            return
        site = user_site()
        if site.function != "<module>":
            self.unconverted.put(tensor, Birth(tensor, how, site, address_of(tensor), self.sequence, None))
            self.addresses.add(address_of(tensor))

    def note(self, tensor: Any, start: int, site: Site) -> Block | None:
        """*tensor*, whose memory begins at *start*, was written at *site*; the block there, if it is NumPy's too."""
        write = self.writes[start] = Write(self.sequence, site, region_of(tensor))
        block = self.blocks.get(start)
        if block is not None:
            block.torch_write = write
        return block

    def written_since(self, birth: Birth) -> Write | None:
        """The last write of the memory of *birth*, if it came after it."""
        write = self.writes.get(birth.address)
        return write if write is not None and write.sequence > birth.sequence else None
