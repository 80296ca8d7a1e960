"""Run the code of a cell as the shell would, under the names by which the shell knows its lines."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from IPython.core.error import UsageError

from ..tracing.hooks.notebooks import cell_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Compiled statements, and the file that their lines belong to. *value*, if any, is what they amount to."""

    file: str
    statements: tuple[CodeType, ...]
    value: CodeType | None = None

    def run(self, shell: Any, scope: dict[str, Any] | None) -> Any:
        """Run them in the namespace of the user; gives the value of `value`."""
        __tracebackhide__ = True
        local = shell.user_ns if scope is None else scope
        for statement in self.statements:
            exec(statement, shell.user_global_ns, local)
        return None if self.value is None else eval(self.value, shell.user_global_ns, local)


def program_of_cell(shell: Any, line: str, cell: str) -> Program:
    """The lines below ``%%copies``, numbered as they are seen in the cell."""
    written = f"%%copies {line}".rstrip() + "\n" + cell
    file = shell.compile.cache(written, _running(shell)[1], raw_code=written)
    # The shell drops the empty lines before the first that is not; above them is that of the magic itself.
    above = 1 + cell[: len(cell) - len(cell.lstrip("\n \t"))].count("\n")
    statements = _parsed(shell, cell, file, above)
    shown = _shown(shell, cell, statements)
    compiled = tuple(_compiled(shell, s, file, "single" if n in shown else "exec") for n, s in enumerate(statements))
    return Program(file=file, statements=compiled)


def program_of_line(shell: Any, expression: str) -> Program:
    """What stands behind ``%copies``, on the line of the cell that it stands in."""
    line, number = _running(shell)
    written = shell.history_manager.input_hist_raw[-1]
    if line == 0 or "%copies" not in (written.splitlines()[line - 1 : line] or [""])[0]:
        written, line = f"%copies {expression}", 1
    file = shell.compile.cache(written, number, raw_code=written)
    statements = _parsed(shell, expression, file, line - 1)
    if len(statements) == 1 and isinstance(statements[0], ast.Expr):
        return Program(file=file, statements=(), value=_compiled(shell, statements[0].value, file, "eval"))
    return Program(file=file, statements=tuple(_compiled(shell, s, file, "exec") for s in statements))


def _parsed(shell: Any, code: str, file: str, above: int) -> list[ast.stmt]:
    tree = shell.compile.ast_parse("\n" * above + shell.transform_cell(code), filename=file)
    statements: list[ast.stmt] = shell.transform_ast(tree).body
    return statements


def _compiled(shell: Any, part: Any, file: str, mode: str) -> CodeType:
    tree: ast.mod = ast.Module([part], [])
    if mode != "exec":
        tree = ast.Expression(part) if mode == "eval" else ast.Interactive([part])
    try:
        code: CodeType = shell.compile(tree, file, mode)
    except SyntaxError as error:
        if "outside function" in str(error.msg) and "await" in str(error.msg):
            raise UsageError(
                "what is traced cannot await, since other tasks would run in between: trace the function that "
                "runs the coroutine to its end"
            ) from None
        raise
    return code


def _shown(shell: Any, cell: str, statements: list[ast.stmt]) -> set[int]:
    """The expressions whose values the shell is set to show: the last, unless a semicolon ends it."""
    expressions = {n for n, statement in enumerate(statements) if isinstance(statement, ast.Expr)}
    if cell.rstrip().endswith(";") or shell.ast_node_interactivity == "none":
        return set()
    return expressions if shell.ast_node_interactivity == "all" else expressions & {len(statements) - 1}


def _running(shell: Any) -> tuple[int, int]:
    """Line and number of the cell that is running; line 0, and the number that the shell counts, if none is."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        number = re.search(r"\d+", cell_name(frame.f_code.co_filename))
        if number is not None:
            return frame.f_lineno, int(number[0])
        frame = frame.f_back
    return 0, int(shell.execution_count)
