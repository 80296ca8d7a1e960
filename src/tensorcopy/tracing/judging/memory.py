"""Who shares memory with whom, and what is written under somebody's hands."""

from __future__ import annotations

import gc
import re
import weakref
from collections.abc import Callable, Iterator
from mmap import mmap
from types import FrameType
from typing import Any

import numpy as np
import torch

from ...live.memory import overlaps_itself, same_bytes
from ...live.regions import common_memory, footprint
from ..reports import Findings
from ..sites import Site, is_library, user_frame, user_site
from ..watching import Known
from .blocks import Block, Blocks, are_kept_together, is_namespace
from .bytecode import will_read

# The types whose memory and graph are torch's own; subclasses may do as they like.
PLAIN = (torch.Tensor, torch.nn.Parameter)
KINDS = (torch.Tensor, np.ndarray)
# Operations whose result looks like a copy and shares with its source.
SNAPSHOTS = frozenset(("detach", "data", "copy.copy", "state_dict"))
# Conversions that share whenever they can, which their names do not tell.
CONVERSIONS = frozenset(
    [
        "as_tensor",
        "asarray",
        "from_numpy",
        "numpy",
        "to",
        "float",
        "double",
        "half",
        "type",
        "type_as",
        "contiguous",
        "reshape",
        "flatten",
        "cpu",
    ]
)
# Conversions between torch and what is outside.
BORDER = frozenset(("as_tensor", "asarray", "from_numpy", "numpy", "from_dlpack", "frombuffer"))
# Operations that may copy where a view was meant, so that a write into the result is lost.
MAY_COPY = frozenset(
    ["reshape", "flatten", "ravel", "contiguous", "__getitem__", "index_select", "masked_select", "float", "to", "cpu"]
)

_MOST_IN_LIST = 64
_FIRST_SWEEP = 4096
# Looking for who holds an object is slow: it is done when so many are alike.
_LOOKED_AT = (2, 3, 5, 20, 100)


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


