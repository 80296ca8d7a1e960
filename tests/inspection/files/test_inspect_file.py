"""What a file holds is told from its headers, directory and pickle, exactly as the libraries would load it."""

from __future__ import annotations

import collections
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tensorcopy
from tensorcopy.errors import BadArgumentError, BadFileError
from tensorcopy.inspection.files import Contents, inspect_file
from tensorcopy.inspection.files.describing import contents_report

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
SOURCE = str(Path(tensorcopy.__path__[0]).parent)


def saved(folder: Path, obj: Any, **options: Any) -> Path:
    path = folder / "saved.pt"
    torch.save(obj, path, **options)
    return path


def tensors_in(contents: Contents) -> dict[str, tuple[str, tuple[int, ...], int]]:
    return {entry.name: (entry.dtype, entry.region.shape, entry.region.address) for entry in contents.entries}


PARENT = torch.arange(1000.0).view(100, 10)
BOTH_FORMATS = pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])


@BOTH_FORMATS
def test_views_of_one_storage_are_found_with_their_bytes(tmp_path: Path, zipped: bool) -> None:
    path = saved(tmp_path, {"a": PARENT[:3], "b": PARENT[5]}, _use_new_zipfile_serialization=zipped)
    contents = inspect_file(path)
    assert tensors_in(contents) == {"a": ("float32", (3, 10), 0), "b": ("float32", (10,), 200)}
    assert (contents.stored_bytes, contents.used_bytes) == (4000, 160)
    assert {entry.storage for entry in contents.entries} == set(contents.storages)
    assert contents.file_bytes == path.stat().st_size


@BOTH_FORMATS
def test_the_bytes_of_a_storage_are_where_the_contents_say(tmp_path: Path, zipped: bool) -> None:
    path = saved(tmp_path, [PARENT, torch.ones(3)], _use_new_zipfile_serialization=zipped)
    contents = inspect_file(path)
    for entry, tensor in zip(contents.entries, [PARENT, torch.ones(3)], strict=True):
        storage = contents.storages[entry.storage]
        assert storage.offset is not None
        assert path.read_bytes()[storage.offset : storage.offset + storage.nbytes] == tensor.numpy().tobytes()


@pytest.mark.parametrize(
    ("make", "dtype"),
    [(lambda d=d: torch.zeros(3, dtype=d), str(d).removeprefix("torch.")) for d in (
        torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
        torch.uint8, torch.bool, torch.complex64, torch.complex128,
    )] + [
        (lambda n=n: torch.zeros(3, dtype=getattr(torch, n)), n)
        for n in ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2") if hasattr(torch, n)
    ],
)  # fmt: skip
def test_every_dtype_is_named_and_measured(tmp_path: Path, make: Any, dtype: str) -> None:
    tensor = make()
    (entry,) = inspect_file(saved(tmp_path, tensor)).entries
    assert (entry.dtype, entry.region.nbytes) == (dtype, tensor.nbytes)


def test_strides_are_those_of_the_tensor(tmp_path: Path) -> None:
    tensor = torch.zeros(4, 6)[::2, 1:5].t()
    (entry,) = inspect_file(saved(tmp_path, tensor)).entries
    assert entry.region.shape == tuple(tensor.shape)
    assert entry.region.strides == tuple(4 * step for step in tensor.stride())
    assert entry.region.address == 4 * tensor.storage_offset()


class Config:
    """A class of the user's, which a file may name and nobody makes."""

    made = 0

    def __init__(self) -> None:
        self.weights = torch.ones(2)
        Config.made += 1


def test_names_lead_to_each_tensor_through_every_container(tmp_path: Path) -> None:
    tied = torch.ones(2)
    nest = {
        "model": collections.OrderedDict(weight=tied, tied=tied),
        "optimizer": {"state": {0: {"exp_avg": torch.ones(3)}}, "param_groups": [{"params": (torch.ones(1),)}]},
        "config": Config(),
        7: torch.nn.Parameter(torch.ones(4)),
        "more": collections.defaultdict(list, {"kept": [torch.ones(5)]}),
    }
    contents = inspect_file(saved(tmp_path, nest))
    assert [entry.name for entry in contents.entries] == [
        "model['weight']",
        "model['tied']",
        "optimizer['state'][0]['exp_avg']",
        "optimizer['param_groups'][0]['params'][0]",
        "config.weights",
        "[7]",
        "more['kept'][0]",
    ]
    assert contents.entries[0].storage == contents.entries[1].storage


