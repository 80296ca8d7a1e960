"""Comments that silence findings, and those that silence nothing."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorcopy.linting.fixing import edited
from tensorcopy.linting.ignoring import ignores_in, silence
from tensorcopy.linting.model import Finding
from tensorcopy.linting.sources import Source
from tests.linting.fake import findings_in

LINE = "y = x.clone().detach()"


def silenced(text: str) -> tuple[list[tuple[str, int]], list[Finding]]:
    """Code and line of what stays, and the findings about comments."""
    findings = findings_in(Source(name="f.py", text=text, tree=ast.parse(text)))
    kept, unused = silence(findings, ignores_in(text), "f.py")
    return [(finding.code, finding.place.line) for finding in kept], unused


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA: TCY801",
        "# noqa:TCY801",
        "# noqa: E501, TCY801",
        "# noqa: E501 TCY801",
        "# noqa : tcy801",
        "# noqa: TCY8",
        "# type: ignore # noqa: TCY801",
        "# a remark  # noqa: TCY801",
        "# noqa: TCY801  for a reason",
        "# tensorcopy: ignore",
        "# tensorcopy:ignore[TCY801]",
        "# tensorcopy: ignore[clone-first]",
        "# tensorcopy: ignore[clone-first, hidden-data, TCY8]  because",
    ],
)
def test_a_comment_silences_the_findings_of_its_line(comment: str) -> None:
    kept, unused = silenced(f"{LINE}  {comment}\n{LINE}\n")
    assert kept == [("TCY801", 2)]
    assert {f.code for f in unused} <= {"TCY910"}


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: TCY802",
        "# noqable",
        "# tensorcopy: ignore[]",
        "# tensorcopy: ignored",
        "# tensorcopy: ignore[hidden-data]",
        "# nothing",
    ],
)
def test_another_comment_silences_nothing(comment: str) -> None:
    assert silenced(f"{LINE}  {comment}\n")[0] == [("TCY801", 1)]


def test_a_comment_in_a_text_is_none() -> None:
    assert silenced(f"{LINE}; s = '# noqa: TCY801'\n") == ([("TCY801", 1)], [])


@pytest.mark.parametrize("comment", ["# tensorcopy: ignore-file", "# tensorcopy: ignore-file[clone-first]"])
def test_a_file_may_be_silenced_as_a_whole(comment: str) -> None:
    assert silenced(f'"""Text."""\n{comment}\n\n{LINE}\n{LINE}\n') == ([], [])


@pytest.mark.parametrize(
    "text",
    [
        'f("""\n  text\n  """, x.clone().detach())  # noqa: TCY801',
        "y = x \\\n  .clone() \\\n  .detach()  # noqa: TCY801",
        "y = (\n    x  # noqa: TCY801\n    .clone()\n    .detach()\n)",
        "y = (\n    x\n    .clone()\n    .detach()  # noqa: TCY801\n)",
        's = f"""{x.clone().detach()}\n  text"""  # noqa: TCY801',
    ],
)
def test_a_comment_speaks_for_a_finding_and_a_text_over_several_lines(text: str) -> None:
    assert silenced(text) == ([], [])


@pytest.mark.parametrize(
    ("line", "message", "mended"),
    [
        ("x = 1  # noqa: TCY801\n", "TCY801 in this comment silences nothing", "x = 1\n"),
        ("x = 1  # noqa: E501, TCY801\n", "TCY801 in this comment silences nothing", "x = 1  # noqa: E501\n"),
        (f"{LINE}  # noqa: TCY801,TCY999\n", "TCY999 in this comment silences nothing", f"{LINE}  # noqa: TCY801\n"),
        ("x = 1  # noqa: TCY801, TCY802", "TCY801, TCY802 in this comment silence nothing", "x = 1"),
        ("x = 1  # tensorcopy: ignore  # keep\n", "this comment silences nothing", "x = 1    # keep\n"),
        ("x = 1  # tensorcopy: ignore[no-such]\n", "no-such in this comment silences nothing", "x = 1\n"),
        ("a\n  # tensorcopy: ignore-file\nb\n", "this comment silences nothing", "a\nb\n"),
    ],
)
def test_a_comment_that_silences_nothing_is_reported_and_mended(line: str, message: str, mended: str) -> None:
    _, unused = silenced(line)
    assert [(f.code, f.message, f.fix.safe) for f in unused] == [("TCY910", message, True)]
    assert edited("f.py", line.encode(), unused[0].fix.edits).decode() == mended


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: E501", "# noqa: E501, W291"])
def test_comments_for_other_tools_are_left_alone(comment: str) -> None:
    assert silenced(f"x = 1  {comment}\n") == ([], [])


@pytest.mark.parametrize("comment", ["# noqa: TCY801", "# noqa: e501, tcy801", "# tensorcopy: ignore"])
def test_of_a_text_with_nothing_to_silence_comments_that_name_us_are_read(comment: str) -> None:
    assert ignores_in(f"x = 1  {comment}\n", silent=True) == ignores_in(f"x = 1  {comment}\n") != ()


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: E501"])
def test_of_a_text_with_nothing_to_silence_other_comments_are_not_read(comment: str) -> None:
    assert ignores_in(f"x = 1  {comment}\n", silent=True) == ()


@given(st.text(alphabet="#: noqa\n\\'\"TCY80[]tensorcopy:ignore()", max_size=80))
def test_no_text_is_too_strange(text: str) -> None:
    for ignore in ignores_in(text):
        line = text.split("\n")[ignore.line - 1]
        assert line[ignore.column - 1 : ignore.end_column - 1] == ignore.text
