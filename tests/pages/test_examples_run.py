"""Every example runs in a process of its own, warnings being errors, and shows what its page says it shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tensorcopy
from tests.pages.reading import ROOT

EXAMPLES = sorted(ROOT.glob("examples/*.py"))


def output_of(example: Path) -> str:
    for library in ("torch", "pandas", "PIL"):
        pytest.importorskip(library)
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent)}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs_and_reports(example: Path) -> None:
    assert output_of(example).strip()


def test_the_first_steps_show_what_plain_pytorch_did_and_what_was_refused() -> None:
    report = output_of(ROOT / "examples/first_steps.py")
    for text in (
        "is now [0.0, 0.0, 0.0]",
        "station 16777217 has become 16777216",
        "LossyConversionError: ",
        "ReadOnlyMemoryError: ",
        "RaggedError: ",
        "gives [3, -9223372036854775808, 5]",
        "keeps 4,000,000 B alive",
        "keeps 12 B alive",
    ):
        assert text in report
