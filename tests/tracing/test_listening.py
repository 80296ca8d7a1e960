"""What functions return is heard, in C and in Python alike."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType

import pytest

from tensorcopy.tracing import listening

HEARD: list[tuple[str, object]] = []


def _heard(frame: FrameType, value: object) -> None:
    HEARD.append((frame.f_code.co_name, value))
    _gives(value)


def _gives(value: object) -> object:
    return value


@pytest.fixture(params=["C", "Python"])
def listen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    if request.param == "Python":
        monkeypatch.setitem(sys.modules, "tensorcopy.tracing._returns", None)
    else:
        pytest.importorskip("tensorcopy.tracing._returns", reason="built without a compiler")
    HEARD.clear()
    before = sys.getprofile()
    yield listening.listen
    sys.setprofile(before)


def test_returns_of_exactly_the_kinds_are_heard(listen) -> None:
    class Text(str):
        __slots__ = ()

    hook = listen((str, bytes), lambda file: False, _heard)
    assert sys.getprofile() is hook
    for value in ("a", b"b", 1, Text("c"), None):
        _gives(value)
    sys.setprofile(None)
    _gives("late")

    assert HEARD == [("_gives", "a"), ("_gives", b"b")]


def test_returns_of_library_code_are_not_heard(listen) -> None:
    listen((str,), lambda file: file == __file__, _heard)
    _gives("a")
    sys.setprofile(None)

    assert HEARD == []


def test_a_function_that_raises_returns_nothing(listen) -> None:
    def fails() -> str:
        raise ValueError("on purpose")

    listen((str, type(None)), lambda file: False, _heard)
    with pytest.raises(ValueError, match="on purpose"):
        fails()
    sys.setprofile(None)

    assert ("fails", None) not in HEARD
