"""The processes that a recorded program starts: each records itself, and hands its capture over in a file.

Nobody waits for a process that doesn't answer for longer than a moment, and none of them prints anything.
"""

from __future__ import annotations

import _thread
import errno
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from multiprocessing import util
from multiprocessing.process import BaseProcess, current_process
from pathlib import Path
from typing import Any

from ...errors import BadArgumentError
from ...reporting.writing import write_atomically
from ..captures.capture import UNFINISHED, Capture, read, written
from ..captures.merging import merged
from ..captures.renaming import as_called
from ..patches import Patches
from ..session import Session
from .commands import note_commands
from .joining import FAILED, Joining

# How long to wait in all for processes that are asked for what they have recorded.
_PATIENCE = 2.0
_PAUSE = 0.002
# A program may start and end its workers thousands of times: so many files are read together.
_MOST_FILES = 64
# After this, processes are shown as one.
_MOST_ROLES = 64
_OTHERS = "workers beyond these"
# Among the finalizers of a process: after those that send its results.
_LATE = -100


class Children:
    """The processes started while *session* records, those that they start included.

    folder: where their captures go if *session* belongs to such a process itself.
    """

    def __init__(self, session: Session, folder: str = "") -> None:
        self.session, self.folder, self.owns = session, folder, not folder
        self.patches = Patches()
        self.joining: Joining | None = None
        self.started = 0
        self.is_starting = False
        self.gathered: dict[str, Capture] = {}
        self.process = os.getpid()

    # --- in the process that starts them ------------------------------------------------------------------------------

    def follow(self) -> None:
        """Record what is started from now on."""
        util.register_after_fork(self, Children._forked)
        self.patches.wrap(BaseProcess, "start", self._starting)
        self.patches.wrap(BaseProcess, "terminate", self._ending)
        self.patches.wrap(BaseProcess, "kill", self._ending)
        if hasattr(os, "fork"):
            self.patches.wrap(os, "fork", self._forking)
        note_commands(self.patches, self.session.limits)

    def leave(self) -> None:
        """Follow no more processes."""
        self.patches.undo()
        self.joining = None

    def collect(self) -> list[Capture]:
        """What they have recorded, one capture for each name that they go by. Those that still run are asked for it."""
        if not (self.owns and self.folder and self.process == os.getpid()):
            return []
        silent = self._ask(Path(self.folder).glob("*.ask"))
        if silent:
            self.session.limits.append(
                f"{silent} process{'es' * (silent > 1)} that still ran did not answer in time: what happened there "
                "last is missing"
            )
        self._gather(Path(self.folder).glob("*.capture"))
        failures = {file.read_text()[:200] for file in Path(self.folder).glob(f"*{FAILED}")}
        self.session.limits += [f"a process could not be recorded: {failure}" for failure in sorted(failures)]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder = ""
        return list(self.gathered.values())

    def _starting(self, start: Callable[..., Any]) -> Callable[..., Any]:
        def begin(process: Any) -> Any:
            self._prepare()
            # Travels with the process object, however that is handed over.
            process._tensorcopy = self.joining
            self.is_starting = True
            try:
                return start(process)
            finally:
                self.is_starting = False

        return begin

    def _forking(self, fork: Callable[[], int]) -> Callable[[], int]:
        """A process that ``os.fork`` makes begins here; one of multiprocessing only when that has set it up."""

        def fork_and_follow() -> int:
            if self.is_starting or self.process != os.getpid():
                return fork()
            self._prepare()
            process = fork()
            if process == 0 and self.joining is not None:
                self.joining.join(forked=True)
            return process

        return fork_and_follow

    def _prepare(self) -> None:
        if not self.folder:
            self.folder = tempfile.mkdtemp(prefix="tensorcopy-")
        session = self.session
        self.joining = Joining(
            folder=self.folder,
            steps=session.full_steps,
            command=session.command,
            full=session.full,
            strict=session.strict,
        )
        self.started += 1
        if self.owns and self.started % _MOST_FILES == 0:
            self._gather(file for file in Path(self.folder).glob("*.capture") if not _is_alive(_process_of(file)))

    def _ending(self, end: Callable[..., Any]) -> Callable[..., Any]:
        def finish(process: Any) -> Any:
            if self.folder and process.pid is not None and process.exitcode is None:
                self._ask(Path(self.folder).glob(f"{process.pid}-*.ask"))
            return end(process)

        return finish

    def _ask(self, mailboxes: Iterable[Path]) -> int:
        """Have the processes write what they have recorded, and wait for it; how many did not answer."""
        before = {box: _written(box) for box in mailboxes}
        waiting = {box: state for box, state in before.items() if _rung(box)}
        until = time.monotonic() + _PATIENCE
        while waiting and time.monotonic() < until:
            waiting = {box: state for box, state in waiting.items() if _written(box) == state and box.exists()}
            time.sleep(_PAUSE if waiting else 0)
        return len(waiting)

    def _gather(self, files: Iterable[Path]) -> None:
        """Read captures that will not change any more, and forget their files."""
        for file in sorted(files):
            with suppress(BadArgumentError):
                self.add(read(file))
            file.unlink(missing_ok=True)

    def add(self, capture: Capture) -> None:
        """Keep the capture of a process, with those of the earlier ones that had its name."""
        capture = as_called(capture, self.session.script, self.session.whole_script)
        role = capture.role if capture.role in self.gathered or len(self.gathered) < _MOST_ROLES else _OTHERS
        known = self.gathered.get(role)
        self.gathered[role] = replace(capture, role=role) if known is None else _generations(known, capture)

    # --- in a process that was forked ---------------------------------------------------------------------------------

    def _forked(self) -> None:
        if self.joining is not None:
            self.joining.join()


