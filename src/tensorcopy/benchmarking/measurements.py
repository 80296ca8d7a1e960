"""What was measured of one way to do something: plain frozen values, and what they say without any new measurement."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

_MANY = 7
"""Rounds from which on their faster quarter is worth something."""


class Status(Enum):
    """Whether there is anything to tell of a candidate."""

    RAN = "ran"
    REFUSED = "refused"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds per call in the fastest of the rounds, by which ways are ranked, their lower quartile and their median.

    A busy machine only ever makes a call slower, so that the faster rounds tell more of the call itself.
    """

    seconds: float
    quarter: float
    median: float
    rounds: int

    @property
    def has_spread(self) -> bool:
        """False where it was timed too seldom to say how far the next round would be off."""
        return self.rounds > 2

    def overlaps(self, other: Timing) -> bool:
        """Whether the two are too close to call: the faster quarters of their rounds meet, or halves of few rounds.

        One or two rounds say nothing of the next one: such times are close unless one is twice the other.
        """
        return self.seconds <= other._reach and other.seconds <= self._reach

    @property
    def _reach(self) -> float:
        if not self.has_spread:
            return 2 * self.seconds
        return self.quarter if self.rounds >= _MANY else self.median


def timing_of(rounds: Sequence[float]) -> Timing:
    """What *rounds*, which are seconds per call, say of a call."""
    quarter = statistics.quantiles(rounds, n=4, method="inclusive")[0] if len(rounds) > 1 else rounds[0]
    return Timing(seconds=min(rounds), quarter=quarter, median=statistics.median(rounds), rounds=len(rounds))


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a call gave on this very source."""

    memory: str
    """``shares`` or ``copies``."""
    by_address: bool | None = None
    """Whether the bytes of source and result are the same by their addresses; None where there are none."""
    by_bytes: bool | None = None
    """Whether the result changed when bytes of the source were inverted; None where that could not be tried."""
    graph: str = ""
    """``keeps`` or ``cuts``; empty for a source on no graph."""
    same_object: bool = False
    requires_grad: bool | None = None
    leaf: bool | None = None
    dtype: str = ""
    shape: tuple[int, ...] = ()
    layout: str = ""
    device: str = ""
    allocated: int | None = None
    """Bytes that stay allocated for the result."""
    peak: int | None = None
    """The most bytes that were allocated at one moment of the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One way to do it, and what came of it.

    name: that of the catalogue entry.
    code: the line to write, with ``x`` for the source.
    reason: why it was refused or not run.
    wrong: what it gets silently wrong with this source; such a call is not timed.
    cautions: what is right, and yet bites later.
    ours: True for tensorcopy's own route.
    """

    name: str
    code: str
    status: Status = Status.RAN
    reason: str = ""
    result: Result | None = None
    wrong: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    timing: Timing | None = None
    untimed: str = ""
    ours: bool = False
