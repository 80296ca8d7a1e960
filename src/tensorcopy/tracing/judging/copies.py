"""Every copy by line and kind, and the ones that could have been avoided."""

from __future__ import annotations

import weakref
from typing import Any

import torch

from ..captures.capture import CopyLine, Timeline
from ..captures.timeline import Recorder
from ..reports import Findings, spot
from ..sites import NOWHERE, Site, user_site
from .naming import call_that_copies, kind_in_backward, kind_of
from .tensors import PLAIN, address_of

_MOST_LINES = 20_000
_MOST_WRITTEN = 2_000
_OTHER = "other copies"
_TEMPORARY = ("clone-of-temporary", "clone() of a temporary, which nothing else uses")
_REPEAT = ("repeat", "repeat() where expand() would do: it is never written")
_Key = tuple[Site, str, str]


class Tally:
    """Copies of one kind at one line."""

    __slots__ = ("avoidable", "bytes", "count", "hidden", "kind", "nanoseconds")

    def __init__(self, kind: str) -> None:
        # Hidden are those that a kernel makes on its own behalf: they are not the program's to spare.
        self.kind, self.hidden = kind, "inside " in kind
        self.count = self.bytes = self.nanoseconds = 0
        self.avoidable: dict[tuple[str, str], list[int]] = {}

    @property
    def ways(self) -> list[tuple[str, str, int, int]]:
        """How nearly all of these copies could have been avoided: variant, reason, how many, how many bytes."""
        found = ((variant, why, count, size) for (variant, why), (count, size) in list(self.avoidable.items()))
        return [way for way in found if way[2] * 10 >= self.count * 8]


class Copies:
    """The copies of one session, by place, operation and phase.

    phase: what the program is doing while no node of the graph runs: ``forward``, ``optimizer`` or ``data``.
    """

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.tallies: dict[_Key, Tally] = {}
        self.pending: dict[int, list[list[Any]]] = {}
        self.recorder = Recorder()
        self.phase = "forward"

    def heard(
        self, name: str, args: tuple[Any, ...], result: Any, nanoseconds: int, site: Site, node: Any = None
    ) -> Tally:
        """Count one copy that torch's dispatcher made, in backward if *node* is the node of the graph that runs."""
        operation, phase = name.lstrip("_"), self.phase if node is None else "backward"
        tally = self.tallies.get((site, operation, phase))
        if tally is None:
            kind = kind_in_backward(node.name()) if node is not None else self._kind(operation, args, result)
            tally = self._new((site, operation, phase), kind)
        self.recorder.copied(tally, result.nbytes, nanoseconds, phase)
        return tally

    def copied(self, operation: str, size: int, site: Site, phase: str, kind: str = "") -> Tally:
        """Count one copy at the border of torch, where it is not timed."""
        phase = phase if self.phase == "forward" else self.phase
        tally = self.tallies.get((site, operation, phase))
        if tally is None:
            tally = self._new((site, operation, phase), kind)
        self.recorder.copied(tally, size, 0, phase)
        return tally

    def _new(self, key: _Key, kind: str) -> Tally:
        if len(self.tallies) >= _MOST_LINES:
            key, kind = (NOWHERE, _OTHER, key[2]), ""
        return self.tallies.setdefault(key, Tally(kind))

    @staticmethod
    def _kind(operation: str, args: tuple[Any, ...], result: Any) -> str:
        return kind_of(operation, args[0] if args else None, result, call_that_copies(3))

    def judge(self, name: str, args: tuple[Any, ...], result: Any, tally: Tally, site: Site) -> None:
        """Watch a copy that may turn out to have been avoidable."""
        source = args[0]
        if type(source) not in PLAIN or result.nbytes < 1024 or tally.hidden:
            return
        if name == "clone":
            self._judge_clone(source, result, tally, site)
        elif name == "repeat" and _only_new_dimensions(source, result, args[1]):
            self._watch(result, [tally, result.nbytes - source.nbytes, _REPEAT, None])

    def _judge_clone(self, source: Any, result: Any, tally: Tally, site: Site) -> None:
        expanded = source.untyped_storage().nbytes()
        if expanded * 16 <= result.nbytes and result.nbytes - expanded >= 65_536:
            self.findings.add(
                "expanded-copied",
                site,
                f"clone() of an expanded tensor writes out its repeats: {result.nbytes:,} bytes where {expanded:,} "
                f"hold all values; clone before expanding",
            )
        elif source.stride() == result.stride() and source.untyped_storage().resizable():
            record = [tally, result.nbytes, _TEMPORARY, site]
            self._watch(source, record)

    def _watch(self, tensor: Any, record: list[Any]) -> None:
        address = address_of(tensor)
        self.pending.setdefault(address, []).append(record)
        record.append(weakref.ref(tensor.untyped_storage(), lambda _: self._freed(address, record)))

    def wrote(self, start: int) -> None:
        """The memory that begins at *start* was written: a copy of it was needed."""
        for record in self.pending.pop(start, ()):
            record[0] = None

    def _freed(self, address: int, record: list[Any]) -> None:
        if record in self.pending.get(address, ()):
            self.pending[address].remove(record)
            if not self.pending[address]:
                del self.pending[address]
        tally, size, way, site, *_ = record
        record.clear()
        if tally is None or (site is not None and user_site() is not site):
            return
        found = tally.avoidable.setdefault(way, [0, 0])
        found[0] += 1
        found[1] += size

    def lines(self) -> tuple[CopyLine, ...]:
        """The copies as plain values, most bytes first."""
        return tuple(line for line, _ in self._lines())

    def timeline(self) -> Timeline:
        """When they were made; its events point to `lines`."""
        numbers = {id(tally): number for number, (_, tallies) in enumerate(self._lines()) for tally in tallies}
        return self.recorder.timeline(lambda tally: numbers.get(id(tally), 0))

    def _lines(self) -> list[tuple[CopyLine, list[Tally]]]:
        """The lines with their tallies; those of few bytes are summed where there are too many."""
        ordered = sorted(self.tallies.items(), key=lambda item: -item[1].bytes)
        found = [(_line(key, tally), [tally]) for key, tally in ordered[:_MOST_WRITTEN]]
        rest = [tally for _, tally in ordered[_MOST_WRITTEN:]]
        return [*found, (_rest(rest), rest)] if rest else found

    def finish(self) -> None:
        """Report what could have been avoided at every turn."""
        for records in list(self.pending.values()):
            for record in records:
                if record[0] is not None and record[3] is None:
                    self._freed(0, record)
        for (site, _, _), tally in self.tallies.items():
            for variant, why, count, size in tally.ways:
                text = f"{why}; {size:,} bytes are copied for nothing"
                self.findings.add("avoidable-copy", site, text, variant=variant, count=count)


