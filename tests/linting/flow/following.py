"""Follow a program text without any rule, and look at what the analysis knows at its end."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Any

from tensorcopy.linting.flow import followed, project_of
from tensorcopy.linting.flow.events import on
from tensorcopy.linting.flow.values import Value
from tensorcopy.linting.sources import Source

IMPORTS = "import copy\nimport numpy as np\nimport torch\nfrom torch import nn\n"


def value_of(code: str, name: str = "y") -> Value | None:
    """What the analysis knows of a variable after *code*."""
    unit = followed(_source(code), project_of(()))
    assert unit.frame is not None
    return unit.frame.lookup(name)


def events(code: str, *names: str) -> list[Any]:
    """The events of these types that *code* gives, in order."""
    heard: list[Any] = []
    listener = ModuleType("listener")
    for name in names:
        setattr(listener, name, on(name)(lambda event: heard.append(event)))
    followed(_source(code), project_of([listener]))
    return heard


def shares(code: str, name: str = "y", source: str = "x") -> bool:
    """Whether two variables may lie in the same memory after *code*."""
    unit = followed(_source(code), project_of(()))
    assert unit.frame is not None
    a, b = unit.frame.lookup(name), unit.frame.lookup(source)
    assert a is not None
    assert b is not None
    return bool(set(a.regions) & set(b.regions))


def _source(code: str) -> Source:
    text = IMPORTS + code
    return Source(name="program.py", text=text, tree=ast.parse(text))
