"""A capture is written as text and read back as the same value; what is none is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorcopy.errors import BadArgumentError
from tensorcopy.tracing.capture import FORMAT, Capture, CopyLine, Finding, Spot, read, written

PLACE = Spot(file="train.py", line=3, function="step", code="x.add_(1)", message="<b>here</b>")
FINDING = Finding(code="TCY601", name="changing-snapshot", level="error", message="m", place=PLACE, related=(PLACE,))
COPY = CopyLine(operation="clone", phase="forward", place=PLACE, count=2, bytes=8, seconds=1e-6, avoidable="why")
CAPTURE = Capture(
    command=("train.py", "--lr", "1"),
    steps=3,
    ended="with ValueError",
    findings=(FINDING,),
    copies=(COPY,),
    limits=("something was not seen",),
    releases={"torch": "2.13.0"},
)


def test_a_capture_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "run.capture"
    path.write_text(written(CAPTURE), encoding="utf-8")

    assert read(path) == CAPTURE


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "Expecting property name"),
        ("[1, 2]", "it is not a capture"),
        ("{}", "it is not a capture"),
        ('{"tensorcopy": "capture", "format": 99}', "its format is 99"),
        (f'{{"tensorcopy": "capture", "format": {FORMAT}}}', "a part of it is missing"),
    ],
)
def test_what_is_no_capture_is_refused_with_the_reason(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(text)

    with pytest.raises(BadArgumentError, match=why):
        read(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadArgumentError, match="cannot read the capture"):
        read(tmp_path / "missing")
