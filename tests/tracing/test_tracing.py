"""`trace` records a block or the calls of a function, also inside another recording, and changes nothing of either."""

from __future__ import annotations

import functools
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tensorcopy as tc
from tensorcopy.errors import BadArgumentError
from tensorcopy.tracing.captures.capture import Capture, CopyLine, Finding, Spot
from tensorcopy.tracing.recording import since
from tests.tracing.programs import traced


def copied(capture: Capture) -> list[tuple[str, int, int]]:
    return [(c.operation, c.count, c.bytes) for c in capture.copies]


def test_each_call_of_a_decorated_function_is_a_recording_of_its_own() -> None:
    recorder = tc.trace()

    @recorder
    def copies_of(x: torch.Tensor, *, times: int) -> list[torch.Tensor]:
        """Its own words."""
        return [x.clone() for _ in range(times)]

    first, capture = copies_of(torch.ones(2), times=3), recorder.capture
    copies_of(torch.ones(4), times=1)

    assert (len(first), copied(capture), copied(recorder.capture)) == (3, [("clone", 3, 24)], [("clone", 1, 16)])
    assert (recorder.capture.command, copies_of.__doc__) == (("copies_of()",), "Its own words.")
    assert copies_of.trace is recorder  # type: ignore[attr-defined]


def test_a_method_can_be_decorated() -> None:
    class Net:
        size = 2

        @tc.trace()
        def forward(self) -> torch.Tensor:
            return torch.ones(self.size).clone()

    assert Net().forward().tolist() == [1.0, 1.0]
    assert copied(Net.forward.trace.capture) == [("clone", 1, 8)]  # type: ignore[attr-defined]


def test_anything_that_can_be_called_can_be_recorded() -> None:
    recorder = tc.trace()
    recorder(functools.partial(torch.clone, torch.ones(2)))()
    partial = recorder.capture
    recorder(torch.nn.Flatten(0))(torch.ones(2, 2).t())

    assert (partial.command, copied(partial)) == (("partial()",), [("clone", 1, 8)])
    assert (recorder.capture.command, copied(recorder.capture)) == (("Flatten()",), [("clone", 1, 16)])


def test_an_exception_passes_unchanged_and_the_capture_names_it() -> None:
    raised = KeyError("mine")
    recorder = tc.trace()

    @recorder
    def fails() -> None:
        torch.ones(2).clone()
        raise raised

    with pytest.raises(KeyError, match="mine") as caught:
        fails()
    with pytest.raises(KeyError, match="mine") as in_block, tc.trace() as block:
        raise raised

    assert caught.value is in_block.value is raised
    assert (recorder.capture.ended, copied(recorder.capture)) == ("with KeyError", [("clone", 1, 8)])
    assert block.capture.ended == "with KeyError"


async def coroutine() -> None: ...


async def asynchronous() -> AsyncIterator[int]:
    yield 1


def generator() -> Iterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (coroutine, "the calls of coroutine, which is a coroutine function"),
        (asynchronous, "the calls of asynchronous, which is an asynchronous generator function"),
        (generator, "the calls of generator, which is a generator function"),
        (torch.nn.Linear, "the calls of Linear, which is a class"),
        (3, "the calls of 3, which is an object that can't be called"),
    ],
)
def test_what_does_not_run_when_it_is_called_is_refused(function: Any, what: str) -> None:
    with pytest.raises(BadArgumentError, match=f"cannot trace {what} · calling it .* · trace the code that runs it"):
        tc.trace()(function)


def test_the_decorator_without_parentheses_is_refused() -> None:
    with pytest.raises(
        BadArgumentError, match=r"takes no function by position · .* · write @tensorcopy.trace\(\) with"
    ):

        @tc.trace  # type: ignore[arg-type, type-var]
        def function() -> None: ...


def test_a_block_inside_a_block_has_its_part_of_the_record() -> None:
    with tc.trace() as outer:
        x = torch.ones(4)
        for _ in range(2):
            y = x.clone()
        with tc.trace() as inner:
            y.double()
        x.clone()

    assert copied(inner.capture) == [("to_copy", 1, 32)]
    assert sorted(copied(outer.capture)) == [("clone", 1, 16), ("clone", 2, 32), ("to_copy", 1, 32)]
    assert [limit.partition(" (")[0] for limit in inner.capture.limits] == [
        "recorded by the recording around this block: what is judged at its end"
    ]
    assert outer.capture.limits == ()


