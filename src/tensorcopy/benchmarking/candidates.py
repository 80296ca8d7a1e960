"""The calls that answer a question, taken from the catalogue, and tensorcopy's own route beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..catalogue import Crash, Dtype, Kind, Operation, families
from ..live.dtypes import DTYPES, ML_DTYPES
from ..live.values import Fidelity, difference, twice
from ..live.warning import all_warnings
from .calling import compiled, releases, shown, value_of
from .groups import SAMPLES, Group
from .wishes import Wishes

_NAMED_DTYPE = re.compile(rf"\b(torch|np)\.({'|'.join(sorted(DTYPES, key=len, reverse=True))})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One line to measure.

    private: it writes or changes the source, and so is run on a copy of it.
    crashes: sources with which it ends the process.
    """

    name: str
    code: str
    private: bool = False
    crashes: tuple[Crash, ...] = ()
    ours: bool = False

    @property
    def line(self) -> str:
        """The code as it is shown."""
        return shown(self.code)


def candidates(group: Group, kind: Kind, dtype: str, wishes: Wishes, *, on_graph: bool) -> tuple[Candidate, ...]:
    """Every entry of the catalogue that answers the question for a source of this kind, each line once.

    dtype: what calls are given that have to be given one.
    """
    found = {candidate.code: candidate for candidate in _from_catalogue(group, kind, dtype, asked=bool(wishes.dtype))}
    ours = own_route(group, dtype, wishes, on_graph=on_graph)
    return (*found.values(), *([Candidate(name="tensorcopy", code=ours, ours=True)] if ours else []))


def _from_catalogue(group: Group, kind: Kind, dtype: str, *, asked: bool) -> Iterator[Candidate]:
    for operation in answers(group, kind):
        code = with_dtype(operation, dtype, asked=asked)
        if code:
            yield Candidate(
                name=operation.name,
                code=code,
                private=operation.writes or operation.changes_object,
                crashes=tuple(crash for crash in operation.crashes if crash.given),
            )


@cache
def answers(group: Group, kind: Kind) -> tuple[Operation, ...]:
    """The entries that do what the group is about with a small plain source; runs each of them on it."""
    there = [
        operation.on(releases())
        for family, entries in families().items()
        for operation in entries
        if operation.source is kind and operation.exists_in(releases()) and group.asks_about(family, operation)
    ]
    return tuple(operation for operation in there if _does_it(operation, group, kind))


def _does_it(operation: Operation, group: Group, kind: Kind) -> bool:
    """Whether the result for the sample has its values; a cast may change them, and a refusal is no answer."""
    sample = value_of(SAMPLES[kind])
    try:
        with all_warnings():
            result = compiled(operation.example)(value_of(SAMPLES[kind]))
    except Exception:
        return False
    halves = twice(result, sample.shape) if group.twice else (result,)
    right = {Fidelity.EXACT, Fidelity.ROUNDED}
    if operation.dtype in (Dtype.FIXED, Dtype.GIVEN):
        right.add(Fidelity.OTHER_VALUES)
    return halves is not None and all(difference(sample, half).fidelity in right for half in halves)


def with_dtype(operation: Operation, dtype: str, *, asked: bool) -> str:
    """The example with *dtype* in it; empty where it has another, or has to be given one that nobody asked for."""
    code = operation.example
    if operation.dtype is Dtype.FIXED:
        return code if operation.dtype_name == f"torch.{dtype}" else ""
    if operation.dtype is not Dtype.GIVEN:
        return code
    if not asked or (dtype in ML_DTYPES and "np." in code):
        return ""
    return _NAMED_DTYPE.sub(lambda match: f"{match[1]}.{dtype}", code)


def own_route(group: Group, dtype: str, wishes: Wishes, *, on_graph: bool) -> str:
    """The call of tensorcopy that grants the wishes; empty where it has none of its own."""
    if group.key in ("graph", "repeat"):
        return ""
    words = {"copies": "copy=True", "shares": "copy=False"}.get(wishes.memory, "")
    detach = {"keeps": "detach=False", "cuts": "detach=True"}.get(wishes.graph, "") if on_graph else ""
    cast = f'dtype="{dtype}"' if group.casts or wishes.dtype else ""
    if group.key in ("copy", "copy-array") and wishes.memory != "shares":
        return _call("tc.copy", "" if wishes.graph != "keeps" else detach, cast)
    if group.key == "to-array":
        return _call("tc.to_numpy", words, cast, "detach=True" if on_graph else "")
    if group.key == "copy-array":
        return _call("tc.to_numpy", words, cast)
    return _call("tc.to_torch", words, cast, detach if wishes.graph == "cuts" else "")


def _call(name: str, *arguments: str) -> str:
    return f"{name}({', '.join(filter(None, ('x', *arguments)))})"
