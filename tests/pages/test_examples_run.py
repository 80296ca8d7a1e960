"""Every example runs in a process of its own, warnings being errors, and shows what its page says it shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tensorcopy
from tests.pages.reading import ROOT

SHOWN = {
    "which_way.py": (
        "✗ 16777217 becomes 16777216.0 at [0]",
        "x is read-only, and writes through the result change it all the same",
        "Recommendation: ",
        "because it owns its memory, cuts the graph, ",
    ),
    "first_steps.py": (
        "is now [0.0, 0.0, 0.0]",
        "station 16777217 has become 16777216",
        "LossyConversionError: ",
        "ReadOnlyMemoryError: ",
        "RaggedError: ",
        "gives [3, -9223372036854775808, 5]",
        "keeps 4,000,000 B alive",
        "keeps 12 B alive",
    ),
}


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_an_example_runs_and_shows_what_it_is_about(example: Path) -> None:
    for library in ("torch", "pandas", "PIL"):
        pytest.importorskip(library)
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [text for text in SHOWN[example.name] if text not in done.stdout] == []
