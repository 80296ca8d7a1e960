"""Facts about every way to copy, share, view, convert or move in PyTorch and NumPy. Loads neither.

One entry per call and kind of source, in one file per family; adding an entry to a family, or a family to this folder,
is all it takes. The linter, the planner, `explain`, the comparison table and the reference pages read them from here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from .._discovery import modules_of
from ._lookup import Level, indexed, looked_up
from .model import (
    Argument,
    Call,
    Crash,
    Device,
    Dtype,
    Graph,
    Kind,
    Layout,
    Memory,
    Operation,
    Rejection,
    RequiresGrad,
    ReturnsSelf,
    Style,
    Subclass,
    Trait,
    Value,
    Version,
    Warns,
    Was,
    Wrong,
)

__all__ = [
    "Argument",
    "Call",
    "Crash",
    "Device",
    "Dtype",
    "Graph",
    "Kind",
    "Layout",
    "Memory",
    "Operation",
    "Rejection",
    "RequiresGrad",
    "ReturnsSelf",
    "Style",
    "Subclass",
    "Trait",
    "Value",
    "Version",
    "Warns",
    "Was",
    "Wrong",
    "families",
    "find",
    "for_call",
    "operations",
]


@cache
def families() -> Mapping[str, tuple[Operation, ...]]:
    """The entries by family, the family being the name of the file that holds them. Read-only."""
    modules = modules_of(sys.modules[__name__])
    entries = {m.__name__.rpartition(".")[2]: tuple(getattr(m, "OPERATIONS", ())) for m in modules}
    return MappingProxyType({family: found for family, found in entries.items() if found})


@cache
def operations() -> Mapping[str, Operation]:
    """Every entry by its name. Read-only; two entries of one name are a broken catalogue and raise `AssertionError`."""
    found: dict[str, Operation] = {}
    for entries in families().values():
        for operation in entries:
            assert operation.name not in found, f"{operation.name} is in the catalogue twice"
            found[operation.name] = operation
    return MappingProxyType(found)


def find(name: str) -> tuple[Operation, ...]:
    """The entries that *name* may mean: ``"x.clone()"``, ``"clone"``, ``"np.asarray"``, ``"t[0]"``; empty if none.

    The closest reading only: a name in full before a name without its library, a call before the word in it.
    """
    return looked_up(name, _by_text())


def for_call(qualified_name: str) -> tuple[Operation, ...]:
    """The entries for a call such as ``"torch.as_tensor"``, those with most conditions first. One look-up."""
    return _by_call().get(qualified_name, ())


@cache
def _by_text() -> tuple[Level, ...]:
    return indexed(operations().values())


@cache
def _by_call() -> Mapping[str, tuple[Operation, ...]]:
    found: dict[str, list[Operation]] = {}
    for operation in operations().values():
        for name in operation.call.names:
            found.setdefault(name, []).append(operation)
    return {name: tuple(sorted(ops, key=lambda o: -len(o.call.when))) for name, ops in found.items()}
