"""Where in the user's program something happens: the innermost frame that is not library code."""

from __future__ import annotations

import linecache
import sys
import sysconfig
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType


class Site:
    """A line of the program. Two events on one line have the same site."""

    __slots__ = ("code", "file", "line")

    def __init__(self, file: str, line: int, code: CodeType | None = None) -> None:
        self.file, self.line, self.code = file, line, code

    @property
    def text(self) -> str:
        """The line as it is written."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def function(self) -> str:
        """The function around it."""
        return self.code.co_name if self.code is not None else ""

    def __repr__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


NOWHERE = Site("", 0)
# Looking at a frame's line is slow in long functions, so it is done once for each place in the code.
_KNOWN: dict[int, dict[int, Site]] = {}
_LINES: dict[tuple[int, int], Site] = {}
LIBRARY: dict[str, bool] = {}
# Where the code of the tracer itself lies.
OWN_FOLDER = str(Path(__file__).parent)


@cache
def library_folders() -> tuple[str, ...]:
    """Folders whose code is nobody's program: the standard library, installed packages, tensorcopy itself."""
    import numpy
    import torch

    paths = sysconfig.get_paths()
    packages = [paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"]]
    modules = [str(Path(m.__file__).parent) for m in (numpy, torch) if m.__file__]
    return tuple({str(Path(p)) for p in (*packages, *modules, str(Path(__file__).parents[1]))})


def is_library(file: str) -> bool:
    """Whether a file is library code."""
    known = LIBRARY.get(file)
    if known is None:
        # Generated code may be called anything: without a file it belongs to the line that runs it.
        nameless = not file or file.startswith("<")
        known = LIBRARY[file] = nameless or file.startswith(library_folders()) or "site-packages" in file
    return known


def take_for_program(file: str) -> None:
    """Count *file* as the program's own, whatever it is called: the cells of a notebook are no files of a folder."""
    LIBRARY[file] = False


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame of the program itself."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        file = frame.f_code.co_filename
        # Looked up here first: this loop runs for every event.
        if not (LIBRARY[file] if file in LIBRARY else is_library(file)):
            return frame
        frame = frame.f_back
    return None


def site_of(frame: FrameType) -> Site:
    """The line that a frame is on."""
    code, at = frame.f_code, frame.f_lasti
    known = _KNOWN.setdefault(id(code), {})
    site = known.get(at)
    if site is None:
        # The site keeps the code, so that its identity is not given to another.
        site = known[at] = _LINES.setdefault((id(code), line := frame.f_lineno), Site(code.co_filename, line, code))
    return site


def _user_site() -> Site:
    frame = user_frame(2)
    return NOWHERE if frame is None else site_of(frame)


try:
    from . import _frames
except ImportError:  # built without a compiler
    user_site = _user_site
else:
    user_site = partial(_frames.user_site, LIBRARY, _KNOWN, is_library, site_of, NOWHERE)
"""Where the program is."""
