"""An analysis that is easy to foretell, to try everything around the real one with.

``x.clone().detach()`` is an error with a safe fix; ``x.data`` a warning with an unsafe one; ``torch.zeros`` a note. A
call of an imported name that its module calls ``shared_…`` is an error that points there. ``boom()`` is a bug.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tensorcopy.linting import upkeep
from tensorcopy.linting.analysis import Analysis
from tensorcopy.linting.model import Edit, Finding, Fix, Level, Place, Rule
from tensorcopy.linting.sources import Source

CLONE = Rule(code="TCY801", name="clone-first", level=Level.ERROR, summary="copies the graph, then cuts it")
DATA = Rule(code="TCY802", name="hidden-data", level=Level.WARNING, summary="shares without a trace")
ZEROS = Rule(code="TCY851", name="late-zeros", level=Level.NOTE, summary="fills what is overwritten")
IMPORTED = Rule(code="TCY811", name="shared-import", level=Level.ERROR, summary="what is imported is shared")
RULES = {rule.code: rule for rule in (CLONE, DATA, ZEROS, IMPORTED)}


def place(source: Source, node: ast.AST, message: str = "") -> Place:
    lines = source.text.split("\n")

    def column(line: int, offset: int) -> int:
        return len(lines[line - 1].encode()[:offset].decode()) + 1

    return Place(
        file=source.name,
        line=node.lineno,
        column=column(node.lineno, node.col_offset),
        end_line=node.end_lineno,
        end_column=column(node.end_lineno, node.end_col_offset),
        message=message,
    )


def edit(span: Place, text: str) -> Edit:
    return Edit(line=span.line, column=span.column, end_line=span.end_line, end_column=span.end_column, text=text)


def found(rule: Rule, at: Place, message: str, **more: object) -> Finding:
    return Finding(code=rule.code, name=rule.name, level=rule.level, message=message, place=at, **more)


def findings_in(source: Source) -> list[Finding]:
    return [finding for node in ast.walk(source.tree) for finding in _of(node, source)]


def _of(node: ast.AST, source: Source) -> Iterator[Finding]:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Attribute(value=inner, attr="clone")), attr="detach")):
            span = place(source, node)
            text = ast.get_source_segment(source.text, inner)
            fix = Fix(title="detach first", edits=(edit(span, f"{text}.detach().clone()"),), safe=True)
            first = place(source, inner, "the graph that is copied too")
            yield found(CLONE, span, "the copy is made on the graph", related=(first,), fix=fix)
        case ast.Attribute(value=inner, attr="data"):
            span = place(source, node)
            fix = Fix(title="say detach", edits=(edit(span, f"{ast.unparse(inner)}.detach()"),), safe=False)
            yield found(DATA, span, "autograd does not see what is done to it", fix=fix)
        case ast.Attribute(attr="zeros"):
            yield found(ZEROS, place(source, node), "it is filled twice")
        case ast.Name(id="boom"):
            raise KeyError("boom")
        case ast.Name(id="deep"):
            raise RecursionError("deep")
        case ast.ImportFrom(module=module, names=names, level=level):
            yield from _imported(module or "", [alias.name for alias in names], level, node, source)


def _imported(module: str, names: list[str], level: int, node: ast.AST, source: Source) -> Iterator[Finding]:
    package = source.module.split(".")[: None if source.is_package else -1]
    full = ".".join([*package[: len(package) - level + 1], *filter(None, [module])]) if level else module
    other = source.imports(full) if source.imports else None
    for definition in other.tree.body if other else ():
        name = getattr(definition.targets[0], "id", "") if isinstance(definition, ast.Assign) else ""
        if name in names and name.startswith("shared_"):
            origin = place(other, definition, "it is made here")
            yield found(IMPORTED, place(source, node), "what is imported is shared", related=(origin,))


def page_of(code: str) -> str:
    return f"# {RULES[code].name}\n\nText.\n" if code in RULES else upkeep.page_of(code)


def start() -> object:
    return findings_in


def key() -> str:
    return "fake"


ANALYSIS = Analysis(start=start, rules={**RULES, **upkeep.RULES}, page=page_of, key=key)
