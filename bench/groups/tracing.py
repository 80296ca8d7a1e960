"""What a recording costs: steps of three trainings, in one process, with each way to watch them taking turns.

Time is that of the main thread on a processor, of one torch thread. The first columns are without start and end, the
last two with both, since what is worked out at the end is a part of what watching costs. `light` is what a recording
is once its full steps are over: one step in ten is sampled. Garbage is collected before each turn, since what a profile
leaves behind would slow down whoever comes next.
"""

from __future__ import annotations

import contextlib
import gc
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import torch
from torch.profiler import ProfilerActivity, profile

from bench.measure import Cell
from bench.workloads import WORKLOADS, Step
from tensorcopy.tracing.hooks.dispatching import DISPATCH
from tensorcopy.tracing.session import Session

CELLS: tuple[Cell, ...] = ()
_HEAD = (
    "| training | a step alone | light | full | full without the keys | profiler with stacks "
    "| full, with start and end | profiler, with start and end | spread |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


@contextlib.contextmanager
def _light() -> Iterator[None]:
    session = Session(steps=0)
    session.start()
    session.lighten()
    try:
        yield
    finally:
        session.stop()


@contextlib.contextmanager
def _full() -> Iterator[None]:
    """As a recording begins, and goes on for seconds; a turn is shorter."""
    session = Session()
    session.start()
    try:
        yield
    finally:
        session.stop()


@contextlib.contextmanager
def _full_by_mode() -> Iterator[None]:
    """As where torch lacks the dispatch keys that copies are heard by."""
    DISPATCH.install()
    before, DISPATCH.mode = DISPATCH.mode, DISPATCH.as_mode()
    try:
        with _full():
            yield
    finally:
        DISPATCH.mode = before


def _profiled() -> AbstractContextManager[object]:
    return profile(activities=[ProfilerActivity.CPU], with_stack=True, record_shapes=True, profile_memory=True)


WAYS: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "alone": contextlib.nullcontext,
    "light": _light,
    "full": _full,
    "mode": _full_by_mode,
    "profiler": _profiled,
}


def lines(rounds: int, only: str) -> Iterator[str]:
    """A table: for each training a step alone, and how many times as long it takes in each way."""
    torch.set_num_threads(1)
    yield _HEAD
    for name in WORKLOADS:
        if only in name:
            yield _row(name, _measured(name, rounds))


def _measured(name: str, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Seconds a step, without and with starting and ending, by way and round."""
    make, steps = WORKLOADS[name]
    step = make()
    _seconds(step, steps)
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, watching in WAYS.items():
            gc.collect()
            started = time.thread_time()
            with watching():
                seconds = _seconds(step, steps)
            found[way].append((seconds, (time.thread_time() - started) / steps))
    return found


def _seconds(step: Step, steps: int) -> float:
    started = time.thread_time()
    for _ in range(steps):
        step()
    return (time.thread_time() - started) / steps


def _row(name: str, found: dict[str, list[tuple[float, float]]]) -> str:
    steps = {way: [within for within, _ in times] for way, times in found.items()}
    whole = {way: [all_of_it for _, all_of_it in times] for way, times in found.items()}
    alone = min(steps["alone"])
    ratios = [min(steps[way]) / alone for way in WAYS if way != "alone"]
    ratios += [min(whole[way]) / alone for way in ("full", "profiler")]
    spread = max(statistics.median(times) / min(times) for times in steps.values())
    return f"| {name} | {alone * 1e3:.2f} ms | {' | '.join(f'x{ratio:.2f}' for ratio in ratios)} | {spread:.2f} |"
