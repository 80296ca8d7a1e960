"""The stand-ins of ``unittest.mock``: they answer every question, so that any numbers read from one are made up."""

from __future__ import annotations

from typing import Any

from ...errors import UnsupportedSourceError
from ...live.libraries import is_mock
from ..plan import Exposure, Request

ORDER = 3


def recognises(cls: type) -> bool:
    """``Mock``, ``MagicMock`` and their relatives, whatever they are told to look like."""
    return is_mock(cls)


def expose(obj: Any, request: Request) -> Exposure:
    """Always raises."""
    raise UnsupportedSourceError(
        f"cannot convert {type(obj).__name__}",
        why="a mock answers whatever it is asked, and holds no numbers",
        fix="give the code under test a real array or tensor",
    )
