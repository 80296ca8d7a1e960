"""Shares or copies: proved by address and by inverting the source's bytes, on every source of the entry's kind."""

from __future__ import annotations

from tensorcopy.catalogue import Kind, Memory, Operation, ReturnsSelf, Version

from .measuring import ENTRIES, Cell, cells, each, of


def copies(op: Operation, cell: Cell) -> bool:
    """What the entry says about this cell."""
    return op.memory is Memory.COPIES or bool(cell.traits & set(op.copies_if))


def with_memory(op: Operation) -> list[Cell]:
    return [c for c in cells(op.name) if c.error is None and c.shares_by_address is not None]


@each
def test_memory_is_shared_or_copied_as_stated_by_address(op):
    wrong = [f"{c}: shares is {c.shares_by_address}" for c in with_memory(op) if c.shares_by_address is copies(op, c)]
    assert wrong == []


@each
def test_memory_is_shared_or_copied_as_stated_by_inverted_bytes(op):
    wrong = [f"{c}: shares is {c.shares_by_bytes}" for c in with_memory(op) if c.shares_by_bytes is copies(op, c)]
    assert wrong == []


@of(lambda op: op.memory is Memory.DEPENDS)
def test_a_depending_entry_shows_both_outcomes(op):
    assert {c.shares_by_bytes for c in with_memory(op)} == {True, False}


@of(lambda op: op.copies_if)
def test_every_condition_decides_some_cell(op):
    seen = {t for c in with_memory(op) for t in c.traits}
    assert [t for t in op.copies_if if t not in seen] == []


def test_conditions_are_given_exactly_where_memory_depends():
    assert [op.name for op in ENTRIES if (op.memory is Memory.DEPENDS) is not bool(op.copies_if)] == []


@each
def test_the_same_object_comes_back_only_as_stated(op):
    expected = {
        ReturnsSelf.NEVER: lambda c: c.same_object is False,
        ReturnsSelf.ALWAYS: lambda c: c.same_object is True,
        ReturnsSelf.WHEN_SHARING: lambda c: c.same_object is (not copies(op, c)),
        ReturnsSelf.SOMETIMES: lambda c: True,
    }[op.returns_self]
    wrong = [f"{c}: same object is {c.same_object}" for c in with_memory(op) if not expected(c)]
    assert wrong == []


@of(lambda op: op.returns_self is ReturnsSelf.SOMETIMES)
def test_a_return_of_the_same_object_in_some_cases_shows_both_outcomes(op):
    assert {c.same_object for c in with_memory(op)} == {True, False}


@each
def test_version_counter_is_shared_as_stated(op):
    measured = [c for c in with_memory(op) if c.version_shared is not None]
    assert (op.version is Version.NOT_APPLICABLE) is (not measured)
    expected = {
        Version.SHARED: lambda c: True,
        Version.SEPARATE: lambda c: False,
        Version.WITH_MEMORY: lambda c: not copies(op, c),
    }.get(op.version)
    wrong = [f"{c}: version shared is {c.version_shared}" for c in measured if c.version_shared is not expected(c)]
    assert wrong == []


@of(lambda op: not op.writes)
def test_memory_is_written_only_by_entries_that_say_so(op):
    assert [str(c) for c in with_memory(op) if c.changed_source or c.changed_target] == []


@of(lambda op: op.writes)
def test_an_entry_that_writes_changes_the_source_or_the_destination(op):
    assert any(c.changed_source or c.changed_target for c in with_memory(op))


def test_the_version_counter_depends_on_sharing_only_where_memory_depends():
    depending = [op for op in ENTRIES if op.version is Version.WITH_MEMORY]
    assert [op.name for op in depending if op.memory is not Memory.DEPENDS] == []


def test_what_has_no_memory_of_its_own_is_copied():
    without = [op for op in ENTRIES if op.source is Kind.SCALAR]
    assert [
        op.name for op in without if op.memory is not Memory.COPIES or op.returns_self is not ReturnsSelf.NEVER
    ] == []


@of(lambda op: op.memory is Memory.DEPENDS and op.returns_self is ReturnsSelf.SOMETIMES)
def test_some_cells_share_without_being_the_same_object(op):
    assert [c for c in with_memory(op) if c.shares_by_bytes and not c.same_object] != []
