"""Many files: sifted, looked up in the cache, the rest checked, on several cores where that pays. Prints nothing."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from . import upkeep
from .analysis import Analysis
from .caching import Cache
from .checking import Checked, Checker, read_bytes, stamp_of, unreadable
from .modules import Modules
from .reading import UnreadableError, worth_reading

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

Progress = Callable[[int, int], None]
_WORTH_A_PROCESS = 400_000
"""Bytes to check for which starting another process pays: about a third of a second of work."""
_CHUNKS_PER_PROCESS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How to check. given: contents that stand in for those of files. jobs: processes; 0 chooses by work and cores."""

    analysis: Analysis
    modules: Modules
    jobs: int = 0
    cache: Cache | None = None
    given: Mapping[str, bytes] = field(default_factory=dict)
    raising: bool = False

    def read(self, file: str) -> bytes:
        """The contents of a file, or what stands in for them."""
        return self.given[file] if file in self.given else read_bytes(file)

    def checker(self) -> Checker:
        """What checks the files, one after the other."""
        return Checker(self.analysis, self.modules, self.read, self.raising)


def check_all(files: Sequence[str], plan: Plan, progress: Progress | None = None) -> list[Checked]:
    """What the check of each file gives, in order. progress: called with how many are done, of how many.

    Starts processes where there is enough to do; a file that ends one is reported and the rest goes on.
    """
    results: dict[str, Checked] = {}
    stamps = _Stamps(plan)
    sizes = {file: size for file in files if (size := _sift(file, plan, stamps, results))}
    cache = plan.cache
    if cache is not None:
        cache.forget_outdated(stamps.of, stamps.answer)
        results |= {file: found for file in sizes if (found := cache.get(file, stamps.of(file)))}
    pending = {file: size for file, size in sizes.items() if file not in results}
    try:
        for number, checked in enumerate(_worked_through(pending, plan), 1):
            results[checked.file] = checked
            if cache is not None:
                cache.put(checked, stamps.of(checked.file))
            if progress is not None:
                progress(number, len(pending))
    finally:
        if cache is not None:
            cache.save()
    return [results[file] for file in files]


def _sift(file: str, plan: Plan, stamps: _Stamps, results: dict[str, Checked]) -> int:
    """The size of a file that is worth a look; of any other 0, and the result."""
    try:
        data = plan.read(file)
    except UnreadableError as problem:
        results[file] = Checked(file=file, findings=(unreadable(file, problem),), settled=False)
        return 0
    if not worth_reading(data):
        results[file] = Checked(file=file, lines=data.count(b"\n"))
        return 0
    if plan.cache is not None:
        stamps.keep(file, data)
    return len(data)


@dataclass(slots=True)
class _Stamps:
    """What files hold and what they are called; each is read once."""

    plan: Plan
    _known: dict[str, str] = field(default_factory=dict)

    def keep(self, file: str, data: bytes) -> str:
        found = self._known[file] = stamp_of(data, self.plan.modules.of(file))
        return found

    def of(self, file: str) -> str:
        """The stamp of a file; of one that cannot be read none."""
        known = self._known.get(file)
        if known is not None:
            return known
        try:
            return self.keep(file, self.plan.read(file))
        except UnreadableError:
            return self._known.setdefault(file, "")

    def answer(self, importer: str, name: str) -> str:
        """The file that a module is which is asked for in another; empty for none."""
        modules = self.plan.modules
        return modules.find(name, modules.of(importer)) or ""


def _worked_through(pending: Mapping[str, int], plan: Plan) -> Iterator[Checked]:
    jobs = _jobs(plan, sum(pending.values()), len(pending))
    if jobs > 1:
        yield from _in_processes(list(pending), plan, jobs)
    else:
        yield from _in_turn(pending, plan, plan.checker())


def _in_turn(files: Iterable[str], plan: Plan, checker: Checker) -> Iterator[Checked]:
    """Check here. The collector would walk all trees again and again, and find nothing: what is done with is let go."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        for file in files:
            yield _check(file, plan, checker)
    finally:
        if enabled:
            gc.enable()


def _jobs(plan: Plan, size: int, files: int) -> int:
    """How many processes: as asked for, or as many as there are cores to use and work to fill them."""
    if plan.given or plan.raising or files < 2:
        return 1
    if plan.jobs:
        return min(plan.jobs, files)
    return max(min(_cores(), size // _WORTH_A_PROCESS, files), 1)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _in_processes(files: list[str], plan: Plan, jobs: int) -> Iterator[Checked]:
    """The results in the order in which they come. Neighbours go to one process, which then parses what they share.

    Where a process dies, all that was under way is tried once more, since something else may have ended it, and then
    file by file.
    """
    size = max(min(len(files) // (jobs * _CHUNKS_PER_PROCESS), 200), 1)
    chunks = [files[start : start + size] for start in range(0, len(files), size)]
    lost: list[list[str]] = []
    for chunk, results in _pooled(chunks, plan, jobs):
        lost += [chunk] if results is None else []
        yield from results or ()
    alone: list[str] = []
    for chunk, results in _pooled(lost, plan, jobs) if lost else ():
        alone += chunk if results is None else ()
        yield from results or ()
    for file in alone:
        for _, results in _pooled([[file]], plan, 1):
            yield from results or [_ended(file)]


def _pooled(chunks: Sequence[list[str]], plan: Plan, jobs: int) -> Iterator[tuple[list[str], list[Checked] | None]]:
    """The chunks with their results; with None where a process died."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    context = _context()
    bare = replace(plan, cache=None)
    others = set(context.active_children())
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_prepare, initargs=(bare,)) as pool:
        waiting = {pool.submit(_check_chunk, chunk): chunk for chunk in chunks}
        try:
            for future in as_completed(waiting):
                try:
                    yield waiting[future], future.result()
                except BrokenProcessPool:
                    yield waiting[future], None
        except BaseException:
            for process in set(context.active_children()) - others:
                process.terminate()
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _context() -> BaseContext:
    """Forking starts a process in no time, and is safe while there is one thread."""
    import multiprocessing

    if sys.platform == "linux" and threading.active_count() == 1:
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")


def _ended(file: str) -> Checked:
    message = "this is a bug in tensorcopy: its check ended the process"
    found = upkeep.finding(upkeep.UNFINISHED, message, upkeep.at(file))
    return Checked(file=file, findings=(found,), settled=False)


_worker: tuple[Plan, Checker] | None = None
"""In a process that checks for another: what and with what."""


def _prepare(plan: Plan) -> None:
    """Make this process ready to check files of the plan, and let Ctrl-C and the end of the other one end it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    global _worker
    _worker = plan, plan.checker()


def _end_with_parent() -> None:
    """Wait until the process that this one checks for is gone, however it ended: nobody takes the answers then."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _check_chunk(files: Sequence[str]) -> list[Checked]:
    assert _worker is not None
    return list(_in_turn(files, *_worker))


def _check(file: str, plan: Plan, checker: Checker) -> Checked:
    try:
        data = plan.read(file)
    except UnreadableError as problem:
        return Checked(file=file, findings=(unreadable(file, problem),), settled=False)
    return checker.check(file, data)