class Memory:
    """The ledger of shared memory of one session."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.births: Known[Birth] = Known()
        self.snapshots: Known[Birth] = Known()
        self.unconverted: Known[Birth] = Known()
        self.addresses: set[int] = set()
        self.sweep_at = _FIRST_SWEEP
        self.outside = Blocks(findings)
        self.blocks = self.outside.at
        self.writes: dict[int, tuple[int, Site]] = {}
        self.temporaries: dict[int, list[Any]] = {}
        # Those that were written, and not read since.
        self.unread: dict[int, list[Any]] = {}
        self.sequence = 0
        self.guard: Callable[[], None] | None = None
        self.flush: Any = None

    # --- what is made -------------------------------------------------------------------------------------------------

    def made(self, result: Any, how: str, source: Any, site: Site) -> None:
        """*result* lies on the memory of *source*."""
        self.born(Birth(result, how, site, address_of(result), self.sequence, self.births.of(source)), result)

    def born(self, birth: Birth, result: Any) -> None:
        """Keep how *result* came about."""
        self.births.put(result, birth)
        self.addresses.add(birth.address)
        if len(self.addresses) >= self.sweep_at:
            self._sweep()
        if birth.how in SNAPSHOTS or birth.block is not None:
            self.snapshots.put(result, birth)

    def _sweep(self) -> None:
        """Forget addresses that nothing lies at, and writes that nobody can be surprised by any more."""
        self.addresses = {birth.address for _, birth in self.births.values()}
        self.sweep_at = max(_FIRST_SWEEP, 2 * len(self.addresses))
        self.writes = {start: write for start, write in self.writes.items() if start in self.addresses}

    def shared(self, tensor: Any, array: Any, how: str, site: Site) -> None:
        """A tensor and an array have come to lie on the same memory. Told twice where one wrapped call runs another."""
        known = self.births.of(array if how == "numpy" else tensor)
        if known is not None and known.how == how:
            return
        start = address_of(tensor)
        if start == 0:
            return
        block = self.blocks.get(start)
        if block is None or (block.root is not None and block.root() is None):
            block = self.blocks[start] = Block(start, _root_of(array), not _writable(array))
            if block.readonly and self.guard is not None:
                self.guard()
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

    def _check_again(self, block: Block, how: str, site: Site) -> None:
        """An array is converted once more after torch wrote it through an earlier tensor: the data changed underway."""
        write = block.torch_write
        if how == "numpy" or write is None or not block.shares or block.readonly:
            return
        earlier = [b for b in block.shares if b.sequence < write[0] and b.site is site]
        if earlier:
            self.findings.add(
                "callers-memory-written",
                earlier[0].site,
                f"{how}() shares the array's memory, and the tensor is then written in place: the array itself changed "
                f"before it was converted here again; compute a new tensor, or copy the array first",
                ((write[1], "the array's memory is written here"),),
            )

    def _check_arrays(self, block: Block, site: Site) -> None:
        """Arrays taken from one tensor, with writes between: all show the last state."""
        write = block.torch_write
        if write is None:
            return
        earlier = [b for b in block.arrays if b.sequence < write[0] and b.target() is not None]
        alike = [b for b in earlier if b.site is site]
        if len(alike) in _LOOKED_AT and are_kept_together(alike):
            self._report_arrays(alike, write[1])
        elif earlier and earlier[-1].site is not site and self._meets_here(earlier[-1], site):
            self._report_arrays(earlier[-1:], write[1], site)

    def _finish_arrays(self, block: Block) -> None:
        write = block.torch_write
        if write is None:
            return
        alive = [b for b in block.arrays if b.target() is not None]
        for site in dict.fromkeys(b.site for b in alive if b.sequence < write[0]):
            alike = [b for b in alive if b.site is site]
            if len(alike) > 1 and not self.findings.at(site) and are_kept_together(alike):
                self._report_arrays(alike, write[1])

    def _meets_here(self, birth: Birth, site: Site) -> bool:
        """Whether the program's current line also names an array that was taken before."""
        array, frame = birth.target(), user_frame()
        if frame is None or array is None:
            return False
        names = [n for v in (frame.f_locals, frame.f_globals) for n, value in list(v.items()) if value is array]
        return any(re.search(rf"\b{re.escape(name)}\b", site.text) for name in names)

    def _report_arrays(self, births: list[Birth], write: Site, site: Site | None = None) -> None:
        what = f"{len(births)} arrays that .numpy() gave here are" if len(births) > 1 else "the array from here is"
        self.findings.add(
            "changing-snapshot",
            births[0].site,
            f"{what} still in use, over the memory of a tensor that torch has written since: only the last values are "
            f"left; keep .numpy().copy()",
            ((write, "the memory is written here"), *(((site, "and used here"),) if site is not None else ())),
        )

    def unchanged(self, tensor: Any, how: str) -> None:
        """A conversion had nothing to do, and gave its argument itself."""
        if tensor.requires_grad:
            return
        site = user_site()
        if site.function != "<module>":
            self.unconverted.put(tensor, Birth(tensor, how, site, address_of(tensor), self.sequence, None))
            self.addresses.add(address_of(tensor))

    # --- what is written ----------------------------------------------------------------------------------------------

    def before_write(self, tensor: Any) -> None:
        """*tensor* is about to be written; memory that is read-only may end the process."""
        block = self.blocks.get(address_of(tensor))
        if block is None or not block.readonly:
            return
        share = next((b for b in reversed(block.shares)), None)
        if share is not None:
            self.findings.add(
                "readonly-memory-written",
                share.site,
                f"{share.how}() laid a tensor over read-only memory, and torch, which knows no read-only tensors, "
                f"writes it: data that must not change do change, or the process ends; copy first",
                ((user_site(), "the read-only memory is written here"),),
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
        self.writes[start] = (self.sequence, site)
        block = self.blocks.get(start)
        if block is not None:
            block.torch_write = (self.sequence, site)
        temporary = self.temporaries.get(start)
        if temporary is not None and temporary[0] is site:
            temporary[2], self.unread[start] = True, temporary
        self._check_callers(tensor, site)

    def _check_callers(self, tensor: Any, site: Site) -> None:
        """A function converts its argument, writes the result, and the caller's own variable changes with it."""
        if site.function == "<module>":
            return
        birth = self.births.of(tensor)
        birth = birth if birth is not None else self._birth_of_view(tensor)
        whole = tensor if tensor._base is None else tensor._base
        if (kept := self.unconverted.of(whole)) is not None and kept.site.code is site.code:
            birth = kept
        if birth is None:
            return
        converted = birth.first(*CONVERSIONS)
        birth = converted if converted is not None else self._rebound(birth.address, site)
        if birth is None or birth.site.code is not site.code:
            return
        owner = _outer_variable(tensor, birth.address)
        if owner:
            self.findings.add(
                "callers-memory-written",
                birth.site,
                f"{birth.how}() gave back the caller's own memory, and the result is written in place: {owner} of the "
                f"caller changes; compute a new value, or copy first",
                ((site, "the caller's memory is written here"),),
            )

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

    def assigned(self, target: Any, index: Any, value: Any) -> None:
        """``target[index] = value``, about to be done."""
        if not _has_memory(target):
            return
        if _repeats(target):
            site, birth = user_site(), self.births.of(target)
            made = birth.first("expand", "expand_as", "broadcast_to", "type_as") if birth is not None else None
            self.findings.add(
                "expanded-memory-written",
                made.site if made is not None else site,
                "expand() repeats elements without copying them, and one of them is written: all its repeats change; "
                "copy first, with repeat() or clone()",
                ((site, "the expanded memory is written here"),),
            )
        if type(value) in PLAIN and _is_basic(index) and address_of(value) == address_of(target):
            self._check_overlap(target[index], value)

    def _check_overlap(self, part: Any, value: Any) -> None:
        regions = footprint(part).regions + footprint(value).regions
        if len(regions) == 2 and not same_bytes(*regions) and common_memory(part, value).kind == "overlap":
            self.findings.add(
                "overlapping-copy",
                user_site(),
                "source and target overlap in memory, and torch copies element by element: values already overwritten "
                "are read; copy from a clone()",
            )

    # --- what is read -------------------------------------------------------------------------------------------------

    def read(self, tensor: Any) -> None:
        """*tensor* goes into an operation: a snapshot that was none is found here."""
        birth = self.snapshots.of(tensor)
        if birth is not None and birth.block is not None:
            self.outside.read(birth, user_site())
        if birth is None or birth.how not in SNAPSHOTS or hasattr(tensor, "_is_buffer"):
            return  # torch detaches what an nn.Buffer is made of, and that one is meant to change.
        write = self.writes.get(birth.address)
        if write is None or write[0] <= birth.sequence or self.findings.at(birth.site):
            return
        site = user_site()
        if birth.site is not site and birth.how != "data" and _is_kept(tensor):
            self.findings.add(
                "changing-snapshot",
                birth.site,
                f"what {birth.how} gave here was kept and shares memory that has been written since: it shows the new "
                f"values; keep a clone()",
                ((write[1], "the memory is written here"), (site, "and read here")),
            )

    def read_all(self, values: Any) -> None:
        """A list of tensors goes into an operation."""
        values = values[:_MOST_IN_LIST]
        for value in values:
            if id(value) in self.snapshots:
                self.read(value)
        if len(values) > 1 and values[0] is values[1] and type(values[0]) in PLAIN:
            self._check_twice(values[0])

    def used(self, tensor: Any) -> None:
        """*tensor* goes into a computation: if it is a copy that was written, the write was not lost."""
        record = self.unread.pop(address_of(tensor), None)
        if record is not None:
            record[3] = True

    def compared(self, left: Any, right: Any) -> None:
        """Two tensors meet in a difference or a comparison: the same memory twice says nothing."""
        birth = self.births.of(left) or self.births.of(right)
        if birth is None or left is right or address_of(left) != address_of(right) or not _has_memory(left):
            return
        write, site = self.writes.get(birth.address), user_site()
        if write is None or write[0] <= birth.sequence or birth.site is site:
            return
        a, b = footprint(left).regions, footprint(right).regions
        if len(a) == len(b) == 1 and same_bytes(a[0], b[0]):
            self.findings.add(
                "changing-snapshot",
                birth.site,
                f"what {birth.how} gave here shares its memory with what it is later compared with: the two are always "
                f"equal, however much was written; keep a clone()",
                ((write[1], "the memory is written here"), (site, "compared with itself here")),
            )

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
                )

    def updated(self, target: Any, source: Any, how: str) -> None:
        """*target* was written in place with values of *source*: with its own, if it is no copy as was thought."""
        birth = self.snapshots.of(source) or self.snapshots.of(target)
        if birth is None or target is source or target.data_ptr() != source.data_ptr() or target.shape != source.shape:
            return
        site, write = user_site(), self.writes.get(birth.address)
        if birth.site is site or birth.block is not None or write is None or not _has_memory(target):
            return
        restored = how == "copy_"
        self.findings.add(
            "restored-from-itself" if restored else "changing-snapshot",
            birth.site,
            f"what {birth.how} gave here shares its memory with what it is later "
            f"{'copied to, which restores nothing' if restored else 'averaged with'}; keep a clone()",
            ((write[1], "the memory is written here"), (site, f"{how}() reads and writes the same memory here")),
        )

    def gave_gradient(self, gradient: Any) -> None:
        """``tensor.grad`` was read."""
        if type(gradient) in PLAIN and self.births.of(gradient) is None:
            self.made(gradient, "grad", None, user_site())
            self.snapshots.put(gradient, self.births[id(gradient)][1])

    def _check_twice(self, gradient: Any) -> None:
        """One gradient stands more than once in a list, put there before and after it was written."""
        birth = self.births.of(gradient)
        write = self.writes.get(birth.address) if birth is not None and birth.how == "grad" else None
        if birth is not None and write is not None and write[0] > birth.sequence:
            self.findings.add(
                "changing-snapshot",
                birth.site,
                ".grad gives the same tensor at each turn, and what was kept of it is written by the next backward "
                "or zero_grad: all entries show the last values; keep .grad.clone()",
                ((write[1], "the gradient is written here"), (user_site(), "and several are read here")),
            )

    # --- copies that take a write with them ---------------------------------------------------------------------------

    def temporary(self, result: Any, how: str, site: Site) -> None:
        """*result* is a copy that *how* made where a view was meant; a write into it is lost with it."""
        start = address_of(result)
        record: list[Any] = [site, how, False, False]
        record.append(weakref.ref(result.untyped_storage(), lambda _: self._dropped(start, record)))
        self.temporaries[start] = record
        self.born(Birth(result, how, site, start, self.sequence, None), result)

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

    # --- at the end ---------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Look at what is still alive: small views that keep large memory."""
        self.outside.finish()
        for block in list(self.blocks.values()):
            self._finish_arrays(block)
        by_site: dict[Site, list[Birth]] = {}
        for _, birth in self.births.alive():
            if birth.how in ("__getitem__", "select", "narrow", "split", "chunk"):
                by_site.setdefault(birth.site, []).append(birth)
        for site, births in by_site.items():
            self._check_kept(site, births)

    def _check_kept(self, site: Site, births: list[Birth]) -> None:
        alive = [t for b in births if (t := b.target()) is not None and _has_memory(t) and _is_alone(t)]
        kept = {address_of(t): (t.untyped_storage().nbytes(), t.nbytes) for t in alive}
        whole, used = (sum(n for n, _ in kept.values()), sum(n for _, n in kept.values()))
        if len(kept) > 2 and whole > 8 * used and whole - used > 16_384:
            self.findings.add(
                "kept-storage",
                site,
                f"{len(kept)} views taken here are alive; they hold {used:,} bytes and keep {whole:,} bytes of memory "
                f"that nothing else uses; keep a clone() of the part",
            )


