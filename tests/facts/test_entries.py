"""Whether the entries are well formed: what they name exists, and what they leave out can be left out."""

from __future__ import annotations

import builtins
import dataclasses
import importlib
from enum import Enum
from pathlib import Path

import numpy as np
import torch

from tensorcopy import catalogue
from tensorcopy.catalogue import (
    Device,
    Dtype,
    Graph,
    Kind,
    Layout,
    Memory,
    Operation,
    RequiresGrad,
    ReturnsSelf,
    Style,
    Subclass,
    Trait,
    Value,
    Version,
    operations,
)
from tensorcopy.live.traits import ARRAY_TRAITS, SHARED_TRAITS, TENSOR_TRAITS

from .measuring import ENTRIES, NAMESPACE, RELEASES, each, raised_by
from .sources import SOURCES

NEWEST = {"torch": "2.13", "numpy": "2.4"}
AT_HAND = {
    "torch": torch,
    "numpy": np,
    **{n: importlib.import_module(n) for n in ("copy", "pickle", "multiprocessing")},
}
ASKED_BESIDE = {Trait.OTHER_DTYPE, Trait.OTHER_FORMAT, Trait.RESULT_NOT_DIFFERENTIABLE}


def resolve(name: str):
    """The object behind a qualified name; AttributeError if there is none."""
    first, *rest = name.split(".")
    if not rest:
        return getattr(builtins, first)
    found = AT_HAND[first]
    for number, part in enumerate(rest, 1):
        if not hasattr(found, part):
            importlib.import_module(".".join([first, *rest[:number]]))
        found = getattr(found, part)
    return found


def on_the_newest(op: Operation) -> bool:
    return all(RELEASES[library] >= release for library, release in NEWEST.items())


@each
def test_every_name_of_a_call_exists(op):
    missing = []
    for name in (*op.call.names, *op.call.steps):
        try:
            resolve(name)
        except (AttributeError, ModuleNotFoundError):
            missing.append(name)
    assert missing == [] or not on_the_newest(op)


@each
def test_every_call_can_be_recognised(op):
    assert bool(op.call.steps) is (op.call.style is Style.CHAIN)
    assert bool(op.call.names) is (op.call.style is not Style.CHAIN)


def test_every_trait_that_an_entry_speaks_of_can_be_told_of_a_source():
    told = {*ARRAY_TRAITS, *TENSOR_TRAITS, *SHARED_TRAITS, *ASKED_BESIDE}
    assert {t for t in Trait if t not in told} == set()


def test_every_trait_is_spoken_of():
    spoken = {t for op in operations().values() for t in (*op.copies_if, *op.cuts_if, *op.unless)}
    spoken |= {r.given for op in operations().values() for r in (*op.rejects, *op.warns, *op.crashes)}
    assert set(Trait) - spoken == set()


def test_every_word_of_the_vocabulary_is_used():
    found = [getattr(op, f.name) for op in operations().values() for f in dataclasses.fields(op)]
    calls = [op.call for op in operations().values()]
    used = (
        {f for f in found if isinstance(f, Enum)} | {c.style for c in calls} | {a.value for c in calls for a in c.when}
    )
    words = {w for kind in (Device, Dtype, Graph, Kind, Layout, Memory, RequiresGrad, ReturnsSelf) for w in kind}
    assert {*words, *Style, *Subclass, *Value, *Version} - used == set()


def test_facts_of_older_releases_name_fields_of_an_entry():
    fields = {f.name for f in dataclasses.fields(Operation)}
    assert [op.name for op in operations().values() for was in op.was if not set(was.facts) <= fields] == []


def test_a_fixed_dtype_is_named():
    assert [op.name for op in ENTRIES if op.dtype is Dtype.FIXED and not op.dtype_name] == []


def test_every_summary_is_one_sentence():
    assert [op.name for op in ENTRIES if not op.summary.endswith(".") or "\n" in op.summary] == []


def test_an_entry_that_writes_nothing_and_shares_is_not_made_of_nothing():
    assert [op.name for op in ENTRIES if op.memory is not Memory.COPIES and not op.takes_values] == []


def test_a_call_that_a_release_does_not_have_is_an_error_there():
    missing = [op for op in operations().values() if not op.exists_in(RELEASES) and ", " not in op.since]
    assert [op.name for op in missing if not isinstance(raised_on_first_source(op), ABSENT)] == []


ABSENT = (AttributeError, TypeError, ValueError)


def raised_on_first_source(op: Operation) -> Exception | None:
    x = next(s for s in SOURCES if s.kind is op.source).build()[0]
    return raised_by(f"{op.setup}\n{op.example}", x=x)


def test_a_family_stays_readable():
    folder = Path(catalogue.__file__).parent
    assert {p.name: n for p in folder.glob("*.py") if (n := len(p.read_text().splitlines())) > 450} == {}


def test_examples_need_only_what_readers_have_imported():
    assert set(NAMESPACE) == {"__name__", "torch", "np", "nn", "copy", "pickle", "io", "data"}
