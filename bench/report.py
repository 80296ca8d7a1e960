"""Print what was measured as a Markdown table: times, ratios and their spread."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable

from .measure import Measured

HEAD = (
    "| cell | mode | naive | best by hand | ours | faster than naive | time against best | spread | goal |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def machine() -> str:
    """One line that names what the numbers were measured on."""
    import numpy
    import torch

    import tensorcopy

    processor = _processor()
    return (
        f"{processor}, {torch.get_num_threads()} threads, {platform.system()} {platform.release()}; "
        f"Python {platform.python_version()}, torch {torch.__version__}, NumPy {numpy.__version__}, "
        f"tensorcopy {tensorcopy.__version__}"
    )


def _processor() -> str:
    if sys.platform == "linux":
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def rows(measured: Measured) -> Iterable[str]:
    """One table row a mode."""
    cell = measured.cell
    for mode, timings in measured.timings.items():
        best = measured.best_route(mode)
        ours = timings[cell.ours]
        against = ours.best / timings[best].best
        spread = max(timings[name].spread for name in (cell.naive, best, cell.ours))
        yield (
            f"| {cell.name} | {mode} | {cell.naive} {seconds(timings[cell.naive].best)} "
            f"| {best} {seconds(timings[best].best)} | {seconds(ours.best)} | x{measured.ratio(mode, cell.naive):.2f} "
            f"| {against:.2f}{' too close to call' if abs(against - 1) < spread - 1 else ''} | {spread:.2f} "
            f"| {verdict(measured, mode)} |"
        )


def verdict(measured: Measured, mode: str) -> str:
    """Whether the goal of the cell was met, in words; empty without one."""
    cell = measured.cell
    if cell.above is not None:
        name, allowed = cell.above
        extra = (measured.timings[mode][cell.ours].best - measured.timings[mode][name].best) * 1e9
        return f"{extra:+.0f} ns above {name}, at most {allowed:.0f}: {'met' if extra <= allowed else 'MISSED'}"
    if cell.goal is None:
        return ""
    return f"x{cell.goal:g} {'met' if measured.ratio(mode, cell.naive) >= cell.goal else 'MISSED'}"


def seconds(value: float) -> str:
    """A time with a unit that a person can read."""
    for unit, scale in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
        if value < scale * 1000:
            return f"{value / scale:.3g} {unit}"
    return f"{value:.3g} s"
