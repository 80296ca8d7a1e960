"""A small data set on its way into tensors: the usual accidents with plain PyTorch, and tensorcopy in the same places.

``make demo`` runs it. The data are what a weather project has at hand: a table with station numbers, a picture, nested
lists of readings and a small model. Every line of the report comes from running both sides.
"""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from PIL import Image

import tensorcopy as tc

TABLE = """station,celsius,visits
16777217,20.5,3
16777219,21.0,
16777221,19.5,5
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One accident: what was tried, what plain PyTorch made of it, what tensorcopy does, and how that ended."""

    title: str
    plain: str
    ours: str
    outcome: str
    """``shares``, ``copies`` or ``refuses``, and the bytes moved."""
    why: str


def refusal(call: Callable[[], object]) -> tc.TensorcopyError:
    """The error that *call* raises."""
    try:
        call()
    except tc.TensorcopyError as error:
        return error
    raise AssertionError("this was expected to be refused")


def told(error: tc.TensorcopyError) -> str:
    """The whole text of an error, after its class."""
    return f"{type(error).__name__}: {error}"


def refused(error: tc.TensorcopyError) -> dict[str, str]:
    """The outcome of a refusal."""
    return {"outcome": "refuses", "why": error.why}


def planned(obj: object, to: str | None = None, **arguments: Any) -> dict[str, str]:
    """The outcome of a call: asked of its plan, so nothing is moved to find out."""
    plan = tc.plan(obj, to, **arguments)
    moved = "unknown" if plan.bytes_moved is None else f"{plan.bytes_moved:,} B"
    return {"outcome": f"{'shares' if plan.shares else 'copies':<7} {moved:>7}", "why": plan.why}


def reused_buffer() -> Case:
    """A reader fills one buffer again and again, and yesterday's tensor changes with it."""
    buffer = np.array([20.5, 21.0, 19.5], dtype=np.float32)
    plain, own = torch.from_numpy(buffer), tc.to_torch(buffer, copy=True)
    buffer[:] = 0.0
    return Case(
        title="a buffer that the reader fills again",
        plain=f"torch.from_numpy(buffer) is now {plain.tolist()}",
        ours=f"to_torch(buffer, copy=True) still holds {own.tolist()}",
        **planned(buffer, "torch", copy=True),
    )


def shared_results() -> Case:
    """Results are written through a tensor into the array that the plots are drawn from, or so it was meant."""
    results = np.zeros(3)
    torch.as_tensor(results, dtype=torch.float32).fill_(1.0)
    missed = results.tolist()
    error = refusal(lambda: tc.to_torch(results, dtype=torch.float32, copy=False))
    tc.share(results).fill_(1.0)
    return Case(
        title="results written through a tensor",
        plain=f"torch.as_tensor(results, dtype=torch.float32).fill_(1) leaves the array at {missed}",
        ours=f"{told(error)}\nshare(results).fill_(1) makes it {results.tolist()}",
        **planned(results, "torch", copy=False),
    )


def station_numbers(table: pd.DataFrame) -> Case:
    """float32 holds integers exactly up to 16,777,216 only."""
    stations = table["station"]
    rounded = torch.tensor(table[["station", "celsius"]].to_numpy(), dtype=torch.float32)[:, 0]
    kept = tc.to_torch(stations)
    error = refusal(lambda: tc.to_torch(stations, dtype=torch.float32))
    return Case(
        title="station numbers in a float32 matrix",
        plain=f"station {stations[0]} has become {int(rounded[0])}",
        ours=f"{told(error)}\nto_torch(column) is {kept.dtype} and starts with {int(kept[0])}",
        **refused(error),
    )


def read_only_column() -> Case:
    """pandas hands out read-only views; torch cannot mark a tensor read-only, so it writes through them."""
    table = pd.DataFrame({"celsius": [20.5, 21.0, 19.5]})
    column = table["celsius"].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said once per process, and by some routes never
        torch.from_numpy(column).mul_(0.0)
    error = refusal(lambda: tc.share(table["celsius"]))
    return Case(
        title="scaling a pandas column in place",
        plain=f"after torch.from_numpy(column).mul_(0) the table itself holds {table['celsius'].tolist()}",
        ours=told(error),
        **refused(error),
    )


def missing_visits(table: pd.DataFrame) -> Case:
    """A missing value becomes NaN in a float column, and NaN becomes some integer."""
    visits = table["visits"].astype("Int64")
    plain = torch.tensor(visits.to_numpy(dtype="float64", na_value=np.nan)).to(torch.int64)
    filled = tc.to_torch(visits, null=0)
    error = refusal(lambda: tc.to_torch(visits))
    return Case(
        title="a missing number in an integer column",
        plain=f"NaN cast to int64 gives {plain.tolist()}",
        ours=f"{told(error)}\nto_torch(column, null=0) gives {filled.tolist()}",
        **refused(error),
    )


