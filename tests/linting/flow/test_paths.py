"""Branches, loops, guards, functions and classes: what holds where paths part and meet, and what calls bring back."""

from __future__ import annotations

import pytest

from tensorcopy.linting.flow import values as v
from tests.linting.flow.following import events, shares, value_of


def test_a_value_that_one_branch_shares_and_the_other_copies_may_share() -> None:
    code = "x = torch.ones(2)\nif unknown:\n    y = x\nelse:\n    y = x.clone()\n"

    value = value_of(code)

    assert shares(code)
    assert value is not None
    assert "on one branch" in value.traits


@pytest.mark.parametrize(
    ("test", "kind"),
    [
        ("isinstance(x, torch.Tensor)", v.TENSOR),
        ("torch.is_tensor(x)", v.TENSOR),
        ("isinstance(x, np.ndarray)", v.ARRAY),
        ("isinstance(x, (list, tuple))", v.UNKNOWN),
    ],
)
def test_a_guard_tells_the_kind_inside_its_branch(test: str, kind: str) -> None:
    writes = events(f"def f(x):\n    if {test}:\n        return x\n", "Returned")

    assert [w.value.kind for w in writes] == [kind]


def test_the_other_branch_of_a_guard_holds_anything_but_that_kind() -> None:
    code = "def f(x):\n    if isinstance(x, torch.Tensor):\n        return 1\n    return x\n"

    assert [e.value.kind for e in events(code, "Returned")] == [v.INT, v.OTHER]


def test_a_branch_that_cannot_be_taken_is_not_followed() -> None:
    code = "x = torch.ones(2)\nif isinstance(x, np.ndarray):\n    x[0] = 1\n"

    assert events(code, "Write") == []


def test_what_returns_early_does_not_reach_the_code_below() -> None:
    code = "def f(x):\n    y = torch.ones(2)\n    if x:\n        y = 'text'\n        return y\n    return y\n"

    assert [e.value.kind for e in events(code, "Returned")] == [v.TEXT, v.TENSOR]


def test_a_loop_shows_in_its_second_turn_what_the_first_one_kept() -> None:
    code = "x = torch.zeros(2)\nkept = []\nfor i in range(3):\n    x += 1\n    kept.append(x.numpy())\n"

    assert [(e.carried, e.certain) for e in events(code, "KeptChanged")] == [(True, True)]


def test_memory_made_in_each_turn_is_another_one_each_time() -> None:
    code = "kept = []\nfor i in range(3):\n    x = torch.zeros(2)\n    x += 1\n    kept.append(x)\n"

    assert events(code, "KeptChanged") == []


def test_a_function_gives_back_the_memory_of_its_argument() -> None:
    assert shares("def f(t):\n    return t.view(-1)\nx = torch.ones(2)\ny = f(x)")
    assert not shares("def f(t):\n    return t.clone()\nx = torch.ones(2)\ny = f(x)")


def test_a_function_that_writes_its_argument_writes_that_of_the_caller() -> None:
    code = "def f(t):\n    t.zero_()\ndef g(x: torch.Tensor):\n    f(x)\n"

    assert [(e.how, e.inner is not None) for e in events(code, "Write") if e.how == "call"] == [("call", True)]


def test_the_kinds_of_arguments_reach_the_function_that_is_called() -> None:
    code = "def f(t):\n    return t\ny = f(torch.ones(2))"

    value = value_of(code)

    assert value is not None
    assert value.kind == v.TENSOR


def test_attributes_keep_kinds_across_methods() -> None:
    code = (
        "class A:\n    def __init__(self):\n        self.x = np.zeros(2)\n"
        "    def step(self):\n        self.x += 1\n        return self.x\n"
    )

    assert [e.value.kind for e in events(code, "Returned")] == [v.ARRAY]
    assert [e.how for e in events(code, "Write")] == ["augmented"]


def test_a_recursive_function_and_a_class_that_is_its_own_base_come_to_an_end() -> None:
    assert value_of("def f(n):\n    return f(n - 1)\ny = f(3)") is None
    assert value_of("class A(A): pass\ny = A()") is not None


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.ones(2)\ny = x\nx += 1\nprint(y)",
        "x = torch.ones(2)\ny = x.numpy()\nx += 1\nprint(y)",
        "x = torch.ones(2)\ny = [x.detach()]\nx.add_(1)\nprint(y)",
    ],
)
def test_reading_what_was_taken_before_a_write_is_told_as_stale(code: str) -> None:
    assert [e.relation for e in events(code, "Stale")] == ["snapshot"]


def test_reading_the_source_after_a_write_through_a_view_is_told_as_such() -> None:
    code = "x = np.ones(2)\ny = torch.from_numpy(x)\ny += 1\nprint(x)"

    assert [e.relation for e in events(code, "Stale")] == ["source"]


def test_two_parts_of_one_memory_are_not_surely_the_same_bytes() -> None:
    code = "x = torch.ones(4)\na = x[:2]\nx[2:] = 0\nprint(a)"

    assert [e.certain for e in events(code, "Stale")] == [False]


def test_annotations_tell_kinds_and_optional_ones_leave_none_open() -> None:
    code = "def f(a: torch.Tensor, b: 'np.ndarray', c: torch.Tensor | None = None):\n    return a, b, c\n"

    (returned,) = events(code, "Returned")

    assert [i.kind for i in returned.value.items] == [v.TENSOR, v.ARRAY, v.TENSOR]
    assert "or None" in returned.value.items[2].traits


def test_what_is_none_takes_the_branch_of_none_only() -> None:
    value = value_of("y = None\nif y is None:\n    y = torch.ones(2)\nelse:\n    y = 'text'\n")

    assert value is not None
    assert value.kind == v.TENSOR
