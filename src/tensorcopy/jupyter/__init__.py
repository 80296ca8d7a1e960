"""An extension for IPython and Jupyter: ``%load_ext tensorcopy`` brings ``%%copies`` and ``%copies``.

IPython calls these functions, and is loaded when they run, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Give *shell* the magics."""
    from .magics import CopyMagics

    shell.register_magics(CopyMagics)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take the magics of *shell* away."""
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("copies", None)
