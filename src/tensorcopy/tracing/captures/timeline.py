"""When what was copied: all bytes by stretch of time, single copies thinned out, in memory that never grows."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from threading import get_ident
from time import perf_counter_ns
from typing import Any

from .capture import Events, Timeline

_STRETCHES = 256
_FIRST_WIDTH = 1_000_000
_MOST_EVENTS = 4096
_MOST_STEPS = 1024


class Recorder:
    """Notes copies and steps as they happen. Where there is no room left, stretches double and events are halved.

    due: called with what to do now and then, after each `pause` nanoseconds or later: at the next copy or step.
    """

    __slots__ = (
        "began", "due", "events", "every", "next", "origin", "pause", "phases", "skipped", "stepped", "steps",
        "steps_every", "width",
    )  # fmt: skip

    def __init__(self) -> None:
        self.begin()
        self.width, self.phases = _FIRST_WIDTH, defaultdict[str, list[int]](partial(list, (0,) * _STRETCHES))
        self.events, self.every, self.skipped = list[tuple[int, int, int, Any, int]](), 1, 0
        self.steps, self.steps_every, self.stepped = list[int](), 1, 0
        self.due: Callable[[], None] | None = None
        self.pause, self.next = 3_000_000_000, 0

    def begin(self) -> None:
        """Take now for the start."""
        self.began, self.origin = time.time(), perf_counter_ns()

    def copied(self, tally: Any, size: int, nanoseconds: int, phase: str) -> None:
        """A copy of *size* bytes has ended now; *tally* is what counts copies of its kind and line."""
        tally.count += 1
        tally.bytes += size
        tally.nanoseconds += nanoseconds
        elapsed = perf_counter_ns() - self.origin
        stretch = elapsed // self.width
        if stretch >= _STRETCHES:
            stretch = self._widened(elapsed)
        self.phases[phase][stretch] += size
        self.skipped += 1
        if self.skipped >= self.every:
            self.skipped = 0
            self.events.append((elapsed, nanoseconds, size, tally, get_ident()))
            if len(self.events) >= _MOST_EVENTS:
                self.events, self.every = self.events[::2], self.every * 2
        if elapsed > self.next and self.due is not None:
            self._call(elapsed)

    def step(self) -> None:
        """An optimizer step has ended now."""
        elapsed = perf_counter_ns() - self.origin
        self.stepped += 1
        if self.stepped % self.steps_every == 0:
            self.steps.append(elapsed)
            if len(self.steps) >= _MOST_STEPS:
                self.steps, self.steps_every = self.steps[1::2], self.steps_every * 2
        if elapsed > self.next and self.due is not None:
            self._call(elapsed)

    def seconds(self) -> float:
        """How long it has been noting."""
        return (perf_counter_ns() - self.origin) / 1e9

    def timeline(self, number_of: Callable[[Any], int]) -> Timeline:
        """What was noted, as a plain value; *number_of* gives the line that a tally belongs to."""
        events = tuple(self.events)
        whole = max((i for phase in self.phases.values() for i, size in enumerate(phase) if size), default=-1) + 1
        return Timeline(
            began=self.began,
            seconds=self.seconds(),
            width=self.width / 1e9,
            copied={name: tuple(sizes[:whole]) for name, sizes in list(self.phases.items())},
            events=_columns(events, self.every, number_of),
            steps=tuple(step / 1e9 for step in self.steps),
            steps_every=self.steps_every,
        )

    def _widened(self, elapsed: int) -> int:
        """Make room for *elapsed* nanoseconds; its stretch."""
        while elapsed // self.width >= _STRETCHES:
            self.width *= 2
            for sizes in self.phases.values():
                sizes[:] = [a + b for a, b in zip(sizes[::2], sizes[1::2], strict=True)] + [0] * (_STRETCHES // 2)
        return elapsed // self.width

    def _call(self, elapsed: int) -> None:
        """Do what is due; it is done again after a hundred times what it took, so that it costs one in a hundred."""
        due, self.due = self.due, None
        if due is None:
            return
        try:
            due()
        finally:
            after = perf_counter_ns() - self.origin
            self.next = after + max(self.pause, 100 * (after - elapsed))
            self.due = due


def _columns(events: tuple[tuple[int, int, int, Any, int], ...], every: int, number_of: Callable[[Any], int]) -> Events:
    return Events(
        every=every,
        at=tuple(max(at - took, 0) // 1000 for at, took, *_ in events),
        took=tuple(took // 1000 for _, took, *_ in events),
        bytes=tuple(size for _, _, size, *_ in events),
        line=tuple(number_of(tally) for *_, tally, _ in events),
        thread=tuple(thread for *_, thread in events),
    )