def test_objects_of_other_classes_are_counted_and_not_made(tmp_path: Path) -> None:
    path = saved(tmp_path, {"a": Config(), "b": Config(), "when": __import__("datetime").date(2020, 1, 1)})
    made = Config.made
    contents = inspect_file(path)
    assert {name.rpartition(".")[2]: count for name, count in contents.opaque.items()} == {"Config": 2, "date": 1}
    assert Config.made == made


def test_a_parameter_says_so(tmp_path: Path) -> None:
    layer = torch.nn.Linear(2, 1)
    layer.weight.requires_grad_(False)
    first, second = inspect_file(saved(tmp_path, list(layer.parameters()))).entries
    assert (first.note, first.requires_grad) == ("Parameter", False)
    assert (second.note, second.requires_grad) == ("Parameter", True)


def test_conjugate_and_negative_bits_are_told(tmp_path: Path) -> None:
    found = inspect_file(saved(tmp_path, [torch.ones(2, dtype=torch.complex64).conj()])).entries
    assert [entry.note for entry in found] == ["conjugate"]


def test_parts_of_sparse_tensors_are_named(tmp_path: Path) -> None:
    contents = inspect_file(saved(tmp_path, {"coo": torch.eye(3).to_sparse()}))
    assert tensors_in(contents) == {"coo.indices": ("int64", (2, 3), 0), "coo.values": ("float32", (3,), 0)}
    assert contents.opaque == {}


def test_a_tensor_without_data_lies_on_no_storage(tmp_path: Path) -> None:
    (entry,) = inspect_file(saved(tmp_path, torch.ones(2, 3, device="meta"))).entries
    assert (entry.storage, entry.device, entry.region.shape) == ("", "meta", (2, 3))


def test_a_storage_that_is_saved_as_such_counts_as_used(tmp_path: Path) -> None:
    parent = torch.zeros(4000, dtype=torch.uint8)
    contents = inspect_file(saved(tmp_path, {"view": parent[:5], "all": parent.untyped_storage()}))
    assert (contents.stored_bytes, contents.used_bytes) == (4000, 4000)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_protocol_of_pickle_is_followed(tmp_path: Path, protocol: int) -> None:
    contents = inspect_file(saved(tmp_path, {"a": PARENT[:3]}, pickle_protocol=protocol))
    assert tensors_in(contents) == {"a": ("float32", (3, 10), 0)}


def test_torchscript_is_read_and_not_to_be_compacted(tmp_path: Path) -> None:
    path = tmp_path / "script.pt"
    with pytest.warns(DeprecationWarning, match="torch.jit"):
        torch.jit.script(torch.nn.Linear(2, 1)).save(str(path))
    contents = inspect_file(path)
    assert contents.format == "TorchScript archive"
    assert sorted(entry.region.shape for entry in contents.entries) == [(1,), (1, 2)]
    assert "TorchScript" in contents.cannot_compact


def test_safetensors_are_read_from_the_header(tmp_path: Path) -> None:
    numpy_of = pytest.importorskip("safetensors.numpy")
    arrays = {"a": np.zeros((2, 3), np.float32), "b": np.ones(5, np.int64)}
    numpy_of.save_file(arrays, tmp_path / "x.safetensors", metadata={"format": "np"})
    contents = inspect_file(tmp_path / "x.safetensors")
    assert {name: found[:2] for name, found in tensors_in(contents).items()} == {
        "a": ("float32", (2, 3)),
        "b": ("int64", (5,)),
    }
    assert (contents.stored_bytes, contents.warnings) == (64, ())


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives_of_arrays_are_read_from_their_headers(tmp_path: Path, save: Any) -> None:
    save(tmp_path / "x.npz", a=np.zeros((2, 3)), f=np.asfortranarray(np.zeros((2, 3), "i2")), s=np.float32(1))
    contents = inspect_file(tmp_path / "x.npz")
    assert tensors_in(contents) == {"a": ("float64", (2, 3), 0), "f": ("int16", (2, 3), 0), "s": ("float32", (), 0)}
    assert [entry.region.strides for entry in contents.entries] == [(24, 8), (2, 4), ()]
    assert contents.stored_bytes == 48 + 12 + 4


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.zeros(2, ">f8"), "float64, big-endian"),
        (np.zeros(2, bool), "bool"),
        (np.zeros(2, "u1"), "uint8"),
        (np.zeros(2, ">u4"), "uint32, big-endian"),
        (np.zeros(2, "c8"), "complex64"),
        (np.zeros(2, "c16"), "complex128"),
        (np.zeros(2, "U3"), "U3"),
        (np.zeros(2, "M8[ns]"), "M8[ns]"),
        (np.zeros(2, [("a", "f4"), ("b", "i8", (2, 2))]), "fields of float32, int64 (2, 2)"),
    ],
)
def test_dtypes_of_arrays_are_named_and_measured(tmp_path: Path, array: Any, dtype: str) -> None:
    np.save(tmp_path / "x.npy", array)
    (entry,) = inspect_file(tmp_path / "x.npy").entries
    assert (entry.dtype, entry.region.nbytes) == (dtype, array.nbytes)


