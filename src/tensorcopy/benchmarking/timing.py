"""Time candidates in turn, so that whatever else the machine does meets all of them alike."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..live.allocations import without_collector
from ..live.stopwatch import seconds_per_call
from ..live.twins import twin_of
from .measurements import Timing, timing_of

_SAMPLE = 3e-4
"""Seconds that one sample should take at least; short calls are repeated until it does."""
_MOST_CALLS = 300
_LONG = 0.3
"""Seconds from which on the run before counts as the warm-up."""
_ROUNDS = 21
_FEW = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """One call to time. *private*: on a new copy of the source in each round; *seconds*: what it took once."""

    call: Callable[[Any], Any]
    x: Any
    private: bool = False
    seconds: float = 0.0
    device: str = "cpu"


def timed(runners: Sequence[Runner], budget: float) -> tuple[Timing, ...]:
    """A timing for each runner, after a warm-up, in some *budget* seconds and three rounds at the least.

    Rounds alternate the direction. A runner that has used up three shares of the budget is left out from then on.
    """
    turns = [_Turns(runner=runner) for runner in runners]
    with _undisturbed():
        for each in turns:
            each.calls = _warmed_up(each.runner)
        end = time.perf_counter() + budget
        for number in range(_ROUNDS):
            for each in turns if number % 2 == 0 else reversed(turns):
                each.take(3 * budget / len(turns), is_late=time.perf_counter() > end)
    return tuple(timing_of(each.samples) for each in turns)


@dataclass(slots=True, kw_only=True)
class _Turns:
    """The samples of one runner so far."""

    runner: Runner
    calls: int = 1
    samples: list[float] = field(default_factory=list)
    used: float = 0.0

    def take(self, allowed: float, *, is_late: bool) -> None:
        """One more sample, unless there are enough of them for the time that they took."""
        least = 1 if self.used > 3 * allowed else _FEW
        if len(self.samples) >= least and (is_late or self.used > allowed):
            return
        seconds = _sample(self.runner, self.calls)
        self.samples.append(seconds)
        self.used += seconds * self.calls


def _warmed_up(runner: Runner) -> int:
    """How many calls make a sample, after some that do not count."""
    if runner.seconds > _LONG:
        return 1
    target = twin_of(runner.x) if runner.private else runner.x
    once = min(seconds_per_call(runner.call, target, 1, runner.device) for _ in range(_FEW))
    return max(1, min(_MOST_CALLS, int(_SAMPLE / max(once, 1e-9))))


def _sample(runner: Runner, calls: int) -> float:
    return seconds_per_call(runner.call, twin_of(runner.x) if runner.private else runner.x, calls, runner.device)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without the garbage collector, which would be met by one candidate and not by another, and without warnings."""
    with without_collector(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
