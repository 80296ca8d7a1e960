"""Time candidates in turn, so that whatever else the machine does meets all of them alike."""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

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
    """A timing for each runner, after a warm-up, in *budget* seconds or the three rounds that it takes at the least.

    Rounds alternate the direction. A runner that would use up more than its share has three rounds only.
    """
    samples: list[list[float]] = [[] for _ in runners]
    with _undisturbed():
        ready = [_warmed_up(runner) for runner in runners]
        deadline = time.perf_counter() + budget
        for turn in range(_ROUNDS):
            if turn >= _FEW and time.perf_counter() > deadline:
                break
            for k in _order(len(runners), turn):
                calls, once = ready[k]
                if len(samples[k]) < _rounds_for(once * calls, budget / len(runners)):
                    samples[k].append(_sample(runners[k], calls))
    return tuple(timing_of(found) for found in samples)


def _order(count: int, turn: int) -> Iterator[int]:
    return iter(range(count)) if turn % 2 == 0 else iter(range(count - 1, -1, -1))


def _rounds_for(cost: float, share: float) -> int:
    """How many samples of *cost* seconds fit into a runner's share; three at the least, but one where it is slow."""
    if cost * _FEW > 4 * share:
        return 1
    return max(_FEW, min(_ROUNDS, int(2 * share / cost))) if cost > 0 else _ROUNDS


def _warmed_up(runner: Runner) -> tuple[int, float]:
    """How many calls make a sample and how long one takes, after calls that do not count."""
    if runner.seconds > _LONG:
        return 1, runner.seconds
    target = twin_of(runner.x) if runner.private else runner.x
    seconds_per_call(runner.call, target, 1, runner.device)
    once = seconds_per_call(runner.call, target, 2, runner.device)
    return max(1, min(_MOST_CALLS, int(_SAMPLE / max(once, 1e-9)))), once


def _sample(runner: Runner, calls: int) -> float:
    return seconds_per_call(runner.call, twin_of(runner.x) if runner.private else runner.x, calls, runner.device)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without the garbage collector, which would be met by one candidate and not by another, and without warnings."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if was_on:
            gc.enable()
