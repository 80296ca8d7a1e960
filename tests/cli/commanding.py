"""Run the command line, in this process or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tensorcopy

SOURCE = Path(tensorcopy.__path__[0]).parent


def environment(**changes: str) -> dict[str, str]:
    """That of this process, less what would change the output."""
    dropped = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING", "PYTHONUNBUFFERED", "PYTHONUTF8")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "PYTHONPATH": str(SOURCE), **changes}


def run(*arguments: str, **changes: str) -> subprocess.CompletedProcess[bytes]:
    """``python -m tensorcopy`` with these arguments, in an environment with these changes."""
    command = [sys.executable, "-W", "error", "-m", "tensorcopy", *arguments]
    return subprocess.run(command, env=environment(**changes), capture_output=True, check=False, timeout=60)
