"""What ``.gitignore`` files leave out, held against git itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tensorcopy.linting.collecting import Exclusion, collect

FOLDERS = ("a", "a/b", "a/b/c", "b", "b/a", "c d")
NAMES = ("a.py", "b.py", "ab.py", "#.py", "!.py", "a]b.py", "-.py")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for folder in (".", *FOLDERS):
        (root / folder).mkdir(exist_ok=True)
        for name in NAMES:
            (root / folder / name).write_text("")
    if shutil.which("git") is not None:
        subprocess.run(["git", "init", "-q", str(root)], check=True, env=ENVIRONMENT)
    return root


ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
ODD = ["?", "[ab]", "[!a]", "[a-b]", "[]a]", r"\a", r"\#", r"\!", "!", "#", " ", r"\ ", "]", "[", "-", "**"]
PIECES = st.sampled_from(["a", "b", "c", "*", "/", ".py", "a.py", "b.py", "*.py"]) | st.sampled_from(ODD)
ODD_LINES = st.lists(PIECES, max_size=6).map("".join)
PARTS = st.lists(st.sampled_from(["a", "b", "c", "c d", "*", "**", "a.py", "?.py", "*b.py"]), min_size=1, max_size=4)
PLAIN_LINES = st.tuples(st.sampled_from(["", "", "!", "/"]), PARTS.map("/".join), st.sampled_from(["", "", "/"]))
LINES = st.lists(PLAIN_LINES.map("".join) | ODD_LINES, max_size=5)


def kept(root: Path) -> set[str]:
    found = collect([str(root)], Exclusion(()), respect_gitignore=True)
    return {os.path.relpath(file, root) for file in found.files}


def kept_by_git(root: Path) -> set[str]:
    command = ["git", "-C", str(root), "ls-files", "-z", "--others", "--exclude-standard"]
    found = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout
    return {name for name in found.split("\0") if name.endswith(".py")}


@needs_git
@settings(max_examples=60, deadline=None)
@given(LINES, LINES, LINES)
@example(["**/a.py", "a/**/b.py"], [], [])
@example(["*.py", "!b.py"], ["b.py", "!/a.py"], ["/b/**"])
@example(["a/", r"\#.py", r"[!ab].py", "c d/a*"], [], ["!a/"])
@example(["[b-[a]"], [], ["[a-[ab]"])
def test_git_leaves_out_the_same_files(tree: Path, top: list[str], nested: list[str], excluded: list[str]) -> None:
    (tree / ".gitignore").write_text("\n".join(top))
    (tree / "a" / ".gitignore").write_text("\n".join(nested))
    (tree / ".git" / "info" / "exclude").write_text("\n".join(excluded))
    assert kept(tree) == kept_by_git(tree)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.py", "made/b.py", "made/kept/c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("made\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(*paths: str, respect: bool = True) -> list[str]:
    return list(collect(paths, Exclusion(()), respect_gitignore=respect).files)


def test_what_is_named_is_checked_although_git_leaves_it_out(project: Path) -> None:
    assert files(".") == ["a.py"]
    assert files("made/b.py") == ["made/b.py"]
    assert files("made/kept") == ["made/kept/c.py"]


def test_git_can_be_left_out_of_it(project: Path) -> None:
    assert files(".", respect=False) == ["a.py", "made/b.py", "made/kept/c.py"]


def test_outside_of_a_work_tree_the_files_say_nothing(project: Path) -> None:
    (project / ".git").rmdir()
    assert files(".") == ["a.py", "made/b.py", "made/kept/c.py"]


def test_an_unreadable_file_says_nothing(project: Path) -> None:
    (project / ".gitignore").unlink()
    (project / ".gitignore").mkdir()
    assert files(".") == ["a.py", "made/b.py", "made/kept/c.py"]
