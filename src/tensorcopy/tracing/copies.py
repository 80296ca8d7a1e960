"""Every copy by line and kind, and the ones that could have been avoided."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from .capture import CopyLine
from .memory import PLAIN, address_of
from .reports import Findings, spot
from .sites import NOWHERE, Site, user_site

_MOST_LINES = 20_000


class Tally:
    """Copies of one kind at one line."""

    __slots__ = ("avoidable", "bytes", "count", "nanoseconds")

    def __init__(self) -> None:
        self.count = self.bytes = self.nanoseconds = 0
        self.avoidable: dict[str, list[int]] = {}


class Copies:
    """The copies of one session, by place, operation and phase."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.tallies: dict[tuple[Site, str, str], Tally] = {}
        self.pending: dict[int, list[list[Any]]] = {}

    def copied(self, operation: str, size: int, nanoseconds: int, site: Site, phase: str) -> Tally:
        """Count one copy."""
        key = (site, operation, phase)
        tally = self.tallies.get(key)
        if tally is None:
            if len(self.tallies) >= _MOST_LINES:
                key = (NOWHERE, "other copies", phase)
            tally = self.tallies.setdefault(key, Tally())
        tally.count += 1
        tally.bytes += size
        tally.nanoseconds += nanoseconds
        return tally

    def judge(self, name: str, args: tuple[Any, ...], result: Any, tally: Tally, site: Site) -> None:
        """Watch a copy that may turn out to have been avoidable."""
        source = args[0]
        if type(source) not in PLAIN or result.nbytes < 1024:
            return
        if name == "clone":
            self._judge_clone(source, result, tally, site)
        elif name == "repeat" and _only_new_dimensions(source, result, args[1]):
            self._watch(result, [tally, result.nbytes, "repeat() where expand() would do: it is never written", None])

    def _judge_clone(self, source: Any, result: Any, tally: Tally, site: Site) -> None:
        expanded = source.untyped_storage().nbytes()
        if expanded * 16 <= result.nbytes and result.nbytes - expanded >= 65_536:
            self.findings.add(
                "expanded-copied",
                site,
                f"clone() of an expanded tensor writes out its repeats: {result.nbytes:,} bytes where {expanded:,} "
                f"hold all values; clone before expanding",
            )
        elif source.stride() == result.stride():
            record = [tally, result.nbytes, "clone() of a temporary, which nothing else uses", site]
            self._watch(source, record)

    def _watch(self, tensor: Any, record: list[Any]) -> None:
        storage = tensor.untyped_storage()
        self.pending.setdefault(address_of(tensor), []).append(record)
        weakref.finalize(storage, self._freed, address_of(tensor), record).atexit = False

    def wrote(self, tensor: Any) -> None:
        """*tensor* was written: a copy of it was needed."""
        if self.pending:
            for record in self.pending.pop(address_of(tensor), ()):
                record[0] = None

    def _freed(self, address: int, record: list[Any]) -> None:
        if record in self.pending.get(address, ()):
            self.pending[address].remove(record)
            if not self.pending[address]:
                del self.pending[address]
        tally, size, why, site = record
        if tally is None or (site is not None and user_site() is not site):
            return
        found = tally.avoidable.setdefault(why, [0, 0])
        found[0] += 1
        found[1] += size

    def lines(self) -> Iterable[CopyLine]:
        """The copies as plain values, most bytes first."""
        for (site, operation, phase), tally in sorted(self.tallies.items(), key=lambda i: -i[1].bytes):
            yield CopyLine(
                operation=operation,
                phase=phase,
                place=spot(site),
                count=tally.count,
                bytes=tally.bytes,
                seconds=tally.nanoseconds / 1e9,
                avoidable="; ".join(why for why, (n, _) in tally.avoidable.items() if n * 10 >= tally.count * 8),
            )

    def finish(self) -> None:
        """Report what could have been avoided at every turn."""
        for records in list(self.pending.values()):
            for record in records:
                if record[0] is not None and record[3] is None:
                    self._freed(0, record)
        for (site, _, _), tally in self.tallies.items():
            for why, (count, size) in tally.avoidable.items():
                if count * 10 >= tally.count * 8:
                    self.findings.add("avoidable-copy", site, f"{why}; {count} times, {size:,} bytes")


def _only_new_dimensions(source: Any, result: Any, repeats: Any) -> bool:
    """Whether only dimensions of size one are repeated, which expand() does without memory."""
    lead = result.dim() - source.dim()
    return all(n == 1 or i < lead or source.shape[i - lead] == 1 for i, n in enumerate(repeats))