def begin(joining: Joining, *, forked: bool) -> None:
    """Record this process, which was started by one that is recorded.

    forked: by ``os.fork`` itself, so that it may end by ``os._exit``, which runs nothing of what is to run at the end.
    """
    from .. import recording

    session = Session(steps=joining.steps, command=joining.command, strict=joining.strict, child=True)
    if not recording.take_over(session, joining.folder):
        return
    if not joining.full:
        session.lighten()
    _follow_batches(session)
    # The interpreter tells what a process failed with no longer when it runs what is to run at the end.
    session.patches.wrap(current_process(), "run", lambda run: _running(session, run))
    file = Path(joining.folder) / f"{os.getpid()}-{time.time_ns()}.capture"
    session.flush = session.copies.recorder.due = lambda: _write(session.capture(), file, UNFINISHED)
    finish = util.Finalize(session, _finish, args=(session, file), exitpriority=_LATE)
    if forked:
        session.patches.wrap(os, "_exit", lambda leave: lambda status: (finish(), leave(status)))
    if hasattr(os, "mkfifo"):
        os.mkfifo(file.with_suffix(".ask"))
        _thread.start_new_thread(_answer, (session, file))


def _running(session: Session, run: Callable[[], None]) -> Callable[[], None]:
    def run_and_note() -> None:
        try:
            run()
        except Exception as error:
            session.ended = f"with {type(error).__name__}"
            raise

    return run_and_note


def _follow_batches(session: Session) -> None:
    fetching: Any = sys.modules.get("torch.utils.data._utils.fetch")
    for name in ("_MapDatasetFetcher", "_IterableDatasetFetcher"):
        fetcher = getattr(fetching, name, None)
        if fetcher is not None:
            session.patches.wrap(fetcher, "fetch", lambda fetch: _fetching(session, fetch))


def _fetching(session: Session, fetch: Callable[..., Any]) -> Callable[..., Any]:
    def fetch_and_count(*args: Any) -> Any:
        session.copies.phase = "data"
        try:
            return fetch(*args)
        finally:
            session.batch_loaded()

    return fetch_and_count


def _answer(session: Session, file: Path) -> None:
    """Write what has been recorded whenever somebody asks; opening the mailbox blocks until somebody does."""
    box = file.with_suffix(".ask")
    with suppress(OSError):
        while session.flush is not None:
            with box.open("rb") as mailbox:
                mailbox.read()  # to its end: he who asked has hung up
                _write(session.capture(), file, "normally")


def _finish(session: Session, file: Path) -> None:
    from .. import recording

    session.flush = session.copies.recorder.due = None
    failed = sys.exc_info()[0]
    if failed is not None and issubclass(failed, Exception):
        session.ended = f"with {failed.__name__}"
    with suppress(Exception):
        _write(recording.end(session), file, session.ended)
    file.with_suffix(".ask").unlink(missing_ok=True)


def _write(capture: Capture, file: Path, ended: str) -> None:
    if file.parent.is_dir():  # and the recording that this belongs to is not over
        with suppress(BadArgumentError, RuntimeError):
            write_atomically(file, written(replace(capture, ended=ended)).encode(), durably=False)


def _rung(box: Path) -> bool:
    """Whether somebody listens at a mailbox, who now knows that he is asked."""
    try:
        os.close(os.open(box, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        if error.errno not in (errno.ENXIO, errno.ENOENT):
            raise
        return False
    return True


def _written(box: Path) -> tuple[int, int]:
    """What changes when the capture beside a mailbox is written anew."""
    try:
        found = box.with_suffix(".capture").stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns


def _process_of(file: Path) -> int:
    return int(file.name.partition("-")[0])


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


def _generations(one: Capture, other: Capture) -> Capture:
    """Processes of one name that followed each other, as if they were one; the times are those of the first."""
    both = merged([one, other])
    ended = one.ended if one.ended != "normally" else other.ended
    return replace(
        one,
        ended=ended,
        findings=tuple(replace(finding, only=()) for finding in both.findings),
        copies=both.copies,
        limits=both.limits,
        timeline=next(p.timeline for p in both.merged if p.pid == one.pid),
        sources=both.sources,
    )
