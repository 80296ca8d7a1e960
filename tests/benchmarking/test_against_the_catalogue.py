"""What is measured on a source agrees with what the catalogue says of it, for every source and every question."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from tensorcopy.benchmarking.candidates import Candidate, answers, candidates
from tensorcopy.benchmarking.comparing import dtype_for, wishes_for
from tensorcopy.benchmarking.groups import Group, groups_for, kind_of
from tensorcopy.benchmarking.measurements import Measurement, Status
from tensorcopy.benchmarking.probing import Source, probe, source_of
from tensorcopy.benchmarking.wishes import Wishes
from tensorcopy.catalogue import Graph, Kind, Memory, Operation, operations
from tests.facts.measuring import RELEASES, traits_beside
from tests.facts.sources import SOURCES

KINDS = (Kind.TENSOR, Kind.ARRAY, Kind.MASKED, Kind.SEQUENCE)
MORE = {
    "huge integers": lambda: torch.tensor([2**53 + 1, 16777217]),
    "no dimensions and a graph": lambda: torch.tensor(2.5, requires_grad=True),
    "expanded from one element": lambda: torch.tensor([1.5]).expand(2, 3),
    "half-precision leaf": lambda: torch.ones(2, 3, dtype=torch.bfloat16, requires_grad=True),
    "huge integers in an array": lambda: np.array([2**53 + 1, 2**62]),
    "large read-only array": lambda: np.broadcast_to(np.arange(4.0), (3, 4)),
    "list of huge integers": lambda: [2**53 + 1, 3],
}
BUILDERS = {s.name: (lambda s=s: s.build()[0]) for s in SOURCES if s.kind in KINDS and s.name != "memmap"} | MORE


def lines_for(source: Source, group: Group) -> tuple[Candidate, ...]:
    wishes = wishes_for(group, Wishes(), source.x)
    return candidates(group, source.kind, dtype_for(wishes, source.x), wishes, on_graph=source.on_graph)


def probed(source: Source, group: Group, line: Candidate) -> Measurement:
    wishes = wishes_for(group, Wishes(), source.x)
    return probe(line, source, group, dtype=wishes.dtype, limit=10.0).measurement


def expected_memory(op: Operation, line: Candidate, source: Source) -> str:
    traits = source.traits | traits_beside(op, line.code, source.x)
    return "copies" if op.memory is Memory.COPIES or traits & set(op.copies_if) else "shares"


def expected_graph(op: Operation, line: Candidate, source: Source) -> str:
    traits = source.traits | traits_beside(op, line.code, source.x)
    return "cuts" if op.graph is Graph.CUTS or traits & set(op.cuts_if) else "keeps"


def is_refused(op: Operation, source: Source) -> bool:
    return any(r.given in source.traits and r.holds_on(RELEASES) for r in op.rejects)


@cache
def disagreements(name: str) -> tuple[list[str], str, str]:
    """Where measured and stated facts differ, and all there is to say of the source before and after."""
    source = source_of(x := BUILDERS[name](), kind_of(x))
    before = told(x)
    pairs = [(group, line) for group in groups_for(source.kind) for line in lines_for(source, group)]
    found = [(group, line, probed(source, group, line)) for group, line in pairs]
    return [text for each in found if (text := disagreement(source, *each))], before, told(x)


def told(x: object) -> str:
    names = ("_version", "requires_grad", "is_leaf", "flags", "strides")
    strides = x.stride() if isinstance(x, torch.Tensor) else None
    return f"{x!r} {strides} {[getattr(x, name, None) for name in names]}"


def disagreement(source: Source, group: Group, line: Candidate, found: Measurement) -> str:
    if line.ours:
        return ""
    op = operations()[line.name].on(RELEASES)
    if set(op.unless) & source.traits or (found.result is None and found.wrong):
        return ""
    if found.result is None:
        crashes = any(crash.given in source.traits for crash in line.crashes)
        wanted = Status.NOT_RUN if crashes else Status.REFUSED
        return "" if found.status is wanted else f"{group.key}: {line.code}: {found.status}: {found.reason}"
    said = (is_refused(op, source), found.result.memory, found.result.graph)
    memory = expected_memory(op, line, source) if found.result.memory else ""
    wanted = (False, memory, expected_graph(op, line, source) if source.on_graph else "")
    return "" if said == wanted else f"{group.key}: {line.code}: {said}, the catalogue says {wanted}"


@pytest.mark.parametrize("name", BUILDERS)
def test_memory_graph_and_refusals_are_those_of_the_catalogue(name: str) -> None:
    assert disagreements(name)[0] == []


@pytest.mark.parametrize("name", BUILDERS)
def test_the_source_is_afterwards_what_it_was(name: str) -> None:
    _, before, after = disagreements(name)
    assert after == before


def test_what_would_end_the_process_is_not_run() -> None:
    x = np.arange(6.0)[::-1]
    source = source_of(x, Kind.ARRAY)
    (group, *_) = groups_for(Kind.ARRAY)
    line = next(line for line in lines_for(source, group) if line.code == "torch.from_dlpack(x)")
    found = probed(source, group, line)
    assert (found.status, found.reason.partition(":")[0]) == (Status.NOT_RUN, "ends the process")


@pytest.mark.parametrize("kind", KINDS)
def test_every_question_has_several_answers(kind: Kind) -> None:
    assert [group.key for group in groups_for(kind) if len(answers(group, kind)) < 2] == []
