"""Files as text, as Python reads them, and back."""

from __future__ import annotations

import ast
import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorcopy.linting.reading import UnreadableError, as_text, decode, parse, worth_reading


@pytest.mark.parametrize(
    "data",
    [b"import torch", b"np = numpy", b"import pandas as pd", b"# noqa: TCY101", b"\xff\xfet\0", b"pyarrow", b"jax"],
)
def test_a_file_that_mentions_an_array_library_is_worth_reading(data: bytes) -> None:
    assert worth_reading(data)


def test_a_file_that_mentions_none_is_not() -> None:
    assert not worth_reading(b"import os\nx = os.environ.copy()\n")


@pytest.mark.parametrize(
    ("data", "text", "encoding", "mark"),
    [
        (b"x = 1\n", "x = 1\n", "utf-8", b""),
        ("\ufeffx = 'é'".encode(), "x = 'é'", "utf-8", b"\xef\xbb\xbf"),
        (b"# coding: latin-1\nx = '\xe9'\n", "# coding: latin-1\nx = 'é'\n", "iso-8859-1", b""),
        (
            "#!/bin/x\n# -*- coding: cp1252 -*-\n'€'".encode("cp1252"),
            "#!/bin/x\n# -*- coding: cp1252 -*-\n'€'",
            "cp1252",
            b"",
        ),
        (b"", "", "utf-8", b""),
    ],
)
def test_a_file_is_decoded_as_python_would(data: bytes, text: str, encoding: str, mark: bytes) -> None:
    found = decode(data)
    assert (found.text, found.encoding, found.mark) == (text, encoding, mark)


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        (b"x = 1\ny = '\xff'\n", "it is not utf-8: invalid start byte", 2),
        (b"x\n\ny\0z", "it contains null bytes", 3),
        (b"\xff\xfex\0", "it is in UTF-16, which Python does not read; save it as UTF-8", 1),
        (b"# coding: klingon\n", "its encoding cannot be told: unknown encoding: klingon", 1),
        (b"\xef\xbb\xbf# coding: latin-1\n", "its encoding cannot be told: encoding problem: utf-8", 1),
        (b"# coding: zlib\n", "it cannot be decoded: ", 1),
    ],
)
def test_what_python_cannot_decode_is_said_in_a_line(data: bytes, message: str, line: int) -> None:
    with pytest.raises(UnreadableError, match=f"^{re.escape(message)}") as caught:
        decode(data)
    assert (caught.value.line, caught.value.is_syntax) == (line, False)


@given(st.text(alphabet="ab é\n", max_size=30), st.lists(st.sampled_from(["\n", "\r\n", "\r"]), max_size=30))
def test_line_ends_come_back_as_they_were(text: str, ends: list[str]) -> None:
    parts = text.split("\n")
    ends = (ends + ["\n"] * len(parts))[: len(parts) - 1]
    written = "".join(part + end for part, end in zip(parts, [*ends, ""], strict=True))
    found = decode(written.encode())
    assert "\r" not in found.text
    assert found.encoded(found.text, found.ends) == written.encode()


def test_the_usual_end_is_that_of_most_lines() -> None:
    assert as_text("a\r\nb\r\nc\n").usual_end == "\r\n"
    assert as_text("a").usual_end == "\n"


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("x = (\n", "was never closed", 1),
        ("x = 1\nif:\n", "invalid syntax", 2),
        ("x = " + "(" * 1000 + ")" * 1000, "too many nested parentheses", 1),
        ("x = " + "-" * 100_000 + "1", "nested too deeply for Python to parse", 1),
        ("x = " + "+".join("1" * 100_000), "nested too deeply for Python to parse", 1),
        ("x = '\ud800'", "Python cannot parse it", 1),
    ],
)
def test_what_python_cannot_parse_is_said_in_a_line(text: str, message: str, line: int) -> None:
    with pytest.raises(UnreadableError, match=message) as caught:
        parse(text, "f.py")
    assert (caught.value.line, caught.value.is_syntax) == (line, True)


def test_the_warnings_of_the_parser_are_kept_from_the_reader() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = parse("x = '\\d'\nx is 1\n", "f.py")
    assert ast.unparse(tree) == "x = '\\\\d'\nx is 1"


def test_cells_may_await_at_the_top() -> None:
    assert parse("await x", "f", top_level_await=True).body
