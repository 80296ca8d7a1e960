"""What is read, and shows something else than what was kept: snapshots that changed with their source."""

from __future__ import annotations

import gc
from typing import Any

from ...live.memory import same_bytes
from ...live.regions import footprint
from ..extents import Onlooker
from ..sites import Site, user_frame, user_site
from .blocks import is_namespace
from .collecting import is_one_tensor, turn_of, turns_at_the_end
from .ledger import SNAPSHOTS, Birth, Ledger, Write
from .tensors import PLAIN, address_of, has_memory

_MOST_IN_LIST = 64


class Reading(Ledger):
    """Judges what operations are given."""

    def read(self, tensor: Any) -> None:
        """*tensor* goes into an operation: a snapshot that was none is found here."""
        birth = self.snapshots.of(tensor)
        if birth is not None and birth.block is not None:
            self.outside.read(birth, tensor, user_site())
        if birth is None or birth.how not in SNAPSHOTS or hasattr(tensor, "_is_buffer"):
            return  # torch detaches what an nn.Buffer is made of, and that one is meant to change.
        write = self.written_since(birth)
        if write is None or self.findings.at(birth.site):
            return
        site = user_site()
        if birth.site is not site and birth.how != "data" and _is_kept(tensor):
            self.findings.add(
                "changing-snapshot",
                birth.site,
                f"what {birth.how} gave here was kept and shares memory that has been written since: it shows the new "
                f"values; keep a clone()",
                ((write.site, "the memory is written here"), (site, "and read here")),
                memory=(
                    (birth.site, "keeps the", tensor),
                    (write.site, "writes", write.region),
                    (site, "reads the", tensor),
                ),
            )

    def read_all(self, values: Any) -> None:
        """A list of tensors goes into an operation."""
        values = values[:_MOST_IN_LIST]
        for value in values:
            if id(value) in self.snapshots:
                self.read(value)
        if len(values) > 1 and values[0] is values[1] and type(values[0]) in PLAIN:
            self._check_twice(values[0])

    def compared(self, left: Any, right: Any) -> None:
        """Two tensors meet in a difference or a comparison: the same memory twice says nothing."""
        birth = self.births.of(left) or self.births.of(right)
        if birth is None or left is right or address_of(left) != address_of(right) or not has_memory(left):
            return
        write, site = self.written_since(birth), user_site()
        if write is None or birth.site is site:
            return
        a, b = footprint(left).regions, footprint(right).regions
        if len(a) == len(b) == 1 and same_bytes(a[0], b[0]):
            kept = left if self.births.of(left) is birth else right
            self.findings.add(
                "changing-snapshot",
                birth.site,
                f"what {birth.how} gave here shares its memory with what it is later compared with: the two are always "
                f"equal, however much was written; keep a clone()",
                ((write.site, "the memory is written here"), (site, "compared with itself here")),
                memory=(
                    (birth.site, "keeps the", kept),
                    (write.site, "writes", write.region),
                    (site, "reads the", right),
                ),
            )

    def updated(self, target: Any, source: Any, how: str) -> None:
        """*target* was written in place with values of *source*: with its own, if it is no copy as was thought."""
        birth = self.snapshots.of(source) or self.snapshots.of(target)
        if birth is None or target is source or target.data_ptr() != source.data_ptr() or target.shape != source.shape:
            return
        site, write = user_site(), self.writes.get(birth.address)
        if birth.site is site or birth.block is not None or write is None or not has_memory(target):
            return
        restored = how == "copy_"
        self.findings.add(
            "restored-from-itself" if restored else "changing-snapshot",
            birth.site,
            f"what {birth.how} gave here shares its memory with what it is later "
            f"{'copied to, which restores nothing' if restored else 'averaged with'}; keep a clone()",
            ((write.site, "the memory is written here"), (site, f"{how}() reads and writes the same memory here")),
            memory=(
                (birth.site, "keeps the", source),
                (write.site, "writes", write.region),
                (site, "writes the", target),
            ),
        )

    def joined(self, values: Any, site: Site) -> None:
        """Tensors were stacked or concatenated: if all are one, a loop may have meant to keep its states."""
        turn = turn_of(values[0], user_frame()) if is_one_tensor(values) else None
        if turn is not None:
            self.findings.add(
                "changing-snapshot",
                turn.collects,
                f"one tensor is collected {len(values)} times, and written in between: all entries are that tensor, "
                f"and show its last values; keep a clone()",
                ((turn.writes, "the tensor is written here"), (site, "and the entries are joined here")),
                variant="collected",
                memory=((turn.collects, "keeps the", values[0]), (turn.writes, "writes the", values[0])),
            )

    def finish_collected(self) -> None:
        """Lists that still hold one tensor several times."""
        for values, turn in turns_at_the_end():
            self.findings.add(
                "changing-snapshot",
                turn.collects,
                f"one tensor is collected {len(values)} times, and written in between: all entries are that tensor, "
                f"and show its last values; keep a clone()",
                ((turn.writes, "the tensor is written here"),),
                variant="collected",
                memory=((turn.collects, "keeps the", values[0]), (turn.writes, "writes the", values[0])),
            )

    # --- gradients ----------------------------------------------------------------------------------------------------

    def gave_gradient(self, gradient: Any) -> None:
        """``tensor.grad`` was read."""
        if type(gradient) in PLAIN and self.births.of(gradient) is None:
            self.made(gradient, "grad", None, user_site())
            self.snapshots.put(gradient, self.births[id(gradient)][1])

    def _check_twice(self, gradient: Any) -> None:
        """One gradient stands more than once in a list, put there before and after it was written."""
        birth = self.births.of(gradient)
        write = self.written_since(birth) if birth is not None and birth.how == "grad" else None
        if birth is not None and write is not None:
            here = user_site()
            self.findings.add(
                "changing-snapshot",
                birth.site,
                ".grad gives the same tensor at each turn, and what was kept of it is written by the next backward "
                "or zero_grad: all entries show the last values; keep .grad.clone()",
                ((write.site, "the gradient is written here"), (here, "and several are read here")),
                memory=_kept_and_written(birth, gradient, write),
            )


def _kept_and_written(birth: Birth, kept: Any, write: Write, *others: Onlooker) -> tuple[Onlooker, ...]:
    return (birth.site, "keeps the", kept), (write.site, "writes", write.region), *others


def _is_kept(tensor: Any) -> bool:
    """Whether a container of the program holds the tensor, as opposed to a variable."""
    for holder in gc.get_referrers(tensor):
        if isinstance(holder, (list, tuple, set)):
            return True
        if isinstance(holder, dict) and not is_namespace(holder):
            return True
    return False