def test_an_array_of_objects_is_not_looked_into(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([{}, []], dtype=object), allow_pickle=True)
    contents = inspect_file(tmp_path / "x.npy")
    assert contents.entries[0].note == "Python objects as a pickle"
    assert contents.stored_bytes == contents.used_bytes


@pytest.mark.parametrize(
    ("save", "refuses"),
    [
        (lambda path: np.save(path, np.array([{}], dtype=object)), "numpy.load refuses"),
        (lambda path: torch.save(torch.nn.Linear(1, 1), path), "torch.load(weights_only=True) refuses"),
    ],
)
def test_what_refuses_other_objects_is_the_library_of_the_file(tmp_path: Path, save: Any, refuses: str) -> None:
    save(tmp_path / "x.npy")
    told = str(contents_report(inspect_file(tmp_path / "x.npy")))
    assert f"a load calls these; {refuses}" in told


def test_bytes_behind_an_array_are_told(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(2))
    with open(tmp_path / "x.npy", "ab") as file:
        file.write(b"12345")
    assert inspect_file(tmp_path / "x.npy").warnings == ("5 bytes follow the array",)


def test_a_file_of_gigabytes_takes_little_memory(tmp_path: Path) -> None:
    """A checkpoint that says 8 GB and is sparse on disk, looked at in a process that may have 200 MB."""
    resource = pytest.importorskip("resource")
    backing = tmp_path / "backing"
    with open(backing, "wb") as file:
        file.truncate(1 << 20)
    tensor = torch.from_file(str(backing), shared=True, size=1 << 18)
    path = saved(tmp_path, {"a": tensor[:10], "b": torch.ones(3)})
    grown = grow(path, tensor.untyped_storage().nbytes(), 1 << 33)
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))\n"
        "from tensorcopy.inspection.files import inspect_file\n"
        f"print(inspect_file({str(grown)!r}).stored_bytes)"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout) == ("", f"{(1 << 33) + 12}\n")
    assert resource


def grow(path: Path, old: int, new: int) -> Path:
    """The checkpoint with its storage of *old* bytes made *new* bytes long by a hole in the file."""
    import zipfile

    grown = path.with_name("grown.pt")
    with zipfile.ZipFile(path) as source, open(grown, "wb") as out, zipfile.ZipFile(out, "w") as target:
        for info in source.infolist():
            data = source.read(info)
            if len(data) == old:
                holed(target, info.filename, new)
            elif info.filename.endswith("data.pkl"):
                target.writestr(info.filename, data.replace(number(old // 4), number(new // 4)))
            else:
                target.writestr(info.filename, data)
    return grown


def number(value: int) -> bytes:
    import pickle

    return pickle.dumps(value, protocol=2)[2:-1]


def holed(target: Any, name: str, size: int) -> None:
    import zipfile

    info = zipfile.ZipInfo(name)
    with target.open(info, "w", force_zip64=True):
        pass
    end = target.fp.tell() + size
    target.fp.seek(end)
    info.file_size = info.compress_size = size
    target.start_dir = end


def test_inspecting_loads_no_array_library(tmp_path: Path) -> None:
    path = saved(tmp_path, {"a": PARENT})
    code = (
        "import sys\nfrom tensorcopy.inspection.files import inspect_file\n"
        f"str(inspect_file({str(path)!r}))\n"
        "print(sorted({'torch', 'numpy', 'safetensors', 'pickle'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout) == ("", "['pickle']\n")


def test_what_is_no_file_of_tensors_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello, world")
    with pytest.raises(
        BadFileError, match=r"text is no file of tensors · its first bytes are b'hello, w' · the formats"
    ):
        inspect_file(tmp_path / "text")


def test_a_pointer_of_git_lfs_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(BadFileError, match=r"model.bin is a pointer of Git LFS · .* · git lfs pull"):
        inspect_file(tmp_path / "model.bin")


def test_what_is_no_file_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadArgumentError, match=r"cannot read .*none · No such file or directory · name a file"):
        inspect_file(tmp_path / "none")
    with pytest.raises(BadArgumentError, match=r"cannot read .* · it is a folder · name one file"):
        inspect_file(tmp_path)
    with pytest.raises(BadArgumentError, match=r"cannot read .*null · it is a pipe, a socket or a device"):
        inspect_file(os.devnull)
