"""``tensorcopy inspect`` and ``tensorcopy compact``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tensorcopy.cli.main import main
from tests.cli.commanding import run

torch = pytest.importorskip("torch")


@pytest.fixture
def row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint of one row of a large tensor and a tied pair, in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    tied = torch.ones(2)
    torch.save({"row": torch.zeros(1000, 4)[3], "tied": tied, "again": tied}, "row.pt")
    return tmp_path / "row.pt"


def test_a_checkpoint_is_described(row: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "row.pt"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("row.pt\n══════\n3 tensors on 2 storages of 16.0 kB; no tensor uses 16.0 kB of that.\n")
    for line in (
        "dragged along  ! 15,984 bytes",
        "┃ ✓ Recommendation: compact saves 16.0 kB",
        "┃     tensorcopy compact row.pt OUT",
        "storage 0 · 16,000 bytes",
        "outside of all spans: 15,984 bytes",
    ):
        assert f"\n{line}\n" in shown


def test_sixty_columns_are_enough(
    row: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["inspect", "row.pt"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60


def test_machines_get_every_tensor_and_storage(row: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "row.pt", "--output-format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["stored_bytes"], data["used_bytes"], data["saved_by_compact_bytes"]) == (16_008, 24, 15_984)
    assert [tensor["name"] for tensor in data["tensors"]] == ["row", "tied", "again"]
    assert data["tensors"][0] == {
        "name": "row", "dtype": "float32", "shape": [4], "strides_bytes": [4], "storage": "0", "offset_bytes": 48,
        "span_bytes": [48, 64], "bytes": 16, "device": "cpu", "requires_grad": False, "note": "",
    }  # fmt: skip
    assert [storage["tensors"] for storage in data["storages"]] == [["row"], ["tied", "again"]]


def test_long_lists_are_cut_unless_all_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save({f"tensor {k:03}": torch.ones(1) for k in range(100)}, tmp_path / "many.pt")
    assert main(["inspect", str(tmp_path / "many.pt")]) == 0
    shown = capsys.readouterr().out
    assert "tensor 039" in shown
    assert "tensor 040" not in shown
    assert "60 more; --all shows them" in shown
    assert main(["inspect", str(tmp_path / "many.pt"), "--all"]) == 0
    assert "tensor 099" in capsys.readouterr().out


def test_names_in_a_file_are_no_markup(tmp_path: Path) -> None:
    torch.save({"<script>alert(1)</script>\x1b[31m": torch.ones(9)[2:]}, tmp_path / "x.pt")
    assert main(["inspect", str(tmp_path / "x.pt"), "-o", str(tmp_path / "x.html")]) == 0
    page = (tmp_path / "x.html").read_text("utf-8")
    assert "<script>alert" not in page
    assert "\x1b" not in page


def test_what_cannot_be_read_is_told_in_three_parts(tmp_path: Path) -> None:
    done = run("inspect", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        f"error: cannot read {tmp_path}\n"
        "  why: it is a folder\n"
        "  fix: name one file; for several, call it once for each\n"
    )


def test_compact_writes_the_small_file_and_says_so(row: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compact", "row.pt", "small.pt"]) == 0
    assert "1 storage shrank; all 3 tensors were compared with the old file and are equal." in capsys.readouterr().out
    loaded = torch.load("small.pt", weights_only=True)
    assert loaded["row"].untyped_storage().nbytes() == 16
    assert loaded["tied"].data_ptr() == loaded["again"].data_ptr()


def test_compact_does_not_overwrite_without_force(row: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = row.read_bytes()
    assert main(["compact", "row.pt", "row.pt"]) == 2
    assert capsys.readouterr().err == (
        "error: will not overwrite row.pt\n  why: the file exists\n"
        "  fix: name another one, or say --force (overwrite=True)\n"
    )
    assert row.read_bytes() == before
    assert main(["compact", "row.pt", "row.pt", "--force"]) == 0
    assert row.stat().st_size < len(before)


def test_the_commands_load_no_array_library(row: Path) -> None:
    for arguments in (["inspect", "row.pt"], ["compact", "row.pt", "out.pt"]):
        code = f"import sys; from tensorcopy.cli.main import main; main({arguments}); print('torch' in sys.modules)"
        from subprocess import run as start
        from sys import executable

        from tests.cli.commanding import environment

        done = start([executable, "-c", code], env=environment(), capture_output=True, check=True)
        assert done.stdout.endswith(b"False\n")


@pytest.mark.parametrize("arguments", [("inspect", "row.pt"), ("compact", "row.pt", "new.pt")])
def test_a_report_is_not_written_over_the_files_that_it_is_about(
    row: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    before = row.read_bytes()
    assert main([*arguments, "--output", str(row.parent / "." / arguments[-1])]) == 2
    assert "error: will not write the report over" in capsys.readouterr().err
    assert (row.read_bytes(), (row.parent / "new.pt").exists()) == (before, False)
