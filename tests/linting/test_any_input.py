"""Files that are made to be hard: the check ends soon, in little memory, says what is wrong, and the rest goes on."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest

from tensorcopy.linting.analysis import shipped
from tensorcopy.linting.checking import Checked
from tensorcopy.linting.modules import Modules
from tensorcopy.linting.running import Plan, check_all
from tests.cli.commanding import environment
from tests.linting.flow.following import value_of
from tests.linting.programs import codes_in

LIBRARY = """
def given(x, mode):
    if mode == "copy":
        return x.clone()
    return x
"""
USER = """
import torch
from p.library import given

def f(n):
    mean = torch.zeros(2)
    history = []
    for i in range(n):
        mean += 1
        history.append(given(mean, "%s"))
    return history
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def checked(*files: str, jobs: int = 1) -> list[Checked]:
    return check_all(files, Plan(analysis=shipped(), modules=Modules(files), jobs=jobs))


def found(*files: str, jobs: int = 1) -> list[tuple[str, int, str]]:
    return [(f.place.file, f.place.line, f.code) for result in checked(*files, jobs=jobs) for f in result.findings]


def test_a_file_is_found_the_same_whatever_was_checked_before_it() -> None:
    Path("p").mkdir()
    files = [f"p/u{i}.py" for i in range(6)]
    for name, text in [("p/__init__.py", ""), ("p/library.py", LIBRARY), *((f, USER % f) for f in files)]:
        Path(name).write_text(text)
    expected = [(file, 10, "TCY101") for file in files]
    everything = ["p/__init__.py", "p/library.py", *files]
    assert found(*everything) == expected
    assert found(*everything, jobs=2) == expected
    assert sorted(found(*reversed(everything))) == expected
    assert all(sorted(found(*order, *everything[:2])) == expected for order in list(permutations(files))[::97])


@pytest.mark.parametrize("how", ["x = x + x", "x = [*x, *x]", "x += x", "x = x * 2", "x = [x, x]", "x = {**x, 1: x}"])
def test_a_container_that_is_doubled_again_and_again_stays_small(how: str) -> None:
    value = value_of("x = {}\n" * ("**" in how) + "x = [torch.zeros(1)]\n" * ("**" not in how) + f"{how}\n" * 60, "x")
    assert value is None or value.items is None or len(value.items) <= 1024


def test_classes_that_derive_from_two_each_are_looked_through_once() -> None:
    classes = [f"class A{i}(A{i - 1}, B{i - 1}): pass\nclass B{i}(B{i - 1}, A{i - 1}): pass\n" for i in range(1, 60)]
    program = f"import torch\nclass A0(torch.nn.Module): pass\nclass B0: pass\n{''.join(classes)}A59().missing.run()\n"
    assert codes_in(program) == []


def test_an_integer_that_python_refuses_to_write_out_is_no_bug() -> None:
    for call in ("torch.tensor(%s)", "torch.tensor([%s, 0.5])", "np.uint8(%s)", "np.array([%s]).astype('int8')"):
        assert codes_in(f"import numpy as np\nimport torch\nx = {call % ('0x' + 'f' * 5000)}\n") == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_that_nobody_writes_to_is_told_and_not_waited_for() -> None:
    os.mkfifo("pipe.py")
    Path("link.py").symlink_to("pipe.py")
    assert found("pipe.py", "link.py", os.devnull) == [(f, 1, "TCY900") for f in ("pipe.py", "link.py", os.devnull)]


WAITING = """
import os, signal
from dataclasses import replace
from tensorcopy.linting.modules import Modules
from tensorcopy.linting.running import Plan, check_all
from tests.linting.fake import ANALYSIS

def wait(source):
    os.write(os.open("alive", os.O_WRONLY), b"x")
    signal.pause()

files = ["a.py", "b.py"]
check_all(files, Plan(analysis=replace(ANALYSIS, start=lambda: wait), modules=Modules(files), jobs=2))
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
def test_processes_end_with_the_one_that_they_check_for(how: signal.Signals) -> None:
    os.mkfifo("alive")
    for name in ("a.py", "b.py"):
        Path(name).write_text("import torch\n")
    alive = os.open("alive", os.O_RDONLY | os.O_NONBLOCK)
    path = f"{environment()['PYTHONPATH']}:{Path(__file__).parents[2]}"
    with subprocess.Popen(
        [sys.executable, "-c", WAITING], env=environment(PYTHONPATH=path), stderr=subprocess.DEVNULL
    ) as checking:
        begun = b""
        while len(begun) < 2 and select.select([alive], [], [], 30)[0]:
            begun += _read(alive)
        checking.send_signal(how)
    os.set_blocking(alive, True)
    assert begun == b"xx"
    assert select.select([alive], [], [], 30)[0], "they wait for ever"
    assert os.read(alive, 1) == b""
    os.close(alive)


def _read(pipe: int) -> bytes:
    try:
        return os.read(pipe, 8)
    except BlockingIOError:
        return b""
