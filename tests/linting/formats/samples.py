"""Outcomes to show: an ordinary one, one with a text in it that must not act, one of a notebook, an empty one."""

from __future__ import annotations

from tensorcopy.linting.contents import Contents
from tensorcopy.linting.model import Edit, Finding, Fix, Place
from tensorcopy.linting.outcome import Outcome
from tests.linting.fake import ANALYSIS, CLONE, DATA, IMPORTED, ZEROS, found, page_of
from tests.linting.test_notebooks import notebook

FILES = {
    "a.py": b"import torch\n\n\ndef f(x):\n\ty = x.clone().detach()\n    return y\n",
    "b é.py": "模型 = g(模型); z = 模型.data  # ü\nw = (\n  1)".encode(),
    "n.ipynb": notebook("import torch", "a = 1\nb = x.data").encode(),
}
HOSTILE = "]]>\x1b[31m\u202e<b>&\"'%0A::error ::\r\n\x00\uffff,|`:"


def at(file: str, line: int, column: int, end_line: int, end_column: int, message: str = "", cell: int = 0) -> Place:
    return Place(
        file=file,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        message=message,
        cell=cell,
    )


def outcome(*findings: Finding, **more: object) -> Outcome:
    values = {"files": 3, "lines": 1234, "rules": ANALYSIS.rules, "page": page_of, "contents": Contents(FILES)}
    return Outcome(findings=findings, **{**values, **more})


CHANGE = Edit(line=5, column=6, end_line=5, end_column=24, text="x.detach().clone()")
FIRST = found(
    CLONE,
    at("a.py", 5, 6, 5, 24),
    "the copy is made on the graph",
    related=(at("a.py", 1, 1, 1, 13, "torch comes from here"), at("b é.py", 1, 1, 1, 3, "the same model")),
    fix=Fix(title="detach first", edits=(CHANGE,), safe=True),
)
UNSAFE = Fix(
    title="say detach",
    edits=(Edit(line=1, column=16, end_line=1, end_column=23, text="模型.detach()"),),
    safe=False,
)
SECOND = found(DATA, at("b é.py", 1, 16, 1, 23), "autograd does not see it", fix=UNSAFE)
THIRD = found(ZEROS, at("b é.py", 2, 5, 3, 5), "it is filled twice")
USUAL = outcome(FIRST, SECOND, THIRD, silenced=2, known=1)
CELLS = outcome(found(DATA, at("n.ipynb", 2, 5, 2, 11, cell=2), "autograd does not see it", fix=None))
STRANGE_FIX = Fix(title=HOSTILE, edits=(CHANGE,), safe=True)
STRANGE_PLACES = at(HOSTILE, 1, 1, 1, 2), at(HOSTILE, 2, 1, 2, 2, HOSTILE)
STRANGE = outcome(found(IMPORTED, STRANGE_PLACES[0], HOSTILE, related=STRANGE_PLACES[1:], fix=STRANGE_FIX))
GONE = found(DATA, at("gone.py", 1, 1, 1, 2), "gone")
BEYOND = outcome(found(DATA, at("a.py", 99, 1, 99, 2), "beyond the end"), GONE)
NOTHING = outcome()
SAMPLES = {"usual": USUAL, "cells": CELLS, "strange": STRANGE, "beyond": BEYOND, "nothing": NOTHING}
