"""What is followed into other files of the project."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import ModuleType

from tensorcopy.linting.flow import findings_in, project_of
from tensorcopy.linting.flow.events import Write, on
from tensorcopy.linting.rules import modules
from tensorcopy.linting.sources import Source

LIBRARY = """
import torch as t
from torch import nn
from .more import doubled

def written(x):
    t.add(x, 1, out=x)

def attached():
    return nn.Linear(2, 2)(t.zeros(2))

def both(x):
    return doubled(x), t.zeros(3)
"""
MORE = "import torch\n\ndef doubled(x):\n    return torch.cat([x, x])\n"


TEXTS = {"p.library": LIBRARY, "p.more": MORE}


def imports(name: str) -> Source | None:
    """The files above."""
    text = TEXTS.get(name)
    return None if text is None else Source(name=name, text=text, tree=ast.parse(text), module=name, imports=imports)


def lines_in(program: str, rules: Iterable[ModuleType]) -> list[tuple[str, int]]:
    """Codes and lines found in a program beside the files above."""
    main = Source(name="p.main", text=program, tree=ast.parse(program), module="p.main", imports=imports)
    return [(f.code, f.place.line) for f in findings_in(main, project_of(rules))]


def test_an_imported_function_finds_what_its_own_file_imports() -> None:
    program = "import torch\nfrom p.library import attached\nprint(torch.tensor([attached(), attached()]))\n"
    assert lines_in(program, modules()) == [("TCY201", 3)]


def test_an_imported_function_writes_its_argument_through_a_library() -> None:
    program = "import torch\nfrom p.library import written\nx = torch.zeros(3)\nwritten(x)\n"
    heard: list[Write] = []
    listener = ModuleType("listener")
    listener.handler = on("Write")(lambda event: heard.append(event))  # type: ignore[attr-defined]
    assert lines_in(program, [listener]) == []
    assert [(write.how, write.node.lineno, write.inner.node.lineno) for write in heard] == [("call", 4, 7)]


def test_what_an_imported_function_imports_is_followed_as_well() -> None:
    program = "import torch\nfrom p.library import both\na, b = both(torch.zeros(2))\nprint(torch.tensor([a, b]))\n"
    assert lines_in(program, modules()) == [("TCY201", 4)]


def test_a_function_called_with_two_dtypes_gives_each_its_own() -> None:
    program = (
        "import torch\ndef made(x, dtype):\n    return torch.tensor(x, dtype=dtype)\n"
        "i = made([1], torch.long)\nf = made([1], torch.double)\nf.requires_grad_()\n"
    )
    assert lines_in(program, modules()) == []