def address_of(obj: Any) -> int:
    """The start of the memory behind a tensor or an array; 0 if there is none."""
    if isinstance(obj, np.ndarray):
        return int(obj.__array_interface__["data"][0])
    try:
        return int(obj.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError, AttributeError):
        return 0


def _has_memory(tensor: Any) -> bool:
    return (
        isinstance(tensor, torch.Tensor)
        and tensor.layout is torch.strided
        and tensor.device.type in ("cpu", "cuda")
        and not torch._C._functorch.is_functorch_wrapped_tensor(tensor)
    )


def _repeats(tensor: Any) -> bool:
    if not any(stride == 0 and size > 1 for stride, size in zip(tensor.stride(), tensor.shape, strict=True)):
        return False
    return bool(overlaps_itself(footprint(tensor).regions[0]))


def _is_basic(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is None or part is ... or isinstance(part, (int, slice)) for part in parts)


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


def _is_kept(tensor: Any) -> bool:
    """Whether a container of the program holds the tensor, as opposed to a variable."""
    for holder in gc.get_referrers(tensor):
        if isinstance(holder, (list, tuple, set)):
            return True
        if isinstance(holder, dict) and not is_namespace(holder):
            return True
    return False


def _outer_variable(tensor: Any, address: int) -> str:
    """A variable of a calling function that lies in this memory and is read again; empty if there is none."""
    here = user_frame()
    frame = here.f_back if here is not None else None
    while frame is not None:
        if not is_library(frame.f_code.co_filename):
            for name, value in _variables(frame):
                if isinstance(value, KINDS) and address_of(value) == address and will_read(frame, name):
                    return name
        frame = frame.f_back
    return ""


def _variables(frame: FrameType) -> Iterator[tuple[str, Any]]:
    yield from list(frame.f_locals.items())
