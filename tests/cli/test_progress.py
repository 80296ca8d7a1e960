"""The line that shows how far a long piece of work is."""

from __future__ import annotations

import io
import os

import pytest

from tensorcopy.cli import progress
from tensorcopy.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2


def test_the_line_is_never_wider_than_the_terminal_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(os, "get_terminal_size", lambda stream: os.terminal_size((20, 5)))
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with Progress("checking") as shown:
        shown(1, 1000)
    assert terminal.getvalue() == f"\rchecking [.........\r{' ' * 19}\r"
