"""Time the candidates of a cell in turn, each sample in a process of its own, after their results were found equal.

A sample runs in a forked child of a parent that has never computed in parallel, so that none profits from memory which
another has left behind. In *fresh* mode every result is kept until the child ends, so memory is never recycled; in
*drop* mode each result is dropped before the next call, as in a loop. Rounds alternate the candidates.
"""

from __future__ import annotations

import gc
import multiprocessing
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

FORK = multiprocessing.get_context("fork")
KEEP_AT_MOST = 1 << 30
"""Bytes of results that one child keeps in *fresh* mode."""


_clock: Callable[[], float] = time.perf_counter


def count_one_thread() -> None:
    """From now on take the processor time of one thread, which others on the machine disturb less."""
    global _clock
    import torch

    torch.set_num_threads(1)
    _clock = time.thread_time


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One comparison: *make* builds the source, every candidate maps it to a result."""

    name: str
    make: Callable[[], Any]
    candidates: dict[str, Callable[[Any], Any]]
    naive: str
    """What people write."""
    ours: str = "tensorcopy"
    goal: float | None = None
    """Times faster than *naive* that we want; None where only the best route is the yardstick."""
    modes: tuple[str, ...] = ("fresh",)
    calls: int = 20
    nbytes: int = 0
    """Size of one result, to bound what is kept."""
    same: Callable[[Any, Any], bool] | None = None
    above: tuple[str, float] | None = None
    """Instead of a ratio: a candidate, and the nanoseconds that ours may take above it."""


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Seconds per call of one candidate in one mode: the smallest of all rounds, and each round's smallest."""

    best: float
    rounds: tuple[float, ...]

    @property
    def spread(self) -> float:
        """Median of the rounds over the best of them: 1.0 on a silent machine."""
        return statistics.median(self.rounds) / self.best


@dataclass(kw_only=True)
class Measured:
    """The timings of a cell, by mode and candidate."""

    cell: Cell
    timings: dict[str, dict[str, Timing]] = field(default_factory=dict)

    def ratio(self, mode: str, candidate: str) -> float:
        """How many times faster ours is than *candidate*."""
        by_name = self.timings[mode]
        return by_name[candidate].best / by_name[self.cell.ours].best

    def best_route(self, mode: str) -> str:
        """The fastest candidate written by hand."""
        others = {k: v for k, v in self.timings[mode].items() if k != self.cell.ours}
        return min(others, key=lambda name: others[name].best)


def measure(cell: Cell, rounds: int) -> Measured:
    """All candidates of *cell* in all its modes, *rounds* times in turn."""
    require_equal(cell)
    measured = Measured(cell=cell)
    for mode in cell.modes:
        samples: dict[str, list[float]] = {name: [] for name in cell.candidates}
        for _ in range(rounds):
            for name in cell.candidates:
                samples[name].append(in_child(_sample, cell, name, mode))
        measured.timings[mode] = {k: Timing(best=min(v), rounds=tuple(v)) for k, v in samples.items()}
    return measured


def require_equal(cell: Cell) -> None:
    """Raise if a candidate gives another result than ours: a wrong answer has no speed."""
    wrong = in_child(_differing, cell)
    if wrong:
        raise AssertionError(f"{cell.name}: {', '.join(wrong)} differ from {cell.ours}")


def _differing(cell: Cell) -> list[str]:
    source = cell.make()
    ours = cell.candidates[cell.ours](source)
    same = cell.same or equal
    return [name for name, call in cell.candidates.items() if not same(call(source), ours)]


def equal(a: Any, b: Any) -> bool:
    """Whether two results hold the same values, NaN equal to itself, whatever their library."""
    import numpy
    import torch

    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.shape == b.shape and bool(torch.equal(a, b) or torch.allclose(a, b, equal_nan=True, rtol=0, atol=0))
    return bool(numpy.array_equal(numpy.asarray(a), numpy.asarray(b)))


def _sample(cell: Cell, name: str, mode: str) -> float:
    """Seconds of the fastest of several calls of one candidate, in this process."""
    source, call = cell.make(), cell.candidates[name]
    _warm_pages(cell)
    call(source)
    gc.disable()
    calls = min(cell.calls, max(1, KEEP_AT_MOST // cell.nbytes)) if cell.nbytes and mode == "fresh" else cell.calls
    return min(_kept(call, source, calls) if mode == "fresh" else _dropped(call, source, calls))


def _warm_pages(cell: Cell) -> None:
    """Touch and give back memory first: a fresh machine hands out cold pages slowly."""
    import mmap

    if cell.nbytes > 1 << 20:
        size = min(2 * KEEP_AT_MOST, cell.nbytes * (cell.calls + 2))
        with mmap.mmap(-1, size) as area:
            area.madvise(mmap.MADV_HUGEPAGE)
            for start in range(0, size, 4096):
                area[start] = 1


def _kept(call: Callable[[Any], Any], source: Any, calls: int) -> list[float]:
    kept, times = [], []
    for _ in range(calls):
        start = _clock()
        result = call(source)
        times.append(_clock() - start)
        kept.append(result)
    return times


def _dropped(call: Callable[[Any], Any], source: Any, calls: int) -> list[float]:
    """Seconds per call; short calls are timed in batches, the loop's own cost taken off."""
    batch, times = _batch_for(call, source), []
    for _ in range(calls):
        start = _clock()
        for _ in range(batch):
            call(source)
        times.append((_clock() - start) / batch)
    return times


def _batch_for(call: Callable[[Any], Any], source: Any) -> int:
    start = _clock()
    call(source)
    return max(1, min(10_000, int(2e-3 / max(_clock() - start, 1e-7))))


def in_child(work: Callable[..., Any], *args: Any) -> Any:
    """What *work* gives in a forked process of its own."""
    here, there = FORK.Pipe(duplex=False)
    child = FORK.Process(target=_answer, args=(there, work, args))
    child.start()
    there.close()
    try:
        done, answer = here.recv()
    except EOFError:
        raise RuntimeError(f"{work.__name__}{args[1:]} died") from None
    finally:
        child.join()
    if not done:
        raise RuntimeError(answer)
    return answer


def _answer(pipe: Any, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    try:
        pipe.send((True, work(*args)))
    except BaseException as error:
        pipe.send((False, f"{getattr(args[0], 'name', args[0])}: {type(error).__name__}: {error}"))
