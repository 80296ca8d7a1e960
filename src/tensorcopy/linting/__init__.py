"""Find mistakes in copying, sharing and converting tensors by reading programs. Never imports or runs what it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .outcome import Outcome

__all__ = ["check"]


def check(
    *paths: str, select: Sequence[str] | None = None, ignore: Sequence[str] = (), use_settings: bool = True
) -> Outcome:
    """The findings in files and folders, as a value that is printed as text and shows itself in notebooks.

    Loads no array library, writes nothing, and works in this process alone.

    select, ignore: rules by code, start of a code, name or ``ALL``; all but notes if nothing is selected.
    use_settings: whether the table ``[tool.tensorcopy]`` of the nearest ``pyproject.toml`` counts.

    Raises:
        BadArgumentError: there is nothing at the paths, or no such rule.
    """
    from dataclasses import replace

    from .analysis import shipped
    from .request import Request, Session
    from .settings import Settings, settings_for

    settings = settings_for(paths[0] if paths else ".") if use_settings else Settings()
    if select is not None:
        settings = replace(settings, select=tuple(select), extend_select=(), ignore=())
    settings = replace(settings, ignore=(*settings.ignore, *ignore))
    request = Request(paths=paths or (".",), settings=settings, jobs=1, use_cache=False)
    return Session(request, shipped()).outcome()
