"""Files are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensorcopy.errors import BadArgumentError
from tensorcopy.reporting.writing import write_atomically


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_atomically(tmp_path / "new", b"x")
    assert (tmp_path / "new").read_bytes() == b"x"
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_an_old_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("a long old text")
    path.chmod(0o640)
    write_atomically(str(path), b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"old")

    def refuse(old: str, new: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(
        BadArgumentError, match=r"cannot write .*old · No space left on device · name a file in a folder"
    ):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert (link.is_symlink(), real.read_bytes()) == (True, b"new")


def test_what_is_no_regular_file_is_written_to() -> None:
    write_atomically(os.devnull, b"x")
    assert not Path(os.devnull).is_file()


def test_a_missing_folder_is_an_error_in_three_parts(tmp_path: Path) -> None:
    with pytest.raises(BadArgumentError, match=r"cannot write .*none/x · No such file or directory · name a file in"):
        write_atomically(tmp_path / "none" / "x", b"")


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    with pytest.raises(BadArgumentError, match="cannot write"):
        write_atomically(tmp_path, b"x")
