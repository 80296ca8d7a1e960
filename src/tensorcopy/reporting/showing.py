"""What makes a value show itself in notebooks and when printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import Report


class Shown:
    """Gives a class with a method `report` its appearance: HTML in notebooks, Markdown, or text where it is printed.

    The formats are loaded when they are first needed.
    """

    __slots__ = ()

    def report(self) -> Report:
        """What there is to show."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from .formats.html import fragment

        return fragment(self.report())

    def _repr_markdown_(self) -> str:
        from .formats import render

        return render(self.report(), "markdown")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("..." if cycle else str(self))

    def __str__(self) -> str:
        from .formats import render

        return render(self.report(), "text").rstrip("\n")
