"""No file makes the reader run code, wait, fill memory or fail in any other way than with an error in three parts."""

from __future__ import annotations

import collections
import contextlib
import io
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tensorcopy.errors import BadArgumentError, BadFileError, TensorcopyError
from tensorcopy.inspection.files import compact_file, inspect_file

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")


def archive(folder: Path, pickled: bytes, **parts: bytes) -> Path:
    """A checkpoint with this pickle and these storages."""
    path = folder / "hostile.pt"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("archive/data.pkl", pickled)
        for name, data in parts.items():
            file.writestr(f"archive/data/{name.removeprefix('_')}", data)
    return path


class Call:
    """Pickles as a call of *function*."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.function, self.arguments = function, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self.function, self.arguments


def raw(*steps: bytes) -> bytes:
    return b"\x80\x02" + b"".join(steps) + b"."


COMMAND = b"X\x08\x00\x00\x00touch me"
MALICIOUS = {
    "os.system": pickle.dumps(Call(os.system, "touch me"), 2),
    "eval": pickle.dumps(Call(eval, "print(1)"), 2),
    "in a list": pickle.dumps([1, {"weight": Call(os.popen, "ls")}], 4),
    "INST": raw(b"(", COMMAND, b"ios\nsystem\n"),
    "OBJ": raw(b"(cos\nsystem\n", COMMAND, b"o"),
    "NEWOBJ": raw(b"cos\nsystem\n", COMMAND, b"\x85\x81"),
    "STACK_GLOBAL": b"\x80\x04" + b"\x8c\x02os\x8c\x06system\x93" + COMMAND + b"\x85R.",
    "getattr": raw(b"c__builtin__\ngetattr\n", b"cos\n\n", b"X\x06\x00\x00\x00system\x86R"),
    "nested loader": raw(b"c_pickle\nloads\n", COMMAND, b"\x85R"),
    "hidden in a tensor's type": raw(
        b"ctorch._tensor\n_rebuild_from_type_v2\n(cos\nsystem\nctorch\nTensor\n", COMMAND, b"\x85NtR"
    ),
    "submodule": raw(b"curllib.request\nurlopen\n", COMMAND, b"\x85R"),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in MALICIOUS if not name.startswith("hidden")])
def test_a_pickle_that_would_run_code_is_refused_and_not_run(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path, MALICIOUS[name])
    with pytest.raises(
        BadFileError, match=r"loading the file would call .* · no saved data needs that: .* · do not load"
    ):
        inspect_file(path)
    with pytest.raises(BadFileError, match="loading the file would call"):
        compact_file(path, tmp_path / "out.pt")
    assert [entry.name for entry in tmp_path.iterdir()] == ["hostile.pt"]


def test_a_function_hidden_in_the_type_of_a_tensor_is_not_called(tmp_path: Path) -> None:
    contents = inspect_file(archive(tmp_path, MALICIOUS["hidden in a tensor's type"]))
    assert contents.opaque == {"torch._tensor._rebuild_from_type_v2": 1}
    assert contents.entries == ()


DAMAGED = {
    "nothing on the stack": raw(b"R"),
    "append to a number": raw(b"K\x01K\x02a"),
    "no such memo": raw(b"h\x09"),
    "mark missing": raw(b"t"),
    "odd number of items": raw(b"(K\x01d"),
    "extension": raw(b"\x82\x01"),
    "no end": b"\x80\x02]",
    "unknown step": b"\x80\x02\xff.",
    "text that is no text": raw(b"X\x01\x00\x00\x00\xff"),
    "huge length": raw(b"\x8d\xff\xff\xff\xff\xff\xff\xff\x7f"),
    "a number of many digits": raw(b"I" + b"9" * 10_000 + b"\n"),
    "persistent id of something else": raw(b"K\x01Q"),
    "storage of no known type": raw(
        b"(X\x07\x00\x00\x00storagecos\nsystem\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x05tQ"
    ),
    "global from numbers": raw(b"K\x01K\x02\x93"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_pickle_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        BadFileError, match=r"(the pickle in the file cannot be followed|contradicts itself): .* · .* · "
    ):
        inspect_file(archive(tmp_path, DAMAGED[name]))


def tensor(offset: Any, size: Any, strides: Any, *, count: int = 10, key: str = "0") -> bytes:
    """A pickle of one float32 tensor over a storage of *count* elements."""

    class Pickler(pickle.Pickler):
        def persistent_id(self, obj: Any) -> Any:
            return obj.arguments if isinstance(obj, Call) and obj.function == "storage" else None

    stream = io.BytesIO()
    storage = Call("storage", "storage", torch.FloatStorage, key, "cpu", count)
    storage.arguments = ("storage", torch.FloatStorage, key, "cpu", count)
    made = Call(torch._utils._rebuild_tensor_v2, storage, offset, size, strides, False, collections.OrderedDict())
    Pickler(stream, 2).dump(made)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("pickled", "message"),
    [
        (tensor(0, (11,), (1,)), "a tensor reaches to byte 44 of storage '0' · the storage has 40 bytes"),
        (tensor(2**62, (1,), (1,)), "a tensor reaches to byte"),
        (tensor(0, (2**40, 2**40), (0, 1)), "a tensor reaches to byte"),
        (tensor(-1, (1,), (1,)), "these are no sizes"),
        (tensor(0, (1, 1), (1,)), "these are no sizes"),
        (tensor(0, ("x",), (1,)), "these are no sizes"),
        (tensor(0, (1,), (1,), count=-1), "that is no size"),
        (tensor(0, (1,), (1,), count=1000), "storage '0' has 40 bytes · the pickle says that it has 4,000"),
        (tensor(0, (1,), (1,), key="../../etc/passwd"), "the data of storage '../../etc/passwd' is missing"),
    ],
)
def test_tensors_that_do_not_fit_their_storage_are_refused(tmp_path: Path, pickled: bytes, message: str) -> None:
    path = archive(tmp_path, pickled, _0=bytes(40))
    with pytest.raises(BadFileError, match=message):
        inspect_file(path)


def test_an_expanded_tensor_of_absurd_size_is_described(tmp_path: Path) -> None:
    path = archive(tmp_path, tensor(3, (2**40, 2**20), (0, 0)), _0=bytes(40))
    compact_file(path, tmp_path / "out.pt")
    for file, stored in ((path, 40), (tmp_path / "out.pt", 4)):
        contents = inspect_file(file)
        assert (contents.stored_bytes, contents.used_bytes, len(contents.entries)) == (stored, 4, 1)
        assert contents.entries[0].region.shape == (2**40, 2**20)
        assert str(contents)


def test_a_list_that_contains_itself_is_met_once(tmp_path: Path) -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert inspect_file(archive(tmp_path, pickle.dumps(endless, 2))).entries == ()


def test_a_nest_with_more_paths_than_atoms_is_walked_once(tmp_path: Path) -> None:
    nest: Any = []
    for _ in range(400):
        nest = [nest, nest]
    assert inspect_file(archive(tmp_path, pickle.dumps(nest, 2))).entries == ()


def test_a_deep_nest_needs_no_deep_stack(tmp_path: Path) -> None:
    deep = raw(b"]" * 100_000, b"a" * 99_999)
    assert inspect_file(archive(tmp_path, deep)).entries == ()


def bomb(folder: Path) -> Path:
    path = folder / "bomb.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("archive/data.pkl", "w") as part:
        for _ in range(300):
            part.write(bytes(1 << 20))
    return path


def test_a_pickle_that_unpacks_to_more_than_any_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match=r"its pickle claims 314,572,800 bytes"):
        inspect_file(bomb(tmp_path))


def test_a_part_that_unpacks_to_more_than_it_says_is_refused(tmp_path: Path) -> None:
    data = bytearray(bomb(tmp_path).read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 1000)
    (tmp_path / "lies.pt").write_bytes(data)
    with pytest.raises(BadFileError, match="unpacks to"):
        inspect_file(tmp_path / "lies.pt")


def test_parts_that_lie_on_the_same_bytes_are_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, pickle.dumps(1, 2), _0=bytes(40))
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 42 : at + 46] = struct.pack("<I", 0)
    path.write_bytes(data)
    with pytest.raises(BadFileError, match="lie on the same bytes · that is how a zip bomb is made"):
        inspect_file(path)


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.pt"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a/data.pkl", pickle.dumps(1, 2))
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("a/data.pkl", pickle.dumps(2, 2))
    with pytest.raises(BadFileError, match=r"'a/data\.pkl' is in the archive twice"):
        inspect_file(path)


def test_a_directory_of_gigabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1, 1, 1 << 31, 100, 0)
    with open(tmp_path / "large.pt", "wb") as file:
        file.write(b"PK\x03\x04")
        file.truncate((1 << 31) + 100)
        file.seek((1 << 31) + 100)
        file.write(end)
    with pytest.raises(BadFileError, match="its directory claims 2,147,483,648 bytes"):
        inspect_file(tmp_path / "large.pt")


def test_a_zip_archive_of_other_things_is_no_checkpoint(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
        file.writestr("readme.txt", "hello")
    with pytest.raises(BadFileError, match=r"x.zip is a zip archive without tensors · it holds readme.txt"):
        inspect_file(tmp_path / "x.zip")


def test_a_plain_pickle_is_not_followed_further(tmp_path: Path) -> None:
    (tmp_path / "plain.bin").write_bytes(pickle.dumps({"a": [1, 2]}))
    with pytest.raises(BadFileError, match=r"plain.bin is a plain pickle · only unpickling it could tell"):
        inspect_file(tmp_path / "plain.bin")


def header(fields: Any, data: bytes = b"") -> bytes:
    text = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
    return struct.pack("<Q", len(text)) + text + data


def one(**fields: Any) -> dict[str, Any]:
    return {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **fields}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (struct.pack("<Q", 1 << 60) + b"{}", "the header claims 1,152,921,504,606,846,976 bytes"),
        (struct.pack("<Q", 1000) + b"{}", "the header needs bytes 8 to 1,008"),
        (header(b"{" * 100_000), "the header is no JSON"),
        (header(b"{" + b'"a":[' * 100_000), "the header is no JSON"),
        (header(b'{"a":' + b"9" * 5000 + b"}"), "the header is no JSON"),
        (header(b'{"a": 1, "a": 2}'), "a name is in the header twice"),
        (header({"a": [1]}), "tensor 'a' lies at None"),
        (header(one(data_offsets=[8, 0])), "it takes two offsets"),
        (header(one(data_offsets=[0, True]), bytes(8)), "it takes two offsets"),
        (header(one(data_offsets=[-8, 0])), "it takes two offsets"),
        (header(one(), bytes(7)), "the tensors end 8 bytes behind the header, 7 follow it"),
        (header(one(dtype="F99"), bytes(8)), "the format has no such dtype"),
        (header(one(dtype=["F32"]), bytes(8)), "the format has no such dtype"),
        (header(one(shape=[3]), bytes(8)), r"has 8 bytes · it would need 12"),
        (header(one(shape=[2**62, 2**62]), bytes(8)), "it would need"),
        (header(one(shape="2"), bytes(8)), "a shape is a list of sizes"),
        (header({**one(), "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}}, bytes(12)), "share bytes"),
    ],
)
def test_a_safetensors_file_that_lies_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.safetensors").write_bytes(content)
    with pytest.raises(BadFileError, match=message):
        inspect_file(tmp_path / "x.safetensors")


def test_bytes_of_no_tensor_are_told(tmp_path: Path) -> None:
    (tmp_path / "x.safetensors").write_bytes(header(one(), bytes(20)))
    assert "12 bytes belong to no tensor" in inspect_file(tmp_path / "x.safetensors").warnings[0]


def npy(text: str, data: bytes = b"", version: int = 1) -> bytes:
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H", len(text)) + text.encode() + data


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy("__import__('os').system('touch me')"), "its header is no Python dictionary"),
        (npy("{'descr': '<f4'}"), "other fields than descr"),
        (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", bytes(7)), "the array of 8 bytes begins at"),
        (npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}"), "a shape is a tuple of sizes"),
        (npy("{'descr': '<f4', 'fortran_order': False, 'shape': 2}"), "a shape is a tuple of sizes"),
        (npy("{'descr': 'zzz', 'fortran_order': False, 'shape': (2,)}"), "NumPy writes no such dtype"),
        (npy("{'descr': {}, 'fortran_order': False, 'shape': (2,)}"), "NumPy writes no such dtype"),
        (npy("(" * 5000), "its header is no Python dictionary"),
        (npy("{}", version=9), "the header is of no known version"),
        (b"\x93NUMPY\x01\x00\xff\xff{}", "the header claims 65,535 bytes"),
        (b"\x93NUMPY\x01", "the header is of no known version"),
    ],
)
def test_an_array_file_that_lies_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(BadFileError, match=message):
        inspect_file(tmp_path / "x.npy")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in the file system here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadArgumentError, match="it is a pipe, a socket or a device"):
        inspect_file(tmp_path / "pipe")


@pytest.mark.parametrize("path", ["", "a\0b", "x" * 5000])
def test_a_path_that_can_be_none_is_refused(path: str) -> None:
    with pytest.raises(BadArgumentError, match="cannot read"):
        inspect_file(path)


def checkpoint(**options: Any) -> bytes:
    stream = io.BytesIO()
    parent = torch.arange(100.0)
    torch.save({"a": parent[:3], "b": [parent[5:7], 1, "x"], "c": torch.nn.Parameter(torch.ones(2))}, stream, **options)
    return stream.getvalue()


def arrays(save: Callable[..., None]) -> bytes:
    stream = io.BytesIO()
    save(stream, a=np.zeros((2, 3)), b=np.ones(4, np.int8))
    return stream.getvalue()


VALID = {
    "zip": checkpoint(),
    "legacy": checkpoint(_use_new_zipfile_serialization=False),
    "safetensors": header(one(), bytes(8)),
    "npz": arrays(np.savez),
    "compressed npz": arrays(np.savez_compressed),
    "npy": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", bytes(8)),
}


@pytest.mark.parametrize("step", [b"\x8d", b"\x8e", b"\x96"])
def test_an_argument_that_claims_to_be_longer_than_the_file_is_damage(step: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    path.write_bytes(b"\x80\x05" + step + struct.pack("<Q", 1 << 60) + b"abc.")

    with pytest.raises(BadFileError, match="cannot be followed"):
        inspect_file(path)


def test_text_with_a_wrong_escape_gives_no_warning(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    path.write_bytes(b"\x80\x02S'\\q'\n.")

    with contextlib.suppress(TensorcopyError):
        inspect_file(path)


@pytest.mark.parametrize("name", VALID)
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_with_bytes_changed_or_cut_off_is_described_or_refused(tmp_path: Path, name: str, data: Any) -> None:
    content = bytearray(VALID[name])
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    path = tmp_path / "damaged"
    path.write_bytes(content[:cut] if data.draw(st.booleans()) else content)
    with contextlib.suppress(TensorcopyError):
        str(inspect_file(path))
        compact_file(path, tmp_path / "out", overwrite=True)
