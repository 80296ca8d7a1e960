"""The values that pass between deciding and acting: what was asked, what the source is, and what will be done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


class Request(NamedTuple):
    """What the caller asked for, normalised. ``None`` means *whatever the source has* or *only if needed*.

    One is made for most calls, and an `Exposure` for each: named tuples, which take a third of the time of a frozen
    dataclass.
    """

    to: str = "torch"
    copy: bool | None = None
    dtype: str | None = None
    device: Any = None
    detach: bool | None = None
    """Cut the graph (True), keep it (False), or what the verb promises (None)."""
    requires_grad: bool | None = None
    memory_format: Any = None
    casting: str = "checked"
    readonly: bool = False
    null: Any = None
    """The value that stands for a null or masked element; None refuses them."""
    pin_memory: bool = False
    non_blocking: bool = False
    depth: int = 0
    """Nests and arrays of objects around the source, which is a member of the innermost."""


PLAIN = Request()
"""What `to_torch` is asked for without options."""


class Exposure(NamedTuple):
    """How one source can be seen as one array or tensor, found out without moving its data."""

    kind: str
    """What the source is, in words: ``NumPy array``, ``pandas Series``, ``list``."""
    form: str
    """What `open` gives: ``array`` (a NumPy array), ``tensor``, ``values`` (nested Python numbers to be read),
    ``members`` (a nest of other sources), or ``pieces`` (a list of `Piece` that together fill the result)."""
    open: Callable[[], Any]
    """Gives the array, tensor or nest. Copies only where `fresh` is true."""
    dtype: str | None = None
    """Name of the element type; None where only reading the values can tell."""
    shape: tuple[int, ...] | None = None
    fresh: bool = False
    """`open` makes new memory that nothing else holds, so that the result may keep it."""
    writable: bool = True
    why_copy: str = ""
    """Why the source's own memory cannot be the result's, or empty when it can."""
    why_readonly: str = ""
    columns_first: bool = False
    """Pieces only: each column of the result lies in one run of memory, as tables keep them."""
    label: Callable[[int], str] | None = None
    """Tables only: what messages call the column at a position, such as ``column 'a'``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One part of a result that is put together: a chunk, a column, a shard."""

    values: Any
    """A NumPy array of numbers."""
    place: tuple[Any, ...]
    """Index of that part in the result: whole numbers and slices."""
    nulls: Any = None
    """Boolean array of the shape of `values`, true where there is no value; None where there is one everywhere."""


class Decision(NamedTuple):
    """The route alone, for those who take it at once; a `Plan` says the same in words."""

    route: str
    """Name of the function in `carry_out` that goes this way."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that will be done, and the bytes of memory that it fills."""

    action: str
    bytes: int | None = 0
    why: str = ""

    def __str__(self) -> str:
        moved = "" if self.bytes == 0 else "  (bytes known once read)" if self.bytes is None else f"  {self.bytes:,} B"
        return f"{self.action}{moved}{'  because ' + self.why if self.why else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The route that a call with these arguments takes. Printing it moves no data."""

    source: str
    target: str
    route: str
    """Name of the function in `carry_out` that follows this plan."""
    shares: bool
    """The result's bytes are the source's bytes."""
    graph: str
    """``keeps``, ``cuts`` or ``none`` (nothing to keep)."""
    dtype: str | None
    shape: tuple[int, ...] | None
    device: str = "cpu"
    steps: tuple[Step, ...] = ()
    why: str = ""

    @property
    def bytes_moved(self) -> int | None:
        """Bytes written into new memory; 0 when the result shares, None where only reading the values can tell."""
        sizes = [step.bytes for step in self.steps]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def __str__(self) -> str:
        shape = "?" if self.shape is None else "x".join(map(str, self.shape)) or "scalar"
        head = f"{self.source} -> {self.target}, {self.dtype or 'dtype of the values'} {shape} on {self.device}"
        memory = "shares the source's memory" if self.shares else "copies"
        graph = {"keeps": "keeps the graph", "cuts": "cuts the graph", "none": "no graph"}[self.graph]
        lines = [head, f"  {memory}, {graph}" + (f": {self.why}" if self.why else "")]
        return "\n".join([*lines, *(f"  {i}. {step}" for i, step in enumerate(self.steps, 1))])
