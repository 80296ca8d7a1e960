"""Which files are checked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensorcopy.linting.collecting import EXCLUDED, Collected, Exclusion, collect, shown


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with these files in it."""
    names = [
        "a.py", "b.txt", "n.ipynb", "w.pyw", "stub.pyi", "script", "pkg/__init__.py", "pkg/deep/x.py", "build/gen.py",
        ".venv/lib/y.py", "node_modules/z.py", "my_env/pyvenv.cfg", "my_env/q.py", "tests/data/t.py", "tests/t.py",
    ]  # fmt: skip
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(*paths: str, patterns: tuple[str, ...] = EXCLUDED, force: bool = False) -> list[str]:
    found = collect(paths, Exclusion(patterns), force_exclude=force)
    assert found.problems == ()
    return [name.replace(os.sep, "/") for name in found.files]


def test_a_folder_gives_its_python_files_and_notebooks_but_not_those_of_tools(tree: Path) -> None:
    expected = ["a.py", "n.ipynb", "w.pyw", "pkg/__init__.py", "pkg/deep/x.py", "tests/t.py", "tests/data/t.py"]
    assert files(".") == expected


def test_what_is_named_is_checked_whatever_it_is_called(tree: Path) -> None:
    assert files("script", "build", ".venv/lib/y.py") == ["script", "build/gen.py", ".venv/lib/y.py"]


def test_force_exclude_leaves_out_even_what_is_named(tree: Path) -> None:
    assert files("a.py", "build", ".venv/lib/y.py", force=True) == ["a.py"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("t.py", []),
        ("tests/data", ["tests/t.py"]),
        ("tests/data/", ["tests/t.py"]),
        ("*/t.py", []),
        ("dat?", ["tests/t.py"]),
        ("data/t.py", ["tests/t.py", "tests/data/t.py"]),
    ],
)
def test_a_pattern_is_about_names_or_with_a_slash_about_paths_from_the_root(
    tree: Path, pattern: str, left: list[str]
) -> None:
    assert files("tests", patterns=(pattern,)) == left


def test_files_are_named_from_the_working_folder_or_as_they_were_given(tree: Path) -> None:
    assert shown(str(tree / "a.py")) == "a.py"
    assert shown("./pkg//deep/../x.py") == os.path.join("pkg", "x.py")
    assert shown(str(tree)) == "."
    assert shown(str(tree.parent / "other.py")) == str(tree.parent / "other.py")


def test_each_file_is_checked_once(tree: Path) -> None:
    assert files("a.py", "a.py", str(tree / "a.py"), "pkg", "pkg/deep") == ["a.py", "pkg/__init__.py", "pkg/deep/x.py"]


def test_paths_that_do_not_exist_are_problems_and_the_rest_goes_on(tree: Path) -> None:
    expected = Collected(files=("a.py",), problems=(("gone.py", "there is no such file or folder"),))
    assert collect(["gone.py", "a.py"], Exclusion(())) == expected


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps links from most users")
def test_loops_of_links_end_and_links_to_checked_files_are_left_out(tree: Path) -> None:
    (tree / "tests/loop").symlink_to(tree / "tests")
    (tree / "tests/again.py").symlink_to(tree / "tests/t.py")
    (tree / "tests/self.py").symlink_to("self.py")
    (tree / "tests/outside.py").symlink_to(tree / "a.py")
    assert files("tests") == ["tests/outside.py", "tests/self.py", "tests/t.py", "tests/data/t.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_what_is_no_file_is_not_opened(tree: Path) -> None:
    os.mkfifo(tree / "tests/pipe.py")
    assert files("tests") == ["tests/t.py", "tests/data/t.py"]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_a_problem(tree: Path) -> None:
    (tree / "tests").chmod(0)
    try:
        assert collect(["tests"], Exclusion(())).problems == (("tests", "Permission denied"),)
    finally:
        (tree / "tests").chmod(0o755)


def test_a_very_deep_folder_is_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    deep = Path(*["d"] * 300)
    deep.mkdir(parents=True)
    (deep / "x.py").write_text("x")
    assert files(".") == [str(deep / "x.py").replace(os.sep, "/")]
