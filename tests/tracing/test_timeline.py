"""What was copied when is kept in memory that does not grow, and no byte of it is lost."""

from __future__ import annotations

import pytest

from tensorcopy.tracing.captures import timeline
from tensorcopy.tracing.captures.capture import Events
from tensorcopy.tracing.captures.timeline import Recorder
from tensorcopy.tracing.judging.copies import Tally


class Clock:
    """A clock that is moved by hand, in nanoseconds."""

    now = 0

    def perf_counter_ns(self) -> int:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(timeline, "perf_counter_ns", made.perf_counter_ns)
    return made


def test_bytes_are_summed_by_phase_and_stretch_of_time(clock: Clock) -> None:
    recorder = Recorder()
    for now, size, phase in [(0, 1, "forward"), (999_999, 2, "forward"), (1_000_000, 4, "forward"), (5, 8, "data")]:
        clock.now = now
        recorder.copied(Tally(""), size, 0, phase)

    found = recorder.timeline(lambda tally: 0)
    assert (found.width, found.copied) == (0.001, {"forward": (3, 4), "data": (8, 0)})


def test_a_long_run_widens_the_stretches_and_loses_no_byte(clock: Clock) -> None:
    recorder = Recorder()
    for number in range(3000):
        clock.now = number * 1_000_000_000
        recorder.copied(Tally(""), 10, 0, "forward")

    found = recorder.timeline(lambda tally: 0)
    assert sum(found.copied["forward"]) == 30_000
    assert len(found.copied["forward"]) <= 256
    assert found.width * 256 >= 2999


def test_single_copies_are_thinned_out_by_halving(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "_MOST_EVENTS", 8)
    recorder = Recorder()
    for number in range(32):
        clock.now = number * 1000
        recorder.copied(Tally(""), number, 0, "forward")

    events = recorder.timeline(lambda tally: 0).events
    assert (events.every, events.bytes) == (8, (0, 9, 19, 27))


def test_an_event_says_when_it_began_how_long_it_took_and_what_it_belongs_to(clock: Clock) -> None:
    recorder, tally = Recorder(), Tally("clone")
    clock.now = 7_000
    recorder.copied(tally, 3, 2_000, "forward")

    events = recorder.timeline({tally: 5}.__getitem__).events
    assert (tally.count, tally.bytes, tally.nanoseconds) == (1, 3, 2_000)
    assert events == Events(at=(5,), took=(2,), bytes=(3,), line=(5,), thread=events.thread)


def test_steps_are_thinned_out_by_halving(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "_MOST_STEPS", 4)
    recorder = Recorder()
    for number in range(1, 9):
        clock.now = number * 1_000_000_000
        recorder.step()

    found = recorder.timeline(lambda tally: 0)
    assert (found.steps_every, found.steps) == (4, (4.0, 8.0))


def test_what_is_due_is_done_at_most_every_few_seconds_and_costs_one_in_a_hundred(clock: Clock) -> None:
    recorder, times = Recorder(), []

    def due() -> None:
        times.append(clock.now)
        clock.now += 100_000_000

    recorder.due = due
    for number in range(1, 40):
        clock.now = number * 1_000_000_000
        recorder.copied(Tally(""), 1, 0, "forward")

    assert times == [1_000_000_000, 12_000_000_000, 23_000_000_000, 34_000_000_000]


def test_what_is_due_is_not_done_within_itself(clock: Clock) -> None:
    recorder, times = Recorder(), []

    def due() -> None:
        times.append(clock.now)
        recorder.copied(Tally(""), 1, 0, "forward")

    recorder.due, clock.now = due, 1
    recorder.step()

    assert (times, recorder.due) == ([1], due)
