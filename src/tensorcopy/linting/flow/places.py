"""Where a node stands, in lines and characters as editors count them, and edits of its text."""

from __future__ import annotations

import ast
from typing import Any

from ..model import Edit, Place


def place_of(file: str, node: Any, lines: list[str], message: str = "") -> Place:
    """The span of *node* in *file*. `ast` counts columns in bytes; places count characters from 1."""
    line, column, end_line, end_column = span(node, lines)
    return Place(file=file, line=line, column=column, end_line=end_line, end_column=end_column, message=message)


def span(node: Any, lines: list[str]) -> tuple[int, int, int, int]:
    """First line and column and the end of *node*, columns in characters from 1."""
    end_line = node.end_lineno or node.lineno
    return (
        node.lineno,
        _character(lines, node.lineno, node.col_offset),
        end_line,
        _character(lines, end_line, node.end_col_offset),
    )


def _character(lines: list[str], line: int, column: int) -> int:
    text = lines[line - 1] if line <= len(lines) else ""
    if text.isascii():
        return column + 1
    return len(text.encode()[:column].decode(errors="replace")) + 1


def replaced(node: ast.AST, text: str, lines: list[str]) -> Edit:
    """An edit that puts *text* in place of *node*."""
    line, column, end_line, end_column = span(node, lines)
    return Edit(line=line, column=column, end_line=end_line, end_column=end_column, text=text)


def inserted_after(node: ast.AST, text: str, lines: list[str]) -> Edit:
    """An edit that puts *text* right behind *node*."""
    _, _, line, column = span(node, lines)
    return Edit(line=line, column=column, end_line=line, end_column=column, text=text)


def inserted_before(node: ast.AST, text: str, lines: list[str]) -> Edit:
    """An edit that puts *text* right before *node*."""
    line, column, _, _ = span(node, lines)
    return Edit(line=line, column=column, end_line=line, end_column=column, text=text)


def method_dropped(node: ast.Call, lines: list[str]) -> Edit | None:
    """An edit that takes ``.name(...)`` off the end of a call; None if the dot stands on a line of its own."""
    assert isinstance(node.func, ast.Attribute)
    func: Any = node.func
    _, _, end_line, end_column = span(node, lines)
    column = _character(lines, func.end_lineno, func.end_col_offset) - len(func.attr) - 1
    if column < 1 or lines[func.end_lineno - 1][column - 1] != ".":
        return None
    return Edit(line=func.end_lineno, column=column, end_line=end_line, end_column=end_column, text="")
