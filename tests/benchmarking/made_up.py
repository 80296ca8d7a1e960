"""Measurements that nobody made, for what is decided from them."""

from __future__ import annotations

from typing import Any

from tensorcopy.benchmarking.measurements import Measurement, Result, Status, Timing


def timing(microseconds: float, spread: float = 0.01) -> Timing:
    seconds = microseconds * 1e-6
    return Timing(seconds=seconds, quarter=seconds * (1 + spread), median=seconds * (1 + 2 * spread), rounds=9)


def way(code: str, microseconds: float | None = 1.0, **fields: Any) -> Measurement:
    """A way that ran; fields of its result stand beside its own."""
    of_result = {k: fields.pop(k) for k in tuple(fields) if k in Result.__slots__}
    result = Result(**{"memory": "copies", "dtype": "float32", "allocated": 8, "peak": 8, **of_result})
    clock = None if microseconds is None else fields.pop("timing", timing(microseconds))
    return Measurement(name=code, code=code, result=result, timing=clock, **fields)


def refused(code: str, status: Status = Status.REFUSED) -> Measurement:
    return Measurement(name=code, code=code, status=status, reason="ValueError: no")
