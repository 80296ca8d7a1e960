"""What the marks of a test ask of it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ..errors import BadArgumentError
from . import MARKS
from .sizes import bytes_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a test is held to. `allowed` is what its mark says, as it was written."""

    max_copied: int | None = None
    allowed: str = ""
    no_aliasing: bool = False
    no_graph_cut: bool = False


def limits_of(item: pytest.Item) -> Limits:
    """What the marks of *item* ask for; of several sizes, the one nearest to the test counts.

    Raises:
        BadArgumentError: a mark was given something that it doesn't take.
    """
    size = item.get_closest_marker("max_copied")
    for name in MARKS.keys() - {"max_copied"}:
        _check_bare(item.get_closest_marker(name))
    return Limits(
        max_copied=None if size is None else _size_of(size),
        allowed="" if size is None else repr(size.args[0]),
        no_aliasing=item.get_closest_marker("no_aliasing") is not None,
        no_graph_cut=item.get_closest_marker("no_graph_cut") is not None,
    )


def _size_of(mark: pytest.Mark) -> int:
    if mark.kwargs or len(mark.args) != 1:
        raise BadArgumentError(
            f"the mark {_written(mark)} makes no sense",
            why="max_copied takes one size",
            fix='write @pytest.mark.max_copied("24 MB")',
        )
    try:
        return bytes_of(mark.args[0])
    except BadArgumentError as error:
        raise BadArgumentError(f"the mark {_written(mark)} makes no sense", why=error.why, fix=error.fix) from None


def _check_bare(mark: pytest.Mark | None) -> None:
    if mark is not None and (mark.args or mark.kwargs):
        raise BadArgumentError(
            f"the mark {_written(mark)} makes no sense",
            why=f"{mark.name} takes nothing",
            fix=f"write @pytest.mark.{mark.name}",
        )


def _written(mark: pytest.Mark) -> str:
    given = [*map(repr, mark.args), *(f"{name}={value!r}" for name, value in mark.kwargs.items())]
    return f"{mark.name}({', '.join(given)})"
