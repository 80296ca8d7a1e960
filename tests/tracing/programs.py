"""Trace a program in this process, and look at what was recorded."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import ModuleType

from tensorcopy.tracing.captures.capture import Capture
from tensorcopy.tracing.running import record
from tensorcopy.tracing.session import Session

IMPORTS = "import copy\nimport numpy as np\nimport torch\nfrom torch import nn\n"
_NUMBERS = itertools.count()


def traced(code: str, folder: Path, *, steps: int = 3, strict: bool = False) -> Capture:
    """The capture of a program; its first line is line 1 of *code*."""
    path = folder / f"program{next(_NUMBERS)}.py"
    path.write_text(code)
    module = ModuleType("__main__")
    module.__dict__.update(scope(), __file__=str(path))
    return record(lambda: exec(compile(code, str(path), "exec"), module.__dict__), Session(steps=steps, strict=strict))


def scope() -> dict[str, object]:
    names: dict[str, object] = {}
    exec(IMPORTS, names)
    return names


def found_in(code: str, folder: Path) -> list[tuple[str, int]]:
    """Name and line of the findings of a program, in order."""
    return [(f.name, f.place.line) for f in traced(code, folder).findings]
