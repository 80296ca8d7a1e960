"""The cells of a notebook as parts of the program, under the names that the notebook shows.

IPython compiles a cell as a file of no folder. Loads nothing: where IPython is not loaded already, there are no cells.
"""

from __future__ import annotations

import linecache
import sys
from typing import Any

from ..captures.capture import Capture
from ..captures.renaming import renamed
from ..sites import take_for_program


def take_cells_for_program() -> None:
    """Count all cells that have run so far as the program."""
    if _shell() is not None:
        for file in [file for file in linecache.cache if cell_name(file)]:
            take_for_program(file)


def with_cell_names(capture: Capture) -> Capture:
    """*capture* with cells for the files that they were compiled as."""
    return capture if _shell() is None else renamed(capture, lambda file: cell_name(file) or file)


def cell_name(file: str) -> str:
    """``cell In[3]`` for the file that the shell compiled that cell as; empty for others."""
    shell = _shell()
    named = shell.compile.format_code_name(file) if shell is not None else None
    return f"cell {named[1]}" if named is not None else ""


def _shell() -> Any:
    """The shell of IPython that runs this process, if one does."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_ipython() if get_ipython is not None else None
