"""Say of the error that ended a program what it means, and which of the program's lines it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from ..catalogue.messages import recognised
from .hooks.strictness import Held, Strictness
from .session import Session
from .sites import NOWHERE, Site, is_library

_READ_ONLY = re.compile(r"read-?only|writ(?:e?)able")
# Frames that Cython adds to tracebacks, with the path in its author's tree.
_COMPILED = (".pyx", ".pxd", ".pxi")
_NAME = re.compile(r"[^\W\d]\w*")


def explain(session: Session, error: BaseException, strictness: Strictness | None) -> None:
    """Add a finding at the program's own line that *error* came from, if it is one that is known."""
    frame, site = _deepest(error.__traceback__)
    if frame is None or session.findings.at(site):
        return
    if strictness is not None and _READ_ONLY.search(str(error)):
        held = next(_locked(frame, site.text, strictness), None)
        if held is not None:
            _explain_lock(session, site, held)
            return
    _explain_known(session, error, site)


def _deepest(trace: TracebackType | None) -> tuple[FrameType | None, Site]:
    frame, site = None, NOWHERE
    while trace is not None:
        code = trace.tb_frame.f_code
        if not is_library(code.co_filename) and not code.co_filename.endswith(_COMPILED):
            frame, site = trace.tb_frame, Site(code.co_filename, trace.tb_lineno, code)
        trace = trace.tb_next
    return frame, site


def _explain_known(session: Session, error: BaseException, site: Site) -> None:
    """What torch or NumPy mean by it, if the catalogue knows."""
    known = recognised(f"{type(error).__name__}: {error}")
    if known:
        message = known[0]
        advice = "; ".join(line.partition("#")[0].strip() for line in message.write.splitlines() if line.strip())
        told = f"{type(error).__name__}: {str(error)[:200]}. {message.means} Write: {advice}"
        session.findings.add("failed", site, told)


# --- writes that a lock has stopped -----------------------------------------------------------------------------------


def _locked(frame: FrameType, text: str, strictness: Strictness) -> Iterator[Held]:
    """What is locked of the arrays that a line names."""
    names = set(_NAME.findall(text))
    for array in _arrays(frame, names):
        yield from strictness.over(array)


def _arrays(frame: FrameType, names: set[str]) -> Iterator[Any]:
    """The arrays that variables of these names hold, and attributes of these names of what variables hold."""
    for name in names:
        value = frame.f_locals.get(name, frame.f_globals.get(name))
        if isinstance(value, np.ndarray):
            yield value
        own = getattr(value, "__dict__", None)
        if type(own) is dict and not isinstance(value, type):
            yield from (own[n] for n in names & own.keys() if isinstance(own[n], np.ndarray))


def _explain_lock(session: Session, site: Site, held: Held) -> None:
    block = next((b for b in session.memory.blocks.values() if _is_over(b, held)), None)
    used = block.last if block is not None and block.last.line else NOWHERE
    is_new = (used.file, used.line) not in {(held.site.file, held.site.line), (site.file, site.line)}
    write = ".numpy().copy()" if held.given else "a copy of the array, or give torch one with torch.tensor(...)"
    session.findings.add(
        "shared-array-written",
        site,
        f"writes an array whose memory a tensor shares, by {held.how}(): the tensor would change with it; the array is "
        f"read-only while the tensor lives, and so the write raises here; write {write}",
        (
            (held.site, "the array and a tensor come to share their memory here"),
            (used if is_new else NOWHERE, "a tensor over that memory was last used here"),
        ),
        memory=((site, "writes the", held.array()), (held.site, "shares the", held.array())),
    )


def _is_over(block: Any, held: Held) -> bool:
    low, high = block.span()
    return bool(low < held.address + held.nbytes and held.address < high)
