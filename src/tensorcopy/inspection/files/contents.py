"""What a file of tensors holds, as plain values: its entries, the storages that they lie on, and what is no tensor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...live.memory import Region, layout_of
from ...reporting.showing import Shown
from .squeezing import Squeezed, squeeze

if TYPE_CHECKING:
    from ...reporting import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A tensor or an array of a file.

    storage: the key of the storage that it lies on; empty for a tensor without data (on the meta device).
    region: its elements, the address being a byte offset into that storage.
    note: what else there is to say, like ``Parameter`` or ``conjugate``.
    """

    name: str
    dtype: str
    region: Region
    storage: str
    device: str = "cpu"
    requires_grad: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMemory:
    """One storage of a file.

    offset: where its bytes begin in the file; None where they are compressed.
    views: every set of elements that some tensor has there, also of tensors that no name leads to.
    whole: why all of it counts as used, besides its views; empty if only they do.
    """

    key: str
    nbytes: int
    offset: int | None
    device: str = "cpu"
    views: tuple[Region, ...] = ()
    whole: str = ""

    def squeezed(self) -> Squeezed:
        """How it would be laid out with the bytes only that its views use."""
        return squeeze(self.nbytes, self.views, keep_all=bool(self.whole))

    @property
    def used(self) -> int:
        """The bytes that this would leave."""
        views = self.views
        if len(views) == 1 and not views[0].address and views[0].nbytes == self.nbytes and layout_of(views[0]) == DENSE:
            return self.nbytes
        return self.squeezed().nbytes


DENSE = "contiguous"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents(Shown):
    """Everything that `inspect_file` found out. A plain value; the file may go away.

    opaque: how many objects of each class, or calls of each function, a load would make besides tensors.
    warnings: what readers of the format will not accept or will not show.
    cannot_compact: why `compact_file` cannot rewrite it; empty if it can.
    """

    path: str
    format: str
    file_bytes: int
    entries: tuple[Entry, ...] = ()
    storages: Mapping[str, StoredMemory] = field(default_factory=dict, hash=False)
    opaque: Mapping[str, int] = field(default_factory=dict, hash=False)
    warnings: tuple[str, ...] = ()
    cannot_compact: str = ""

    @property
    def stored_bytes(self) -> int:
        """Bytes of all storages."""
        return sum(storage.nbytes for storage in self.storages.values())

    @property
    def used_bytes(self) -> int:
        """Bytes of the storages once each holds only what its tensors use."""
        return sum(storage.used for storage in self.storages.values())

    @property
    def dtypes(self) -> Mapping[str, int]:
        """How many entries there are of each dtype, the most frequent first."""
        return dict(Counter(entry.dtype for entry in self.entries).most_common())

    @property
    def devices(self) -> Mapping[str, int]:
        """How many entries lie on each device."""
        return dict(Counter(entry.device for entry in self.entries).most_common())

    def report(self, *, full: bool = False) -> Report:
        """What there is to show; *full* leaves nothing out."""
        from .describing import contents_report

        return contents_report(self, full=full)
