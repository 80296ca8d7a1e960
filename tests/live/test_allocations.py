"""What a call allocates is counted, by torch and by NumPy."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import torch

from tensorcopy.live import allocations
from tensorcopy.live.allocations import Allocations, available_bytes, counted, storage_bytes

X = torch.arange(10_000.0)


@pytest.mark.parametrize(
    ("call", "kept", "peak"),
    [
        (lambda: X.detach(), 0, 0),
        (lambda: X.clone(), 40_000, 40_000),
        (lambda: X.double().float(), 40_000, 120_000),
        (lambda: np.ones(10_000), 80_000, 80_000),
    ],
)
def test_bytes_kept_and_bytes_at_the_most_are_told(call, kept, peak):
    _, found = counted(call)
    assert kept <= found.kept <= kept + 5000 * bool(kept)
    assert peak <= found.peak <= peak + 5000 * bool(peak)


def test_an_error_of_the_call_passes_and_leaves_nothing_running():
    with pytest.raises(ZeroDivisionError):
        counted(lambda: 1 / 0)
    assert not tracemalloc.is_tracing()
    assert counted(lambda: X.clone())[1].kept == 40_000


def test_under_a_profiler_that_runs_already_nothing_is_told():
    with torch.autograd.profiler.profile(use_kineto=False):
        value, found = counted(lambda: X.clone())
    assert (value.shape, found) == (X.shape, Allocations(kept=None, peak=None))


def test_free_memory_is_the_least_that_kernel_and_group_allow(monkeypatch):
    told = {
        "/proc/meminfo": ["MemTotal: 9 kB\n", "MemAvailable:   2048 kB\n"],
        "/sys/fs/cgroup/memory.max": ["1500000\n"],
        "/sys/fs/cgroup/memory.current": ["500000\n"],
    }
    monkeypatch.setattr(allocations, "_lines", lambda path: told.get(path, []))
    assert available_bytes() == 1_000_000
    told["/sys/fs/cgroup/memory.max"] = ["max\n"]
    assert available_bytes() == 2_097_152
    told.clear()
    assert available_bytes() is None


def test_the_storage_behind_a_view_is_told():
    assert [storage_bytes(x) for x in (X[:3], X, np.ones(3))] == [40_000, 40_000, None]
