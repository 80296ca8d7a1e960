"""The line that writes an array is found by following the program, where its text does not tell."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.tracing.programs import traced

HIDDEN = """
def write(how, array):
    how(array)
def double(array):
    getattr(array, "__imul__")(2)
def calm(array):
    return array.sum()
a, kept = np.ones(4, dtype=np.float32), []
for turn in range(6):
    write(calm, a)
    write(double, a)
    kept.append(torch.from_numpy(a))
torch.stack(kept).sum()
"""


@pytest.fixture(autouse=True)
def _nobody_follows() -> None:
    if sys.gettrace() is not None:
        pytest.skip("a debugger or a coverage tool follows the lines")


def test_a_write_that_the_text_does_not_show_is_caught_at_its_line(tmp_path: Path) -> None:
    findings = traced(HIDDEN, tmp_path).findings

    assert [(f.name, f.place.line) for f in findings] == [("shared-buffer-overwritten", 12)]
    assert (5, "NumPy writes the memory here") in [(s.line, s.message) for s in findings[0].related]


def test_nothing_follows_the_program_afterwards(tmp_path: Path) -> None:
    traced(HIDDEN.replace("range(6)", "range(2)"), tmp_path)

    assert sys.gettrace() is None
    assert sys._getframe().f_trace is None
