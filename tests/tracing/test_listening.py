"""What functions return is heard, by whichever hook the interpreter offers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from tensorcopy.tracing.hooks import listening

HEARD: list[tuple[str, object]] = []


def _heard(frame: FrameType, value: object) -> None:
    HEARD.append((frame.f_code.co_name, value))
    _gives(value)


def _gives(value: object) -> object:
    return value


def _monitored(*arguments):
    if sys.version_info < (3, 12):
        pytest.skip("sys.monitoring is of Python 3.12")
    return listening.Monitored(*arguments)


@pytest.fixture(params=["C", "Python", "monitoring"])
def listener(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., object]]:
    if request.param == "C":
        pytest.importorskip("tensorcopy.tracing._frames", reason="built without a compiler")
    else:
        monkeypatch.setitem(sys.modules, "tensorcopy.tracing._frames", None)
    HEARD.clear()
    before, made = sys.getprofile(), []
    sys.setprofile(None)

    def make(kinds, is_library=lambda file: file != __file__, events=1000):
        made.append(
            (_monitored if request.param == "monitoring" else listening.Profiled)(kinds, is_library, _heard, events)
        )
        return made[-1]

    yield make
    for hearing in made:
        hearing.end()
    sys.setprofile(before)


def test_returns_of_exactly_the_kinds_are_heard(listener) -> None:
    class Text(str):
        __slots__ = ()

    hearing = listener((str, bytes))
    hearing.begin()
    for value in ("a", b"b", 1, Text("c"), None):
        _gives(value)
    hearing.end()
    _gives("late")

    assert HEARD[:2] == [("_gives", "a"), ("_gives", b"b")]
    assert "late" not in [value for _, value in HEARD]


def test_what_is_begun_again_hears_again(listener) -> None:
    hearing = listener((str,))
    for value in ("a", "b"):
        hearing.begin()
        _gives(value)
        hearing.end()

    assert {value for _, value in HEARD} == {"a", "b"}


def test_a_burst_is_over_after_its_events(listener) -> None:
    hearing = listener((int,), events=50)
    hearing.begin()
    for value in range(200):
        _gives(value)

    assert 0 < len(HEARD) <= 100
    assert 199 not in [value for _, value in HEARD]


def test_returns_of_library_code_are_not_heard(listener) -> None:
    hearing = listener((str,), is_library=lambda file: True)
    hearing.begin()
    _gives("a")
    hearing.end()

    assert HEARD == []


def test_a_program_that_profiles_itself_is_left_alone(listener) -> None:
    def own(frame: FrameType, event: str, value: object) -> None:
        pass

    hearing = listener((str,))
    sys.setprofile(own)
    hearing.begin()
    hearing.end()

    assert sys.getprofile() is own
    sys.setprofile(None)
