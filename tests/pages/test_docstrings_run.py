"""Every example in a docstring of the package is run and prints what the docstring says."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import tensorcopy
from tests.pages.reading import LENIENT

ROOT = Path(tensorcopy.__path__[0])
MODULES = [
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(ROOT.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_do_what_they_say(name: str) -> None:
    pytest.importorskip("torch")
    results = doctest.testmod(import_module(name), optionflags=LENIENT)
    assert (results.failed, results.attempted > 0) == (0, True)
