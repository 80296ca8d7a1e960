"""Run a program as Python itself would, under a session."""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import BadArgumentError
from ..reporting.writing import write_atomically
from .captures.capture import UNFINISHED, Capture, written
from .recording import begin, end
from .session import Session
from .sites import OWN_FOLDER, is_library


def run_script(path: str, arguments: Sequence[str], session: Session, output: Path) -> int:
    """Run a script as ``__main__``; give its exit status. The capture is in *output* however it ends."""
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    # As Python calls it, in `__file__` and in tracebacks.
    whole = os.path.join(os.getcwd(), path)
    session.script, session.whole_script = path, os.path.normpath(whole)
    program = types.ModuleType("__main__")
    program.__file__ = whole

    def run() -> None:
        sys.modules["__main__"] = program
        with open(whole, "rb") as file:
            exec(compile(file.read(), whole, "exec", dont_inherit=True), program.__dict__)

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

    def leaving_at_once(leave: Callable[[int], object]) -> Callable[[int], object]:
        def keep_and_leave(status: int) -> object:
            if os.getpid() == process:
                with suppress(Exception):
                    write_atomically(output, written(end(session)).encode(), durably=False)
            return leave(status)

        return keep_and_leave

    session.flush = session.copies.recorder.due = flush
    session.patches.wrap(os, "_exit", leaving_at_once)
    capture = None
    try:
        capture = session.result = record(program, session, afterwards=_wait_for_threads)
    finally:
        if os.getpid() == process:
            _keep(session.capture() if capture is None else capture, session, output)
    return session.status


def _keep(capture: Capture, session: Session, output: Path) -> None:
    """Write the capture to *output*; where the disk is full by now, to the folder for temporary files."""
    session.output, content = output, written(capture).encode()
    try:
        write_atomically(output, content)
    except BadArgumentError as error:
        session.unwritten = error
        session.output = Path(tempfile.gettempdir(), f"tensorcopy-{os.getpid()}.capture")
        try:
            write_atomically(session.output, content)
        except BadArgumentError:
            session.output = None


def record(program: Callable[[], object], session: Session, *, afterwards: Callable[[], object] = int) -> Capture:
    """Run *program* under *session* to its end, whatever that is; errors are shown as Python would.

    afterwards: what belongs to the program, too, and is done however it ends.
    """
    begin(session)
    failed: BaseException | None = None
    try:
        try:
            program()
        except SystemExit as leaving:
            session.status = _status(leaving.code)
        except BaseException as error:
            session.interrupted = isinstance(error, KeyboardInterrupt)
            session.ended = "interrupted" if session.interrupted else f"with {type(error).__name__}"
            session.status, failed = 1, error
            _show(error)
        afterwards()
    finally:
        capture = end(session, failed)
    return capture


def _wait_for_threads() -> None:
    """Do now what Python does before it exits: let the threads run to their end that are no daemons."""
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        shutdown: Any = getattr(threading, "_shutdown", int)
        with suppress(KeyboardInterrupt):
            shutdown()


def _status(code: object) -> int:
    """What Python makes of ``sys.exit(code)``."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    sys.stderr.write(f"{code}\n")
    return 1


def _show(error: BaseException) -> None:
    """Have the traceback printed as Python does, from the program's first line on."""
    try:
        sys.excepthook(type(error), error, _without_ours(error))
    except Exception as failure:
        failure.__context__ = None
        sys.stderr.write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(failure), failure, _without_ours(failure))
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(type(error), error, error.__traceback__)


def _without_ours(error: BaseException) -> TracebackType | None:
    """The traceback of *error* as it would be without a recording, which it has from now on."""
    links = list[TracebackType]()
    while (trace := error.__traceback__ if not links else links[-1].tb_next) is not None:
        links.append(trace)
    kept = list[TracebackType]()
    for link in links:
        file = link.tb_frame.f_code.co_filename
        if not kept and is_library(file):
            continue  # What starts the program.
        if not file.startswith(OWN_FOLDER):
            kept.append(link)
        elif kept and kept[-1].tb_frame.f_code.co_name == "handle_torch_function":
            # A function of torch written in Python hands itself to us, and we call it again.
            del kept[-2:]
    if kept:
        for link, following in zip(kept, [*kept[1:], None], strict=True):
            link.tb_next = following
        error.__traceback__ = kept[0]
    return error.__traceback__
