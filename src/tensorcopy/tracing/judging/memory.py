"""Who shares memory with whom: what crosses between NumPy and torch, and what is still alive at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from mmap import mmap
from typing import Any

import numpy as np
import torch

from ..sites import NOWHERE, Site, user_frame, user_site
from .blocks import Block, are_kept_together
from .collecting import differ_later
from .ledger import Birth, Write
from .reading import Reading
from .tensors import address_of, has_memory
from .writing import Writing

# Looking for who holds an object is slow: it is done when so many are alike.
_LOOKED_AT = (2, 3, 5, 20, 100)
_MOST_ALIKE, _MOST_KEPT = 1_000, 5


class Memory(Writing, Reading):
    """The ledger of one session, with those who judge what is written and what is read."""

    def shared(self, tensor: Any, array: Any, how: str, site: Site) -> None:
        """A tensor and an array have come to lie on the same memory. Told twice where one wrapped call runs another."""
        known = self.births.of(array if how == "numpy" else tensor)
        if known is not None and known.how == how:
            return
        start = address_of(tensor)
        if start == 0:
            return
        block = self._block_at(start, array)
        self.outside.look(block, site)
        self.outside.share(block, tensor, site)
        self._check_again(block, how, site)
        if how == "numpy":
            self.made(array, how, tensor, site)
            block.arrays.append(self.births[id(array)][1])
            self._check_arrays(block, site)
        else:
            birth = Birth(tensor, how, site, start, self.sequence, self.births.of(array))
            birth.block, birth.seen = block, len(block.writes)
            self.born(birth, tensor)
            self.outside.made(block, birth)

    def _block_at(self, start: int, array: Any) -> Block:
        block = self.blocks.get(start)
        if block is None or (block.root is not None and block.root() is None):
            block = self.blocks[start] = Block(start, _root_of(array), not _writable(array))
            if block.readonly and self.guard is not None:
                self.guard()
        return block

    def _check_again(self, block: Block, how: str, site: Site) -> None:
        """An array is converted once more after torch wrote it through an earlier tensor: the data changed underway."""
        write = block.torch_write
        if how == "numpy" or write is None or not block.shares or block.readonly:
            return
        earlier = [b for b in block.shares if b.sequence < write.sequence and b.site is site]
        if earlier:
            self.findings.add(
                "callers-memory-written",
                earlier[0].site,
                f"{how}() shares the array's memory, and the tensor is then written in place: the array itself changed "
                f"before it was converted here again; compute a new tensor, or copy the array first",
                ((write.site, "the array's memory is written here"),),
                memory=((earlier[0].site, "the", block.array()), (write.site, "writes", write.region)),
            )

    # --- views of one tensor ------------------------------------------------------------------------------------------

    def made(self, result: Any, how: str, source: Any, site: Site, start: int | None = None) -> None:
        """*result* lies on the memory of *source*; maybe on the same part as others from there, which were kept."""
        super().made(result, how, source, site, start)
        if self.writes and type(result) is torch.Tensor:
            birth = self.births[id(result)][1]
            if birth.address in self.writes:
                self._alike(birth, result)

    def _alike(self, birth: Birth, result: Any) -> None:
        key = (birth.site, birth.how, result.data_ptr(), result.shape)
        earlier = self.alike.get(key)
        if earlier is None and len(self.alike) < _MOST_ALIKE and birth.how != "grad":
            self.alike[key] = [birth]
        elif earlier is not None and len(earlier) < _MOST_KEPT and self.written_since(earlier[-1]):
            earlier.append(birth)

    def _finish_views(self) -> None:
        """Views of the same elements, taken at one line, with writes between: those that were kept show the last."""
        for births in self.alike.values():
            alive = [b for b in births if b.target() is not None]
            write = self.writes.get(births[0].address)
            if write is None or len(alive) < 2 or self.findings.at(alive[0].site) or not are_kept_together(alive):
                continue
            how = ".data" if alive[0].how == "data" else alive[0].how
            self.findings.add(
                "changing-snapshot",
                alive[0].site,
                f"{len(alive)} views that {how} gave here are kept, all of the same elements, which have been "
                f"written since: only the last values are left; keep a clone()",
                ((write.site, "the memory is written here"),),
                variant="view",
                memory=((alive[0].site, "keeps the", alive[0].target()), (write.site, "writes", write.region)),
            )

    # --- arrays of one tensor -----------------------------------------------------------------------------------------

    def _check_arrays(self, block: Block, site: Site) -> None:
        """Arrays taken from one tensor, with writes between: all show the last state."""
        write = block.torch_write
        if write is None:
            return
        earlier = [b for b in block.arrays if b.sequence < write.sequence and b.target() is not None]
        alike = [b for b in earlier if b.site is site]
        if len(alike) in _LOOKED_AT and are_kept_together(alike):
            self._report_arrays(alike, write)
        elif earlier and earlier[-1].site is not site and self._meets_here(earlier[-1], site):
            self._report_arrays(earlier[-1:], write, site)

    def _finish_arrays(self, block: Block) -> None:
        write = block.torch_write
        if write is None:
            return
        alive = [b for b in block.arrays if b.target() is not None]
        for site in dict.fromkeys(b.site for b in alive if b.sequence < write.sequence):
            alike = [b for b in alive if b.site is site]
            if len(alike) > 1 and not self.findings.at(site) and are_kept_together(alike):
                self._report_arrays(alike, write)

    def _meets_here(self, birth: Birth, site: Site) -> bool:
        """Whether the program's current line also names an array that was taken before, or its result is subtracted."""
        array, frame = birth.target(), user_frame()
        if frame is None or array is None:
            return False
        names = [n for v in (frame.f_locals, frame.f_globals) for n, value in list(v.items()) if value is array]
        return any(re.search(rf"\b{re.escape(name)}\b", site.text) for name in names) or any(
            differ_later(frame, name, site.line) for name in names
        )

    def _report_arrays(self, births: Sequence[Birth], write: Write, site: Site = NOWHERE) -> None:
        what = f"{len(births)} arrays that .numpy() gave here are" if len(births) > 1 else "the array from here is"
        self.findings.add(
            "changing-snapshot",
            births[0].site,
            f"{what} still in use, over the memory of a tensor that torch has written since: only the last values are "
            f"left; keep .numpy().copy()",
            ((write.site, "the memory is written here"), (site, "and used here")),
            memory=(
                (births[0].site, "keeps the", births[0].target()),
                (write.site, "writes", write.region),
                (site, "reads the", births[0].target()),
            ),
        )

    # --- memory that moves or stays -----------------------------------------------------------------------------------

    def moved(self, tensor: Any, before: int) -> None:
        """*tensor* lay at *before* and lies elsewhere: arrays over its old memory look at what is freed."""
        block = self.blocks.get(before)
        if block is None or address_of(tensor) == before:
            return
        for birth in block.arrays:
            if birth.target() is not None:
                self.findings.add(
                    "view-of-moved-memory",
                    birth.site,
                    "this array shares the tensor's memory, which share_memory_() later moves elsewhere: the array no "
                    "longer follows the tensor, and looks at freed memory; take it afterwards, or copy it",
                    ((user_site(), "the tensor moves to other memory here"),),
                    memory=((birth.site, "looks at what the tensor has left: the", birth.target()),),
                )

    def finish(self) -> None:
        """Look at what is still alive: small views that keep large memory."""
        self.outside.finish()
        self._finish_views()
        self.finish_collected()
        for block in list(self.blocks.values()):
            self._finish_arrays(block)
        by_site: dict[Site, list[Birth]] = {}
        for _, birth in self.births.alive():
            if birth.how in ("__getitem__", "select", "narrow", "split", "chunk"):
                by_site.setdefault(birth.site, []).append(birth)
        for site, births in by_site.items():
            self._check_kept(site, births)

    def _check_kept(self, site: Site, births: list[Birth]) -> None:
        alive = [t for b in births if (t := b.target()) is not None and has_memory(t) and _is_alone(t)]
        kept = {address_of(t): (t.untyped_storage().nbytes(), t.nbytes) for t in alive}
        whole, used = (sum(n for n, _ in kept.values()), sum(n for _, n in kept.values()))
        if len(kept) > 2 and whole > 8 * used and whole - used > 16_384:
            self.findings.add(
                "kept-storage",
                site,
                f"{len(kept)} views taken here are alive; they hold {used:,} bytes and keep {whole:,} bytes of memory "
                f"that nothing else uses; keep a clone() of the part",
                memory=((site, "keeps the", alive[0]),),
            )


def _writable(array: Any) -> bool:
    if isinstance(array, np.ndarray):
        return bool(array.flags.writeable)
    return not memoryview(array).readonly if isinstance(array, (bytes, bytearray, memoryview, mmap)) else True


def _root_of(array: Any) -> Any:
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _is_alone(tensor: Any) -> bool:
    """Whether nothing but this view keeps its storage."""
    count = getattr(torch._C, "_storage_Use_Count", None)
    return count is not None and count(tensor.untyped_storage()._cdata) <= 3
