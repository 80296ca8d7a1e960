"""Notebooks as programs, and written back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorcopy.linting.notebooks import read_notebook, without_magics
from tensorcopy.linting.reading import UnreadableError


def notebook(*cells: object, **layout: object) -> str:
    """A notebook of code cells from their sources, and of whatever else."""
    made = [
        {"cell_type": "code", "metadata": {}, "source": cell, "outputs": [{"text": ["é", "\n"]}]}
        if isinstance(cell, str | list)
        else cell
        for cell in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, **layout)


TEXT = {"cell_type": "markdown", "source": ["# not python("], "metadata": {}}


def test_cells_are_joined_and_lines_are_found_again() -> None:
    book = read_notebook(notebook("a = 1\nb = 2", TEXT, ["c = 3\n", "d = 4\n"], "", "e = 5"))
    assert book.text == "a = 1\nb = 2\nc = 3\nd = 4\n\n\ne = 5"
    assert [book.locate(line) for line in range(1, 8)] == [(1, 1), (1, 2), (3, 1), (3, 2), (3, 3), (4, 1), (5, 1)]


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("%matplotlib inline\nx = 1", "\nx = 1"),
        ("!ls\n?x\nx?\nx.y??\nz", "\n\n\n\nz"),
        ("if x:\n    %time y\n    z", "if x:\n    pass\n    z"),
        ("files = !ls *.py", "files = _"),
        ("a, b = %magic x", "a, b = _"),
        ("%%bash\nls\nrm x", "\n\n"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%timeit -n 3\nx", "\n\nx"),
        ("x = a % b\ny = '%s' % b", "x = a % b\ny = '%s' % b"),
        ("x\r\ny", "x\ny"),
    ],
)
def test_what_is_not_python_is_blanked_line_by_line(source: str, python: str) -> None:
    assert without_magics(source) == python


def test_a_notebook_in_another_language_has_no_cells() -> None:
    raw = json.dumps(
        {"cells": [{"cell_type": "code", "source": "x <- 1"}], "metadata": {"kernelspec": {"language": "R"}}}
    )
    assert read_notebook(raw).cells == ()


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ("", "Expecting value: line 1 column 1"),
        ("{", "Expecting property name"),
        ("[]", "it has no list of cells"),
        ("{}", "it has no list of cells"),
        ('{"cells": 1}', "it has no list of cells"),
        ("null", "it has no list of cells"),
        ('{"cells": [1]}', "cell 1 has no cell_type"),
        ('{"cells": [{}]}', "cell 1 has no cell_type"),
        ('{"cells": [{"cell_type": "code", "source": 5}]}', "the source of cell 1 is neither a text nor a list"),
        ('{"cells": [{"cell_type": "code", "source": [5]}]}', "the source of cell 1 is neither a text nor a list"),
        ("[" * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_no_notebook_is_said(raw: str, why: str) -> None:
    with pytest.raises(UnreadableError, match=f"it is not a notebook: {why}"):
        read_notebook(raw)


@pytest.mark.parametrize("metadata", [None, 3, {"language_info": 3}, {"kernelspec": None}])
def test_a_notebook_with_odd_metadata_is_taken_for_python(metadata: object) -> None:
    raw = json.dumps({"cells": [{"cell_type": "code", "source": "x = 1"}], "metadata": metadata})
    assert [cell.source for cell in read_notebook(raw).cells] == ["x = 1"]


@pytest.mark.parametrize(
    "layout", [{}, {"indent": 1}, {"indent": 4}, {"separators": (",", ":")}, {"indent": 1, "ensure_ascii": False}]
)
@pytest.mark.parametrize("old", ["a = 'é'\nb = 2\n", ["a = 'é'\n", "b = 2\n"]])
def test_a_changed_cell_is_written_as_the_notebook_is(old: object, layout: dict[str, object]) -> None:
    changed = "a = 'é'\nb = 3\nc = 'ü'\n"
    listed = ["a = 'é'\n", "b = 3\n", "c = 'ü'\n"]
    raw, ending = notebook("x = 1", TEXT, old, "y", **layout), "\n"
    book = read_notebook(raw + ending)
    expected = notebook("x = 1", TEXT, listed if isinstance(old, list) else changed, "y", **layout)
    assert book.rewritten({3: changed}) == expected + ending


def test_a_notebook_without_changes_is_the_same_to_the_byte() -> None:
    raw = '\ufeff {"cells" : [ {"source":["a\\u00e9\\/" , "b"],"cell_type":"code"} ], "x": 1e3}\n\n'
    book = read_notebook(raw)
    assert book.rewritten({1: "aé/b"}) == raw


def test_an_emptied_cell_is_an_empty_list() -> None:
    assert json.loads(read_notebook(notebook(["a\n"], "b")).rewritten({1: ""}))["cells"][0]["source"] == []


@given(st.lists(st.lists(st.text(alphabet='ab"\\é\n 😀', max_size=8), max_size=4), max_size=4), st.text(max_size=20))
def test_only_the_changed_source_changes(cells: list[list[str]], new: str) -> None:
    raw = notebook(*cells, indent=1)
    written = json.loads(read_notebook(raw).rewritten({1: new}))
    expected = json.loads(raw)
    sources = ["".join(cell["source"]) for cell in written["cells"]]
    assert sources == [new, *("".join(cell["source"]) for cell in expected["cells"][1:])][: len(cells)]
    for cell in (*written["cells"], *expected["cells"]):
        del cell["source"]
    assert written == expected