def _line(key: _Key, tally: Tally) -> CopyLine:
    site, operation, phase = key
    ways = tally.ways
    return CopyLine(
        operation=operation,
        phase=phase,
        place=spot(site),
        count=tally.count,
        bytes=tally.bytes,
        seconds=tally.nanoseconds / 1e9,
        avoidable="; ".join(why for _, why, _, _ in ways),
        kind=tally.kind,
        saved=min(sum(size for *_, size in ways), tally.bytes),
        variant=ways[0][0] if ways else "",
    )


def _rest(tallies: list[Tally]) -> CopyLine:
    return CopyLine(
        operation=_OTHER,
        phase="",
        place=spot(NOWHERE),
        count=sum(tally.count for tally in tallies),
        bytes=sum(tally.bytes for tally in tallies),
        seconds=sum(tally.nanoseconds for tally in tallies) / 1e9,
    )


def _only_new_dimensions(source: Any, result: Any, repeats: Any) -> bool:
    """Whether only dimensions of size one are repeated, which expand() does without memory."""
    lead = result.dim() - source.dim()
    return all(n == 1 or i < lead or source.shape[i - lead] == 1 for i, n in enumerate(repeats))


def bytes_of(tensor: Any) -> int:
    """The bytes of a sparse tensor: of its indices and values together."""
    if tensor.layout is torch.sparse_coo:
        parts: tuple[Any, ...] = (tensor._indices(), tensor._values())
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        parts = (tensor.crow_indices(), tensor.col_indices(), tensor.values())
    else:
        parts = (tensor.ccol_indices(), tensor.row_indices(), tensor.values())
    return sum(part.nbytes for part in parts)
