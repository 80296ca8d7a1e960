"""Every error has three parts, is what `except` expects, and survives pickling."""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import pickle
from pathlib import Path

import pytest

from tensorcopy import errors

CLASSES = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_says_what_happened_why_and_what_to_do(kind: type[errors.TensorcopyError]) -> None:
    error = kind("cannot share a", why="it is read-only", fix="copy it")
    assert (error.what, error.why, error.fix) == ("cannot share a", "it is read-only", "copy it")
    assert str(error) == "cannot share a · it is read-only · copy it"


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize(
    "again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"]
)
def test_an_error_comes_back_from_another_process_as_it_was(kind: type[errors.TensorcopyError], again: object) -> None:
    error = kind("what", why="why", fix="fix")
    error.__notes__ = ["in field 'x'"]
    found = again(error)  # type: ignore[operator]
    assert (type(found), str(found), vars(found)) == (kind, str(error), vars(error))
    assert found.__notes__ is not error.__notes__


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if kind is not errors.TensorcopyError])
def test_an_error_is_also_the_builtin_that_existing_code_catches(kind: type[errors.TensorcopyError]) -> None:
    too_wide = {Exception, BaseException}
    assert {base for base in kind.__mro__ if base.__module__ == builtins.__name__} - {object} - too_wide
    assert issubclass(kind, errors.TensorcopyError)
    assert not issubclass(kind, AssertionError)


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_made_from_its_text_alone_has_that_text(kind: type[errors.TensorcopyError]) -> None:
    assert str(kind("Caught it in worker 0")) == "Caught it in worker 0"


SOURCE = Path(errors.__file__).parent


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_tensorcopy_raises_no_error_without_a_reason_and_a_way_out(path: Path) -> None:
    names = {kind.__name__ for kind in CLASSES}
    for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
        called = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        if called in names:
            assert {keyword.arg for keyword in call.keywords} >= {"why", "fix"}, f"line {call.lineno}"
