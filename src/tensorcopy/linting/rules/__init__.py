"""The rules of the linter: one module and one page each, found by folder.

A module ``tcyNNN_name.py`` defines `RULE` and handlers of events; the page ``tcyNNN_name.md`` beside it is the
documentation, the text of ``tensorcopy explain TCYNNN`` and a test.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType, ModuleType

from ..._discovery import modules_of
from ..model import Rule


@cache
def modules() -> tuple[ModuleType, ...]:
    """The modules of all rules, by code."""
    return tuple(m for m in modules_of(sys.modules[__name__]) if hasattr(m, "RULE"))


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule by its code. Read-only."""
    return MappingProxyType({m.RULE.code: m.RULE for m in modules()})


def page_of(code: str) -> str:
    """The page of a rule, as Markdown."""
    from importlib.resources import files

    name = next(m.__name__.rpartition(".")[2] for m in modules() if code == m.RULE.code)
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
