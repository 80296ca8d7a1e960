"""A trace for Perfetto (ui.perfetto.dev) and chrome://tracing, in the JSON format of trace events.

Single copies are slices on the thread that made them, one in so many where there are very many; the sums by phase,
which count every copy, are counters; findings are instants. Times are microseconds from when the first process began to
be watched.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from ....reporting.escaping import visible
from ...captures.capture import Capture, CopyLine, Finding, Process
from ..files import Files

SUFFIXES = (".perfetto.json", ".trace.json", ".perfetto-trace")
_Event = dict[str, Any]
_STEPS = 1
"""A thread of its own in each process, for the steps: no operating system gives a thread this number."""


def render(capture: Capture) -> str:
    """The trace as one JSON object, an event a line."""
    events = [json.dumps(event) for event in _events(capture)]
    notes = {"command": " ".join(capture.command), "limits": " · ".join(capture.limits)} | capture.releases
    inside = ",\n".join(events)
    return f'{{"displayTimeUnit": "ms", "otherData": {json.dumps(notes)}, "traceEvents": [\n{inside}\n]}}\n'


def _events(capture: Capture) -> Iterator[_Event]:
    began = min((p.timeline.began for p in capture.processes), default=0.0)
    files = Files.of(capture)
    for number, process in enumerate(capture.processes, 1):
        start = round((process.timeline.began - began) * 1e6)
        yield from _named(process, number)
        yield from _slices(process, capture, files, number, start)
        yield from _counters(process, number, start)
        yield from _steps(process, number, start)
    for finding in capture.findings:
        yield from _instants(finding, capture, files, began)


def _named(process: Process, pid: int) -> Iterator[_Event]:
    """What Perfetto calls the process and its threads; two of one number may have run on two machines."""
    name = f"tensorcopy: {visible(process.label)} ({process.pid})"
    yield {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "ts": 0, "args": {"name": name}}
    yield {"ph": "M", "name": "process_sort_index", "pid": pid, "tid": 0, "ts": 0, "args": {"sort_index": pid}}
    if process.timeline.steps:
        yield _thread(pid, _STEPS, "optimizer steps")
    for order, thread in enumerate(dict.fromkeys(process.timeline.events.thread)):
        yield _thread(pid, _thread_number(process, thread), "copies" if not order else f"copies, thread {order + 1}")


def _thread(pid: int, tid: int, name: str) -> _Event:
    return {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "ts": 0, "args": {"name": name}}


def _thread_number(process: Process, thread: int) -> int:
    """Small numbers, as those of threads are too long for some readers of JSON."""
    return _STEPS + 1 + list(dict.fromkeys(process.timeline.events.thread)).index(thread)


def _slices(process: Process, capture: Capture, files: Files, pid: int, start: int) -> Iterator[_Event]:
    events = process.timeline.events
    numbers = {thread: _thread_number(process, thread) for thread in dict.fromkeys(events.thread)}
    rows = zip(events.at, events.took, events.bytes, events.line, events.thread, strict=True)
    for at, took, size, line, thread in rows:
        copy = capture.copies[line]
        args = {"bytes": size, **_told(copy, files)}
        if events.every > 1:
            args["shown"] = f"one copy in {events.every}"
        yield {
            "ph": "X",
            "name": visible(copy.kind or copy.operation),
            "cat": visible(copy.phase) or "copy",
            "pid": pid,
            "tid": numbers[thread],
            "ts": start + at,
            "dur": took,
            "args": args,
        }


def _told(copy: CopyLine, files: Files) -> dict[str, Any]:
    return {"line": visible(files.where(copy.place)), "code": visible(copy.place.code), "phase": visible(copy.phase)}


def _counters(process: Process, pid: int, start: int) -> Iterator[_Event]:
    """The sums so far, of all phases at once, as a counter has them."""
    timeline = process.timeline
    sums = {visible(phase): list(accumulate(sizes, initial=0)) for phase, sizes in timeline.copied.items()}
    for number in range(max((len(column) for column in sums.values()), default=0)):
        values = {phase: column[min(number, len(column) - 1)] for phase, column in sums.items()}
        at = start + round(number * timeline.width * 1e6)
        yield {"ph": "C", "name": "bytes copied", "pid": pid, "tid": 0, "ts": at, "args": values}


def _steps(process: Process, pid: int, start: int) -> Iterator[_Event]:
    every, ends = process.timeline.steps_every, process.timeline.steps
    for number, (begin, end) in enumerate(zip((0.0, *ends), ends, strict=False), 1):
        name = f"step {number}" if every == 1 else f"steps to {number * every:,}"
        at, until = start + round(begin * 1e6), start + round(end * 1e6)
        yield {"ph": "X", "name": name, "cat": "steps", "pid": pid, "tid": _STEPS, "ts": at, "dur": max(until - at, 0)}


def _instants(finding: Finding, capture: Capture, files: Files, began: float) -> Iterator[_Event]:
    """A finding stands in the process that has it; in the first where all have it."""
    processes = list(enumerate(capture.processes, 1))
    owners = [(number, process) for number, process in processes if _is_of(process, finding)]
    for number, process in (owners or processes)[:1]:
        start = round((process.timeline.began - began) * 1e6)
        yield {
            "ph": "i",
            "name": visible(f"{finding.code} {finding.name}"),
            "cat": visible(finding.level) or "finding",
            "s": "p",
            "pid": number,
            "tid": _STEPS,
            "ts": start + round(finding.seconds * 1e6),
            "args": {"line": visible(files.where(finding.place)), "message": visible(finding.message)},
        }


def _is_of(process: Process, finding: Finding) -> bool:
    return process.label in finding.only or f"rank {process.rank}" in finding.only