def picture() -> Case:
    """A sky, 4 × 6 pixels."""
    sky = Image.fromarray(np.arange(72, dtype=np.uint8).reshape(4, 6, 3))
    try:
        plain = str(torch.tensor(sky).shape)
    except (RuntimeError, TypeError, ValueError) as error:
        plain = f"torch.tensor(picture) raises {type(error).__name__}"
    pixels = tc.to_torch(sky)
    return Case(
        title="a picture",
        plain=plain,
        ours=f"to_torch(picture) is {tuple(pixels.shape)} {pixels.dtype}, height × width × channels",
        **planned(sky, "torch"),
    )


def ragged_readings() -> Case:
    """One reading is missing from one hour of one day."""
    days = [[[20.5, 21.0], [19.5, 19.0]], [[18.0, 18.5], [17.0]]]
    try:
        plain = str(torch.tensor(days))
    except ValueError as error:
        plain = f"ValueError: {error}"
    refusal_of_days = refusal(lambda: tc.to_torch(days))
    return Case(
        title="nested lists with a hole",
        plain=plain,
        ours=told(refusal_of_days),
        **refused(refusal_of_days),
    )


def losses(model: torch.nn.Module) -> Case:
    """Three losses gathered into one tensor: the model gets a gradient only if the graph is kept."""
    parts = [model(torch.ones(1, 2)).sum() * weight for weight in (0.5, 0.3, 0.2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = torch.tensor(parts)
    kept = tc.to_torch(parts)
    return Case(
        title="a list of losses",
        plain=f"torch.tensor(losses) requires grad: {plain.requires_grad}",
        ours=f"to_torch(losses) requires grad: {kept.requires_grad}",
        **planned(parts, "torch"),
    )


def best_weights(model: torch.nn.Linear) -> Case:
    """The best epoch's weights, saved for later."""
    torch.nn.init.constant_(model.weight, 0.5)
    plain, own = model.state_dict(), tc.copy(model.state_dict())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()  # training goes on
    return Case(
        title="best = model.state_dict()",
        plain=f"the snapshot followed the training to {plain['weight'].tolist()}",
        ours=f"copy(model.state_dict()) still holds {own['weight'].tolist()}",
        **planned(plain),
    )


def small_view() -> Case:
    """Three numbers out of a million."""
    readings = torch.zeros(1_000_000)
    head, own = readings[:3], tc.copy(readings[:3])
    return Case(
        title="three numbers cut out of a million",
        plain=f"readings[:3] keeps {tc.inspect(head).keeps_alive:,} B alive",
        ours=f"copy(readings[:3]) keeps {tc.inspect(own).keeps_alive:,} B alive",
        **planned(head),
    )


def cases() -> Iterator[Case]:
    """All cases, each on data of its own."""
    torch.manual_seed(0)
    table = pd.read_csv(io.StringIO(TABLE))
    yield reused_buffer()
    yield shared_results()
    yield station_numbers(table)
    yield read_only_column()
    yield missing_visits(table)
    yield picture()
    yield ragged_readings()
    yield losses(torch.nn.Linear(2, 1))
    yield best_weights(torch.nn.Linear(2, 1))
    yield small_view()


def report(found: list[Case]) -> str:
    """The cases in full, then one line each."""
    width = max(len(case.title) for case in found)
    full = [
        f"{number}. {case.title}\n{field('plain PyTorch', case.plain)}\n{field('tensorcopy', case.ours)}"
        for number, case in enumerate(found, 1)
    ]
    short = [in_short(case, width) for case in found]
    return "\n\n".join([*full, "\n".join(["In short, what tensorcopy does, the bytes it moves, and why:", *short])])


def in_short(case: Case, width: int) -> str:
    """One case in a line, and in more where its reason is long."""
    start = f"{case.title:<{width}}  {case.outcome:<15}  "
    return textwrap.fill(case.why, 114, initial_indent=start, subsequent_indent=" " * len(start))


def field(name: str, text: str) -> str:
    """A labelled text, wrapped and indented."""
    body = "\n".join(textwrap.fill(line, 96) for line in text.splitlines())
    return f"   {name:<14} " + textwrap.indent(body, " " * 18).lstrip()


if __name__ == "__main__":
    print(report(list(cases())))
