"""What autograd saves for backward, and writes under it: torch's error with both lines, and those it can't see."""

from __future__ import annotations

import gc
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import torch

from ...live.aliases import look_past
from ...live.memory import Region, overlaps
from ..judging.blocks import Blocks
from ..judging.tensors import PLAIN, address_of
from ..patches import Patches
from ..reports import Findings
from ..sites import Site, is_library, user_site

# When, where, by which module of a library, and which bytes: the address, sizes and steps of what was written.
Place = tuple[int, tuple[int, ...], tuple[int, ...], int]
Write = tuple[int, Site, Place, str]
# A program may go forward many times before it goes back, or never.
_MOST_LINES = 100_000


@look_past
class Saved:
    """A tensor that autograd saved: which version of it, where, after how many writes."""

    __slots__ = ("__weakref__", "address", "forget", "outside", "sequence", "site", "tensor", "version")

    def __init__(self, tensor: Any, site: Site, sequence: int, forget: Callable[[int], None]) -> None:
        self.version, self.site, self.sequence, self.forget = tensor._version, site, sequence, forget
        self.address = address_of(tensor)
        # How many of NumPy's writes there had been, where the memory is also NumPy's.
        self.outside = 0
        # The tensor itself would make a reference cycle with its own node; a detached one shares the version counter.
        self.tensor = tensor if tensor.is_leaf or type(tensor) not in PLAIN else tensor.detach()

    def __del__(self) -> None:
        self.forget(self.address)


