"""Run one test under a recording, hold it to its marks, and keep what was seen."""

from __future__ import annotations

import inspect
from collections.abc import Generator
from dataclasses import asdict
from typing import Any

import pytest

from ..errors import BadArgumentError, TensorcopyError
from ..tracing.captures.capture import Capture
from ..tracing.needing import need_torch
from . import MARKS
from .judging import complaints
from .marks import Limits, limits_of

SEEN: pytest.StashKey[dict[str, Any]] = pytest.StashKey()
_STEPS, _MOST_KEPT = 3, 20


def watched(item: pytest.Item) -> Generator[None, object, object]:
    """Record the call of *item*. A failure of its own comes first; then what its marks forbid fails it."""
    __tracebackhide__ = True
    limits = _limits(item)
    if limits is None:
        return (yield)
    from ..tracing.recording import Recording

    recording = Recording(steps=_STEPS, command=(item.nodeid,), function=getattr(item, "function", None))
    recording.start()
    try:
        result = yield
    except BaseException as error:
        _keep(item, recording.stop(f"with {type(error).__name__}", error), limits)
        raise
    wrong = _keep(item, recording.stop("normally"), limits)
    if wrong:
        pytest.fail(wrong, pytrace=False)
    return result


def _limits(item: pytest.Item) -> Limits | None:
    """What the test is held to; None if it is left alone. Marks that can't be judged fail it."""
    __tracebackhide__ = True
    try:
        return _checked(item)
    except TensorcopyError as error:
        wrong = f"{error.what}\n  why: {error.why}\n  fix: {error.fix}"
    pytest.fail(wrong, pytrace=False)


def _checked(item: pytest.Item) -> Limits | None:
    limits = limits_of(item)
    if not _is_plain(item):
        _refuse_marks(item)
        return None
    need_torch()
    return limits


def _is_plain(item: pytest.Item) -> bool:
    """Whether it is a function that runs from its call to its return."""
    function = getattr(item, "function", None)
    return isinstance(item, pytest.Function) and not (
        inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    )


def _refuse_marks(item: pytest.Item) -> None:
    mark = next((mark.name for mark in item.iter_markers() if mark.name in MARKS), None)
    if mark is not None:
        raise BadArgumentError(
            f"cannot hold {item.name} to its mark {mark}",
            why="it is no plain function: what it does runs in turns with other code",
            fix="mark a plain test that runs the coroutine to its end",
        )


def _keep(item: pytest.Item, capture: Capture, limits: Limits) -> str:
    """Keep what was seen for the summary; give what the marks complain of, which a failed test shows beside its own."""
    item.stash[SEEN] = _plain(capture)
    wrong = "\n\n".join(complaints(capture, limits, item.config.rootpath))
    if wrong and capture.ended != "normally":
        item.add_report_section("call", "tensorcopy", wrong)
    return wrong


def _plain(capture: Capture) -> dict[str, Any]:
    """What the summary needs, as values that pass between processes."""
    lines = sorted(capture.copies, key=lambda line: -line.bytes)[:_MOST_KEPT]
    return {
        "copied": sum(line.bytes for line in capture.copies),
        "copies": sum(line.count for line in capture.copies),
        "top": asdict(lines[0].place) if lines else None,
        "findings": [asdict(finding) for finding in capture.findings[:_MOST_KEPT]],
    }
