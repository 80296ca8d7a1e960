"""Who writes memory that others see: the caller's, read-only, repeated or overlapping memory, and lost copies."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ...live.memory import same_bytes
from ...live.regions import common_memory, footprint
from ..sites import Site, is_library, user_frame, user_site
from .bytecode import will_read
from .ledger import CONVERSIONS, Birth, Ledger
from .tensors import KINDS, PLAIN, address_of, has_memory, repeats


class Writing(Ledger):
    """Judges what torch writes."""

    def before_write(self, tensor: Any) -> None:
        """*tensor* is about to be written; memory that is read-only may end the process."""
        block = self.blocks.get(address_of(tensor))
        if block is None or not block.readonly:
            return
        share = next((b for b in reversed(block.shares)), None)
        if share is not None:
            here = user_site()
            self.findings.add(
                "readonly-memory-written",
                share.site,
                f"{share.how}() laid a tensor over read-only memory, and torch, which knows no read-only tensors, "
                f"writes it: data that must not change do change, or the process ends; copy first",
                ((here, "the read-only memory is written here"),),
                memory=((share.site, "lays the", share.target()), (here, "writes the", tensor)),
            )
            if self.flush is not None:
                self.flush()

    def wrote(self, tensor: Any, start: int, site: Site | None = None) -> None:
        """*tensor*, whose memory begins at *start*, was written at *site*: where the program is, if none is given."""
        self.sequence += 1
        # Looking where the program is costs more than this: nobody asks for writes of memory that nothing shares.
        if start not in self.addresses and start not in self.blocks:
            return
        site = site or user_site()
        self.note(tensor, start, site)
        temporary = self.temporaries.get(start)
        if temporary is not None and temporary[0] is site:
            temporary[2], self.unread[start] = True, temporary
        self._check_callers(tensor, site)

    # --- the memory of a caller ---------------------------------------------------------------------------------------

    def _check_callers(self, tensor: Any, site: Site) -> None:
        """A function converts its argument, writes the result, and the caller's own variable changes with it."""
        if site.function == "<module>":
            return
        birth = self._conversion_of(tensor, site)
        if birth is None or birth.site.code is not site.code:
            return
        owner, value = _outer_variable(birth.address)
        if owner:
            self.findings.add(
                "callers-memory-written",
                birth.site,
                f"{birth.how}() gave back the caller's own memory, and the result is written in place: {owner} of the "
                f"caller changes; compute a new value, or copy first",
                ((site, "the caller's memory is written here"),),
                memory=((birth.site, f"{owner} of the caller:", value), (site, "writes the", tensor)),
            )

    def _conversion_of(self, tensor: Any, site: Site) -> Birth | None:
        """The conversion that should have made *tensor* of the caller's memory, and shares it."""
        birth = self.births.of(tensor)
        birth = birth if birth is not None else self._birth_of_view(tensor)
        whole = tensor if tensor._base is None else tensor._base
        if (kept := self.unconverted.of(whole)) is not None and kept.site.code is site.code:
            birth = kept
        if birth is None:
            return None
        converted = birth.first(*CONVERSIONS)
        return converted if converted is not None else self._rebound(birth.address, site)

    def _rebound(self, address: int, site: Site) -> Birth | None:
        """How a parameter's name came to mean a view of the argument: ``x = x.transpose(0, 1)``."""
        frame = user_frame()
        if frame is None or frame.f_code is not site.code:
            return None
        code = frame.f_code
        for name in code.co_varnames[: code.co_argcount]:
            birth = self.births.of(frame.f_locals.get(name))
            if birth is not None and birth.address == address and birth.site.code is code:
                return birth
        return None

    def _birth_of_view(self, tensor: Any) -> Birth | None:
        base = tensor._base
        return self.births.of(base) if base is not None else None

    # --- memory that is several elements at once ----------------------------------------------------------------------

    def assigned(self, target: Any, index: Any, value: Any) -> None:
        """``target[index] = value``, about to be done."""
        if not has_memory(target):
            return
        if repeats(target):
            self.repeated_written(target, target[index] if _is_basic(index) else None)
        if type(value) in PLAIN and _is_basic(index) and address_of(value) == address_of(target):
            self._check_overlap(target[index], value)
            self._check_swap(target[index], value)

    def repeated_written(self, target: Any, part: Any = None) -> None:
        """*part* of *target*, whose elements are repeated, or all of it, is about to be written."""
        site, birth = user_site(), self.births.of(target)
        made = birth.first("expand", "expand_as", "broadcast_to", "type_as") if birth is not None else None
        self.findings.add(
            "expanded-memory-written",
            made.site if made is not None else site,
            "expand() repeats elements without copying them, and one of them is written: all its repeats change; "
            "copy first, with repeat() or clone()",
            ((site, "the expanded memory is written here"),),
            memory=(
                (made.site if made is not None else site, "expands to the", target),
                (site, "writes the", target if part is None else part),
            ),
        )

    def _check_swap(self, part: Any, value: Any) -> None:
        """``x[i], x[j] = x[j], x[i]``: both sides are views, so that the second one has been overwritten by then."""
        birth, site = self.births.of(value), user_site()
        write = self.written_since(birth) if birth is not None else None
        if birth is None or write is None or birth.site is not site or write.site is not site or write.region is None:
            return
        # `x[i] += 1` writes x[i] and puts it back where it was.
        if part.data_ptr() == value.data_ptr() or part.shape != value.shape:
            return
        if any(same_bytes(region, write.region) for region in footprint(value).regions):
            self.findings.add(
                "overlapping-copy",
                site,
                "both parts are views, and the first assignment overwrites what the second reads: the two are not "
                "swapped; index with lists, as in x[[i, j]] = x[[j, i]], or clone() one of them",
                variant="swap",
                memory=((site, "writes", write.region), (site, "reads the", value)),
            )

    def _check_overlap(self, part: Any, value: Any) -> None:
        regions = footprint(part).regions + footprint(value).regions
        if len(regions) == 2 and not same_bytes(*regions) and common_memory(part, value).kind == "overlap":
            site = user_site()
            self.findings.add(
                "overlapping-copy",
                site,
                "source and target overlap in memory, and torch copies element by element: values already overwritten "
                "are read; copy from a clone()",
                memory=((site, "writes the", part), (site, "reads the", value)),
            )

    # --- copies that take a write with them ---------------------------------------------------------------------------

    def temporary(self, result: Any, how: str, site: Site) -> None:
        """*result* is a copy that *how* made where a view was meant; a write into it is lost with it."""
        start = address_of(result)
        record: list[Any] = [site, how, False, False]
        record.append(weakref.ref(result.untyped_storage(), lambda _: self._dropped(start, record)))
        self.temporaries[start] = record
        self.born(Birth(result, how, site, start, self.sequence, None), result)

    def used(self, tensor: Any) -> None:
        """*tensor* goes into a computation: if it is a copy that was written, the write was not lost."""
        record = self.unread.pop(address_of(tensor), None)
        if record is not None:
            record[3] = True

    def _dropped(self, start: int, record: list[Any]) -> None:
        if self.temporaries.get(start) is record:
            del self.temporaries[start]
            self.unread.pop(start, None)
        site, how, written, read, _ = record
        record.clear()
        if written and not read:
            self.findings.add(
                "lost-write",
                site,
                f"{how} made a copy here, since the memory could not be viewed so; it was written and dropped, and the "
                f"source never saw the write; write through view(), which raises instead, or into the source itself",
            )


def _is_basic(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is None or part is ... or isinstance(part, (int, slice)) for part in parts)


def _outer_variable(address: int) -> tuple[str, Any]:
    """A variable of a calling function that lies in this memory and is read again, and its value; '' if none is."""
    here = user_frame()
    frame = here.f_back if here is not None else None
    while frame is not None:
        if not is_library(frame.f_code.co_filename):
            for name, value in _variables(frame):
                if isinstance(value, KINDS) and address_of(value) == address and will_read(frame, name):
                    return name, value
        frame = frame.f_back
    return "", None


def _variables(frame: FrameType) -> Iterator[tuple[str, Any]]:
    yield from list(frame.f_locals.items())
