"""Candidates take turns, and what is slow does not keep the others waiting. No time is asserted."""

from __future__ import annotations

import gc
import warnings

import torch

from tensorcopy.benchmarking import timing
from tensorcopy.benchmarking.timing import Runner, timed
from tensorcopy.live import stopwatch

X = torch.arange(6.0)


def test_all_take_turns_in_alternating_direction_after_a_warm_up(monkeypatch):
    order = []
    monkeypatch.setattr(timing, "_sample", lambda runner, calls: order.append(runner.seconds) or 1e-6)
    monkeypatch.setattr(timing, "_warmed_up", lambda runner: order.append(-runner.seconds) or 1)
    found = timed([Runner(call=torch.clone, x=X, seconds=float(k)) for k in (1, 2, 3)], 60.0)
    assert order[:9] == [-1, -2, -3, 1, 2, 3, 3, 2, 1]
    assert [t.rounds for t in found] == [21, 21, 21]


def test_what_uses_up_its_share_has_few_rounds_or_one(monkeypatch):
    cost = {1.0: 1e-6, 2.0: 2.0, 3.0: 100.0}
    monkeypatch.setattr(timing, "_sample", lambda runner, calls: cost[runner.seconds])
    monkeypatch.setattr(timing, "_warmed_up", lambda runner: 1)
    found = timed([Runner(call=torch.clone, x=X, seconds=s) for s in cost], 1.5)
    assert [t.rounds for t in found] == [21, 3, 1]


def test_the_calls_of_a_sample_count_towards_the_share(monkeypatch):
    monkeypatch.setattr(timing, "_sample", lambda runner, calls: 0.1)
    monkeypatch.setattr(timing, "_warmed_up", lambda runner: 100)
    assert [t.rounds for t in timed([Runner(call=torch.clone, x=X)], 3.0)] == [3]


def test_a_call_that_took_long_before_needs_no_warm_up():
    calls = []
    (found,) = timed([Runner(call=calls.append, x=X, seconds=1.0)], 0.0)
    assert len(calls) == found.rounds


def test_a_call_that_changes_its_source_gets_a_new_one_in_each_round():
    met = []
    timed([Runner(call=lambda x: met.append(id(x)) or x.add_(1), x=X, private=True)], 0.001)
    assert id(X) not in met
    assert X.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_warnings_are_not_shown_and_the_collector_is_put_back():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        timed([Runner(call=lambda x: warnings.warn("loud", stacklevel=1), x=X)], 0.001)
    assert gc.isenabled()


class _Event:
    """An event of a device that nobody has here."""

    log: list[str] = []

    def __init__(self, *, enable_timing: bool) -> None:
        assert enable_timing

    def record(self) -> None:
        self.log.append("record")

    def elapsed_time(self, end: object) -> float:
        return 6.0


def test_on_cuda_time_is_that_between_two_events(monkeypatch):
    _Event.log = []
    monkeypatch.setattr(torch.cuda, "Event", _Event)
    monkeypatch.setattr(torch.cuda, "device", lambda device: warnings.catch_warnings())
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: _Event.log.append(device))
    seconds = stopwatch.seconds_per_call(lambda x: _Event.log.append("call"), X, 3, "cuda:0")
    assert seconds == 0.002
    assert _Event.log == ["cuda:0", "record", "call", "call", "call", "record", "cuda:0"]
