"""What the user wants of a result, as a value, and whether a measurement grants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import BadArgumentError
from ..live.dtypes import name_of
from .measurements import Measurement, Status

WORDS = ("own", "share", "keep-graph", "cut-graph", "dtype=...")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the result should be like. An empty field asks for nothing."""

    memory: str = ""
    """``copies`` or ``shares``."""
    graph: str = ""
    """``keeps`` or ``cuts``."""
    dtype: str = ""

    def missing(self, measurement: Measurement) -> tuple[str, ...]:
        """What *measurement* does not grant, in words; empty if it grants everything."""
        result = measurement.result
        if measurement.status is not Status.RAN or result is None:
            return (measurement.status.value,)
        wrong = [
            (self.memory and result.memory and result.memory != self.memory, f"{result.memory} memory"),
            (self.graph and result.graph and result.graph != self.graph, f"{result.graph} the graph"),
            (self.dtype and result.dtype != self.dtype, f"gives {result.dtype}"),
        ]
        return tuple(text for is_wrong, text in wrong if is_wrong)

    def in_words(self) -> tuple[str, ...]:
        """What a result that grants them does: ``owns its memory``, ``keeps the graph``, ``gives float16``."""
        memory = {"copies": "owns its memory", "shares": "shares memory"}.get(self.memory, "")
        graph = f"{self.graph} the graph" if self.graph else ""
        return tuple(filter(None, (memory, graph, f"gives {self.dtype}" if self.dtype else "")))


_FIELDS = {
    "own": ("memory", "copies"),
    "share": ("memory", "shares"),
    "keep-graph": ("graph", "keeps"),
    "cut-graph": ("graph", "cuts"),
}


def wishes_of(words: Sequence[str]) -> Wishes:
    """The wishes that *words* name, each like ``own``, ``own,keep-graph`` or ``dtype=float16``.

    Raises:
        BadArgumentError: a word is unknown, or two of them contradict each other.
        UnsupportedDtypeError: the dtype is unknown.
    """
    found: dict[str, str] = {}
    for word in (part.strip() for text in words for part in text.split(",")):
        name, value = ("dtype", name_of(word[6:])) if word.startswith("dtype=") else _FIELDS.get(word, ("", ""))
        if not name:
            raise BadArgumentError(
                f"nobody can want {word!r} of a result",
                why=f"what can be asked for is {', '.join(WORDS)}",
                fix="ask for one of these, or for several with commas between",
            )
        if found.setdefault(name, value) != value:
            raise BadArgumentError(
                f"{word!r} contradicts what was asked for before",
                why=f"a result cannot be both {found[name]} and {value}",
                fix="ask for one of the two",
            )
    return Wishes(**found)
