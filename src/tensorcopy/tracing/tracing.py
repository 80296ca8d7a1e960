"""`trace`: record a part of a program."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import BadArgumentError
from ..reporting.model import Paragraph, Report
from ..reporting.showing import Shown
from .captures.capture import Capture
from .needing import need_torch

if TYPE_CHECKING:
    from .recording import Recording

F = TypeVar("F", bound=Callable[..., Any])
_KINDS = (
    (inspect.iscoroutinefunction, "coroutine function", "only makes a coroutine, which runs later, between others"),
    (inspect.isasyncgenfunction, "asynchronous generator function", "only makes a generator, which runs later"),
    (inspect.isgeneratorfunction, "generator function", "only makes a generator, which runs later"),
    (inspect.isclass, "class", "makes an object, and its methods run later"),
    (lambda f: not callable(f), "object that can't be called", "is what a recording begins and ends with"),
)


class trace(Shown):
    """Record copies, alias hazards and lost gradients of the block under ``with``, or of a function's calls, by line.

    Changes no result of the block, and lets its exceptions pass as they are. Followed in full are the first *steps*
    steps of an optimizer and at least five seconds of work; copies are counted to the end. Loads torch. Once the block
    has ended, `capture` holds what was recorded, and `report` shows it, as the object itself does where it is printed
    or in a notebook.

    As a decorator it records each call for itself: `capture` is that of the last call that has ended. The decorated
    function has the object as its attribute ``trace``.

    A process has one recording at a time. A block inside another, inside a decorated function that calls itself, or
    inside ``tensorcopy run`` takes its part of the record around it, and its report says so.

    Args:
        steps: Optimizer steps to follow in full.
        strict: Make arrays read-only while a tensor shares their memory, so that NumPy's write raises where it is done.

    >>> import tensorcopy as tc, torch
    >>> with tc.trace() as t:
    ...     y = torch.ones(4).clone()
    >>> t.capture.copies[0].bytes
    16
    >>> @tc.trace()
    ... def doubled(x):
    ...     return x.double()
    >>> doubled(torch.ones(4)).dtype, doubled.trace.capture.copies[0].bytes
    (torch.float64, 32)
    """

    def __init__(self, function: None = None, /, *, steps: int = 3, strict: bool = False) -> None:
        if function is not None:
            raise BadArgumentError(
                f"trace() takes no {type(function).__name__} by position",
                why="it is called with its options alone, and what it gives is the decorator",
                fix="write @tensorcopy.trace() with parentheses, or with tensorcopy.trace() as t:",
            )
        self._steps, self._strict = steps, strict
        self._open = _Open()
        self._ended = False
        self.capture = Capture(command=("nothing yet",))

    def __enter__(self) -> trace:
        self._begin("a traced block")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        from .hooks.notebooks import with_cell_names

        ended = "normally" if kind is None else f"with {kind.__name__}"
        self.capture = with_cell_names(self._open.recordings.pop().stop(ended, error))
        self._ended = True

    def __call__(self, function: F) -> F:
        """*function*, each of whose calls is recorded.

        Raises:
            BadArgumentError: calling it doesn't run its body.
        """
        _check(function)
        name = getattr(function, "__name__", type(function).__name__)

        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            with ExitStack() as stack:
                self._begin(f"{name}()", function)
                stack.push(self.__exit__)
                return function(*args, **kwargs)

        recorded.trace = self  # type: ignore[attr-defined]
        return recorded  # type: ignore[return-value]

    def _begin(self, what: str, function: Callable[..., Any] | None = None) -> None:
        need_torch()
        from .hooks.notebooks import take_cells_for_program
        from .recording import Recording

        recording = Recording(steps=self._steps, command=(what,), strict=self._strict, function=function)
        take_cells_for_program()
        recording.start()
        self._open.recordings.append(recording)

    def report(self) -> Report:
        """What the block showed, or the last call; that it is not over yet where it runs."""
        from .viewing.reporting import report_of

        if self._open.recordings:
            return _saying("The code is still running: what it shows is known when it has ended.")
        if not self._ended:
            return _saying("Nothing has been recorded yet: the block was not entered, the function not called.")
        return report_of(self.capture)


class _Open(threading.local):
    """The recordings that a thread has begun and not ended."""

    def __init__(self) -> None:
        self.recordings: list[Recording] = []


def _check(function: Any) -> None:
    for is_one, kind, why in _KINDS:
        if is_one(function):
            name = getattr(function, "__qualname__", repr(function))
            raise BadArgumentError(
                f"cannot trace the calls of {name}, which is {'an' if kind[0] in 'ao' else 'a'} {kind}",
                why=f"calling it {why}",
                fix="trace the code that runs it to its end: with tensorcopy.trace() as t: ...",
            )


def _saying(text: str) -> Report:
    return Report(title="Traced run", blocks=(Paragraph(text=text),))
