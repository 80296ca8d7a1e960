"""Run a program as Python itself would, under a session."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ..errors import BadArgumentError
from ..reporting.writing import write_atomically
from .captures.capture import UNFINISHED, Capture, written
from .recording import begin, end
from .session import Session
from .sites import is_library


def run_script(path: str, arguments: Sequence[str], session: Session, output: Path) -> int:
    """Run a script as ``__main__``; give its exit status. The capture is in *output* however it ends."""
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    program = types.ModuleType("__main__")
    program.__file__ = path

    def run() -> None:
        sys.modules["__main__"] = program
        with open(path, "rb") as file:
            exec(compile(file.read(), path, "exec", dont_inherit=True), program.__dict__)

    return _run(run, session, output)


def run_module(name: str, arguments: Sequence[str], session: Session, output: Path) -> int:
    """Run a module as ``python -m`` does."""
    sys.argv = [name, *arguments]
    sys.path[0] = os.getcwd()
    return _run(lambda: runpy.run_module(name, run_name="__main__", alter_sys=True), session, output)


def _run(program: Callable[[], object], session: Session, output: Path) -> int:
    """Run under the session. The capture is written at the end, before a write that may end the process, and all along.

    So of a process that is killed, no more than the last seconds are lost.
    """
    process = os.getpid()

    def flush() -> None:
        if os.getpid() == process:  # and not a fork of it
            unfinished = replace(session.capture(), ended=UNFINISHED)
            with suppress(BadArgumentError):
                write_atomically(output, written(unfinished).encode(), durably=False)
            if session.progress is not None:
                session.progress(unfinished)

    session.flush = session.copies.recorder.due = flush
    capture = None
    try:
        capture = session.result = record(program, session)
    finally:
        if os.getpid() == process:
            write_atomically(output, written(session.capture() if capture is None else capture).encode())
    return session.status


def record(program: Callable[[], object], session: Session) -> Capture:
    """Run *program* under *session* to its end, whatever that is; errors are shown as Python would."""
    begin(session)
    failed: BaseException | None = None
    try:
        program()
    except SystemExit as leaving:
        session.status = _status(leaving.code)
    except KeyboardInterrupt:
        session.ended, session.status = "interrupted", 130
    except BaseException as error:
        session.ended, session.status = f"with {type(error).__name__}", 1
        failed = error
    finally:
        capture = end(session, failed)
    if failed is not None:
        _show(failed)
    return capture


def _status(code: object) -> int:
    """What Python makes of ``sys.exit(code)``."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    sys.stderr.write(f"{code}\n")
    return 1


def _show(error: BaseException) -> None:
    """Print the traceback as Python would, from the program's first line on."""
    trace = error.__traceback__
    while trace is not None and is_library(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace or error.__traceback__)
