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
    """``shared``, ``copied`` or ``refused``."""
    plan: str = ""
    """The route as tensorcopy planned it, one line."""


def refusal(call: Callable[[], object]) -> str:
    """The text of the error that *call* raises."""
    try:
        call()
    except tc.TensorcopyError as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("this was expected to be refused")


def planned(obj: object, to: str | None = None, **arguments: Any) -> str:
    """What would happen, with the bytes it moves; nothing is moved to find out."""
    plan = tc.plan(obj, to, **arguments)
    moved = "size known once read" if plan.bytes_moved is None else f"{plan.bytes_moved:,} B"
    return f"{plan.source} to {plan.target}: {'shares' if plan.shares else 'copies'}, {moved}; {plan.why}"


def reused_buffer() -> Case:
    """A reader fills one buffer again and again, and yesterday's tensor changes with it."""
    buffer = np.array([20.5, 21.0, 19.5], dtype=np.float32)
    plain, shared, own = torch.from_numpy(buffer), tc.share(buffer), tc.to_torch(buffer, copy=True)
    buffer[:] = 0.0
    return Case(
        title="a buffer that the reader fills again",
        plain=f"torch.from_numpy(buffer) is now {plain.tolist()}, and nothing said that it would follow",
        ours=f"to_torch(buffer, copy=True) still holds {own.tolist()}; share(buffer) follows: {shared.tolist()}",
        outcome="copied",
        plan=planned(buffer, "torch", copy=True),
    )


def station_numbers(table: pd.DataFrame) -> Case:
    """float32 holds integers exactly up to 16,777,216 only."""
    stations = table["station"]
    rounded = torch.tensor(table[["station", "celsius"]].to_numpy(), dtype=torch.float32)[:, 0]
    kept = tc.to_torch(stations)
    return Case(
        title="station numbers in a float32 matrix",
        plain=f"station {stations[0]} has become {int(rounded[0])}",
        ours=f"{refusal(lambda: tc.to_torch(stations, dtype=torch.float32))}\n"
        f"to_torch(column) is {kept.dtype} and starts with {int(kept[0])}",
        outcome="refused",
    )


def read_only_column() -> Case:
    """pandas hands out read-only views; torch cannot mark a tensor read-only, so it writes through them."""
    table = pd.DataFrame({"celsius": [20.5, 21.0, 19.5]})
    column = table["celsius"].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said once per process, and by some routes never
        torch.from_numpy(column).mul_(0.0)
    return Case(
        title="scaling a pandas column in place",
        plain=f"after torch.from_numpy(column).mul_(0) the table itself holds {table['celsius'].tolist()}",
        ours=refusal(lambda: tc.share(table["celsius"])),
        outcome="refused",
    )


def missing_visits(table: pd.DataFrame) -> Case:
    """A missing value becomes NaN in a float column, and NaN becomes some integer."""
    visits = table["visits"].astype("Int64")
    plain = torch.tensor(visits.to_numpy(dtype="float64", na_value=np.nan)).to(torch.int64)
    filled = tc.to_torch(visits, null=0)
    return Case(
        title="a missing number in an integer column",
        plain=f"NaN cast to int64 gives {plain.tolist()}",
        ours=f"{refusal(lambda: tc.to_torch(visits))}\nto_torch(column, null=0) gives {filled.tolist()}",
        outcome="refused",
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
        outcome="copied",
        plan=planned(sky, "torch"),
    )


def ragged_readings() -> Case:
    """One reading is missing from one hour of one day."""
    days = [[[20.5, 21.0], [19.5, 19.0]], [[18.0, 18.5], [17.0]]]
    try:
        plain = str(torch.tensor(days))
    except ValueError as error:
        plain = f"ValueError: {error}"
    return Case(
        title="nested lists with a hole",
        plain=plain,
        ours=refusal(lambda: tc.to_torch(days)),
        outcome="refused",
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
        outcome="copied",
        plan=planned(parts, "torch"),
    )


def best_weights(model: torch.nn.Module) -> Case:
    """The best epoch's weights, saved for later."""
    plain, own = model.state_dict(), tc.copy(model.state_dict())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()  # training goes on
    return Case(
        title="best = model.state_dict()",
        plain=f"the snapshot followed the training to {plain['weight'].tolist()}",
        ours=f"copy(model.state_dict()) still holds {own['weight'].tolist()}",
        outcome="copied",
        plan=planned(plain),
    )


def small_view() -> Case:
    """Three numbers out of a million."""
    readings = torch.zeros(1_000_000)
    head, own = readings[:3], tc.copy(readings[:3])
    return Case(
        title="three numbers cut out of a million",
        plain=f"readings[:3] keeps {tc.inspect(head).keeps_alive:,} B alive",
        ours=f"copy(readings[:3]) keeps {tc.inspect(own).keeps_alive:,} B alive",
        outcome="copied",
        plan=planned(head),
    )


def cases() -> Iterator[Case]:
    """All cases, each on data of its own."""
    torch.manual_seed(0)
    table = pd.read_csv(io.StringIO(TABLE))
    yield reused_buffer()
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
    short = [f"{case.title:<{width}}  {case.outcome:<8}  {case.plan}" for case in found]
    return "\n\n".join([*full, "\n".join(["In short:", *short])])


def field(name: str, text: str) -> str:
    """A labelled text, wrapped and indented."""
    body = "\n".join(textwrap.fill(line, 96) for line in text.splitlines())
    return f"   {name:<14} " + textwrap.indent(body, " " * 18).lstrip()


if __name__ == "__main__":
    print(report(list(cases())))
