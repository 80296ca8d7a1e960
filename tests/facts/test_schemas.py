"""Entries agree with torch's own schemas; operations that may alias by their schema have an entry or a reason."""

from __future__ import annotations

import torch

from tensorcopy.catalogue import Memory

from .measuring import ENTRIES, of
from .reviewed import NOT_IN_EVERY_RELEASE, REVIEWED


def schema_of(aten: str) -> torch._C.FunctionSchema:
    packet, _, overload = aten.partition(".")
    found = getattr(torch.ops.aten, packet)
    return getattr(found, overload or "default")._schema


def aliases(schema: torch._C.FunctionSchema) -> str:
    """``"copies"``, ``"shares"`` (perhaps) or ``"writes"``, by the alias annotations of what is returned."""
    infos = [r.alias_info for r in schema.returns if r.alias_info is not None]
    if not infos:
        return "copies"
    return "writes" if any(i.is_write for i in infos) else "shares"


@of(lambda op: op.aten)
def test_an_entry_agrees_with_the_schema_of_its_overload(op):
    allowed = {"writes"} if op.writes else {"copies"} if op.memory is Memory.COPIES else {"shares"}
    if op.memory is Memory.COPIES and aliases(schema_of(op.aten)) == "shares":
        allowed = {"shares"}  # `to` and its like may share, and do not in this form
    assert aliases(schema_of(op.aten)) in allowed


def names_that_may_alias() -> set[str]:
    """Every name in aten with an overload that returns an alias it does not write."""
    schemas = torch._C._jit_get_all_schemas()
    return {s.name.removeprefix("aten::") for s in schemas if s.name.startswith("aten::") and aliases(s) == "shares"}


def covered() -> set[str]:
    """The names in aten that entries speak of: of their overloads, and the last words of torch's calls."""
    named = {name.rpartition(".")[2] for op in ENTRIES for name in op.call.names if name.startswith("torch.")}
    return named | {op.aten.partition(".")[0] for op in ENTRIES if op.aten}


def reviewed() -> set[str]:
    return {name for names in REVIEWED.values() for name in names}


def test_every_torch_operation_that_may_alias_has_an_entry_or_a_reviewed_reason():
    assert names_that_may_alias() - covered() - reviewed() == set()


def test_no_reason_is_kept_for_an_operation_that_has_an_entry_or_does_not_alias():
    assert reviewed() & covered() == set()
    assert reviewed() - names_that_may_alias() <= set(REVIEWED[NOT_IN_EVERY_RELEASE])
