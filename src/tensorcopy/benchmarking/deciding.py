"""Which way is best: pure functions over what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from statistics import median

from .measurements import Measurement, Status
from .wishes import Wishes

_NAMED = 2
"""How many of those that are as fast are named before the rest is only counted."""
_ORDER = {Status.RAN: 0, Status.REFUSED: 1, Status.NOT_RUN: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The one to take and why; or none, and why not."""

    chosen: Measurement | None
    reason: str
    tied: tuple[Measurement, ...] = ()
    """Others that are too close to call."""


def ranked(measurements: Sequence[Measurement], wishes: Wishes) -> tuple[Measurement, ...]:
    """Best first: what grants the wishes, by time; then what needs caution; what does not grant them; what is wrong."""

    def place(m: Measurement) -> tuple[int, bool, bool, bool, float, int]:
        return _ORDER[m.status], bool(m.wrong), bool(wishes.missing(m)), bool(m.cautions), _seconds(m), len(m.code)

    return tuple(sorted(measurements, key=place))


def granting(measurements: Sequence[Measurement], wishes: Wishes) -> tuple[Measurement, ...]:
    """Those that ran, are right and grant the wishes."""
    return tuple(m for m in measurements if m.status is Status.RAN and not m.wrong and not wishes.missing(m))


def recommend(measurements: Sequence[Measurement], wishes: Wishes) -> Recommendation:
    """The fastest of those that are right and grant the wishes, and need no caution, or the fewest where all need some.

    Among those that are too close to call and within a tenth: plain torch or NumPy before tensorcopy, then the
    shortest line.
    """
    fit = granting(measurements, wishes)
    if not fit:
        return Recommendation(chosen=None, reason=_why_none(measurements, wishes))
    fewest = min(len(m.cautions) for m in fit)
    pool = [m for m in fit if len(m.cautions) == fewest]
    tied = _too_close(pool)
    chosen = min(_nearest(tied), key=lambda m: (m.ours, len(m.code), _seconds(m), m.code))
    others = tuple(m for m in tied if m is not chosen)
    return Recommendation(chosen=chosen, reason=_reason(chosen, others, len(pool), wishes), tied=others)


def unrest(measurements: Sequence[Measurement]) -> float:
    """How many times its fastest round the median of a typical way is: about 1 where the machine is quiet."""
    found = [m.timing.median / m.timing.seconds for m in measurements if m.timing is not None and m.timing.seconds]
    return median(found) if found else 1.0


def _too_close(pool: Sequence[Measurement]) -> list[Measurement]:
    """The fastest and all whose spread meets its own; all of them where none was timed."""
    timed = [(m, m.timing) for m in pool if m.timing is not None]
    if not timed:
        return list(pool)
    fastest = min((timing for _, timing in timed), key=lambda timing: timing.seconds)
    return [m for m, timing in timed if timing.overlaps(fastest)]


def _nearest(tied: Sequence[Measurement]) -> list[Measurement]:
    """Of those that are too close to call, those that the user would not see a difference to."""
    fastest = min(map(_seconds, tied))
    return [m for m in tied if _seconds(m) <= fastest * 1.1]


def _seconds(measurement: Measurement) -> float:
    return measurement.timing.seconds if measurement.timing is not None else inf


def _reason(chosen: Measurement, tied: Sequence[Measurement], pool: int, wishes: Wishes) -> str:
    grants = [*_grants(chosen, wishes), _rank(chosen, tied, pool)]
    text = "because it " + ", ".join(grants[:-1]) + ", and " + grants[-1]
    return f"{text}. Mind: {'; '.join(chosen.cautions)}" if chosen.cautions else text


def _grants(chosen: Measurement, wishes: Wishes) -> list[str]:
    """What was wished for, and what the result does with memory and graph where nobody said."""
    result = chosen.result
    words = ["gives the same values", *wishes.in_words()]
    if result is not None and not wishes.memory and result.memory:
        words.append(
            {"shares": "shares memory, so that a write through one shows in the other"}.get(
                result.memory, "owns its memory"
            )
        )
    if result is not None and not wishes.graph and result.graph:
        words.append(f"{result.graph} the graph")
    return words[1:] if len(words) > 1 else words


def _rank(chosen: Measurement, tied: Sequence[Measurement], pool: int) -> str:
    if pool == 1:
        return "is the only one that does"
    if chosen.timing is None:
        return f"is the shortest of {pool} that do; none was timed"
    if not tied:
        return f"is the fastest of {pool} that do"
    return f"no other of the {pool} that do is measurably faster (too close to call: {_some(tied)})"


def _some(tied: Sequence[Measurement]) -> str:
    names = [m.code.splitlines()[0] for m in tied]
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _why_none(measurements: Sequence[Measurement], wishes: Wishes) -> str:
    wanted = " and ".join(wishes.in_words()) or "gives the same values"
    ran = [m for m in measurements if m.status is Status.RAN]
    wrong = sum(bool(m.wrong) for m in ran)
    refused = len(measurements) - len(ran)
    return (
        f"none of the {len(measurements)} ways {wanted} here: {refused} refused or not run, {wrong} silently wrong, "
        f"{len(ran) - wrong} right but not so"
    )
