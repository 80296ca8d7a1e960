"""Count what one call allocates: through torch's allocators, and through those of NumPy and Python."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from .libraries import load, loaded

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocations:
    """What stays allocated after a call while its result is held, and the most that was allocated meanwhile.

    None where torch does not tell, as under a profiler that runs already. The peaks of torch and of NumPy are added, so
    that *peak* may be too high where a call uses both.
    """

    kept: int | None
    peak: int | None


def counted(call: Callable[[], T], device: str = "cpu") -> tuple[T, Allocations]:
    """The result of *call* and what it allocated on the CPU, or on the CUDA device named. Slows the call down."""
    traced = tracemalloc.is_tracing()
    if not traced:
        tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result, torchs = _counted_by_torch(call, device)
        now, peak = tracemalloc.get_traced_memory()
    finally:
        if not traced:
            tracemalloc.stop()
    if torchs is None:
        return result, Allocations(kept=None, peak=None)
    small = _PYTHON_NOISE
    python = [size if size > small else 0 for size in (now - before, peak - before)]
    return result, Allocations(kept=torchs[0] + python[0], peak=torchs[1] + python[1])


_PYTHON_NOISE = 4096
"""Bytes that Python itself takes for the objects around a result; less than that is not told of."""


def _counted_by_torch(call: Callable[[], T], device: str) -> tuple[T, tuple[int, int] | None]:
    if loaded("torch") is None:
        return call(), (0, 0)
    return _counted_on_cuda(call, device) if device.startswith("cuda") else _counted_on_cpu(call)


def _counted_on_cuda(call: Callable[[], T], device: str) -> tuple[T, tuple[int, int]]:
    cuda = load("torch").cuda
    cuda.synchronize(device)
    before = cuda.memory_allocated(device)
    cuda.reset_peak_memory_stats(device)
    result = call()
    cuda.synchronize(device)
    return result, (cuda.memory_allocated(device) - before, cuda.max_memory_allocated(device) - before)


def _counted_on_cpu(call: Callable[[], T]) -> tuple[T, tuple[int, int] | None]:
    """By the profiler that records in this process and prints nothing, as the newer one does."""
    torch = load("torch")
    try:
        autograd = torch.autograd
        config = autograd.ProfilerConfig(
            autograd.ProfilerState.CPU, False, True, False, False, False, torch._C._profiler._ExperimentalConfig()
        )
        autograd._enable_profiler_legacy(config)
    except (AttributeError, TypeError, RuntimeError):
        return call(), None
    try:
        with without_collector():
            result = call()
    finally:
        records = autograd._disable_profiler_legacy()
    sizes = [event.cpu_memory_usage() for thread in records for event in thread if event.kind() == "memory_alloc"]
    return result, _kept_and_peak(sizes)


@contextmanager
def without_collector() -> Iterator[None]:
    """The garbage collector left out: it takes time, and frees what others allocated."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _kept_and_peak(sizes: Iterable[int]) -> tuple[int, int]:
    now = peak = 0
    for size in sizes:
        now += size
        peak = max(peak, now)
    return max(now, 0), peak


def available_bytes() -> int | None:
    """How many more bytes this process may take, by the kernel and by the limits of its control group; None unknown."""
    known = [size for size in (_of_machine(), _of_group()) if size is not None]
    return min(known) if known else None


def _of_machine() -> int | None:
    return next(
        (int(line.split()[1]) << 10 for line in _lines("/proc/meminfo") if line.startswith("MemAvailable")), None
    )


def _of_group() -> int | None:
    limit, used = (_number(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
    return None if limit is None or used is None else max(limit - used, 0)


def _number(path: str) -> int | None:
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdecimal() else None


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="ascii") as lines:
            return list(lines)
    except (OSError, UnicodeDecodeError):
        return []


def storage_bytes(obj: Any) -> int | None:
    """Bytes of the storage behind a tensor, whatever part of it the tensor looks at; None for what has none."""
    try:
        return int(obj.untyped_storage().nbytes())
    except (AttributeError, RuntimeError, NotImplementedError):
        return None