class Saving:
    """The saved tensors of one session. Any such hook switches autograd's own version check off, so it is redone."""

    def __init__(self, findings: Findings, sequence: Callable[[], int], blocks: Blocks) -> None:
        self.findings, self.sequence, self.blocks = findings, sequence, blocks
        self.alive: dict[int, int] = {}
        self.writes: dict[int, list[Write]] = {}
        self.lines: list[tuple[int, Site]] = []
        self.put_aside = False

    # --- on and off ---------------------------------------------------------------------------------------------------

    def push(self) -> None:
        """Begin to see what autograd saves on this thread."""
        torch._C._autograd._push_saved_tensors_default_hooks(self.pack, self.unpack)

    def pop(self) -> None:
        """See no more of it, unless hooks of the program lie on top."""
        if self.is_on_top():
            torch._C._autograd._pop_saved_tensors_default_hooks()

    def surface(self) -> None:
        """Come to lie over the hooks of the program, which stay: for the end of a recording inside of them."""
        above: list[Any] = []
        while (top := _top()) is not None and top[0] != self.pack:
            above.append(top)
            torch._C._autograd._pop_saved_tensors_default_hooks()
        found = _top() is not None
        if found:
            torch._C._autograd._pop_saved_tensors_default_hooks()
        for hooks in reversed(above):
            torch._C._autograd._push_saved_tensors_default_hooks(*hooks)
        if found:
            self.push()

    def is_on_top(self) -> bool:
        """Whether no hooks of the program lie on top of these, on this thread."""
        top = _top()
        return top is not None and top[0] == self.pack

    def wrap(self, patches: Patches) -> None:
        """torch.func refuses saved-tensor hooks: take ours off while it runs."""
        patches.wrap(torch._C._autograd, "_saved_tensors_hooks_disable", self._aside)
        patches.wrap(torch._C._autograd, "_saved_tensors_hooks_enable", self._back)

    def _aside(self, disable: Callable[..., Any]) -> Callable[..., Any]:
        def leave(*args: Any) -> Any:
            if self.is_on_top():
                self.pop()
                self.put_aside = True
            return disable(*args)

        return leave

    def _back(self, enable: Callable[..., Any]) -> Callable[..., Any]:
        def enter(*args: Any) -> Any:
            result = enable(*args)
            if self.put_aside:
                self.put_aside = False
                self.push()
            return result

        return enter

    # --- tensors ------------------------------------------------------------------------------------------------------

    def pack(self, tensor: Any) -> Saved:
        """Called when autograd saves a tensor."""
        site = user_site()
        saved = Saved(tensor, site, self.sequence(), self._forget)
        if saved.address:
            self.alive[saved.address] = self.alive.get(saved.address, 0) + 1
            if self.blocks.at and (block := self.blocks.at.get(saved.address)) is not None:
                self.blocks.look(block, site)
                saved.outside = len(block.writes)
        # The node that saves has got its number already; this is the next one.
        number = torch._C._autograd._get_sequence_nr() - 1
        if not self.lines or self.lines[-1][1] is not site:
            if len(self.lines) >= _MOST_LINES:
                del self.lines[: _MOST_LINES // 2]
            self.lines.append((number, site))
        return saved

    def _forget(self, address: int) -> None:
        left = self.alive.get(address, 0) - 1
        if left > 0:
            self.alive[address] = left
        else:
            self.alive.pop(address, None)
            self.writes.pop(address, None)

    def line_of(self, node: Any) -> Site | None:
        """The line of the forward pass whose gradient *node* computes: where it last saved something."""
        at = bisect_right(self.lines, node._sequence_nr(), key=lambda line: line[0])
        return self.lines[at - 1][1] if at else None

    def wrote(self, tensor: Any, start: int, sequence: int) -> None:
        """*tensor*, whose memory begins at *start*, was written; noted only where something saved lies in it."""
        if start in self.alive:
            place = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.itemsize)
            self.writes.setdefault(start, []).append((sequence, user_site(), place, _module_at_work()))

    def unpack(self, saved: Saved) -> Any:
        """Called when backward needs a saved tensor. It may have been written since.

        Raises:
            RuntimeError: as torch would, with the line that saved it and the line that wrote it.
        """
        written = self.writes.get(saved.address)
        later = [w for w in written if w[0] > saved.sequence] if written else []
        if saved.tensor._version != saved.version:
            node: Any = torch._C._current_autograd_node()
            self._modified(saved, later, node.name() if node is not None else "a function")
        if later and (write := next((w for w in later if _meets(saved.tensor, w[2])), None)) is not None:
            self._silent(
                saved, write[1], "through .data or DLPack, past the version counter", "torch", _region(*write[2])
            )
        elif self.blocks.at and (block := self.blocks.at.get(saved.address)) is not None:
            self.blocks.look(block, user_site())
            for site in block.writes[saved.outside][:1] if len(block.writes) > saved.outside else ():
                self._silent(saved, site, "by NumPy", "numpy", block.array())
        return saved.tensor

    def _silent(self, saved: Saved, site: Site, how: str, variant: str, written: Any) -> None:
        if _is_checking():
            return
        self.findings.add(
            "silent-gradient",
            site,
            f"this writes memory that backward still needs, {how}: torch sees nothing, and the gradient is wrong "
            f"without an error; write a copy",
            ((saved.site, "the value was saved for backward here"),),
            variant=variant,
            memory=((saved.site, "saves the", saved.tensor), (site, "writes", written)),
        )

    def _modified(self, saved: Saved, writes: Sequence[Write], node: str) -> None:
        first, writes = self._first_of(saved, writes)
        meeting = [w for w in writes if _meets(first.tensor, w[2])] or writes
        place, module = (meeting[0][1], meeting[0][3]) if meeting else (first.site, "")
        by = f" by {module}" if module else ""
        self.findings.add(
            "inplace-before-backward",
            place,
            f"this writes in place{by} what {node} saved for backward, before backward runs, which raises; compute a "
            f"new value instead of writing in place",
            ((first.site, "the value was saved for backward here"),),
            memory=(
                (first.site, "saves the", first.tensor),
                *((place, "writes", _region(*write[2])) for write in meeting[:1]),
            ),
        )
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"a tensor of shape {list(saved.tensor.shape)} that {node} saved is at version {saved.tensor._version}; "
            f"expected version {saved.version} instead. Saved at {saved.site}, written at {place}."
        )

    def _first_of(self, saved: Saved, writes: Sequence[Write]) -> tuple[Saved, Sequence[Write]]:
        """Of what autograd saved in the same memory and is written, what was saved first, and the writes after it."""
        alike = [s for s in gc.get_objects() if type(s) is Saved and s.address == saved.address]
        first = min((s for s in alike if s.tensor._version != s.version), key=lambda s: s.sequence, default=saved)
        later = [w for w in self.writes.get(saved.address, ()) if w[0] > first.sequence]
        return (first, later) if later else (saved, writes)


def _module_at_work() -> str:
    """The module of a library in whose forward the program is, the innermost; empty if there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_library(frame.f_code.co_filename):
        if frame.f_code.co_name == "forward" and isinstance(module := frame.f_locals.get("self"), torch.nn.Module):
            return type(module).__name__
        frame = frame.f_back
    return ""


def _meets(tensor: Any, place: Place) -> bool:
    """Whether the bytes that were written are the saved ones; parts of one memory may serve different things."""
    return overlaps(_region(tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.itemsize), _region(*place)) is True


def _region(address: int, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> Region:
    return Region(address, tuple(shape), tuple(s * itemsize for s in strides), itemsize)


def _top() -> Any:
    """The hooks on top, on this thread, if there are any."""
    return torch._C._autograd._top_saved_tensors_default_hooks(True)


def _is_checking() -> bool:
    """Whether torch's gradcheck is at work, which changes its inputs and puts them back."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") != "torch.autograd.gradcheck":
        frame = frame.f_back
    return frame is not None
