"""Sources out of files."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
import torch

from tensorcopy.benchmarking import reading
from tensorcopy.benchmarking.reading import read, readers
from tensorcopy.errors import BadArgumentError, MissingLibraryError
from tensorcopy.inspection.files import inspect_file


def write_npy(path):
    np.save(path, np.arange(6.0).reshape(2, 3))


def write_npz(path):
    np.savez(path, small=np.arange(2), large=np.arange(5.0))


def write_checkpoint(path):
    torch.save({"epoch": 3, "model": {"weight": torch.ones(2, 3), "bias": torch.ones(2)}}, path)


def write_safetensors(path):
    data = np.arange(3, dtype=np.float32).tobytes() + np.arange(2).tobytes()
    header = {
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]},
        "b": {"dtype": "I64", "shape": [2], "data_offsets": [12, 28]},
        "none": {"dtype": "F32", "shape": [0, 3], "data_offsets": [28, 28]},
    }
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_parquet(path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"id": [1, 2], "name": ["a", "b"], "gap": [1.5, None]}), path)


def write_arrow(path):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"id": [1, 2], "name": ["a", "b"]})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def write_png(path):
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (3, 2), (1, 2, 3)).save(path)


def write_csv(path):
    path.write_text("station,name,celsius\n16777217,a,20.5\n16777219,b,21\n")


def write_program(path):
    path.write_text("n = 3\ntorch.arange(n) + np.ones(1).sum().item()\n")


KINDS = {
    ".npy": (write_npy, "x.npy", np.ndarray, (2, 3)),
    ".npz": (write_npz, "large of x.npz", np.ndarray, (5,)),
    ".pt": (write_checkpoint, "model['weight'] of x.pt", torch.Tensor, (2, 3)),
    ".safetensors": (write_safetensors, "a of x.safetensors", torch.Tensor, (3,)),
    ".parquet": (write_parquet, "id of x.parquet", np.ndarray, (2,)),
    ".arrow": (write_arrow, "id of x.arrow", np.ndarray, (2,)),
    ".png": (write_png, "x.png", np.ndarray, (2, 3, 3)),
    ".csv": (write_csv, "x.csv", list, (2, 2)),
    ".py": (write_program, "x.py", torch.Tensor, (3,)),
}


@pytest.mark.parametrize("suffix", KINDS)
def test_a_file_gives_its_largest_part(suffix, tmp_path):
    write, label, kind, shape = KINDS[suffix]
    write(path := tmp_path / f"x{suffix}")
    found = read(str(path))
    assert (found.label, type(found.value), np.shape(found.value)) == (label, kind, shape)


def test_every_kind_of_file_has_a_module():
    assert set(KINDS) <= set(readers())


def test_numbers_of_a_table_of_text_are_python_numbers(tmp_path):
    write_csv(path := tmp_path / "x.csv")
    assert read(str(path)).value == [[16777217, 20.5], [16777219, 21]]
    assert read(str(path), "station").value == [16777217, 16777219]


def test_a_table_of_text_without_headings_is_read_too(tmp_path):
    (path := tmp_path / "x.csv").write_text("1,2\n3,4\n")
    assert read(str(path)).value == [[1, 2], [3, 4]]


def test_values_of_safetensors_are_those_of_the_file(tmp_path):
    write_safetensors(path := tmp_path / "x.safetensors")
    assert read(str(path), "b").value.tolist() == [0, 1]
    assert read(str(path), "none").value.shape == (0, 3)


def test_a_part_is_chosen_by_name(tmp_path):
    write_npz(path := tmp_path / "x.npz")
    found = read(str(path), "small")
    assert (found.value.tolist(), found.others) == ([0, 1], ("large",))


def test_an_unknown_part_is_refused_with_those_that_there_are(tmp_path):
    write_npz(path := tmp_path / "x.npz")
    with pytest.raises(BadArgumentError, match="has no part 'huge' · its parts are 'small', 'large'"):
        read(str(path), "huge")


def test_a_variable_x_is_the_source_where_the_last_line_has_no_value(tmp_path):
    (path := tmp_path / "x.py").write_text("x = [1, 2]\n")
    assert read(str(path)).value == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\nb = a / 0\n", "'x.py' failed in line 2: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", "'x.py' failed in line 2: SystemExit: 3"),
        ("a = 1\nawait a\n", "'x.py' failed in line 2: SyntaxError"),
        ("def f(:\n", "cannot read 'x.py' · SyntaxError"),
        ("pass\n", "'x.py' holds nothing to compare"),
    ],
)
def test_a_program_that_gives_nothing_is_refused(text, message, tmp_path):
    (path := tmp_path / "x.py").write_text(text)
    with pytest.raises(BadArgumentError, match=message):
        read(str(path))


@pytest.mark.parametrize("suffix", [suffix for suffix in KINDS if suffix not in (".py", ".csv")])
@pytest.mark.parametrize("content", [b"", b"\xff" * 40])
def test_a_broken_file_is_refused_with_the_reason(suffix, content, tmp_path):
    KINDS[suffix][0](tmp_path / f"whole{suffix}")
    (path := tmp_path / f"x{suffix}").write_bytes(content)
    with pytest.raises(BadArgumentError, match=f"cannot read 'x{suffix}'"):
        read(str(path))


def test_an_empty_table_of_text_is_refused(tmp_path):
    (path := tmp_path / "x.csv").write_text("")
    with pytest.raises(BadArgumentError, match=r"cannot read 'x\.csv' · ValueError: it has no rows"):
        read(str(path))


def test_a_table_without_numbers_is_refused(tmp_path):
    (path := tmp_path / "x.csv").write_text("name\nanna\n")
    with pytest.raises(BadArgumentError, match="holds nothing to compare"):
        read(str(path))


@pytest.mark.parametrize(
    "nest", [{"a": torch.ones(2), "b": {"c": [torch.ones(3)]}, 3: torch.ones(1)}, [torch.ones(2), {"a": torch.ones(1)}]]
)
def test_the_parts_of_a_checkpoint_have_the_names_that_inspect_shows(nest, tmp_path):
    torch.save(nest, tmp_path / "x.pt")
    names = [entry.name for entry in inspect_file(tmp_path / "x.pt").entries]
    found = read(str(tmp_path / "x.pt"), names[-1])
    assert sorted([names[-1], *found.others]) == sorted(names)


def test_a_whole_module_is_refused_for_what_it_is(tmp_path):
    torch.save(torch.nn.Linear(1, 1), tmp_path / "x.pt")
    with pytest.raises(
        BadArgumentError, match=r"holds other objects than tensors, such as a whole module · to load them"
    ):
        read(str(tmp_path / "x.pt"))


def test_objects_are_not_unpickled(tmp_path):
    np.save(path := tmp_path / "x.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(BadArgumentError, match="Object arrays cannot be loaded"):
        read(str(path))


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(BadArgumentError, match=r"cannot read 'no\.npy' · FileNotFoundError"):
        read(str(tmp_path / "no.npy"))
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(BadArgumentError, match=r"cannot read 'folder\.npy' · IsADirectoryError"):
        read(str(tmp_path / "folder.npy"))


def test_an_unknown_suffix_is_refused_with_those_that_are_known(tmp_path):
    with pytest.raises(BadArgumentError, match=r"'x\.xyz' is of no kind that can be read · the suffixes are \.pt"):
        read(str(tmp_path / "x.xyz"))


def test_a_file_beyond_the_memory_is_refused(tmp_path, monkeypatch):
    write_npy(path := tmp_path / "x.npy")
    monkeypatch.setattr(reading, "available_bytes", lambda: 100)
    with pytest.raises(BadArgumentError, match="is too large to compare here"):
        read(str(path))


@pytest.mark.parametrize(("suffix", "library"), [(".parquet", "pyarrow"), (".png", "PIL")])
def test_a_missing_library_is_named(suffix, library, tmp_path, monkeypatch):
    KINDS[suffix][0](path := tmp_path / f"x{suffix}")
    for name in [n for n in __import__("sys").modules if n.split(".")[0] == library]:
        monkeypatch.delitem(__import__("sys").modules, name)
    monkeypatch.setitem(__import__("sys").modules, library, None)
    with pytest.raises(MissingLibraryError, match=f"cannot import {library}"):
        read(str(path))
