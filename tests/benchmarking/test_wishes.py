"""What can be wanted of a result."""

from __future__ import annotations

import pytest

from tensorcopy.benchmarking.wishes import Wishes, wishes_of
from tensorcopy.errors import BadArgumentError, UnsupportedDtypeError

from .made_up import refused, way


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], Wishes()),
        (["own"], Wishes(memory="copies")),
        (["share", "cut-graph"], Wishes(memory="shares", graph="cuts")),
        (["own,keep-graph,dtype=half"], Wishes(memory="copies", graph="keeps", dtype="float16")),
        (["own", "own"], Wishes(memory="copies")),
    ],
)
def test_words_become_wishes(words, expected):
    assert wishes_of(words) == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fast"], "nobody can want 'fast' of a result"),
        ([""], "nobody can want '' of a result"),
        (["own,share"], "'share' contradicts what was asked for before"),
        (["keep-graph", "cut-graph"], "'cut-graph' contradicts"),
        (["dtype=int8,dtype=int16"], "'dtype=int16' contradicts"),
    ],
)
def test_words_that_make_no_sense_are_refused(words, message):
    with pytest.raises(BadArgumentError, match=message):
        wishes_of(words)


def test_an_unknown_dtype_is_refused_by_name():
    with pytest.raises(UnsupportedDtypeError, match="unknown dtype 'float13'"):
        wishes_of(["dtype=float13"])


def test_what_a_measurement_does_not_grant_is_said_in_words():
    wishes = Wishes(memory="copies", graph="keeps", dtype="float64")
    assert wishes.missing(way("a", memory="shares", graph="cuts")) == (
        "shares memory",
        "cuts the graph",
        "gives float32",
    )
    assert wishes.missing(way("a", graph="keeps", dtype="float64")) == ()
    assert wishes.missing(refused("a")) == ("refused",)