def test_a_function_that_calls_itself_is_recorded_once() -> None:
    recorder = tc.trace()

    @recorder
    def nested(depth: int) -> None:
        torch.ones(2).clone()
        if depth:
            nested(depth - 1)

    nested(3)

    assert copied(recorder.capture) == [("clone", 4, 32)]


def test_a_block_in_another_thread_takes_its_part_too() -> None:
    parts = []

    def work() -> None:
        with tc.trace() as part:
            torch.ones(4).clone()
        parts.append(part.capture)

    with tc.trace() as outer:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    assert copied(outer.capture) == copied(parts[0]) == [("clone", 1, 16)]


def test_a_program_under_run_may_trace_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "import tensorcopy as tc\nx = torch.ones(2).clone()\nwith tc.trace() as t:\n    x.double()\n"
    capture = traced(code + "print([c.operation for c in t.capture.copies])\n", tmp_path)

    assert capsys.readouterr().out == "['to_copy']\n"
    assert {c.operation for c in capture.copies} == {"clone", "to_copy"}


def test_a_second_program_is_not_run_inside_a_recording(tmp_path: Path) -> None:
    with tc.trace(), pytest.raises(BadArgumentError, match=r"a second recording .* one of a traced block is under way"):
        traced("x = 1\n", tmp_path)


def test_a_recording_that_could_not_begin_leaves_none_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("tensorcopy.tracing.session.Session.start", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError, match="division"), tc.trace():
            pass
    with tc.trace() as after:
        torch.ones(2).clone()

    assert (copied(after.capture), after.capture.limits) == ([("clone", 1, 8)], ())


def test_one_object_records_one_block_after_the_other() -> None:
    recorder = tc.trace()
    with recorder:
        torch.ones(2).clone()
    with recorder:
        torch.ones(4).clone()

    assert copied(recorder.capture) == [("clone", 1, 16)]


def test_it_shows_itself_before_during_and_after() -> None:
    recorder = tc.trace()
    before = str(recorder)
    with recorder:
        torch.ones(2).clone()
        during = str(recorder)

    assert "Nothing has been recorded yet" in before
    assert "still running" in during
    assert "clone" in str(recorder)
    assert "clone" in recorder._repr_html_()


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.from_numpy(np.zeros(3)),
        lambda: torch.zeros(3).numpy(),
        lambda: torch.zeros(3, requires_grad=True).exp(),
        lambda: torch.ones(4).clone(),
    ],
)
def test_what_the_tracer_looks_with_takes_nobodys_ownership(make: Callable[[], Any]) -> None:
    with tc.trace() as recording:
        tc.testing.assert_owned(make(), search=True)

    assert recording.capture.limits == ()


PLACE, OTHER = Spot(file="a.py", line=1), Spot(file="a.py", line=2)


def copy(place: Spot, count: int) -> CopyLine:
    return CopyLine(operation="clone", phase="forward", place=place, count=count, bytes=8 * count, seconds=count / 4)


def found(place: Spot, count: int) -> Finding:
    return Finding(code="TCY601", name="changing-snapshot", level="error", message="m", place=place, count=count)


def test_a_part_has_what_came_since() -> None:
    before = Capture(command=("x",), steps=2, copies=(copy(PLACE, 2),), findings=(found(PLACE, 1),))
    after = Capture(
        command=("x",),
        steps=5,
        copies=(copy(PLACE, 2), copy(OTHER, 1)),
        findings=(found(PLACE, 3), found(OTHER, 1)),
    )

    assert since(before, after) == Capture(
        command=("x",), steps=3, copies=(copy(OTHER, 1),), findings=(found(PLACE, 2), found(OTHER, 1))
    )
    assert since(after, after) == Capture(command=("x",))


def test_what_is_joined_into_a_given_output_is_a_copy(tmp_path: Path) -> None:
    code = "out = torch.empty(3, 4)\ntorch.stack([torch.ones(4)] * 3, out=out)\n"
    code += "torch.cat([torch.ones(1, 4)] * 3, out=out)\n"
    copies = traced(code, tmp_path).copies

    assert [(c.place.line, c.kind, c.count, c.bytes) for c in copies] == [(2, "stack", 1, 48), (3, "cat", 1, 48)]
