"""`trace`: record a part of a program."""

from __future__ import annotations

from types import TracebackType

from ..reporting.model import Report
from ..reporting.showing import Shown
from .capture import Capture
from .reporting import report_of


class trace(Shown):
    """Record copies, alias hazards and lost gradients of the block under ``with``, by line.

    Changes no result of the block. Followed in full are the first *steps* steps of an optimizer and at least five
    seconds of work; copies are counted to the end. Loads torch. `capture` holds what was recorded once the block has
    ended.

    Args:
        steps: Optimizer steps to follow in full.

    >>> import tensorcopy as tc, torch
    >>> with tc.trace() as t:
    ...     y = torch.ones(4).clone()
    >>> t.capture.findings
    ()
    """

    def __init__(self, *, steps: int = 3) -> None:
        from .session import Session

        self._session = Session(steps=steps, command=("a traced block",))
        self.capture = Capture(command=("a traced block",))

    def __enter__(self) -> trace:
        self._session.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None:
            self._session.ended = f"with {kind.__name__}"
        self.capture = self._session.stop()

    def report(self) -> Report:
        """What the block showed."""
        return report_of(self.capture)
