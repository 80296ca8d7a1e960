"""A Python file: the value of its last line, or its variable ``x``. Running it is what the user asked for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from ...errors import BadArgumentError
from ...live.libraries import load

SUFFIXES = (".py",)


def read(path: Path) -> Mapping[str, Any]:
    """Its source, with ``torch`` and ``np`` at hand. Loads both. What the program prints goes to standard error.

    Raises:
        BadArgumentError: the program raises, or gives nothing.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    names: dict[str, Any] = {
        "__name__": "__source__", "__file__": str(path), "torch": load("torch"), "np": load("numpy")
    }  # fmt: skip
    try:
        with redirect_stdout(sys.stderr):  # standard output is for the report, which may be read by a program
            exec(compile(tree, str(path), "exec"), names)
            if isinstance(last, ast.Expr):
                return {"": eval(compile(ast.Expression(last.value), str(path), "eval"), names)}
    except (Exception, SystemExit) as error:
        raise _failed(path, error) from error
    return {"": names["x"]} if "x" in names else {}


def _failed(path: Path, error: BaseException) -> BadArgumentError:
    step, line = error.__traceback__, (error.lineno or 0) if isinstance(error, SyntaxError) else 0
    while step is not None:
        line = step.tb_lineno if step.tb_frame.f_code.co_filename == str(path) else line
        step = step.tb_next
    return BadArgumentError(
        f"{path.name!r} failed in line {line}: {type(error).__name__}: {error}",
        why="the source is what the file gives when it is run",
        fix="mend that line; its last line, or its variable x, is taken as the source",
    )
