"""What ends the process, or reads memory that is not its own, does so; each program runs in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tensorcopy.catalogue.model import reached

from .measuring import ENTRIES, RELEASES

CRASHES = [c for op in ENTRIES for c in op.crashes if reached(c.since, RELEASES)]


@cache
def endings() -> dict[str, str]:
    """How each program ended, all of them run by one child."""
    programs = list(dict.fromkeys(c.code for c in CRASHES))
    runner = Path(__file__).with_name("crashing.py")
    done = subprocess.run(
        [sys.executable, str(runner)], input=json.dumps(programs), capture_output=True, text=True, check=True
    )
    return dict(zip(programs, json.loads(done.stdout), strict=True))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the signals are those of Linux")
@pytest.mark.parametrize("crash", CRASHES, ids=lambda c: c.code[:60])
def test_the_program_ends_as_stated(crash):
    assert endings()[crash.code] in crash.ends
