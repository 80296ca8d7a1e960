"""Time calls: by the processor's clock, and by events on the stream of a CUDA device."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .libraries import load


def seconds_per_call(call: Callable[[Any], Any], x: Any, times: int, device: str = "cpu") -> float:
    """The mean of *times* calls of ``call(x)`` one after the other, each result dropped before the next call."""
    if device.startswith("cuda"):
        return _by_events(call, x, times, device)
    repeat = range(times)
    start = time.perf_counter()
    for _ in repeat:
        call(x)
    return (time.perf_counter() - start) / times


def _by_events(call: Callable[[Any], Any], x: Any, times: int, device: str) -> float:
    cuda = load("torch").cuda
    with cuda.device(device):
        start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        cuda.synchronize(device)
        start.record()
        for _ in range(times):
            call(x)
        end.record()
        cuda.synchronize(device)
        return float(start.elapsed_time(end)) / 1e3 / times
