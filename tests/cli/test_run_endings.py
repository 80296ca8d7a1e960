"""However a program ends, it ends under ``tensorcopy run`` as it does alone, and what it did until then is recorded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tensorcopy
from tensorcopy.tracing.captures.capture import Capture, read

COPYING = "import os, sys, threading\nimport torch\ntorch.ones(5000).clone()\n"
ENDINGS = {
    "an error": ("os.chdir('/')\nprint(__file__)\nraise ValueError('[red]<b>&')", "with ValueError"),
    "an error inside torch": (
        "torch.nn.functional.linear(x := torch.ones(2, 3), x.T @ x @ x.T)\n",
        "with RuntimeError",
    ),
    "an error in backward": (
        "def refuse(gradient):\n    raise ValueError(gradient)\n"
        "x = torch.ones(2, requires_grad=True)\nx.register_hook(refuse)\ntorch.einsum('i,i', x, x).backward()",
        "with ValueError",
    ),
    "a hook that fails": ("sys.excepthook = lambda *_: 1 / 0\nraise KeyError(1)", "with KeyError"),
    "Ctrl-C": ("import signal\nos.kill(os.getpid(), signal.SIGINT)\nthreading.Event().wait(9)", "interrupted"),
    "os._exit": ("os._exit(5)", "normally"),
    "closed streams": ("sys.stdout.close()\nsys.stderr.close()", "normally"),
}
LATE = """
import threading, torch
from concurrent.futures import ThreadPoolExecutor
ThreadPoolExecutor(1).submit(int)
def late(main):
    main.join()
    torch.ones(5000).clone()
    print("late")
threading.Thread(target=late, args=(threading.main_thread(),)).start()
raise RuntimeError("first")
"""


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A Python, with Ctrl-C as it is at a terminal, whatever the process of the tests has made of it."""
    environment = {**os.environ, "PYTHONPATH": str(Path(tensorcopy.__path__[0]).parent)}
    code = "import os, signal as s, sys\ns.signal(s.SIGINT, s.default_int_handler)\nos.execv(sys.argv[1], sys.argv[1:])"
    starting = [sys.executable, "-c", code, sys.executable, *command]
    return subprocess.run(
        starting, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def alone_and_recorded(code: str, folder: Path, name: str = "program.py") -> tuple[Capture, str]:
    """The capture of a program, which does under a recording what it does without, and what was told at its end."""
    (folder / name).write_text(code)
    alone, recorded = run(folder, name), run(folder, "-m", "tensorcopy", "run", "-o", "kept.capture", name)

    assert (recorded.returncode, recorded.stdout) == (alone.returncode, alone.stdout)
    assert recorded.stderr.startswith(alone.stderr)
    return read(folder / "kept.capture"), recorded.stderr[len(alone.stderr) :]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends by Ctrl-C in another way")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_ends_as_it_does_alone(ending: str, tmp_path: Path) -> None:
    code, ended = ENDINGS[ending]
    capture, _ = alone_and_recorded(COPYING + code + "\n", tmp_path)

    assert (capture.ended, capture.limits) == (ended, ())
    assert [(f.name, f.place.file, f.place.line) for f in capture.findings] == [("avoidable-copy", "program.py", 3)]


def test_threads_that_outlast_the_main_one_are_recorded_to_their_end(tmp_path: Path) -> None:
    capture, told = alone_and_recorded(LATE, tmp_path)

    assert capture.ended == "with RuntimeError"
    assert [(f.name, f.place.line) for f in capture.findings] == [("avoidable-copy", 7)]
    assert told.startswith("program.py:7: TCY661 avoidable-copy: ")


def test_a_script_may_be_called_anything(tmp_path: Path) -> None:
    capture, told = alone_and_recorded(COPYING + "1 / 0\n", tmp_path, "<b>[red] it's.py")

    assert [(f.name, f.place.file) for f in capture.findings] == [("avoidable-copy", "<b>[red] it's.py")]
    assert "ZeroDivisionError" not in told


def test_a_link_to_a_script_finds_the_modules_beside_the_script(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "beside.py").write_text("import sys\nprint(sys.path[0])\n")
    (tmp_path / "real" / "program.py").write_text("import beside\nprint(__file__)\n")
    (tmp_path / "link.py").symlink_to(tmp_path / "real" / "program.py")
    alone, recorded = run(tmp_path, "link.py"), run(tmp_path, "-m", "tensorcopy", "run", "--quiet", "link.py")

    assert (recorded.returncode, recorded.stdout, recorded.stderr) == (alone.returncode, alone.stdout, alone.stderr)
    assert alone.stdout.startswith(str(tmp_path / "real"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no file here that is always full")
def test_where_the_disk_is_full_the_capture_is_kept_elsewhere_and_the_program_ends_as_it_does(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(COPYING + "sys.exit(3)\n")
    done = run(tmp_path, "-m", "tensorcopy", "run", "-o", "/dev/full", "program.py")
    *told, last = done.stderr.splitlines()
    kept = Path(last.partition("tensorcopy view ")[2].removesuffix(" shows more"))

    assert (done.returncode, told[0]) == (3, "error: cannot write /dev/full")
    assert [f.name for f in read(kept).findings] == ["avoidable-copy"]
    kept.unlink()


def test_a_capture_that_cannot_be_written_is_refused_before_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('never')\n")
    done = run(tmp_path, "-m", "tensorcopy", "run", "-o", "missing/kept.capture", "program.py")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[:2] == [
        f"error: cannot write {tmp_path / 'missing/kept.capture'}",
        "  why: No such file or directory",
    ]
