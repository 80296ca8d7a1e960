"""Libraries are recognised without importing them, and never used half imported."""

from __future__ import annotations

import sys
from threading import Event, Thread
from typing import Any

import pytest

from tensorcopy.errors import MissingLibraryError
from tensorcopy.live.libraries import class_of, load, loaded

SLOW = """
import sys
started, go = sys._slow_library
started.set()
assert go.wait(30)
answer = 42
"""


@pytest.fixture
def slow_import(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The events that a library sets when its import begins, and waits for before it ends."""
    (tmp_path / "slow_library.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    events = Event(), Event()
    monkeypatch.setattr(sys, "_slow_library", events, raising=False)
    yield events
    sys.modules.pop("slow_library", None)


def test_a_library_that_another_thread_imports_is_waited_for(slow_import: Any) -> None:
    started, go = slow_import
    found: list[Any] = []
    importing = Thread(target=__import__, args=("slow_library",))
    importing.start()
    assert started.wait(30)
    assert loaded("slow_library") is None
    waiting = Thread(target=lambda: found.append(load("slow_library").answer))
    waiting.start()
    go.set()
    waiting.join()
    importing.join()
    assert found == [42]
    assert loaded("slow_library") is sys.modules["slow_library"]


def test_what_is_not_loaded_is_not_imported_by_asking() -> None:
    assert loaded("this_does_not_exist") is None
    assert class_of("this_does_not_exist", "Array") is None
    with pytest.raises(MissingLibraryError, match="cannot import this_does_not_exist"):
        load("this_does_not_exist")
